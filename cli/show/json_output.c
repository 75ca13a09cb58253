#include "show/json_output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"

static json_t *sure(json_t *value)
{
    if (!value)
        exit(cli_message_failed("out of memory"));
    return value;
}

json_t *cli_json_object(void)
{
    return sure(json_object());
}

json_t *cli_json_array(void)
{
    return sure(json_array());
}

json_t *cli_json_result(const char *key, const char *text)
{
    json_t *object = cli_json_object();
    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, key, cli_json_text(text));
    return object;
}

void cli_json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value))
        exit(cli_message_failed("out of memory"));
}

void cli_json_append(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value))
        exit(cli_message_failed("out of memory"));
}

json_t *cli_json_number(double value)
{
    return sure(isfinite(value) ? json_real(value) : json_null());
}

json_t *cli_json_count(size_t count)
{
    return sure(json_integer((json_int_t)count));
}

json_t *cli_json_text(const char *text)
{
    json_t *value = text ? json_string(text) : json_null();
    if (value)
        return value;
    char *plain = cli_memory_copy(text, strlen(text));
    for (char *c = plain; *c; c++)
        if ((unsigned char)*c >= 0x80)
            *c = '?';
    value = sure(json_string(plain));
    free(plain);
    return value;
}

/* Whole numbers above 2^53 would lose digits on the way through a double. */
json_t *cli_json_option(const nln_option *row, const char *text)
{
    char *end = NULL;

    if (row->type == NLN_OPTION_FLAG)
        return json_boolean(strcmp(text, "true") == 0);
    if (row->type != NLN_OPTION_INT && row->type != NLN_OPTION_REAL)
        return cli_json_text(text);
    errno = 0;
    long long whole = strtoll(text, &end, 10);
    if (row->type == NLN_OPTION_INT && !errno && !*end)
        return sure(json_integer(whole));
    return cli_json_number(strtod(text, NULL));
}

json_t *cli_json_options(const nln_options *options)
{
    int n_rows = 0;
    const nln_option *rows = nln_options_table(&n_rows, options);
    json_t *object = cli_json_object();

    for (int i = 0; i < n_rows; i++)
        cli_json_put(object, rows[i].name,
                     cli_json_option(&rows[i], nln_options_text(options, rows[i].name)));
    return object;
}

/* 15 digits are the most that every double keeps: 0.1 stays 0.1. */
void cli_json_write(FILE *out, json_t *object)
{
    if (json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) && !ferror(out))
        exit(cli_message_failed("out of memory"));
    putc('\n', out);
    json_decref(object);
}

void cli_json_print(json_t *object)
{
    cli_json_write(stdout, object);
}

#include "base/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/edit_distance.h"
#include "base/input.h"
#include "base/memory.h"
#include "base/number.h"

/* Whole numbers beyond this are not all exact in the double that holds them. */
#define MOST_EXACT 9007199254740992.0

typedef struct value {
    char *text;
    double number;
    nln_option_source source;
} value;

struct nln_options {
    const nln_option *table; /* [n_rows] */
    int n_rows;
    value *values;       /* [n_rows] */
    const char *command; /* whose table it is; NULL for one of the caller's own */
};

/* ---- names -------------------------------------------------------------- */

static int find_row(const nln_options *o, const char *name)
{
    for (int i = 0; i < o->n_rows; i++)
        if (strlen(o->table[i].name) == strlen(name) &&
            nln_edit_distance_begins(o->table[i].name, name))
            return i;
    return -1;
}

/* The option the user may have meant, or NULL. */
static const char *nearest(const nln_options *o, const char *name)
{
    const char *best = NULL;
    int least = NLN_EDIT_DISTANCE_FAR;
    for (int i = 0; i < o->n_rows; i++)
        if (nln_edit_distance_nearer(&least, name, o->table[i].name))
            best = o->table[i].name;
    return best;
}

static nln_status unknown(const nln_options *o, const char *name, nln_error *err)
{
    const char *meant = nearest(o, name);
    if (meant)
        return nln_error_set(err, NLN_UNKNOWN, "there is no option --%.80s; did you mean --%s?",
                             name, meant);
    return nln_error_set(err, NLN_UNKNOWN, "there is no option --%.80s", name);
}

/* ---- values ------------------------------------------------------------- */

/* Writes the range as "from 1 to 4096", "of at least 0", "of at most 1" or "". */
static void describe_range(char *text, size_t room, double least, double most)
{
    char low[NLN_NUMBER_ROOM], high[NLN_NUMBER_ROOM];
    nln_number_round(low, least, 16);
    nln_number_round(high, most, 16);
    if (isfinite(least) && isfinite(most))
        snprintf(text, room, " from %s to %s", low, high);
    else if (isfinite(least))
        snprintf(text, room, " of at least %s", low);
    else if (isfinite(most))
        snprintf(text, room, " of at most %s", high);
    else
        text[0] = '\0';
}

static nln_status refuse(const nln_option *row, const char *wanted, const char *range,
                         const char *text, nln_error *err)
{
    return nln_error_set(err, NLN_INVALID, "option --%s must be %s%s, not '%.80s'", row->name,
                         wanted, range, text);
}

static nln_status check_number(double *number, const nln_option *row, const char *text,
                               nln_error *err)
{
    int whole = row->type == NLN_OPTION_INT;
    double least = whole ? fmax(row->least, -MOST_EXACT) : row->least;
    double most = whole ? fmin(row->most, MOST_EXACT) : row->most;
    char range[2 * NLN_NUMBER_ROOM + 16], *end = NULL;
    errno = 0;
    double x = whole ? (double)strtoll(text, &end, 10) : nln_number_parse(text, &end);
    int read = end != text && !*end && !isspace((unsigned char)*text);
    int in_range = isfinite(x) && x >= least && x <= most && !(whole && errno == ERANGE);
    if (read && in_range) {
        *number = x;
        return NLN_OK;
    }
    describe_range(range, sizeof range, least, most);
    return refuse(row, whole ? "a whole number" : "a number", range, text, err);
}

static nln_status check_choice(double *number, const nln_option *row, const char *text,
                               nln_error *err)
{
    size_t n = strlen(text);
    int index = 0;
    for (const char *word = row->choices; word; index++) {
        size_t length = strcspn(word, "|");
        if (length == n && !memcmp(word, text, n)) {
            *number = index;
            return NLN_OK;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    return refuse(row, "one of ", row->choices, text, err);
}

static nln_status check(double *number, const nln_option *row, const char *text, nln_error *err)
{
    switch (row->type) {
    case NLN_OPTION_FLAG:
        *number = !strcmp(text, "true");
        if (*number == 0 && strcmp(text, "false"))
            return refuse(row, "true or false", "", text, err);
        return NLN_OK;
    case NLN_OPTION_INT:
    case NLN_OPTION_REAL:
        return check_number(number, row, text, err);
    case NLN_OPTION_CHOICE:
        return check_choice(number, row, text, err);
    case NLN_OPTION_TEXT:
        break;
    }
    *number = 0;
    return NLN_OK;
}

static nln_status store(value *v, const char *text, double number, nln_option_source source,
                        nln_error *err)
{
    char *copy = nln_memory_copy(text);
    if (!copy)
        return nln_error_memory(err);
    nln_free(v->text);
    *v = (value){copy, number, source};
    return NLN_OK;
}

nln_status nln_options_assign(nln_options *o, const char *name, const char *text,
                              nln_option_source source, nln_error *err)
{
    double number = 0;
    int i = find_row(o, name);
    if (i < 0)
        return unknown(o, name, err);
    nln_status status = check(&number, &o->table[i], text, err);
    if (status || source < o->values[i].source)
        return status;
    return store(&o->values[i], text, number, source, err);
}

nln_status nln_options_set(nln_options *o, const char *name, const char *text, nln_error *err)
{
    return nln_options_assign(o, name, text, NLN_FROM_CALLER, err);
}

/* ---- handles ------------------------------------------------------------ */

static nln_status create_empty(nln_options **out, const nln_option *table, int n_rows,
                               nln_error *err)
{
    *out = NULL;
    nln_options *o = nln_memory_zeroed(1, sizeof *o);
    if (!o || !(o->values = nln_array_zeroed((size_t)n_rows, sizeof *o->values))) {
        nln_free(o);
        return nln_error_memory(err);
    }
    o->table = table;
    o->n_rows = n_rows;
    *out = o;
    return NLN_OK;
}

nln_status nln_options_create_from(nln_options **out, const nln_option *table, int n_rows,
                                   nln_error *err)
{
    *out = NULL;
    if (n_rows < 0 || (n_rows > 0 && !table))
        return nln_error_set(err, NLN_INVALID, "the table of options has %d rows", n_rows);
    nln_status status = create_empty(out, table, n_rows, err);
    for (int i = 0; !status && i < n_rows; i++)
        status = nln_options_assign(*out, table[i].name, table[i].initial, NLN_FROM_DEFAULT, err);
    if (status) {
        nln_options_free(*out);
        *out = NULL;
    }
    return status;
}

void nln_options_name(nln_options *o, const char *command)
{
    o->command = command;
}

nln_status nln_options_check(const nln_options *o, const char *command, nln_error *err)
{
    if (!o)
        return nln_error_set(err, NLN_INVALID,
                             "options of \"%s\" are needed here: nln_options_create makes them",
                             command);
    if (!o->command || strcmp(o->command, command) != 0)
        return nln_error_set(err, NLN_INVALID,
                             "options of \"%s\" are needed here, and these are of %s%s%s", command,
                             o->command ? "\"" : "", o->command ? o->command : "another table",
                             o->command ? "\"" : "");
    return NLN_OK;
}

nln_status nln_options_copy(nln_options **out, const nln_options *o, nln_error *err)
{
    nln_status status = create_empty(out, o->table, o->n_rows, err);
    if (!status)
        (*out)->command = o->command;
    for (int i = 0; !status && i < o->n_rows; i++) {
        const value *v = &o->values[i];
        status = store(&(*out)->values[i], v->text, v->number, v->source, err);
    }
    if (status) {
        nln_options_free(*out);
        *out = NULL;
    }
    return status;
}

void nln_options_free(nln_options *o)
{
    if (!o)
        return;
    for (int i = 0; i < o->n_rows; i++)
        nln_free(o->values[i].text);
    nln_free(o->values);
    nln_free(o);
}

const nln_option *nln_options_table(int *n_rows, const nln_options *o)
{
    *n_rows = o->n_rows;
    return o->table;
}

const char *nln_options_text(const nln_options *o, const char *name)
{
    int i = find_row(o, name);
    return i < 0 ? NULL : o->values[i].text;
}

double nln_options_number(const nln_options *o, const char *name)
{
    int i = find_row(o, name);
    return i < 0 ? 0 : o->values[i].number;
}

nln_option_source nln_options_source(const nln_options *o, const char *name)
{
    int i = find_row(o, name);
    return i < 0 ? NLN_FROM_DEFAULT : o->values[i].source;
}

/* ---- files -------------------------------------------------------------- */

static char *skip_spaces(char *at)
{
    return at + strspn(at, " \t");
}

static nln_status fail_at(const nln_input *in, const char *line, const char *at,
                          const char *message, nln_error *err)
{
    return nln_error_at(err, NLN_SYNTAX, nln_input_path(in), nln_input_line_number(in),
                        nln_input_column(line, at), "%s", message);
}

/* Ends the value that starts at *begin with a NUL, without its quotes, trailing
 * spaces and comment, and moves *begin to its first character. */
static nln_status cut_value(char **begin, const nln_input *in, const char *line, nln_error *err)
{
    char *at = *begin, *end;
    if (*at != '"' && *at != '\'') {
        end = at + strcspn(at, "#");
        while (end > at && (end[-1] == ' ' || end[-1] == '\t'))
            end--;
        if (end == at)
            return fail_at(in, line, at, "expected a value after '='; an empty one is \"\"", err);
    } else {
        end = strchr(at + 1, *at);
        if (!end)
            return fail_at(in, line, at, "the quoted value has no closing quote", err);
        char *rest = skip_spaces(end + 1);
        if (*rest && *rest != '#')
            return fail_at(in, line, rest, "expected the end of the line after the value", err);
        *begin = at + 1;
    }
    *end = '\0';
    return NLN_OK;
}

/* Refuses a name that has had a line in this file, line_of[row], and keeps the line; and a file
 * that names another, which nobody would read. */
static nln_status check_name(long *line_of, const nln_options *o, const char *name, long column,
                             const nln_input *in, nln_error *err)
{
    int i = find_row(o, name);
    if (i < 0)
        return NLN_OK;
    if (strcmp(o->table[i].name, "config") == 0)
        return nln_error_at(err, NLN_INVALID, nln_input_path(in), nln_input_line_number(in), column,
                            "a file of options cannot name another; write all options here, or "
                            "give the other file with --config");
    if (line_of[i])
        return nln_error_at(err, NLN_INVALID, nln_input_path(in), nln_input_line_number(in), column,
                            "%s has a value on line %ld already; remove one of the lines",
                            o->table[i].name, line_of[i]);
    line_of[i] = nln_input_line_number(in);
    return NLN_OK;
}

static nln_status read_line(nln_options *o, long *line_of, const nln_input *in, char *line,
                            nln_error *err)
{
    char *name = skip_spaces(line);
    char *end = name + strcspn(name, " \t=#");
    char *equals = skip_spaces(end);
    if (!*name || *name == '#')
        return NLN_OK;
    if (end == name)
        return fail_at(in, line, name, "expected an option as in name = value", err);
    if (*equals != '=')
        return fail_at(in, line, equals, "expected '=' after the name, as in name = value", err);
    char *text = skip_spaces(equals + 1);
    nln_status status = cut_value(&text, in, line, err);
    if (status)
        return status;
    long name_column = nln_input_column(line, name), value_column = nln_input_column(line, text);
    *end = '\0';
    status = check_name(line_of, o, name, name_column, in, err);
    if (status)
        return status;
    status = nln_options_assign(o, name, text, NLN_FROM_FILE, err);
    if (status && err && status != NLN_MEMORY) {
        nln_error_place(err, nln_input_path(in), nln_input_line_number(in));
        err->column = status == NLN_UNKNOWN ? name_column : value_column;
    }
    return status;
}

nln_status nln_options_read(nln_options *o, const char *path, nln_error *err)
{
    nln_input *in;
    char *line;
    size_t length;
    nln_status status = nln_input_open(&in, path, err);
    long *line_of = nln_array_zeroed((size_t)o->n_rows, sizeof *line_of);
    if (!status && !line_of)
        status = nln_error_memory(err);
    while (!status && !(status = nln_input_line(&line, &length, in, err)) && line)
        status = read_line(o, line_of, in, line, err);
    nln_free(line_of);
    nln_input_close(in);
    return status;
}

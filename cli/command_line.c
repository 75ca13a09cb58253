/* A verb has options of its own, options of the library and options that every
 * verb has.  They are joined in one table, first name wins, so that one parser,
 * one help and one config file serve all; afterwards the values are handed to
 * the library's own tables. */
#include "command_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"
#include "nln_serve.h"

static const nln_option common[] = {
    {"json", NLN_OPTION_FLAG, "false", 0, 0, 0, "print exactly one JSON object"},
    {"quiet", NLN_OPTION_FLAG, "false", 0, 0, 0, "no progress on standard error"},
    {"config", NLN_OPTION_TEXT, "", 0, 0, 0, "a file of name = value lines; the command line wins"},
    {"seed", NLN_OPTION_INT, "1", 0, 9007199254740991.0, 0, CLI_UNUSED},
    {"threads", NLN_OPTION_INT, "0", 0, 1024, 0, CLI_UNUSED},
};

/* As in the library, - and _ are the same letter of a name. */
static int is_same_name(const char *a, const char *b)
{
    for (; *a && *b; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b))
            return 0;
    return *a == *b;
}

/* Options that also have a short name, where the verb has them. */
static const struct {
    const char *word, *name;
} shorts[] = {{"-k", "top"}};

static const nln_option *find_row(const cli_call *call, const char *name)
{
    for (int i = 0; i < call->n_rows; i++)
        if (is_same_name(call->rows[i].name, name))
            return &call->rows[i];
    return NULL;
}

static void add_rows(cli_call *call, const nln_option *rows, int n_rows)
{
    call->rows =
        cli_memory_resize(call->rows, (size_t)call->n_rows + (size_t)n_rows, sizeof *call->rows);
    for (int i = 0; i < n_rows; i++)
        if (!find_row(call, rows[i].name))
            call->rows[call->n_rows++] = rows[i];
}

/* The table of the server belongs to the second library. */
static nln_status create_table(nln_options **out, const char *name, nln_error *err)
{
    int n_rows = 0;
    const nln_option *rows = nln_serve_options(&n_rows);
    return strcmp(name, "serve") == 0 ? nln_options_create_from(out, rows, n_rows, err)
                                      : nln_options_create(out, name, err);
}

int cli_call_open(cli_call *call, const cli_command *command)
{
    nln_error err = {0};
    *call = (cli_call){.command = command};

    add_rows(call, command->rows, command->n_rows);
    for (int t = 0; t < CLI_MOST_TABLES && command->tables[t]; t++) {
        int n_rows = 0;
        if (create_table(&call->library[t], command->tables[t], &err))
            return cli_message_error(&err);
        const nln_option *rows = nln_options_table(&n_rows, call->library[t]);
        add_rows(call, rows, n_rows);
    }
    add_rows(call, common, (int)(sizeof common / sizeof *common));
    if (nln_options_create_from(&call->options, call->rows, call->n_rows, &err))
        return cli_message_error(&err);
    return CLI_OK;
}

void cli_call_close(cli_call *call)
{
    nln_options_free(call->options);
    for (int t = 0; t < CLI_MOST_TABLES; t++)
        nln_options_free(call->library[t]);
    free(call->rows);
    free(call->given);
    *call = (cli_call){0};
}

static int set_option(cli_call *call, const char *name, const char *value)
{
    nln_error err = {0};
    if (nln_options_set(call->options, name, value, &err))
        return cli_message_misuse(&err);
    call->given =
        cli_memory_grow(call->given, call->n_given, &call->given_room, sizeof *call->given);
    call->given[call->n_given++] = (cli_given){find_row(call, name), value};
    return CLI_OK;
}

/* The row of the flag that `no-NAME` or `no_NAME` turns off, or NULL. */
static const nln_option *negated_row(const cli_call *call, const char *name)
{
    if (strncmp(name, "no-", 3) != 0 && strncmp(name, "no_", 3) != 0)
        return NULL;
    const nln_option *row = find_row(call, name + 3);
    return row && row->type == NLN_OPTION_FLAG ? row : NULL;
}

/* Reads the value of the option at words[*at]: what follows `=` or, but for flags, the
 * next word. */
static int read_value(cli_call *call, const nln_option *row, char *const *words, int n_words,
                      int *at)
{
    const char *equals = strchr(words[*at], '=');
    if (equals)
        return set_option(call, row->name, equals + 1);
    if (row->type == NLN_OPTION_FLAG)
        return set_option(call, row->name, "true");
    if (*at + 1 >= n_words)
        return cli_message_usage("--%s needs a value", row->name);
    return set_option(call, row->name, words[++*at]);
}

/* Reads the option at words[*at], `--name`. */
static int read_option(cli_call *call, char *const *words, int n_words, int *at)
{
    const char *word = words[*at] + 2, *equals = strchr(word, '=');
    char name[64];
    int length = equals ? (int)(equals - word) : (int)strlen(word);

    snprintf(name, sizeof name, "%.*s", length, word);
    const nln_option *row = find_row(call, name), *negated = row ? NULL : negated_row(call, name);
    if (row)
        return read_value(call, row, words, n_words, at);
    if (negated && equals)
        return cli_message_usage("--%s takes no value; write --%s or --%s", name, name,
                                 negated->name);
    if (negated)
        return set_option(call, negated->name, "false");
    return set_option(call, name, ""); /* The library knows what was meant. */
}

/* Reads the option at words[*at], one letter after one dash. */
static int read_short(cli_call *call, char *const *words, int n_words, int *at)
{
    for (size_t i = 0; i < sizeof shorts / sizeof *shorts; i++) {
        const nln_option *row = find_row(call, shorts[i].name);
        if (row && strcmp(words[*at], shorts[i].word) == 0)
            return read_value(call, row, words, n_words, at);
    }
    return cli_message_usage("unknown option %s; options are written --name", words[*at]);
}

static int read_operand(cli_call *call, const char *word)
{
    if (call->n_operands >= call->command->most_operands)
        return cli_message_usage("unexpected argument '%.80s'; the usage is: nln %s %s", word,
                                 call->command->name, call->command->operands);
    call->operands[call->n_operands++] = word;
    return CLI_OK;
}

static int read_words(cli_call *call, char *const *words, int n_words)
{
    int code = CLI_OK, only_operands = 0;

    for (int at = 0; at < n_words && !code; at++) {
        const char *word = words[at];
        if (only_operands || word[0] != '-' || !word[1])
            code = read_operand(call, word);
        else if (strcmp(word, "--") == 0)
            only_operands = 1;
        else if (word[1] == '-')
            code = read_option(call, words, n_words, &at);
        else
            code = read_short(call, words, n_words, &at);
    }
    return code;
}

static int read_config(cli_call *call)
{
    nln_error err = {0};
    const char *path = cli_call_text(call, "config");

    if (!path[0])
        return CLI_OK;
    if (nln_options_read(call->options, path, &err))
        return err.status == NLN_IO || err.status == NLN_MEMORY ? cli_message_error(&err)
                                                                : cli_message_misuse(&err);
    return CLI_OK;
}

static int check_complete(const cli_call *call)
{
    const cli_command *command = call->command;

    if (call->n_operands < command->least_operands)
        return cli_message_usage("an argument is missing; the usage is: nln %s %s", command->name,
                                 command->operands);
    if (command->needs_out && !cli_call_text(call, "out")[0])
        return cli_message_usage("--out is missing; the usage is: nln %s %s", command->name,
                                 command->operands);
    return CLI_OK;
}

/* A figure is several files, so an ending of one of them is no part of their PREFIX. */
static int cut_ending(cli_call *call)
{
    static const char *const endings[] = {".svg", ".png", ".pdf", ".tsv", ".gp"};
    const char *out = cli_call_text(call, "out"), *dot = strrchr(out, '.');
    char *prefix = NULL;
    int code = CLI_OK;

    if (!dot || dot == out || dot[-1] == '/' || !strstr(call->command->operands, "--out PREFIX"))
        return CLI_OK;
    for (size_t i = 0; i < sizeof endings / sizeof *endings && !prefix; i++)
        if (strcmp(dot, endings[i]) == 0)
            prefix = cli_memory_copy(out, (size_t)(dot - out));
    if (prefix)
        code = set_option(call, "out", prefix);
    free(prefix);
    return code;
}

/* A verb's own row may allow words that the library's row of the same name does not know.
 * They have been checked already and are not for the library. */
static int is_for_verb_only(const nln_option *row, nln_status status)
{
    return row->type == NLN_OPTION_CHOICE && status == NLN_INVALID;
}

/* Hands every value that is not a default to each library table that has it. */
static int fill_library(cli_call *call)
{
    nln_error err = {0};

    for (int t = 0; t < CLI_MOST_TABLES && call->library[t]; t++) {
        for (int i = 0; i < call->n_rows; i++) {
            const char *name = call->rows[i].name;
            if (!cli_call_has(call, name) || !nln_options_text(call->library[t], name))
                continue;
            nln_status status = nln_options_set(call->library[t], name,
                                                nln_options_text(call->options, name), &err);
            if (status && !is_for_verb_only(&call->rows[i], status))
                return cli_message_misuse(&err);
        }
    }
    return CLI_OK;
}

int cli_call_read(cli_call *call, char *const *words, int n_words)
{
    int code = read_words(call, words, n_words);
    if (!code)
        code = read_config(call);
    if (!code)
        code = check_complete(call);
    if (!code)
        code = cut_ending(call);
    if (!code)
        code = fill_library(call);
    return code;
}

int cli_call_give(cli_call *call, const char *name, const char *value)
{
    int code = set_option(call, name, value);
    return code ? code : fill_library(call);
}

int cli_call_flag(const cli_call *call, const char *name)
{
    return nln_options_number(call->options, name) != 0;
}

const char *cli_call_text(const cli_call *call, const char *name)
{
    const char *text = nln_options_text(call->options, name);
    return text ? text : "";
}

int cli_call_has(const cli_call *call, const char *name)
{
    return nln_options_source(call->options, name) != NLN_FROM_DEFAULT;
}

const nln_options *cli_call_library(const cli_call *call, const char *table)
{
    for (int t = 0; t < CLI_MOST_TABLES && call->command->tables[t]; t++)
        if (strcmp(call->command->tables[t], table) == 0)
            return call->library[t];
    return NULL;
}

static int is_common(const char *name)
{
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (is_same_name(common[i].name, name))
            return 1;
    return 0;
}

int cli_call_refuse(const cli_call *call, const char *table, const char *why)
{
    const nln_options *options = cli_call_library(call, table);

    for (size_t i = 0; i < call->n_given; i++) {
        const char *name = call->given[i].row->name;
        if (!is_common(name) && nln_options_source(options, name) != NLN_FROM_DEFAULT)
            return cli_message_usage("--%s %s", name, why);
    }
    return CLI_OK;
}

#include "help.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "messages.h"
#include "show/terminal.h"

enum { RANGE_ROOM = 80 };

static void print_bold(const char *text)
{
    printf("%s%s%s", cli_terminal_ink(stdout, CLI_BOLD), text, cli_terminal_ink(stdout, CLI_PLAIN));
}

/* All verbs are a line each; those of one family also say their arguments. */
void cli_help_commands(const char *prefix)
{
    printf("nln %s: Neural Logic Networks\nusage: nln VERB [arguments] [--options]\n\n",
           nln_version());
    for (int i = 0; cli_command_row(i); i++) {
        const cli_command *command = cli_command_row(i);
        if (strncmp(command->name, prefix, strlen(prefix)) != 0)
            continue;
        if (prefix[0]) {
            print_bold("nln ");
            print_bold(command->name);
            printf(" %s\n    %s\n", command->operands, command->summary);
        } else {
            print_bold(command->name);
            printf("%*s%s\n", 18 - (int)strlen(command->name), "", command->summary);
        }
    }
    puts("\n`nln VERB --help` shows the arguments and options of a verb; `nln --version` the "
         "version.");
}

/* The values that an option may have, in words that may need `room`. */
static const char *write_range(char room[RANGE_ROOM], const nln_option *row)
{
    int digits = row->type == NLN_OPTION_INT ? 17 : 15;

    if (row->type == NLN_OPTION_FLAG)
        return "true|false";
    if (row->type == NLN_OPTION_CHOICE)
        return row->choices;
    if (row->type == NLN_OPTION_TEXT)
        return "text";
    if (isinf(row->least) && isinf(row->most))
        return "any number";
    if (isinf(row->most))
        snprintf(room, RANGE_ROOM, "at least %.*g", digits, row->least);
    else if (isinf(row->least))
        snprintf(room, RANGE_ROOM, "at most %.*g", digits, row->most);
    else
        snprintf(room, RANGE_ROOM, "%.*g to %.*g", digits, row->least, digits, row->most);
    return room;
}

/* ---- one command ------------------------------------------------------------------------- */

/* Columns: name, default, help. */
enum { DEFAULT_AT = 23, HELP_AT = 33, WIDTH = 100 };

/* Prints one option; the help is wrapped and ends with the choices.  In the short form it ends at
 * its first semicolon, in the long form also with the range of a number. */
static void print_option(const nln_option *row, const char *value, int is_long)
{
    char name[64], text[512], range[RANGE_ROOM];
    int is_number = row->type == NLN_OPTION_INT || row->type == NLN_OPTION_REAL;
    int is_choice = row->type == NLN_OPTION_CHOICE;
    int length = (int)(is_long ? strlen(row->help) : strcspn(row->help, ";"));

    snprintf(name, sizeof name, row->type == NLN_OPTION_FLAG ? "--[no-]%s" : "--%s", row->name);
    snprintf(text, sizeof text, is_choice || (is_long && is_number) ? "%.*s (%s)" : "%.*s", length,
             row->help, write_range(range, row));
    print_bold(name);
    int column = (int)strlen(name);
    column += printf("%*s%s", DEFAULT_AT - column, "", value[0] ? value : "-");
    column += printf("%*s", column < HELP_AT ? HELP_AT - column : 1, "");
    for (const char *at = text; *at;) {
        int space = at > text && at[-1] == ' ';
        length = (int)strcspn(at, " |");
        length += at[length] == '|'; /* a list of choices may be cut behind each of them */
        if (at > text && column + space + length > WIDTH)
            column = printf("\n%*s", HELP_AT, "") - 1;
        else if (space)
            column += printf(" ");
        column += printf("%.*s", length, at);
        at += length + (at[length] == ' ');
    }
    putchar('\n');
}

/* The library's options that have row i, or NULL for the program's own. */
static const nln_options *library_of(const cli_call *call, int i)
{
    for (int t = 0; i >= call->command->n_rows && t < CLI_MOST_TABLES && call->library[t]; t++)
        if (nln_options_text(call->library[t], call->rows[i].name))
            return call->library[t];
    return NULL;
}

/* Options beside those of training that the short help leaves out. */
static int is_rare(const char *name)
{
    static const char *const rare[] = {
        "answer-time",  "body-limit",     "connections",  "core",    "damping",
        "drain",        "every",          "facts",        "format",  "hard",
        "holdout",      "holdout-seed",   "least",        "lengths", "most",
        "negatives",    "negatives-seed", "noise",        "orders",  "per-address",
        "per-user",     "ping",           "queue",        "random",  "rating-range",
        "request-time", "snapshots",      "split-seed",   "strict",  "sweeps",
        "train-memory", "train-threads",  "upload-limit", "verb",    "with-seen",
        "workers",
    };
    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        if (strcmp(rare[i], name) == 0)
            return 1;
    return 0;
}

/* Whether the first help has to leave something out to fit a screen. */
static int is_long(const cli_call *call)
{
    enum { SCREEN = 20 };
    return cli_call_library(call, "train") || call->n_rows > SCREEN;
}

/* The options that read the data of the task in force, or NULL. */
static const nln_options *data_of(const cli_call *call, const nln_options *training)
{
    const char *task = nln_options_text(training, "task");
    if (strcmp(task, "logic") == 0)
        return NULL;
    return cli_call_library(call, strcmp(task, "link") == 0 ? "triples" : "ratings");
}

/* The group in which row i is shown, or NULL where it is not. */
static const char *group_of(const cli_call *call, int i, int all)
{
    const nln_options *training = cli_call_library(call, "train"), *library = library_of(call, i);
    nln_option_use use;

    if (!library && !all && strcmp(call->rows[i].help, CLI_UNUSED) == 0)
        return NULL;
    if (!all && is_long(call) && library != training && is_rare(call->rows[i].name))
        return NULL;
    if (!training)
        return "options";
    if (!library)
        return "output";
    if (library != training)
        return all || library == data_of(call, training) ? "data" : NULL;
    nln_options_use(&use, training, call->rows[i].name);
    return all || (use.is_common && use.applies) ? use.group : NULL;
}

/* Sets the option of training if the words have it. */
static int take_word(nln_options *training, const char *name, char *const *words, int n_words)
{
    size_t length = strlen(name);
    nln_error err = {0};

    for (int i = 0; i < n_words; i++) {
        const char *end = words[i] + 2 + length;
        if (strncmp(words[i], "--", 2) != 0 || strncmp(words[i] + 2, name, length) != 0)
            continue;
        const char *value = *end == '=' ? end + 1 : !*end && i + 1 < n_words ? words[i + 1] : NULL;
        if (value && nln_options_set(training, name, value, &err))
            return cli_message_misuse(&err);
    }
    return CLI_OK;
}

/* The values that training would use with these words.  A model that cannot do task logic shows
 * the values of a task that it can do. */
static int settle(nln_options *training, char *const *words, int n_words)
{
    static const char *const names[] = {"task", "model", "recipe"};
    static const char *const tasks[] = {"logic", "topk", "preference"};
    nln_option_use use = {0};
    nln_error err = {0};
    int code = CLI_OK;

    for (size_t i = 0; !code && i < sizeof names / sizeof *names; i++)
        code = take_word(training, names[i], words, n_words);
    if (code)
        return code;
    if (nln_options_source(training, "task") == NLN_FROM_DEFAULT)
        for (size_t i = 0; !use.applies && i < sizeof tasks / sizeof *tasks; i++) {
            nln_options_set(training, "task", tasks[i], &err);
            nln_options_use(&use, training, "model");
        }
    return nln_options_settle(training, &err) ? cli_message_error(&err) : CLI_OK;
}

int cli_help_command(cli_call *call, char *const *words, int n_words)
{
    static const char *const groups[] = {"options", "data", "model", "learning", "laws", "output"};
    nln_options *training = NULL;
    int all = 0, n_groups = 0, code = CLI_OK;

    for (int i = 0; i < n_words; i++)
        all |= strcmp(words[i], "all") == 0;
    for (int t = 0; t < CLI_MOST_TABLES && call->library[t]; t++)
        if (call->library[t] == cli_call_library(call, "train"))
            code = settle(training = call->library[t], words, n_words);
    if (code)
        return code;
    printf("usage: nln %s %s [--options]\n%s\n", call->command->name, call->command->operands,
           call->command->summary);
    if (training)
        printf("The values are those of --task %s --model %s --recipe %s; give others with "
               "--help.\n",
               nln_options_text(training, "task"), nln_options_text(training, "model"),
               nln_options_text(training, "recipe"));
    if (!all && is_long(call))
        puts("--help all shows every option.");
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        int n = 0;
        for (int i = 0; i < call->n_rows; i++) {
            const char *group = group_of(call, i, all), *name = call->rows[i].name;
            const nln_options *library = library_of(call, i);
            if (!group || strcmp(group, groups[g]) != 0)
                continue;
            if (!n++)
                printf("%s%s%s:%s\n", !all && g && training && n_groups++ ? "" : "\n",
                       cli_terminal_ink(stdout, CLI_BOLD), group,
                       cli_terminal_ink(stdout, CLI_PLAIN));
            print_option(&call->rows[i],
                         library ? nln_options_text(library, name) : call->rows[i].initial,
                         all || !is_long(call));
        }
    }
    return CLI_OK;
}

/* ---- tables for scripts ------------------------------------------------------------------- */

static void print_rows(const cli_call *call)
{
    static const char *const types[] = {
        [NLN_OPTION_FLAG] = "flag",     [NLN_OPTION_INT] = "integer", [NLN_OPTION_REAL] = "number",
        [NLN_OPTION_CHOICE] = "choice", [NLN_OPTION_TEXT] = "text",
    };
    const cli_command *command = call->command;
    char range[RANGE_ROOM];

    printf("verb\t%s\t%s\t%s\n", command->name, command->operands, command->summary);
    for (int i = 0; i < call->n_rows; i++) {
        const nln_option *row = &call->rows[i];
        printf("option\t%s\t%s\t%s\t%s\t%s\n", row->name, types[row->type], row->initial,
               write_range(range, row), row->help);
    }
}

int cli_help_tables(void)
{
    int code = CLI_OK;
    for (int i = 0; !code && cli_command_row(i); i++) {
        cli_call call;
        code = cli_call_open(&call, cli_command_row(i));
        if (!code)
            print_rows(&call);
        cli_call_close(&call);
    }
    return code;
}

#include "help.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "messages.h"
#include "show/text_table.h"

enum { RANGE_ROOM = 80 };

void cli_usage_verbs(const char *prefix)
{
    static const cli_column columns[] = {{"verb", 0}, {"arguments", 0}, {"", 0}};
    cli_table table;

    cli_table_open(&table, columns, 3);
    for (int i = 0; cli_command_row(i); i++) {
        const cli_command *command = cli_command_row(i);
        if (strncmp(command->name, prefix, strlen(prefix)) != 0)
            continue;
        cli_table_add(&table, "%s", command->name);
        cli_table_add(&table, "%s", command->operands);
        cli_table_add(&table, "%s", command->summary);
    }
    printf("nln %s: Neural Logic Networks\nusage: nln VERB [arguments] [--options]\n\n",
           nln_version());
    cli_table_print(&table, stdout);
    puts("\n`nln VERB --help` shows the options of a verb; `nln --version` the version.");
    cli_table_close(&table);
}

/* The least and the most of a number, without the sides that have no bound. */
static void write_interval(char *out, size_t size, const nln_option *row)
{
    int digits = row->type == NLN_OPTION_INT ? 17 : 15;

    if (isinf(row->least) && isinf(row->most))
        snprintf(out, size, "any number");
    else if (isinf(row->most))
        snprintf(out, size, "at least %.*g", digits, row->least);
    else if (isinf(row->least))
        snprintf(out, size, "at most %.*g", digits, row->most);
    else
        snprintf(out, size, "%.*g to %.*g", digits, row->least, digits, row->most);
}

/* The values that an option may have, in words that may need `room`. */
static const char *write_range(char room[RANGE_ROOM], const nln_option *row)
{
    switch (row->type) {
    case NLN_OPTION_FLAG:
        return "true|false";
    case NLN_OPTION_INT:
    case NLN_OPTION_REAL:
        write_interval(room, RANGE_ROOM, row);
        return room;
    case NLN_OPTION_CHOICE:
        return row->choices;
    case NLN_OPTION_TEXT:
        break;
    }
    return "text";
}

void cli_usage_verb(const cli_call *call)
{
    static const cli_column columns[] = {{"option", 0}, {"default", 0}, {"range", 0}, {"", 0}};
    const cli_command *command = call->command;
    char range[RANGE_ROOM];
    cli_table table;

    cli_table_open(&table, columns, 4);
    for (int i = 0; i < call->n_rows; i++) {
        const nln_option *row = &call->rows[i];
        cli_table_add(&table, row->type == NLN_OPTION_FLAG ? "--[no-]%s" : "--%s", row->name);
        cli_table_add(&table, "%s", row->initial[0] ? row->initial : "-");
        cli_table_add(&table, "%s", write_range(range, row));
        cli_table_add(&table, "%s", row->help);
    }
    printf("usage: nln %s %s [--options]\n%s\n\n", command->name, command->operands,
           command->summary);
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

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

int cli_usage_tables(void)
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

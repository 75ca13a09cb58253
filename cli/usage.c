#include "usage.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "show/table.h"

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
static void add_interval(cli_table *table, const nln_option *row)
{
    int digits = row->type == NLN_OPTION_INT ? 17 : 15;
    char least[32], most[32];

    snprintf(least, sizeof least, "%.*g", digits, row->least);
    snprintf(most, sizeof most, "%.*g", digits, row->most);
    if (isinf(row->least) && isinf(row->most))
        cli_table_add(table, "any number");
    else if (isinf(row->most))
        cli_table_add(table, "at least %s", least);
    else if (isinf(row->least))
        cli_table_add(table, "at most %s", most);
    else
        cli_table_add(table, "%s to %s", least, most);
}

static void add_range(cli_table *table, const nln_option *row)
{
    switch (row->type) {
    case NLN_OPTION_FLAG:
        cli_table_add(table, "true|false");
        return;
    case NLN_OPTION_INT:
    case NLN_OPTION_REAL:
        add_interval(table, row);
        return;
    case NLN_OPTION_CHOICE:
        cli_table_add(table, "%s", row->choices);
        return;
    case NLN_OPTION_TEXT:
        break;
    }
    cli_table_add(table, "text");
}

void cli_usage_verb(const cli_call *call)
{
    static const cli_column columns[] = {{"option", 0}, {"default", 0}, {"range", 0}, {"", 0}};
    const cli_command *command = call->command;
    cli_table table;

    cli_table_open(&table, columns, 4);
    for (int i = 0; i < call->n_rows; i++) {
        const nln_option *row = &call->rows[i];
        cli_table_add(&table, row->type == NLN_OPTION_FLAG ? "--[no-]%s" : "--%s", row->name);
        cli_table_add(&table, "%s", row->initial[0] ? row->initial : "-");
        add_range(&table, row);
        cli_table_add(&table, "%s", row->help);
    }
    printf("usage: nln %s %s [--options]\n%s\n\n", command->name, command->operands,
           command->summary);
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

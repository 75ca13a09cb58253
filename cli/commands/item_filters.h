/* The items that --only and --exclude name, as ids or titles between commas or as a file of them.
 */
#ifndef CLI_COMMANDS_ITEM_FILTERS_H
#define CLI_COMMANDS_ITEM_FILTERS_H

#include "command_table.h"
#include "commands/item_names.h"

typedef struct cli_item_list {
    size_t *items; /* [n] */
    size_t n, room;
    int is_given;
} cli_item_list;

typedef struct cli_item_filters {
    cli_item_list only, exclude;
} cli_item_filters;

/* Reads both options, where the command has them.  A value that is the name of a file is read as
 * one: an item on each line; items that the model does not know are then left out, with a note.
 * Returns an exit code; whatever it is, cli_item_filters_free releases them. */
int cli_item_filters_read(cli_item_filters *out, const cli_call *call, const cli_items *items);
void cli_item_filters_free(cli_item_filters *filters);

/* Puts the filters into a question. */
void cli_item_filters_apply(nln_question *question, const cli_item_filters *filters);

#endif

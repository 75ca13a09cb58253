/* The items of a model as people know them: by id and, where there is a file, by title. */
#ifndef CLI_COMMANDS_ITEM_NAMES_H
#define CLI_COMMANDS_ITEM_NAMES_H

#include "command_table.h"

typedef struct cli_items {
    const nln_model *model; /* borrowed */
    nln_titles *titles;     /* NULL without --titles */
} cli_items;

/* Reads the file of --titles, if any.  Returns an exit code. */
int cli_items_open(cli_items *items, const cli_call *call, const nln_model *model);
void cli_items_close(cli_items *items);

/* The title, or NULL. */
const char *cli_items_title(const cli_items *items, size_t item);
/* The title, or the id where there is none. */
const char *cli_items_name(const cli_items *items, size_t item);
/* How many items have this id or this whole title (case does not count): 0, 1 or 2 for more;
 * *item is the first of them. */
int cli_items_match(size_t *item, const cli_items *items, const char *name);
/* The same, but a message tells if there is not exactly one; `place` starts the message, as
 * "FILE:LINE: " or "".  Returns an exit code. */
int cli_items_find(size_t *item, const cli_items *items, const char *name, const char *place);

#endif

/* Reasons in words: which literals of a history matter for an item. */
#ifndef CLI_COMMANDS_REASONS_H
#define CLI_COMMANDS_REASONS_H

#include <stdio.h>

#include "commands/item_names.h"
#include "show/json_output.h"

/* The largest contribution first, whatever its sign. */
void cli_reasons_sort(nln_explanation *explanation);
/* Whether a literal is worth naming: it moves the score by .05 at least, and has a tenth of all
 * that the literals move or, where there are many, one and a half times the share of the average
 * one. */
int cli_reason_matters(const nln_explanation *explanation, const nln_reason *reason);
/* liking 'tea' (+0.52), or, where facts link it to the item: liking 'tea' (+0.52; complement('tea',
 * 'jam')) */
void cli_reason_print(FILE *out, const nln_reason *reason, size_t item, const cli_items *items);
/* The facts by which the reason speaks for the item, as {"relation", "head", "tail"}; NULL where
 * there are none. */
json_t *cli_reason_facts(const nln_reason *reason, size_t item, const nln_model *model);
/* Prints up to `most` that matter for the item and have the sign of `sign`, joined by ", " and "
 * and "; returns how many. */
size_t cli_reasons_print(FILE *out, const nln_explanation *sorted, int sign, size_t most,
                         size_t item, const cli_items *items);

#endif

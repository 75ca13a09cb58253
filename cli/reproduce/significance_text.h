/* What a table says, in plain words made from its numbers: whether NLN is ahead of the best
 * baseline, whether that could be chance, and what the laws are worth. */
#ifndef CLI_REPRODUCE_SIGNIFICANCE_TEXT_H
#define CLI_REPRODUCE_SIGNIFICANCE_TEXT_H

#include "reproduce/result_table.h"

/* Below this p a difference is called significant, as in the paper. */
#define CLI_SIGNIFICANT 0.05

/* The sentences of a part of a table; NULL past the last one.  The caller frees them. */
char *cli_significance_sentence(const cli_result_table *sheet, const cli_part *part, int index);
/* Whether the comparison was won, by this measure, and not by chance: over seeds, over users. */
int cli_significance_by_seeds(const cli_measure *measure, const cli_comparison *comparison);
int cli_significance_by_users(const cli_measure *measure, const cli_comparison *comparison);

#endif

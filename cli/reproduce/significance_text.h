/* Sentences about a table, made from its numbers: whether NLN is ahead of the best baseline,
 * whether that is significant, and what the laws add. */
#ifndef CLI_REPRODUCE_SIGNIFICANCE_TEXT_H
#define CLI_REPRODUCE_SIGNIFICANCE_TEXT_H

#include "reproduce/result_summary.h"

/* Below this p a difference is called significant, as in the paper. */
#define CLI_SIGNIFICANT 0.05

/* The sentences of a part of a table; NULL past the last one.  The caller frees them. */
char *cli_significance_sentence(const cli_result_summary *sheet, const cli_part *part, int index);
/* Whether the first of the pair is better by this measure, and significantly. */
int cli_significance_won(const cli_measure *measure, const nln_paired *paired);

#endif

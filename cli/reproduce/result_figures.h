/* The figures of the study, drawn from what its runs found. */
#ifndef CLI_REPRODUCE_RESULT_FIGURES_H
#define CLI_REPRODUCE_RESULT_FIGURES_H

#include "reproduce/experiment_plan.h"

/* Writes PREFIX.tsv and draws it.  *there says whether there was anything to draw, *drawn
 * whether there are pictures.  Returns an exit code. */
int cli_drawing_make(int *there, int *drawn, const cli_plan *plan, const cli_exhibit *exhibit,
                     const char *prefix);

#endif

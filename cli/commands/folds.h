/* Cross-validation of one file of expressions. */
#ifndef CLI_COMMANDS_FOLDS_H
#define CLI_COMMANDS_FOLDS_H

#include <jansson.h>

#include "command_line.h"

/* What each fold measures as test, with a model that learned from the others. */
typedef struct cli_folds {
    nln_metrics *test; /* [n] */
    int n;
} cli_folds;

/* Trains once for each fold if --folds asks for it without --fold; otherwise out->n is 0.  Returns
 * an exit code. */
int cli_folds_train(cli_folds *out, const cli_call *call);
void cli_folds_print(const cli_folds *folds);
/* {"test": [...], "mean": {...}, "standard_error": {...}} */
json_t *cli_folds_json(const cli_folds *folds);
void cli_folds_free(cli_folds *folds);

#endif

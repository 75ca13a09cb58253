/* nln evaluate, for models that learned from ratings. */
#ifndef CLI_COMMANDS_EVALUATE_RATINGS_H
#define CLI_COMMANDS_EVALUATE_RATINGS_H

#include "command_table.h"

/* Measures the model on a part of the ratings and prints the result; returns an exit code. */
int cli_evaluate_ratings(const cli_call *call, const nln_model *model, nln_split part);

#endif

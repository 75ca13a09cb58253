/* Which epoch is kept: the choices of option --select, one row of a table for each. */
#ifndef NLN_TRAINING_SELECTION_H
#define NLN_TRAINING_SELECTION_H

#include "models/model.h"

/* Refuses a metric that the task does not have, which would keep the first epoch whatever came
 * after it; and patience without a metric, under which no epoch is ever worse. */
nln_status nln_selection_check(const nln_model *model, nln_error *err);

/* Whether validation metrics `a` are better than the best so far, which are zero before the first
 * epoch. */
int nln_selection_better(int select, const nln_metrics *a, const nln_metrics *best);

#endif

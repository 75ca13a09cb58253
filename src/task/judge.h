/* Measuring a model on ratings. */
#ifndef NLN_TASK_JUDGE_H
#define NLN_TASK_JUDGE_H

#include "data/ratings.h"
#include "models/model.h"

/* Ranks every liked item of a split, as nln_evaluate_ratings does for task topk. */
nln_status nln_judge(nln_metrics *out, nln_placing **placings, const nln_model *model,
                     const nln_ratings *ratings, nln_split split, const nln_options *options,
                     nln_error *err);

#endif

/* Measuring a model on ratings. */
#ifndef NLN_EVALUATION_RANKING_EVALUATION_H
#define NLN_EVALUATION_RANKING_EVALUATION_H

#include "data/ratings.h"
#include "models/model.h"

/* Ranks every liked item of a split, as nln_evaluate_ratings does for task topk. */
nln_status nln_evaluate_ranking(nln_metrics *out, nln_placing **placings, const nln_model *model,
                                const nln_ratings *ratings, nln_split split,
                                const nln_options *options, nln_error *err);

/* The sampled ranking alone, with the default options, which costs a fraction: for validation
 * after every epoch.  Of many liked items it takes ten thousand, evenly spread. */
nln_status nln_evaluate_ranking_quickly(nln_metrics *out, const nln_model *model,
                                        const nln_ratings *ratings, nln_split split,
                                        nln_error *err);

#endif

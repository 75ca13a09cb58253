/* The filtered ranking of links: each triple of a split as r(h, ?) and as r(?, t), among all
 * entities but other known answers, with the expected rank under ties.
 *
 * Triples that ask the same question are ranked from one scoring of all entities. */
#ifndef NLN_EVALUATION_LINK_EVALUATION_H
#define NLN_EVALUATION_LINK_EVALUATION_H

#include "models/link_scorer.h"

/* Both questions of each triple, with all triples that ask the same as its targets. */
nln_status nln_link_evaluation_questions(nln_link_questions *out, const nln_triple *list, size_t n,
                                         size_t n_relations, nln_error *err);

/* rank[w * n_targets + k] is the rank of target k of the questions with weight[w] of the rules;
 * `known` has the facts that are left out. */
nln_status nln_link_evaluation_ranks(double *rank, const nln_model *model,
                                     const nln_fact_index *known,
                                     const nln_link_questions *questions, const double *weight,
                                     int n_weights, int n_threads, nln_error *err);

/* The metrics of such ranks of one weight. */
void nln_link_evaluation_summary(nln_link_ranking *out, const nln_link_questions *questions,
                                 const double *rank, size_t n_relations);

/* All of it, with the model's own weight. */
nln_status nln_link_evaluation_run(nln_link_ranking *out, const nln_model *model,
                                   const nln_fact_index *known, const nln_triple *list, size_t n,
                                   int n_threads, nln_error *err);

#endif

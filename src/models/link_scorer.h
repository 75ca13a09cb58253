/* Answers of a model of links: the scores of all entities as answers to questions.
 *
 * The score is that of the vectors, where the method has some, plus the weight of the rules times
 * the sum of nln_rules_scores, where the model has rules.  Only the order of scores matters. */
#ifndef NLN_MODELS_LINK_SCORER_H
#define NLN_MODELS_LINK_SCORER_H

#include "models/link_learner.h"

enum { NLN_LINK_BLOCK = 64 }; /* the most questions at a time */

typedef struct nln_link_scorer {
    const nln_model *model;
    nln_link_questions questions;
    nln_link_queries queries;
    real *turned;     /* [dim, BLOCK] */
    real *product;    /* [entities, BLOCK] */
    real *square;     /* [entities] of the vectors, for distances */
    double *by_rules; /* [entities] */
    int64_t *stamp, clock;
    int32_t n_questions;
} nln_link_scorer;

nln_status nln_link_scorer_create(nln_link_scorer **out, const nln_model *model, nln_error *err);
void nln_link_scorer_free(nln_link_scorer *s);

/* Reads n <= NLN_LINK_BLOCK questions, with the premises that the model's own facts give; targets
 * do not matter. */
nln_status nln_link_scorer_read(nln_link_scorer *s, const nln_link_question *questions, int32_t n,
                                nln_error *err);
/* score[e] of every entity as the answer to question i of those read: by the vectors ... */
void nln_link_scorer_vectors(double *score, const nln_link_scorer *s, int32_t i);
/* ... and by the rules, without their weight. */
void nln_link_scorer_rules(double *score, nln_link_scorer *s, int32_t i);
/* Both, with the weight. */
void nln_link_scorer_scores(double *score, nln_link_scorer *s, int32_t i);

#endif

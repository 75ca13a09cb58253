/* Ranking all variables after an expression, for nln_rank and its bench. */
#ifndef NLN_TASK_RANK_H
#define NLN_TASK_RANK_H

#include "models/model.h"
#include "net/rank.h"

/* What ranking one expression needs besides the ranker; one's own in each thread. */
typedef struct nln_rank_room {
    real *cosine;  /* [variables] */
    real *scratch; /* of the ranker */
} nln_rank_room;

nln_status nln_rank_room_create(nln_rank_room *room, const nln_model *model,
                                const nln_ranker *ranker, nln_error *err);
void nln_rank_room_free(nln_rank_room *room);

/* p[i] of every variable, averaged over the members; member m of the expression's vector is
 * vectors[m * stride]. */
void nln_rank_one(double *p, nln_rank_room *room, const nln_ranker *ranker, const nln_model *model,
                  const real *vectors, size_t stride);

/* Scores of all variables after each of some expressions: alpha cos(OR(e, v), T), the mean over
 * the model's members and orders. */
typedef struct nln_rank_scorer {
    size_t n;      /* expressions read */
    real *vectors; /* [orders, members, n, dim] */
    nln_rank_room room;
} nln_rank_scorer;

/* For at most `most` expressions at a time. */
nln_status nln_rank_scorer_create(nln_rank_scorer *s, const nln_model *model,
                                  const nln_ranker *ranker, size_t most, nln_error *err);
void nln_rank_scorer_free(nln_rank_scorer *s);
nln_status nln_rank_scorer_read(nln_rank_scorer *s, const nln_model *model, const nln_exprs *list,
                                nln_error *err);
/* score[v] of every variable after expression i of those read; or of the n variables in
 * `only`, where they differ, the others being left as they are. */
void nln_rank_scorer_scores(double *score, nln_rank_scorer *s, const nln_ranker *ranker,
                            const nln_model *model, size_t i, const int32_t *only, int32_t n);

#endif

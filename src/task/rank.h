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

#endif

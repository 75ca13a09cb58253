/* Ranking all variables after an expression, for nln_rank and its bench. */
#ifndef NLN_INFERENCE_RANK_VARIABLES_H
#define NLN_INFERENCE_RANK_VARIABLES_H

#include "models/network_learner.h"

/* What ranking one expression after the other needs. */
typedef struct nln_rank_workspace {
    nln_rankers rankers;
    real *cosine;          /* [variables] */
    real *scratch;         /* of the rankers */
    nln_running_cost toll; /* of all rankings so far; times only if its profile is on */
} nln_rank_workspace;

/* For a model that is a network. */
nln_status nln_rank_workspace_create(nln_rank_workspace *room, const nln_model *model,
                                     nln_error *err);
void nln_rank_workspace_free(nln_rank_workspace *room);

/* p[i] of every variable, averaged over the networks and their members; member m of the
 * expression's vector, counted through all networks, is vectors[m * stride]. */
void nln_rank_after_vector(double *p, nln_rank_workspace *room, const nln_model *model,
                           const real *vectors, size_t stride);

#endif

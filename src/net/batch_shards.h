/* A batch in shards.
 *
 * The expressions of a batch are split into shards.  Their number depends on the size of the batch
 * and its work for each expression, never on the number of threads.  Each shard has its own plan
 * and is computed alone, in the memory of a thread; the gradients are summed along a fixed tree
 * (see shard_rows.h).  So the same seed gives the same bits on any number of threads, and threads
 * meet only a few times a batch. */
#ifndef NLN_NET_BATCH_SHARDS_H
#define NLN_NET_BATCH_SHARDS_H

#include <stdatomic.h>

#include "net/objective.h"
#include "net/shard_outline.h"
#include "net/shard_sum.h"

typedef struct nln_shard {
    nln_planner *planner;
    const nln_plan *plan; /* of the current batch; an outline, if another rank computes it */
    nln_shard_gradient gradient;
    nln_law_counts law;   /* of its rows under the laws */
    nln_request request;  /* its units */
    int32_t *index;       /* [expressions] of the request's list */
    int32_t n_under_laws; /* rows */
    size_t index_room;
    nln_status status; /* of planning */
    nln_error err;
} nln_shard;

/* The memory in which a thread computes a shard. */
typedef struct nln_thread_workspace {
    nln_workspace *work;
    nln_softmax *softmax; /* for the loss SOFTMAX; made when first needed */
    atomic_flag busy;
} nln_thread_workspace;

/* The rows of all shards that are one variable, or its negation. */
typedef struct nln_batch_literal {
    int32_t count;    /* occurrences */
    int32_t n_shards; /* that have such a row */
    int32_t owner;    /* the shard in which it is under the laws */
} nln_batch_literal;

typedef struct nln_batch {
    const nln_net *net;
    nln_thread_pool *pool;           /* borrowed */
    int n_shards;                    /* of the current batch */
    double n_units;                  /* of the current batch, members counted */
    int sharing;                     /* there is room for shared projections */
    nln_shard *shard;                /* [n_shards] */
    int n_made;                      /* shards that exist, of this batch or a larger one before */
    int n_workspaces;                /* as many as shards can be computed at a time */
    nln_thread_workspace *workspace; /* [n_workspaces] */

    /* The distinct variables of the batch (rows of the network's tables), in order of
     * first sight, with the sum of their gradients over the shards. */
    nln_shard_rows variables;
    int32_t n_variables;           /* that of `variables`, as is ... */
    const int32_t *variable;       /* [n_variables] */
    int32_t *count;                /* [n_variables] occurrences */
    uint8_t *negated;              /* [leaves of all shards] whether the shard has the negation */
    nln_batch_literal *literal[2]; /* [n_variables] the variables and their negations */
    int n_literal_kinds; /* 0, 1 or both of these are under the laws in one shard for all */
    real *dlogit;        /* [n_variables], if the network has such numbers */
    real *dvector;       /* [n_variables, dim], if it has vectors */
    real *dmodules;      /* the block of the modules: borrowed from shard 0 */
    nln_shard_rows entities, predicates; /* those of the batch, with the sums of their gradients */
    real *dentity, *dpredicate;          /* [entities.n, dim], [predicates.n, predicate_width] */
    real *datoms;                        /* the block of the atoms: borrowed from shard 0 */
    nln_shard_part part[6];              /* what is summed: these, as far as the network has them */
    nln_loss loss[NLN_MOST_SHARDS];
    nln_shard_assignment owners; /* which rank computes which shard */
    nln_shard_exchange exchange;
    nln_shard_outlines outlines;

    size_t shard_room, count_room, negated_room, literal_room[2], dlogit_room, dvector_room;
    size_t dentity_room, dpredicate_room;
} nln_batch;

nln_status nln_batch_create(nln_batch **out, const nln_net *net, nln_thread_pool *pool,
                            nln_error *err);
void nln_batch_free(nln_batch *b);

/* How the expressions of a batch are planned. */
typedef struct nln_batch_settings {
    int32_t members, stride;      /* see nln_planner_set_members */
    int32_t entities, predicates; /* see nln_planner_set_relations */
    nln_association association;
    int shuffled; /* operands in random order */
    int sharing;  /* see nln_objective_shares: room for shared projections, and smaller shards */
} nln_batch_settings;

/* Plans the shards of a request of expressions, and lists the variables; the last thing that can
 * fail.  A unit stays in one shard.  What the request points to is used until the gradient. */
nln_status nln_batch_plan(nln_batch *b, const nln_request *request,
                          const nln_batch_settings *settings, nln_error *err);

/* The objective of the planned batch; its gradient is in dmodules, dlogit and dvector. */
nln_loss nln_batch_gradient(nln_batch *b, const nln_objective *o, uint64_t key);

#endif

/* Scores that are inner products: a query vector for each case, and a vector and a bias for
 * each item.  score = q . v + bias + offset. */
#ifndef NLN_MODELS_MATCH_H
#define NLN_MODELS_MATCH_H

#include "models/baseline.h"
#include "models/marks.h"

/* Which tensors of the model are the items'. */
typedef struct nln_match_items {
    int vector; /* [items, dim] */
    int bias;   /* [items, 1], or -1 if there are none */
} nln_match_items;

/* ---- in training */

typedef struct nln_match {
    nln_match_items items;
    nln_marks marks;
    real *query;  /* [n, dim] of the lot's cases, which the caller fills in ... */
    real *offset; /* [n] ... with this */
    real *dquery, *doffset;
    int32_t *own, *shared;   /* places of the candidates among the touched items */
    real *gathered, *turned; /* [n_shared, dim] and [dim, n_shared] */
    real *bias;              /* [n_shared], and later its gradient */
    size_t query_room, offset_room, dquery_room, doffset_room;
    size_t own_room, shared_room, gathered_room, turned_room, bias_room;
} nln_match;

void nln_match_free(nln_match *m);
/* Between begin and end of the baseline's planning: touches the candidates. */
nln_status nln_match_plan(nln_match *m, nln_baseline *b, const nln_lot *lot, nln_error *err);
/* With the queries filled in: the loss, dquery and doffset, and the gradients of the items. */
nln_loss nln_match_gradient(nln_match *m, nln_baseline *b);

/* ---- in use */

/* How a method makes queries: n rows of `query` and their offsets for the cases from `first`
 * on.  `state` is one's own in each thread. */
typedef struct nln_match_queries {
    nln_status (*create)(void **state, const nln_model *model, size_t most, nln_error *err);
    void (*free)(void *state);
    nln_status (*fill)(real *query, real *offset, void *state, const nln_model *model,
                       const nln_cases *cases, size_t first, size_t n, nln_error *err);
} nln_match_queries;

/* A scorer: see method.h.  create and free may be NULL. */
nln_status nln_match_ask(nln_scorer **out, const nln_model *model, size_t most,
                         nln_match_items items, const nln_match_queries *queries, nln_error *err);

#endif

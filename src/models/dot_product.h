/* Scores that are inner products: a query vector for each query, and a vector and a bias for
 * each item.  score = q . v + bias + offset. */
#ifndef NLN_MODELS_DOT_PRODUCT_H
#define NLN_MODELS_DOT_PRODUCT_H

#include "models/candidate_losses.h"
#include "models/table_learner.h"

/* Which tensors of the model are the items'. */
typedef struct nln_dot_product_items {
    int vector; /* [items, dim] */
    int bias;   /* [items, 1], or -1 if there are none */
} nln_dot_product_items;

/* ---- in training */

typedef struct nln_dot_product {
    nln_dot_product_items items;
    nln_candidate_losses scores;
    real *query;  /* [n, dim] of the request's queries, which the caller fills in ... */
    real *offset; /* [n] ... with this */
    real *dquery, *doffset;
    int32_t *own, *shared;   /* places of the candidates among the touched items */
    real *gathered, *turned; /* [n_shared, dim] and [dim, n_shared] */
    real *bias;              /* [n_shared], and later its gradient */
    size_t query_room, offset_room, dquery_room, doffset_room;
    size_t own_room, shared_room, gathered_room, turned_room, bias_room;
} nln_dot_product;

void nln_dot_product_free(nln_dot_product *m);
/* Between begin and end of the baseline's planning: touches the candidates. */
nln_status nln_dot_product_plan(nln_dot_product *m, nln_table_learner *b,
                                const nln_request *request, nln_error *err);
/* With the queries filled in: the loss, dquery and doffset, and the gradients of the items. */
nln_loss nln_dot_product_gradient(nln_dot_product *m, nln_table_learner *b);

/* ---- in use */

/* How a method computes queries: n rows of `query` and their offsets for the queries from `first`
 * on.  Each thread has a `state` of its own, `size` bytes that begin as zeros. */
typedef struct nln_dot_product_queries {
    size_t size; /* 0: no state, and open and close are NULL */
    nln_status (*open)(void *state, const nln_model *model, nln_error *err);
    void (*close)(void *state); /* also after a failed open */
    nln_status (*fill)(real *query, real *offset, void *state, const nln_model *model,
                       const nln_queries *queries, size_t first, size_t n, nln_error *err);
} nln_dot_product_queries;

/* A scorer: see method.h. */
nln_status nln_dot_product_ask(nln_item_scorer **out, const nln_model *model, size_t most,
                               nln_dot_product_items items, const nln_dot_product_queries *queries,
                               nln_error *err);

#endif

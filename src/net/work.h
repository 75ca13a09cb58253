/* The working memory of one shard of a batch.  It grows to the largest plan seen
 * and is then reused; after nln_work_fit nothing can fail. */
#ifndef NLN_NET_WORK_H
#define NLN_NET_WORK_H

#include "net/net.h"
#include "net/profile.h"

enum { NLN_LAW_TILE = 48, NLN_N_LAWS = 10 };

/* The rows under the laws, see lawlist.h. */
typedef struct nln_law_list {
    int32_t *count; /* [n_rows] how often a row counts under the laws: its occurrences, or in one
                     * shard for all, see lawshare.h */
    int lending; /* the tree keeps projections for the laws; only then there are loans and pairs */
    int32_t n, n_pairs, n_loans;
    int32_t *row;      /* [n] n_pairs rows, their negations in the same order, then the others */
    real *weight;      /* [n] */
    int32_t *loan;     /* [n_rows] while lending: what a row borrows, -1 for nothing */
    int32_t *negation; /* [n_rows] likewise: of the first of a pair the second; else negative */
} nln_law_list;

typedef struct nln_work {
    int dim, hidden;
    int training; /* the buffers for gradients and laws exist */
    real *H;      /* [n_rows, dim] the vector of each row */
    real *X;      /* [n_rows, 2 dim] the gathered inputs of each operation */
    real *Z;      /* [n_rows, hidden] the hidden layer of each operation, after relu */
    real *P[2];   /* [n_rows, hidden] the projections of its left and right operand where these are
                   * lent to the laws; then, once the laws have run, their gradients */
    real *dH, *dX, *dZ;
    real *dlogit;        /* [n_leaves] */
    real end_inverse[2]; /* 1 / |T| and 1 / |F| */

    real *block;      /* gradient of the modules, and ... */
    nln_modules grad; /* ... its views */

    nln_law_list law;
    real *laws; /* scratch of the laws */

    size_t room; /* rows */
    nln_profile profile;
} nln_work;

nln_status nln_work_create(nln_work **out, const nln_net *net, int training, nln_error *err);
void nln_work_free(nln_work *work);
nln_status nln_work_fit(nln_work *work, const nln_plan *plan, nln_error *err);

#endif

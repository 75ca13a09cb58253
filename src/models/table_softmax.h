/* One of many over the rows of a table: -log of a row's share in the softmax of its score with a
 * query, for every target of every query, with the gradient of both.
 *
 * A score is the inner product of a query and a row or, with `distance`, minus the length of their
 * difference.  The rows are cut into chunks whose number depends on the table alone; each is two
 * products forward and back, so the bits are the same on any number of threads. */
#ifndef NLN_MODELS_TABLE_SOFTMAX_H
#define NLN_MODELS_TABLE_SOFTMAX_H

#include "base/thread_pool.h"
#include "math/real.h"

typedef struct nln_table_softmax_case {
    const real *table; /* [n_rows, dim] */
    int32_t n_rows;
    int dim;
    const real *query; /* [n, dim] */
    int32_t n;
    const size_t *first;   /* [n + 1] the targets of query i are target[first[i] .. first[i + 1]) */
    const int32_t *target; /* rows */
    int distance;
    double weight;         /* of the loss and of the gradients */
    real *dtable, *dquery; /* as table and query; gradients are added */
} nln_table_softmax_case;

/* The memory of it, which only grows.  Zero-initialise it. */
typedef struct nln_table_softmax {
    nln_table_softmax_case now;
    int n_chunks;
    real *turned;   /* [dim, n] the queries */
    real *score;    /* [n_rows, n] scores, then exponentials, then derivatives */
    real *length;   /* [n_rows, n] distances */
    real *square;   /* [n] of the queries */
    real *most;     /* [chunks, n] largest score of a chunk */
    double *sum;    /* [chunks, n] of the exponentials above it */
    double *log;    /* [n] of the whole sum */
    real *dpartial; /* [chunks, n, dim] */
    size_t turned_room, score_room, length_room, square_room, most_room, sum_room, log_room,
        dpartial_room;
} nln_table_softmax;

void nln_table_softmax_free(nln_table_softmax *s);
/* Makes room for a case of this size; the last thing that can fail. */
nln_status nln_table_softmax_fit(nln_table_softmax *s, int32_t n_rows, int dim, int32_t n,
                                 int distance, nln_error *err);
/* The loss, times the weight. */
double nln_table_softmax_run(nln_table_softmax *s, nln_thread_pool *team,
                             const nln_table_softmax_case *one);

#endif

/* The working memory of one batch, and its lanes.
 *
 * Every loop over rows is cut into a number of slices that depends on the number
 * of rows alone; slice i adds its part of the gradient to lane i, and the lanes are
 * summed in order.  So the bits do not depend on the number of threads.  Memory
 * grows to the largest batch seen and is then reused. */
#ifndef NLN_NET_WORK_H
#define NLN_NET_WORK_H

#include "net/net.h"
#include "net/profile.h"

enum { NLN_LANES = 8, NLN_LAW_TILE = 48, NLN_N_LAWS = 10 };

/* What one slice of the work adds up. */
typedef struct nln_lane {
    real *block;      /* gradient of the modules, and ... */
    nln_modules grad; /* ... its views */
    real *dF;         /* [dim] gradient of F, as a target and as an operand */
    real *dproject;   /* [4, hidden] gradients of the second-operand projections of T
                       * and F: AND T, AND F, OR T, OR F */
    real *scratch;    /* [rows of a slice, hidden] or the tile of the laws */
    double loss;
    int used;
    nln_profile profile;
} nln_lane;

typedef struct nln_work {
    int dim, hidden;
    int n_threads;
    int training; /* buffers for gradients exist */
    real *H;      /* [n_rows, dim] the vector of each row */
    real *X;      /* [n_rows, 2 dim] the gathered inputs of each operation */
    real *Z;      /* [n_rows, hidden] the hidden layer of each operation, after relu */
    real *dH, *dX;
    real *dZ;
    real *dlogit;        /* [n_leaves] */
    real *project;       /* [4, hidden] see dproject; with the bias of the module added */
    real end_inverse[2]; /* 1 / |T| and 1 / |F| */
    real *weight;        /* [n_rows] of the rows under the laws */
    int32_t *law_row;    /* [n_rows] */
    int32_t n_law_rows;
    size_t rows; /* room */
    nln_lane lane[NLN_LANES];
} nln_work;

nln_status nln_work_create(nln_work **out, const nln_net *net, int training, int n_threads,
                           nln_error *err);
void nln_work_free(nln_work *work);
/* Room for a plan; the last thing that can fail. */
nln_status nln_work_fit(nln_work *work, const nln_plan *plan, nln_error *err);

/* How many slices n rows are cut into: a power of two up to NLN_LANES. */
int nln_work_slices(int32_t n);
/* Slice i of n rows is first .. last - 1. */
static inline int32_t nln_work_slice(int32_t n, int n_slices, int i)
{
    return (int32_t)((int64_t)n * i / n_slices);
}

/* The gradient in lane i, cleared on its first use in a batch. */
nln_lane *nln_work_lane(nln_work *work, int i);
void nln_work_begin(nln_work *work);
/* Sums the lanes into lane 0 in their order. */
void nln_work_reduce(nln_work *work);

#endif

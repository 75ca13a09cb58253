/* Adam, dense for the modules and sparse for the variables.
 *
 * A row of a table that a batch does not touch has a gradient of zero, but dense
 * Adam would still move it by its momentum.  The missed steps are applied when the
 * row is next used, so that the result is that of dense Adam while the cost of a
 * batch depends only on the rows in it. */
#ifndef NLN_NET_ADAM_H
#define NLN_NET_ADAM_H

#include "base/error.h"
#include "math/kernels.h"

/* What a row needs that has missed steps: the sums are those of rows whose last step was this one,
 * up to the step before the current one; the powers are those of the betas to this number. */
typedef struct nln_adam_missed {
    double first, second;           /* the sums: see adam.c */
    double first_term, second_term; /* of this step in the sums of earlier ones */
    real power1, power2;
} nln_adam_missed;

/* The clock that all parameters share: the steps so far and their rates. */
typedef struct nln_adam {
    double beta1, beta2, epsilon;
    double clip;          /* gradients are cut to [-clip, clip]; 0: not at all */
    int32_t step;         /* 1 for the first */
    nln_adam_step *steps; /* [step + 1] with the schedule's factor as the rate; steps[0] unused */
    nln_adam_missed *missed; /* [step + 1], likewise */
    size_t room, missed_room;
} nln_adam;

void nln_adam_free(nln_adam *a);
/* Begins the next step; `factor` is the schedule's factor of the learning rate. */
nln_status nln_adam_tick(nln_adam *a, double factor, nln_error *err);

/* One trained array: n rows of `width` numbers with their moments. */
typedef struct nln_table {
    real *x; /* borrowed: [n, width] */
    size_t n;
    int width;
    double rate; /* learning rate */
    real *m, *v;
    int32_t *last; /* [n] step of the row's last update, 0: never */
} nln_table;

nln_status nln_table_create(nln_table *t, real *x, size_t n, int width, double rate,
                            nln_error *err);
void nln_table_free(nln_table *t);
/* Brings row i up to the step before the current one. */
void nln_table_refresh(nln_table *t, const nln_adam *a, size_t i);
/* Updates numbers first .. last - 1 of row i, which is fresh, with the gradient of the row in the
 * current step (clipped in place).  Threads may share a row so; one of them begins with 0. */
void nln_table_update(nln_table *t, const nln_adam *a, size_t i, real *gradient, int first,
                      int last);
/* Brings rows first .. last - 1 up to the current step. */
void nln_table_flush(nln_table *t, const nln_adam *a, size_t first, size_t last);
/* Prefetches row i, which will be needed soon. */
void nln_table_expect(const nln_table *t, size_t i);

#endif

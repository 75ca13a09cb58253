/* What the learners of all methods but the network share.
 *
 * Part t of such a learner is tensor t of the model's weights.  While a lot is planned, its
 * learner names the rows of tables that the lot touches; each gets a place, and the gradient
 * of the row at place k is row k of part t's gradient.  Tensors that are no tables are touched
 * whole: their gradient has their own shape. */
#ifndef NLN_MODELS_BASELINE_H
#define NLN_MODELS_BASELINE_H

#include "models/method.h"
#include "models/model.h"

/* The first member of every learner's own struct. */
typedef struct nln_baseline {
    nln_learner base;
    nln_model *model;
    nln_team *team;
    const nln_lot *lot; /* that is planned */
    struct nln_touched {
        int32_t *place; /* [rows] 1 + the place of a row, or 0 */
        int32_t *row;   /* [rows] the row at each place */
        int32_t n;
        real *gradient;
        size_t room;
    } touched[NLN_MOST_TENSORS];
} nln_baseline;

/* Fills in what there is to fill in but the functions of base; nln_baseline_close releases it,
 * also after a failure. */
nln_status nln_baseline_open(nln_baseline *b, nln_model *model, nln_team *team, nln_error *err);
void nln_baseline_close(nln_baseline *b);

/* Planning: begin, touch, end.  Ending makes room for the gradients; nothing fails after it. */
void nln_baseline_begin(nln_baseline *b, const nln_lot *lot);
int32_t nln_baseline_touch(nln_baseline *b, int tensor, int32_t row); /* returns its place */
nln_status nln_baseline_end(nln_baseline *b, nln_error *err);

/* Sets all gradients to 0. */
void nln_baseline_clear(nln_baseline *b);
/* Adds l2 of what the lot touches to the loss and the gradients. */
void nln_baseline_add_l2(nln_loss *loss, nln_baseline *b);

/* Dropout, as option dropout says, on n rows of `width` numbers; the same key drops the same
 * numbers, also of their gradient. */
void nln_baseline_drop(real *x, const nln_baseline *b, size_t n, int width, uint64_t key);

/* Row `row` of a tensor, and the gradient of the row at a place. */
static inline real *nln_baseline_row(const nln_model *m, int tensor, int64_t row)
{
    return m->weights.data[tensor] + row * (int64_t)m->weights.shape[tensor].columns;
}

static inline real *nln_baseline_gradient(const nln_baseline *b, int tensor, int64_t place)
{
    return b->base.part[tensor].gradient + place * b->base.part[tensor].width;
}

#endif

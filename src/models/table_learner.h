/* What the learners of all methods but the network share: each learns from one shard of a batch
 * (data_parallel_learner.h).
 *
 * Part t of such a learner is tensor t of the model's weights.  While a request is planned, its
 * learner names the rows of tables that the request touches; each gets a place, and the gradient
 * of the row at place k is row k of part t's gradient.  Tensors that are no tables are touched
 * whole: their gradient has their own shape. */
#ifndef NLN_MODELS_TABLE_LEARNER_H
#define NLN_MODELS_TABLE_LEARNER_H

#include "models/method.h"
#include "models/model.h"

/* The first member of every learner's own struct. */
typedef struct nln_table_learner {
    nln_learner base;
    nln_model *model;
    const nln_request *request; /* that is planned */
    struct nln_touched {
        int32_t *place; /* [rows] 1 + the place of a row, or 0 */
        int32_t *row;   /* [rows] the row at each place */
        int32_t n;
        real *gradient;
        size_t room;
    } touched[NLN_MOST_TENSORS];
} nln_table_learner;

/* Fills in what there is to fill in but the functions of base; nln_table_learner_close releases it,
 * also after a failure. */
nln_status nln_table_learner_open(nln_table_learner *b, nln_model *model, nln_error *err);
void nln_table_learner_close(nln_table_learner *b);

/* Planning: begin, touch, end.  Ending makes room for the gradients; nothing fails after it. */
void nln_table_learner_begin(nln_table_learner *b, const nln_request *request);
int32_t nln_table_learner_touch(nln_table_learner *b, int tensor,
                                int32_t row); /* returns its place */
nln_status nln_table_learner_end(nln_table_learner *b, nln_error *err);

/* Sets all gradients to 0. */
void nln_table_learner_clear(nln_table_learner *b);
/* Adds l2 of the rows that a request touches to its loss and to the gradients; once for all
 * shards. */
void nln_table_learner_add_l2(nln_loss *loss, const nln_learner *learner, const nln_model *model);

/* Dropout, as option dropout says, on n rows of `width` numbers; the same key drops the same
 * numbers, also of their gradient. */
void nln_table_learner_drop(real *x, const nln_table_learner *b, size_t n, int width, uint64_t key);

/* Row `row` of a tensor, and the gradient of the row at a place. */
static inline real *nln_table_learner_row(const nln_model *m, int tensor, int64_t row)
{
    return m->weights.data[tensor] + row * (int64_t)m->weights.shape[tensor].columns;
}

static inline real *nln_table_learner_gradient(const nln_table_learner *b, int tensor,
                                               int64_t place)
{
    return b->base.parameter[tensor].gradient + place * b->base.parameter[tensor].width;
}

#endif

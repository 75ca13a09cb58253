#include "models/table_learner.h"

#include <string.h>

#include "base/array.h"
#include "math/kernels.h"

/* A table is trained row by row; any other tensor is one row. */
static nln_parameter part_of(const nln_weights *w, int i, double rate)
{
    const nln_shape *s = &w->shape[i];
    return (nln_parameter){.x = w->data[i],
                           .n = s->by_row ? s->rows : 1,
                           .width = (int)(s->by_row ? s->columns : s->rows * s->columns),
                           .rate = rate,
                           .n_rows = s->by_row ? 0 : 1};
}

nln_status nln_table_learner_open(nln_table_learner *b, nln_model *model, nln_error *err)
{
    const nln_weights *w = &model->weights;
    b->model = model;
    b->base.noise = model->config.noise;
    b->base.per_unit = 1;
    b->base.n_parameters = w->n;
    for (int i = 0; i < w->n; i++) {
        if (w->shape[i].rows * w->shape[i].columns > INT32_MAX && !w->shape[i].by_row)
            return nln_error_set(err, NLN_LIMIT, "the tensor %s is too large to train",
                                 w->shape[i].name);
        b->base.parameter[i] = part_of(w, i, model->config.rate);
        if (!w->shape[i].by_row)
            continue;
        b->touched[i].place = nln_array_zeroed(w->shape[i].rows, sizeof(int32_t));
        b->touched[i].row = nln_array_zeroed(w->shape[i].rows, sizeof(int32_t));
        if (!b->touched[i].place || !b->touched[i].row)
            return nln_error_memory(err);
    }
    return NLN_OK;
}

void nln_table_learner_close(nln_table_learner *b)
{
    for (int i = 0; i < NLN_MOST_TENSORS; i++) {
        nln_free(b->touched[i].place);
        nln_free(b->touched[i].row);
        nln_free(b->touched[i].gradient);
    }
}

void nln_table_learner_begin(nln_table_learner *b, const nln_request *request)
{
    b->request = request;
    for (int i = 0; i < b->base.n_parameters; i++) {
        struct nln_touched *t = &b->touched[i];
        for (int32_t k = 0; k < t->n; k++)
            t->place[t->row[k]] = 0;
        t->n = 0;
    }
}

int32_t nln_table_learner_touch(nln_table_learner *b, int tensor, int32_t row)
{
    struct nln_touched *t = &b->touched[tensor];
    if (!t->place[row]) {
        t->row[t->n] = row;
        t->place[row] = ++t->n;
    }
    return t->place[row] - 1;
}

nln_status nln_table_learner_end(nln_table_learner *b, nln_error *err)
{
    for (int i = 0; i < b->base.n_parameters; i++) {
        struct nln_touched *t = &b->touched[i];
        nln_parameter *p = &b->base.parameter[i];
        if (t->row) {
            p->n_rows = t->n;
            p->row = t->row;
        }
        if (!NLN_ARRAY_RESERVE(t->gradient, t->room, (size_t)p->n_rows * (size_t)p->width))
            return nln_error_memory(err);
        p->gradient = t->gradient;
    }
    return NLN_OK;
}

void nln_table_learner_clear(nln_table_learner *b)
{
    for (int i = 0; i < b->base.n_parameters; i++) {
        nln_parameter *p = &b->base.parameter[i];
        if (p->n_rows)
            memset(p->gradient, 0, (size_t)p->n_rows * (size_t)p->width * sizeof(real));
    }
}

void nln_table_learner_add_l2(nln_loss *loss, const nln_learner *learner, const nln_model *model)
{
    const nln_config *c = &model->config;
    for (int i = 0; i < learner->n_parameters; i++) {
        const nln_shape *s = &model->weights.shape[i];
        const nln_parameter *p = &learner->parameter[i];
        double weight = s->by_row ? c->l2_variables : c->l2;
        if (s->no_l2 || weight == 0)
            continue;
        for (int32_t k = 0; k < p->n_rows; k++) {
            const real *x = p->x + (int64_t)(p->row ? p->row[k] : k) * p->width;
            real *g = p->gradient + (int64_t)k * p->width;
            for (int j = 0; j < p->width; j++) {
                loss->l2 += weight * (double)x[j] * (double)x[j];
                g[j] += (real)(2 * weight) * x[j];
            }
        }
    }
}

void nln_table_learner_drop(real *x, const nln_table_learner *b, size_t n, int width, uint64_t key)
{
    double share = b->model->config.dropout;
    uint32_t threshold = (uint32_t)(share * 65536);
    for (size_t i = 0; share > 0 && i < n; i++)
        nln_kernels_get()->drop(x + i * (size_t)width, nln_random_mix(key ^ nln_random_mix(i)),
                                threshold, (real)(1 / (1 - threshold / 65536.0)), width);
}

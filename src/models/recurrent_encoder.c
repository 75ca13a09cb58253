#include "models/recurrent_encoder.h"

#include <string.h>

#include "base/array.h"
#include "math/kernels.h"

/* ---- tensors ---------------------------------------------------------------------------- */

/* Of one direction. */
static int n_tensors(nln_reading reading)
{
    return reading.cell == NLN_CELL_GRU ? 4 : 3;
}

int nln_recurrent_encoder_tensor(nln_shape *out, const nln_config *c, nln_reading reading,
                                 int index)
{
    static const char *const names[2][4] = {
        {"forward.in", "forward.state", "forward.bias", "forward.inner"},
        {"reverse.in", "reverse.state", "reverse.bias", "reverse.inner"}};
    int direction = index / n_tensors(reading), which = index % n_tensors(reading);
    if (direction >= reading.n_directions)
        return 0;
    size_t d = (size_t)c->dimension, h = (size_t)c->hidden;
    size_t outputs = (size_t)nln_cell_gates(reading.cell) * h;
    const nln_shape shapes[4] = {{NULL, d, outputs, NLN_START_FAN_IN, 0, 0},
                                 {NULL, h, outputs, NLN_START_FAN_IN, 0, 0},
                                 {NULL, 1, outputs, NLN_START_ZERO, 0, 1},
                                 {NULL, 1, h, NLN_START_ZERO, 0, 1}};
    *out = shapes[which];
    out->name = names[direction][which];
    return 1;
}

static nln_cell_shape shape_of(const nln_recurrent_encoder *r)
{
    return (nln_cell_shape){r->reading.cell, r->model->config.dimension, r->model->config.hidden};
}

/* The first tensor of direction i. */
static int first_of(const nln_recurrent_encoder *r, int i)
{
    return r->reading.first + i * n_tensors(r->reading);
}

static nln_cell_weights weights_of(const nln_recurrent_encoder *r, int i)
{
    real *const *data = r->model->weights.data + first_of(r, i);
    return (nln_cell_weights){data[0], data[1], data[2],
                              r->reading.cell == NLN_CELL_GRU ? data[3] : NULL};
}

static nln_cell_weights gradients_of(const nln_recurrent_encoder *r, const nln_table_learner *b,
                                     int i)
{
    const nln_parameter *part = b->base.parameter + first_of(r, i);
    return (nln_cell_weights){part[0].gradient, part[1].gradient, part[2].gradient,
                              r->reading.cell == NLN_CELL_GRU ? part[3].gradient : NULL};
}

/* ---- memory ------------------------------------------------------------------------------- */

nln_status nln_recurrent_encoder_create(nln_recurrent_encoder *r, const nln_model *model,
                                        nln_reading reading, int learns, nln_error *err)
{
    *r = (nln_recurrent_encoder){.model = model, .reading = reading};
    r->width = reading.n_directions * model->config.hidden;
    nln_status status =
        nln_word_sequences_create(&r->words, model->weights.shape[reading.table].rows, err);
    for (int i = 0; !status && i < reading.n_directions; i++) {
        status = nln_recurrent_create(&r->layer[i], shape_of(r), learns, err);
        if (status || !learns)
            continue;
        r->turned[i] = nln_array_zeroed(nln_cell_size(shape_of(r)), sizeof(real));
        status = r->turned[i] ? NLN_OK : nln_error_memory(err);
    }
    return status;
}

void nln_recurrent_encoder_free(nln_recurrent_encoder *r)
{
    nln_word_sequences_free(&r->words);
    nln_free(r->x);
    nln_free(r->last);
    for (int i = 0; i < 2; i++) {
        nln_recurrent_free(r->layer[i]);
        nln_free(r->dx[i]);
        nln_free(r->turned[i]);
    }
    *r = (nln_recurrent_encoder){0};
}

nln_status nln_recurrent_encoder_plan(nln_recurrent_encoder *r, nln_table_learner *b,
                                      nln_error *err)
{
    nln_sequences s = nln_word_sequences_sequences(&r->words);
    size_t n_x = (size_t)s.n_tokens * (size_t)r->model->config.dimension;
    int ok = NLN_ARRAY_RESERVE(r->x, r->x_room, n_x) &&
             NLN_ARRAY_RESERVE(r->last, r->last_room, (size_t)s.n * (size_t)r->width);
    nln_status status = NLN_OK;
    for (int i = 0; ok && !status && i < r->reading.n_directions; i++) {
        ok = !b || NLN_ARRAY_RESERVE(r->dx[i], r->dx_room[i], n_x);
        status = nln_recurrent_fit(r->layer[i], &s, i, err);
    }
    if (!ok)
        return nln_error_memory(err);
    for (int32_t i = 0; b && !status && i < s.n_tokens; i++)
        nln_table_learner_touch(b, r->reading.table, r->words.word[i]);
    return status;
}

/* ---- reading ------------------------------------------------------------------------------ */

static void forward(nln_recurrent_encoder *r, int i)
{
    nln_cell_weights w = weights_of(r, i);
    nln_recurrent_forward(r->last + (size_t)i * (size_t)r->model->config.hidden, r->width,
                          r->layer[i], &w, r->x);
}

void nln_recurrent_encoder_forward(nln_recurrent_encoder *r, const nln_table_learner *b,
                                   uint64_t key)
{
    size_t d = (size_t)r->model->config.dimension, n = (size_t)r->words.n_distinct;
    for (size_t i = 0; i < n; i++)
        memcpy(r->x + i * d, nln_table_learner_row(r->model, r->reading.table, r->words.word[i]),
               d * sizeof(real));
    if (b)
        nln_table_learner_drop(r->x, b, n, (int)d, key);
    for (int i = 0; i < r->reading.n_directions; i++)
        forward(r, i);
}

static void backward(nln_recurrent_encoder *r, const real *dlast, const nln_table_learner *b, int i)
{
    nln_cell_weights w = weights_of(r, i), dw = gradients_of(r, b, i);
    nln_cell_weights turned = nln_cell_view(r->turned[i], shape_of(r));
    size_t d = (size_t)r->model->config.dimension, n = (size_t)r->words.n_distinct;
    nln_cell_transpose(&turned, &w, shape_of(r));
    memset(r->dx[i], 0, n * d * sizeof(real));
    nln_recurrent_backward(r->dx[i], &dw, r->layer[i], &turned, r->x,
                           dlast + (size_t)i * (size_t)r->model->config.hidden, r->width);
}

void nln_recurrent_encoder_backward(nln_recurrent_encoder *r, const real *dlast,
                                    nln_table_learner *b, uint64_t key)
{
    size_t d = (size_t)r->model->config.dimension, n = (size_t)r->words.n_distinct;
    for (int i = 0; i < r->reading.n_directions; i++) {
        backward(r, dlast, b, i);
        nln_table_learner_drop(r->dx[i], b, n, (int)d, key);
        for (size_t k = 0; k < n; k++) {
            int32_t place = b->touched[r->reading.table].place[r->words.word[k]] - 1;
            nln_kernels_get()->axpy(nln_table_learner_gradient(b, r->reading.table, place), 1,
                                    r->dx[i] + k * d, d);
        }
    }
}

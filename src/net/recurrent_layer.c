#include "net/recurrent_layer.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/blas.h"
#include "math/kernels.h"

typedef struct reals {
    real *at;
    size_t room;
} reals;

typedef struct indices {
    int32_t *at;
    size_t room;
} indices;

/* A row is one sequence at one step.  The rows of step t are the first active[t] sequences, and
 * follow those of step t - 1. */
struct nln_recurrent {
    nln_cell_shape shape;
    int training;

    int32_t n, n_tokens, n_steps;
    size_t n_rows;
    indices order;  /* [n] the sequences, longest first */
    indices active; /* [n_steps + 1] the sequences longer than t; the last is 0 */
    indices place;  /* [n_steps + 1] scratch of the plan */
    indices token;  /* [n_rows] */

    reals input;  /* [n_tokens, gates * hidden] the part of the gates that each token contributes */
    reals gate;   /* [n_rows, blocks * hidden] see kernels.h; in backward their gradients */
    reals state;  /* [active[0] + n_rows, hidden] zeros, then the state after each row */
    reals memory; /* the same of LSTM's c */
    reals dinput; /* as input */
    reals dstate, dmemory; /* [n, hidden] of the sequences at the current step */
};

/* ---- memory ----------------------------------------------------------------------- */

nln_status nln_recurrent_create(nln_recurrent **out, nln_cell_shape shape, int training,
                                nln_error *err)
{
    nln_recurrent *r = nln_memory_zeroed(1, sizeof *r);
    if (!r)
        return nln_error_memory(err);
    r->shape = shape;
    r->training = training;
    *out = r;
    return NLN_OK;
}

void nln_recurrent_free(nln_recurrent *r)
{
    if (!r)
        return;
    indices *const of_indices[] = {&r->order, &r->active, &r->place, &r->token};
    reals *const of_reals[] = {&r->input,  &r->gate,   &r->state,  &r->memory,
                               &r->dinput, &r->dstate, &r->dmemory};
    for (size_t i = 0; i < sizeof of_indices / sizeof *of_indices; i++)
        nln_free(of_indices[i]->at);
    for (size_t i = 0; i < sizeof of_reals / sizeof *of_reals; i++)
        nln_free(of_reals[i]->at);
    nln_free(r);
}

/* Makes room for n rows; the old contents are lost. */
static int fit_reals(reals *a, size_t n, size_t width)
{
    if (width && n > SIZE_MAX / 2 / width)
        return 0;
    if (a->at && n * width <= a->room)
        return 1;
    size_t room = n * width + n * width / 8;
    nln_free(a->at);
    a->at = nln_array_zeroed(room, sizeof(real));
    a->room = a->at ? room : 0;
    return a->at != NULL;
}

static int fit_indices(indices *a, size_t n)
{
    return NLN_ARRAY_RESERVE(a->at, a->room, n);
}

static int n_outputs(const nln_recurrent *r)
{
    return nln_cell_gates(r->shape.cell) * r->shape.hidden;
}

/* The numbers that a row keeps of its gates. */
static int gate_width(const nln_recurrent *r)
{
    return (r->shape.cell == NLN_CELL_RNN ? 1 : 4) * r->shape.hidden;
}

/* ---- the plan ----------------------------------------------------------------------- */

static int32_t length_of(const nln_sequences *s, int32_t i)
{
    return s->start[i + 1] - s->start[i];
}

/* Sorts by length, and keeps the order of sequences of equal length. */
static void sort_sequences(nln_recurrent *r, const nln_sequences *s)
{
    int32_t *active = r->active.at, *place = r->place.at;
    size_t steps = (size_t)r->n_steps + 1;
    memset(place, 0, steps * sizeof *place);
    for (int32_t i = 0; i < s->n; i++)
        place[length_of(s, i)]++;
    active[r->n_steps] = 0;
    for (int32_t t = r->n_steps; t > 0; t--)
        active[t - 1] = active[t] + place[t];
    memcpy(place, active, steps * sizeof *place);
    for (int32_t i = 0; i < s->n; i++)
        r->order.at[place[length_of(s, i)]++] = i;
}

nln_status nln_recurrent_fit(nln_recurrent *r, const nln_sequences *s, int reverse, nln_error *err)
{
    r->n = s->n;
    r->n_tokens = s->n_tokens;
    r->n_rows = (size_t)(s->start[s->n] - s->start[0]);
    r->n_steps = 0;
    for (int32_t i = 0; i < s->n; i++)
        if (length_of(s, i) > r->n_steps)
            r->n_steps = length_of(s, i);
    size_t n = (size_t)r->n, rows = r->n_rows, steps = (size_t)r->n_steps + 1;
    if (!fit_indices(&r->order, n) || !fit_indices(&r->active, steps) ||
        !fit_indices(&r->place, steps) || !fit_indices(&r->token, rows))
        return nln_error_memory(err);
    sort_sequences(r, s);
    int32_t *token = r->token.at;
    for (int32_t t = 0; t < r->n_steps; t++)
        for (int32_t i = 0; i < r->active.at[t]; i++) {
            int32_t from = r->order.at[i];
            *token++ = s->token[reverse ? s->start[from + 1] - 1 - t : s->start[from] + t];
        }

    size_t h = (size_t)r->shape.hidden, outputs = (size_t)n_outputs(r);
    size_t tokens = (size_t)r->n_tokens, states = (size_t)r->active.at[0] + rows;
    int has_memory = r->shape.cell == NLN_CELL_LSTM;
    if (!fit_reals(&r->input, tokens, outputs) ||
        !fit_reals(&r->gate, rows, (size_t)gate_width(r)) || !fit_reals(&r->state, states, h) ||
        (has_memory && !fit_reals(&r->memory, states, h)) ||
        (r->training && (!fit_reals(&r->dinput, tokens, outputs) || !fit_reals(&r->dstate, n, h) ||
                         !fit_reals(&r->dmemory, n, h))))
        return nln_error_memory(err);
    size_t zeros = (size_t)r->active.at[0] * h * sizeof(real);
    memset(r->state.at, 0, zeros);
    if (r->memory.at)
        memset(r->memory.at, 0, zeros);
    return NLN_OK;
}

/* ---- a step ------------------------------------------------------------------------- */

typedef struct step {
    int n;
    const int32_t *token;      /* [n] */
    real *gate;                /* [n, blocks * hidden] */
    real *state, *memory;      /* [n, hidden] after it */
    real *before, *remembered; /* [n, hidden] state and memory before it */
} step;

static real *row_of(reals a, size_t row, size_t width)
{
    return a.at ? a.at + row * width : NULL;
}

/* Step t, whose first row is `row`. */
static step step_at(const nln_recurrent *r, int32_t t, size_t row)
{
    size_t h = (size_t)r->shape.hidden, after = (size_t)r->active.at[0] + row;
    size_t before = after - (size_t)r->active.at[t ? t - 1 : 0];
    return (step){.n = r->active.at[t],
                  .token = r->token.at + row,
                  .gate = row_of(r->gate, row, (size_t)gate_width(r)),
                  .state = row_of(r->state, after, h),
                  .memory = row_of(r->memory, after, h),
                  .before = row_of(r->state, before, h),
                  .remembered = row_of(r->memory, before, h)};
}

static void cell_forward(nln_recurrent *r, const nln_cell_weights *w, const step *s)
{
    const nln_kernels *k = nln_kernels_get();
    const real *x = r->input.at;
    int h = r->shape.hidden;
    switch (r->shape.cell) {
    case NLN_CELL_RNN:
        k->rnn(s->state, s->gate, x, s->token, s->n, h);
        break;
    case NLN_CELL_LSTM:
        k->lstm(s->state, s->memory, s->gate, s->remembered, x, s->token, s->n, h);
        break;
    case NLN_CELL_GRU:
        k->gru(s->state, s->gate, s->before, x, w->inner, s->token, s->n, h);
        break;
    }
}

static void cell_backward(nln_recurrent *r, const nln_cell_weights *dw, const step *s)
{
    const nln_kernels *k = nln_kernels_get();
    real *dx = r->dinput.at, *dh = r->dstate.at;
    int h = r->shape.hidden;
    switch (r->shape.cell) {
    case NLN_CELL_RNN:
        k->rnn_back(s->gate, dx, dh, s->state, s->token, s->n, h);
        break;
    case NLN_CELL_LSTM:
        k->lstm_back(s->gate, r->dmemory.at, dx, dh, s->memory, s->remembered, s->token, s->n, h);
        break;
    case NLN_CELL_GRU:
        k->gru_back(s->gate, dh, dx, dw->inner, s->before, s->token, s->n, h);
        break;
    }
}

/* ---- forward ------------------------------------------------------------------------ */

void nln_recurrent_forward(real *last, int stride, nln_recurrent *r,
                           const nln_cell_weights *weights, const real *x)
{
    size_t h = (size_t)r->shape.hidden, row = 0;
    int width = gate_width(r), outputs = n_outputs(r), d = r->shape.dim, hidden = r->shape.hidden;
    const int32_t *active = r->active.at, *order = r->order.at;
    real *input = r->input.at;
    nln_blas_nn(input, outputs, x, d, weights->in, outputs, r->n_tokens, outputs, d);
    for (int32_t i = 0; i < r->n_tokens; i++, input += outputs)
        nln_kernels_get()->axpy(input, 1, weights->bias, (size_t)outputs);
    for (int32_t t = 0; t < r->n_steps; row += (size_t)active[t++]) {
        step s = step_at(r, t, row);
        if (t)
            nln_blas_nn(s.gate, width, s.before, hidden, weights->state, outputs, s.n, outputs,
                        hidden);
        else /* the state before the first step is 0 */
            memset(s.gate, 0, (size_t)s.n * (size_t)width * sizeof(real)); // NOLINT: fit made room
        cell_forward(r, weights, &s);
        for (int32_t i = active[t + 1]; i < active[t]; i++)
            /* NOLINTNEXTLINE: a plan has made room for states */
            memcpy(last + (size_t)order[i] * (size_t)stride, s.state + (size_t)i * h,
                   h * sizeof(real));
    }
    for (int32_t i = active[0]; i < r->n; i++)
        memset(last + (size_t)order[i] * (size_t)stride, 0, h * sizeof(real));
}

/* ---- backward ----------------------------------------------------------------------- */

/* From the gates to the state's matrix and the state before. */
static void state_back(nln_recurrent *r, const nln_cell_weights *dw, const nln_cell_weights *w,
                       const step *s)
{
    int h = r->shape.hidden, outputs = n_outputs(r), width = gate_width(r);
    real *dh = r->dstate.at;
    nln_blas_tn_add(dw->state, outputs, s->before, h, s->gate, width, h, outputs, s->n);
    if (r->shape.cell == NLN_CELL_GRU)
        nln_blas_nn_add(dh, h, s->gate, width, w->state, h, s->n, h, outputs);
    else
        nln_blas_nn(dh, h, s->gate, width, w->state, h, s->n, h, outputs);
}

void nln_recurrent_backward(real *dx, const nln_cell_weights *dweights, nln_recurrent *r,
                            const nln_cell_weights *transposed, const real *x, const real *dlast,
                            int stride)
{
    size_t h = (size_t)r->shape.hidden, row = r->n_rows;
    int d = r->shape.dim, outputs = n_outputs(r);
    real *dinput = r->dinput.at;
    for (int32_t i = 0; i < r->n; i++) /* the gradients of the last states wait for their steps */
        memcpy(r->dstate.at + (size_t)i * h, dlast + (size_t)r->order.at[i] * (size_t)stride,
               h * sizeof(real));
    memset(r->dmemory.at, 0, (size_t)r->n * h * sizeof(real));
    memset(dinput, 0, (size_t)r->n_tokens * (size_t)outputs * sizeof(real));
    for (int32_t t = r->n_steps - 1; t >= 0; t--) {
        row -= (size_t)r->active.at[t];
        step s = step_at(r, t, row);
        cell_backward(r, dweights, &s);
        if (t)
            state_back(r, dweights, transposed, &s);
    }
    nln_blas_tn_add(dweights->in, outputs, x, d, dinput, outputs, d, outputs, r->n_tokens);
    nln_blas_nn_add(dx, d, dinput, outputs, transposed->in, d, r->n_tokens, d, outputs);
    for (int32_t i = 0; i < r->n_tokens; i++, dinput += outputs)
        nln_kernels_get()->axpy(dweights->bias, 1, dinput, (size_t)outputs);
}

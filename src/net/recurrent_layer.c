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

    reals input;  /* [n_tokens, gates * hidden] what each token sends to the gates */
    reals gate;   /* [n_rows, blocks * hidden] see kernels.h; on the way back their gradients */
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
    nln_free(r->order.at);
    nln_free(r->active.at);
    nln_free(r->place.at);
    nln_free(r->token.at);
    nln_free(r->input.at);
    nln_free(r->gate.at);
    nln_free(r->state.at);
    nln_free(r->memory.at);
    nln_free(r->dinput.at);
    nln_free(r->dstate.at);
    nln_free(r->dmemory.at);
    nln_free(r);
}

/* Room for n rows; what was there is lost. */
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

/* Blocks of `hidden` numbers that a row keeps of its gates. */
static size_t n_blocks(nln_cell cell)
{
    return cell == NLN_CELL_RNN ? 1 : 4;
}

static int fit_rows(nln_recurrent *r)
{
    size_t n = (size_t)r->n, rows = r->n_rows, h = (size_t)r->shape.hidden;
    size_t states = (size_t)r->active.at[0] + rows, tokens = (size_t)r->n_tokens;
    size_t outputs = (size_t)nln_cell_gates(r->shape.cell) * h;
    int has_memory = r->shape.cell == NLN_CELL_LSTM;
    return fit_reals(&r->input, tokens, outputs) &&
           fit_reals(&r->gate, rows, n_blocks(r->shape.cell) * h) &&
           fit_reals(&r->state, states, h) && (!has_memory || fit_reals(&r->memory, states, h)) &&
           (!r->training || (fit_reals(&r->dinput, tokens, outputs) &&
                             fit_reals(&r->dstate, n, h) && fit_reals(&r->dmemory, n, h)));
}

/* ---- the plan ----------------------------------------------------------------------- */

static int32_t length_of(const nln_sequences *s, int32_t i)
{
    return s->start[i + 1] - s->start[i];
}

static int fit_plan(nln_recurrent *r, const nln_sequences *s)
{
    r->n = s->n;
    r->n_tokens = s->n_tokens;
    r->n_rows = (size_t)(s->start[s->n] - s->start[0]);
    r->n_steps = 0;
    for (int32_t i = 0; i < s->n; i++)
        if (length_of(s, i) > r->n_steps)
            r->n_steps = length_of(s, i);
    size_t steps = (size_t)r->n_steps + 1;
    return fit_indices(&r->order, (size_t)r->n) && fit_indices(&r->active, steps) &&
           fit_indices(&r->place, steps) && fit_indices(&r->token, r->n_rows);
}

/* By length, and those of the same length as they came. */
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

static void lay_tokens(nln_recurrent *r, const nln_sequences *s, int reverse)
{
    int32_t *token = r->token.at;
    for (int32_t t = 0; t < r->n_steps; t++)
        for (int32_t i = 0; i < r->active.at[t]; i++) {
            int32_t from = r->order.at[i];
            *token++ = s->token[reverse ? s->start[from + 1] - 1 - t : s->start[from] + t];
        }
}

nln_status nln_recurrent_fit(nln_recurrent *r, const nln_sequences *sequences, int reverse,
                             nln_error *err)
{
    if (!fit_plan(r, sequences))
        return nln_error_memory(err);
    sort_sequences(r, sequences);
    lay_tokens(r, sequences, reverse);
    if (!fit_rows(r))
        return nln_error_memory(err);
    size_t zeros = (size_t)r->active.at[0] * (size_t)r->shape.hidden * sizeof(real);
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
                  .gate = row_of(r->gate, row, n_blocks(r->shape.cell) * h),
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

static void project(nln_recurrent *r, const nln_cell_weights *w, const real *x)
{
    int outputs = nln_cell_gates(r->shape.cell) * r->shape.hidden;
    real *out = r->input.at;
    nln_blas_nn(out, outputs, x, r->shape.dim, w->in, outputs, r->n_tokens, outputs, r->shape.dim);
    for (int32_t i = 0; i < r->n_tokens; i++, out += outputs)
        nln_kernels_get()->axpy(out, 1, w->bias, (size_t)outputs);
}

/* The state before the first step is 0. */
static void send_state(nln_recurrent *r, const nln_cell_weights *w, const step *s, int32_t t)
{
    int h = r->shape.hidden, outputs = nln_cell_gates(r->shape.cell) * h;
    int width = (int)n_blocks(r->shape.cell) * h;
    if (t)
        nln_blas_nn(s->gate, width, s->before, h, w->state, outputs, s->n, outputs, h);
    else
        memset(s->gate, 0, (size_t)s->n * (size_t)width * sizeof(real)); // NOLINT: a plan made room
}

void nln_recurrent_forward(real *last, int stride, nln_recurrent *r,
                           const nln_cell_weights *weights, const real *x)
{
    size_t h = (size_t)r->shape.hidden, row = 0;
    const int32_t *active = r->active.at, *order = r->order.at;
    project(r, weights, x);
    for (int32_t t = 0; t < r->n_steps; row += (size_t)active[t++]) {
        step s = step_at(r, t, row);
        send_state(r, weights, &s, t);
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

/* A sequence that has not been read to its end has the gradient of its last state. */
static void start_backward(nln_recurrent *r, const real *dlast, int stride)
{
    size_t h = (size_t)r->shape.hidden;
    size_t outputs = (size_t)nln_cell_gates(r->shape.cell) * h;
    for (int32_t i = 0; i < r->n; i++)
        memcpy(r->dstate.at + (size_t)i * h, dlast + (size_t)r->order.at[i] * (size_t)stride,
               h * sizeof(real));
    memset(r->dmemory.at, 0, (size_t)r->n * h * sizeof(real));
    memset(r->dinput.at, 0, (size_t)r->n_tokens * outputs * sizeof(real));
}

/* From the gates to the state's matrix and the state before. */
static void send_back(nln_recurrent *r, const nln_cell_weights *dw, const nln_cell_weights *w,
                      const step *s)
{
    int h = r->shape.hidden, outputs = nln_cell_gates(r->shape.cell) * h;
    int width = (int)n_blocks(r->shape.cell) * h;
    real *dh = r->dstate.at;
    nln_blas_tn_add(dw->state, outputs, s->before, h, s->gate, width, h, outputs, s->n);
    if (r->shape.cell == NLN_CELL_GRU)
        nln_blas_nn_add(dh, h, s->gate, width, w->state, h, s->n, h, outputs);
    else
        nln_blas_nn(dh, h, s->gate, width, w->state, h, s->n, h, outputs);
}

static void project_back(real *dx, const nln_cell_weights *dw, const nln_recurrent *r,
                         const nln_cell_weights *w, const real *x)
{
    int d = r->shape.dim, outputs = nln_cell_gates(r->shape.cell) * r->shape.hidden;
    const real *dinput = r->dinput.at;
    nln_blas_tn_add(dw->in, outputs, x, d, dinput, outputs, d, outputs, r->n_tokens);
    nln_blas_nn_add(dx, d, dinput, outputs, w->in, d, r->n_tokens, d, outputs);
    for (int32_t i = 0; i < r->n_tokens; i++, dinput += outputs)
        nln_kernels_get()->axpy(dw->bias, 1, dinput, (size_t)outputs);
}

void nln_recurrent_backward(real *dx, const nln_cell_weights *dweights, nln_recurrent *r,
                            const nln_cell_weights *transposed, const real *x, const real *dlast,
                            int stride)
{
    size_t row = r->n_rows;
    start_backward(r, dlast, stride);
    for (int32_t t = r->n_steps - 1; t >= 0; t--) {
        row -= (size_t)r->active.at[t];
        step s = step_at(r, t, row);
        cell_backward(r, dweights, &s);
        if (t)
            send_back(r, dweights, transposed, &s);
    }
    project_back(dx, dweights, r, transposed, x);
}

/* The recurrent layer in double: against golden values from PyTorch, which
 * golden/make_recurrent.py writes, and every gradient against central differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "models/safetensors.h"
#include "net/recurrent_layer.h"

#define GOLDEN NLN_TEST_DATA "/golden/recurrent.safetensors"

enum { MOST_SEQUENCES = 16, MOST_TOKENS = 64, MOST = 4096 };

static const char *const cell_names[] = {"rnn", "lstm", "gru"};

/* A layer of both directions and its batch.  Rows of last are those of both, side by side. */
typedef struct fixture {
    nln_cell_shape shape;
    int32_t start[MOST_SEQUENCES + 1], token[MOST_TOKENS];
    nln_sequences sequences;
    nln_recurrent *layer[2];
    real block[2][MOST], transposed_block[2][MOST], dblock[2][MOST];
    nln_cell_weights weights[2], transposed[2], dweights[2];
    real x[MOST], dx[MOST], last[MOST], dlast[MOST];
} fixture;

static void add_token(fixture *f, int32_t token)
{
    int32_t *end = &f->start[f->sequences.n + 1];
    assert_true(*end < MOST_TOKENS);
    f->token[(*end)++] = token;
}

static void end_sequence(fixture *f)
{
    assert_true(++f->sequences.n < MOST_SEQUENCES);
    f->start[f->sequences.n + 1] = f->start[f->sequences.n];
}

static void set_up(fixture *f, nln_cell_shape shape, int32_t n_tokens)
{
    memset(f, 0, sizeof *f);
    f->shape = shape;
    f->sequences = (nln_sequences){.n_tokens = n_tokens, .start = f->start, .token = f->token};
    assert_true(nln_cell_size(shape) <= MOST);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nln_recurrent_create(&f->layer[i], shape, 1, NULL), NLN_OK);
        f->weights[i] = nln_cell_view(f->block[i], shape);
        f->transposed[i] = nln_cell_view(f->transposed_block[i], shape);
        f->dweights[i] = nln_cell_view(f->dblock[i], shape);
    }
}

static void tear_down(fixture *f)
{
    nln_recurrent_free(f->layer[0]);
    nln_recurrent_free(f->layer[1]);
}

static void forward(fixture *f)
{
    int h = f->shape.hidden;
    for (int i = 0; i < 2; i++)
        nln_recurrent_forward(f->last + i * h, 2 * h, f->layer[i], &f->weights[i], f->x);
}

static void run(fixture *f)
{
    int h = f->shape.hidden;
    for (int i = 0; i < 2; i++) {
        nln_cell_transpose(&f->transposed[i], &f->weights[i], f->shape);
        assert_int_equal(nln_recurrent_fit(f->layer[i], &f->sequences, i, NULL), NLN_OK);
    }
    forward(f);
    for (int i = 0; i < 2; i++)
        nln_recurrent_backward(f->dx, &f->dweights[i], f->layer[i], &f->transposed[i], f->x,
                               f->dlast + i * h, 2 * h);
}

/* ---- golden values ------------------------------------------------------------------- */

static const char *metadata(const nln_safetensors *file, const char *key)
{
    const char *value = nln_safetensors_metadata(file, key);
    if (!value)
        fail_msg("%s has no metadata %s", GOLDEN, key);
    return value;
}

static const float *numbers(const nln_safetensors *file, const char *name, size_t n)
{
    const nln_tensor *t = nln_safetensors_tensor(file, name);
    if (!t || t->shape[0] * t->shape[1] != n)
        fail_msg("%s has no tensor %s of %zu numbers", GOLDEN, name, n);
    return t->data;
}

static void fill(real *out, const nln_safetensors *file, const char *name, size_t n)
{
    const float *x = numbers(file, name, n);
    for (size_t i = 0; i < n; i++)
        out[i] = (real)x[i];
}

static void compare(const real *found, const nln_safetensors *file, const char *name, size_t n)
{
    const float *golden = numbers(file, name, n);
    for (size_t i = 0; i < n; i++) {
        double wanted = (double)golden[i];
        if (!(fabs(found[i] - wanted) <= 1e-6 * fmax(1, fabs(wanted))))
            fail_msg("%s[%zu] is %.9g instead of %.9g", name, i, found[i], wanted);
    }
}

typedef void visit(real *at, const nln_safetensors *file, const char *name, size_t n);

/* Visits every tensor of the weights, under the names that the file has for them. */
static void each_weight(const fixture *f, const nln_cell_weights *w, const nln_safetensors *file,
                        const char *prefix, visit *do_it)
{
    size_t d = (size_t)f->shape.dim, h = (size_t)f->shape.hidden;
    size_t outputs = (size_t)nln_cell_gates(f->shape.cell) * h;
    const struct {
        const char *name;
        real *at;
        size_t n;
    } part[] = {{"in", w->in, d * outputs},
                {"state", w->state, h * outputs},
                {"bias", w->bias, outputs},
                {"inner", w->inner, h}};
    for (int i = 0; i < 4; i++) {
        char name[128];
        snprintf(name, sizeof name, "%s/%s", prefix, part[i].name);
        if (part[i].at)
            do_it(part[i].at, file, name, part[i].n);
    }
}

static void compare_visit(real *at, const nln_safetensors *file, const char *name, size_t n)
{
    compare(at, file, name, n);
}

static void each_direction(const fixture *f, const nln_cell_weights *w, const nln_safetensors *file,
                           const char *middle, visit *do_it)
{
    static const char *const direction[] = {"forward", "reverse"};
    for (int i = 0; i < 2; i++) {
        char prefix[64];
        snprintf(prefix, sizeof prefix, "%s/%s%s", cell_names[f->shape.cell], direction[i], middle);
        each_weight(f, &w[i], file, prefix, do_it);
    }
}

static void read_sequences(fixture *f, const char *text)
{
    while (*text) {
        char *end;
        add_token(f, (int32_t)strtol(text, &end, 10));
        if (*end != ' ')
            end_sequence(f);
        text = end + (*end != 0);
    }
}

static const char *name_of(const fixture *f, const char *rest)
{
    static char name[64];
    snprintf(name, sizeof name, "%s/%s", cell_names[f->shape.cell], rest);
    return name;
}

static void check_golden(nln_cell cell)
{
    fixture *f = calloc(1, sizeof *f);
    nln_safetensors *file = NULL;
    nln_error err = {0};
    assert_non_null(f);
    if (nln_safetensors_read(&file, GOLDEN, &err))
        fail_msg("%s: %s", GOLDEN, err.message);
    nln_cell_shape shape = {cell, atoi(metadata(file, "dimension")),
                            atoi(metadata(file, "hidden"))};
    set_up(f, shape, atoi(metadata(file, "tokens")));
    read_sequences(f, metadata(file, "sequences"));
    size_t n_x = (size_t)f->sequences.n_tokens * (size_t)shape.dim;
    size_t n_last = (size_t)f->sequences.n * 2 * (size_t)shape.hidden;
    assert_true(f->sequences.n > 2);
    fill(f->x, file, name_of(f, "x"), n_x);
    fill(f->dlast, file, name_of(f, "dlast"), n_last);
    each_direction(f, f->weights, file, "", fill);
    run(f);
    compare(f->last, file, name_of(f, "last"), n_last);
    compare(f->dx, file, name_of(f, "gradient/x"), n_x);
    each_direction(f, f->dweights, file, "/gradient", compare_visit);
    nln_safetensors_free(file);
    tear_down(f);
    free(f);
}

/* ---- central differences --------------------------------------------------------------- */

static double loss(fixture *f)
{
    double sum = 0;
    forward(f);
    for (int i = 0; i < f->sequences.n * 2 * f->shape.hidden; i++)
        sum += f->last[i] * f->dlast[i];
    return sum;
}

static void check_numbers(fixture *f, const char *what, real *x, const real *dx, size_t n)
{
    const double step = 1e-5;
    for (size_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = old + step;
        double above = loss(f);
        x[i] = old - step;
        double below = loss(f), slope = (above - below) / (2 * step);
        x[i] = old;
        if (!(fabs(slope - dx[i]) <= 1e-7 * fmax(1, fabs(slope))))
            fail_msg("%s, %s[%zu]: %.9g instead of %.9g", cell_names[f->shape.cell], what, i, dx[i],
                     slope);
    }
}

/* Lengths 0 to 7 in no order, two of them empty. */
static void draw_batch(fixture *f, nln_random *random)
{
    static const int length[] = {2, 0, 7, 1, 4, 4, 0, 3};
    for (size_t i = 0; i < sizeof length / sizeof *length; i++) {
        for (int t = 0; t < length[i]; t++)
            add_token(f, (int32_t)nln_random_below(random, (uint64_t)f->sequences.n_tokens));
        end_sequence(f);
    }
    for (int i = 0; i < f->sequences.n_tokens * f->shape.dim; i++)
        f->x[i] = nln_random_normal(random);
    for (int i = 0; i < f->sequences.n * 2 * f->shape.hidden; i++)
        f->dlast[i] = nln_random_normal(random);
}

static void check_differences(nln_cell cell, int dim, int hidden)
{
    fixture *f = calloc(1, sizeof *f);
    nln_random random = nln_random_seed(5, (uint64_t)hidden);
    assert_non_null(f);
    set_up(f, (nln_cell_shape){cell, dim, hidden}, 5);
    draw_batch(f, &random);
    for (int i = 0; i < 2; i++)
        for (size_t j = 0; j < nln_cell_size(f->shape); j++)
            f->block[i][j] = 0.5 * nln_random_normal(&random);
    run(f);
    check_numbers(f, "x", f->x, f->dx, (size_t)(f->sequences.n_tokens * dim));
    for (int i = 0; i < 2; i++)
        check_numbers(f, "weights", f->block[i], f->dblock[i], nln_cell_size(f->shape));
    tear_down(f);
    free(f);
}

/* ---- the tests ---------------------------------------------------------------------- */

#define TESTS(cell, CELL)                                                     \
    static void cell##_is_that_of_pytorch(void **state)                       \
    {                                                                         \
        (void)state;                                                          \
        check_golden(NLN_CELL_##CELL);                                        \
    }                                                                         \
    static void cell##_has_the_gradients_of_central_differences(void **state) \
    {                                                                         \
        (void)state;                                                          \
        check_differences(NLN_CELL_##CELL, 3, 2);                             \
        check_differences(NLN_CELL_##CELL, 4, 9);                             \
    }
TESTS(rnn, RNN)
TESTS(lstm, LSTM)
TESTS(gru, GRU)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rnn_is_that_of_pytorch),
        cmocka_unit_test(lstm_is_that_of_pytorch),
        cmocka_unit_test(gru_is_that_of_pytorch),
        cmocka_unit_test(rnn_has_the_gradients_of_central_differences),
        cmocka_unit_test(lstm_has_the_gradients_of_central_differences),
        cmocka_unit_test(gru_has_the_gradients_of_central_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

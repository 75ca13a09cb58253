/* The recurrent layer: what a batch does to a sequence is what the sequence alone would get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "net/recurrent_layer.h"

enum { DIM = 6, HIDDEN = 20, TOKENS = 9, MOST_SEQUENCES = 40, MOST_LENGTH = 30, MOST = 4096 };

typedef struct batch {
    int32_t start[MOST_SEQUENCES + 1], token[MOST_SEQUENCES * MOST_LENGTH];
    nln_sequences sequences;
} batch;

typedef struct layer {
    nln_cell_shape shape;
    nln_recurrent *r;
    real block[MOST], transposed_block[MOST], dblock[MOST];
    nln_cell_weights weights, transposed, dweights;
    real x[TOKENS * DIM], dx[TOKENS * DIM];
    real last[MOST_SEQUENCES * HIDDEN], dlast[MOST_SEQUENCES * HIDDEN];
} layer;

static nln_random random_stream;

static void draw_batch(batch *b, int n)
{
    memset(b, 0, sizeof *b);
    for (int i = 0; i < n; i++) {
        int length = (int)nln_random_below(&random_stream, MOST_LENGTH + 1);
        b->start[i + 1] = b->start[i] + length;
        for (int t = b->start[i]; t < b->start[i + 1]; t++)
            b->token[t] = (int32_t)nln_random_below(&random_stream, TOKENS);
    }
    b->sequences = (nln_sequences){n, TOKENS, b->start, b->token};
}

static void set_up(layer *l, nln_cell cell)
{
    memset(l, 0, sizeof *l);
    random_stream = nln_random_seed(2, (uint64_t)cell);
    l->shape = (nln_cell_shape){cell, DIM, HIDDEN};
    assert_true(nln_cell_size(l->shape) <= MOST);
    assert_int_equal(nln_recurrent_create(&l->r, l->shape, 1, NULL), NLN_OK);
    for (size_t i = 0; i < nln_cell_size(l->shape); i++)
        l->block[i] = (real)(0.3 * nln_random_normal(&random_stream));
    l->weights = nln_cell_view(l->block, l->shape);
    l->transposed = nln_cell_view(l->transposed_block, l->shape);
    l->dweights = nln_cell_view(l->dblock, l->shape);
    nln_cell_transpose(&l->transposed, &l->weights, l->shape);
    for (int i = 0; i < TOKENS * DIM; i++)
        l->x[i] = (real)nln_random_normal(&random_stream);
    for (int i = 0; i < MOST_SEQUENCES * HIDDEN; i++)
        l->dlast[i] = (real)nln_random_normal(&random_stream);
}

static void forward(layer *l, const nln_sequences *s, int reverse)
{
    assert_int_equal(nln_recurrent_fit(l->r, s, reverse, NULL), NLN_OK);
    for (int i = 0; i < s->n * HIDDEN; i++)
        l->last[i] = NAN;
    nln_recurrent_forward(l->last, HIDDEN, l->r, &l->weights, l->x);
}

/* Adds to the gradients that are there. */
static void backward(layer *l, const real *dlast)
{
    nln_recurrent_backward(l->dx, &l->dweights, l->r, &l->transposed, l->x, dlast, HIDDEN);
}

static void same(const real *a, const real *b, int n)
{
    for (int i = 0; i < n; i++)
        if (!(fabs((double)a[i] - (double)b[i]) <= 1e-5 * fmax(1, fabs((double)b[i]))))
            fail_msg("number %d is %.9g instead of %.9g", i, (double)a[i], (double)b[i]);
}

static void each(void (*check)(layer *l))
{
    layer *l = malloc(sizeof *l);
    assert_non_null(l);
    for (int cell = NLN_CELL_RNN; cell <= NLN_CELL_GRU; cell++) {
        set_up(l, (nln_cell)cell);
        check(l);
        nln_recurrent_free(l->r);
    }
    free(l);
}

/* Batches of all sizes one after the other, so that memory is reused. */
static void check_alone(layer *l)
{
    static const int sizes[] = {5, 40, 1, 17, 0, 3};
    static batch b;
    static real last[MOST_SEQUENCES * HIDDEN], dx[TOKENS * DIM], dblock[MOST];
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int reverse = (int)k % 2;
        draw_batch(&b, sizes[k]);
        memset(l->dx, 0, sizeof l->dx);
        memset(l->dblock, 0, sizeof l->dblock);
        forward(l, &b.sequences, reverse);
        backward(l, l->dlast);
        memcpy(last, l->last, sizeof last);
        memcpy(dx, l->dx, sizeof dx);
        memcpy(dblock, l->dblock, sizeof dblock);
        memset(l->dx, 0, sizeof l->dx);
        memset(l->dblock, 0, sizeof l->dblock);
        for (int i = 0; i < sizes[k]; i++) {
            nln_sequences one = {1, TOKENS, b.start + i, b.token};
            forward(l, &one, reverse);
            backward(l, l->dlast + i * HIDDEN);
            same(last + i * HIDDEN, l->last, HIDDEN);
        }
        same(dx, l->dx, TOKENS * DIM);
        same(dblock, l->dblock, (int)nln_cell_size(l->shape));
    }
}

static void a_batch_is_its_sequences_one_by_one(void **state)
{
    (void)state;
    each(check_alone);
}

static void check_reverse(layer *l)
{
    static batch b;
    static real last[MOST_SEQUENCES * HIDDEN];
    draw_batch(&b, MOST_SEQUENCES);
    forward(l, &b.sequences, 1);
    memcpy(last, l->last, sizeof last);
    for (int i = 0; i < MOST_SEQUENCES; i++)
        for (int a = b.start[i], z = b.start[i + 1] - 1; a < z; a++, z--) {
            int32_t kept = b.token[a];
            b.token[a] = b.token[z];
            b.token[z] = kept;
        }
    forward(l, &b.sequences, 0);
    assert_memory_equal(l->last, last, sizeof last);
}

static void reverse_reads_from_the_end(void **state)
{
    (void)state;
    each(check_reverse);
}

static void check_empty(layer *l)
{
    static const int32_t start[4] = {0, 0, 0, 0};
    const nln_sequences s = {3, TOKENS, start, start};
    forward(l, &s, 0);
    backward(l, l->dlast);
    for (int i = 0; i < 3 * HIDDEN; i++)
        assert_true(l->last[i] == 0);
    for (int i = 0; i < TOKENS * DIM; i++)
        assert_true(l->dx[i] == 0);
    for (size_t i = 0; i < nln_cell_size(l->shape); i++)
        assert_true(l->dblock[i] == 0);
}

static void empty_sequences_end_in_0_and_send_nothing_back(void **state)
{
    (void)state;
    each(check_empty);
}

/* Without training only the way there exists, and it is the same. */
static void check_untrained(layer *l)
{
    static batch b;
    static real last[MOST_SEQUENCES * HIDDEN];
    nln_recurrent *plain = NULL;
    draw_batch(&b, MOST_SEQUENCES);
    forward(l, &b.sequences, 0);
    assert_int_equal(nln_recurrent_create(&plain, l->shape, 0, NULL), NLN_OK);
    assert_int_equal(nln_recurrent_fit(plain, &b.sequences, 0, NULL), NLN_OK);
    nln_recurrent_forward(last, HIDDEN, plain, &l->weights, l->x);
    assert_memory_equal(l->last, last, sizeof last);
    nln_recurrent_free(plain);
}

static void training_makes_no_difference_to_forward(void **state)
{
    (void)state;
    each(check_untrained);
}

/* Two directions side by side leave each other's columns alone. */
static void check_stride(layer *l)
{
    enum { STRIDE = HIDDEN + 3 };
    static batch b;
    static real wide[MOST_SEQUENCES * STRIDE];
    draw_batch(&b, MOST_SEQUENCES);
    forward(l, &b.sequences, 0);
    for (int i = 0; i < MOST_SEQUENCES * STRIDE; i++)
        wide[i] = 7;
    nln_recurrent_forward(wide + 2, STRIDE, l->r, &l->weights, l->x);
    for (int i = 0; i < MOST_SEQUENCES; i++) {
        const real *row = wide + i * STRIDE;
        assert_memory_equal(row + 2, l->last + i * HIDDEN, HIDDEN * sizeof *row);
        assert_true(row[0] == 7 && row[1] == 7 && row[STRIDE - 1] == 7);
    }
}

static void rows_may_be_apart(void **state)
{
    (void)state;
    each(check_stride);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_its_sequences_one_by_one),
        cmocka_unit_test(reverse_reads_from_the_end),
        cmocka_unit_test(empty_sequences_end_in_0_and_send_nothing_back),
        cmocka_unit_test(training_makes_no_difference_to_forward),
        cmocka_unit_test(rows_may_be_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

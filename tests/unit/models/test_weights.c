#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/weights.h"

enum { ROWS = 400, COLUMNS = 25 };

static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    const nln_shape shapes[] = {
        {"zero", 1, 3, NLN_START_ZERO, 0, 1},
        {"table", s->n_variables, COLUMNS, NLN_START_TABLE, 1, 0},
        {"empty", s->n_users, COLUMNS, NLN_START_TABLE, 1, 0},
        {"matrix", ROWS, COLUMNS, NLN_START_FAN_IN, 0, 0},
        {"last", 1, 1, NLN_START_ZERO, 0, 0},
    };
    if (index == 5)
        return 0;
    *out = shapes[index];
    return 1;
}

/* A method that never stops, and one whose tensor nobody can have. */
static int endless(nln_shape *out, const nln_sizes *s, int index)
{
    (void)index;
    return tensor(out, s, 0);
}

static int huge(nln_shape *out, const nln_sizes *s, int index)
{
    (void)s;
    *out = (nln_shape){"huge", (size_t)1 << 50, (size_t)1 << 50, NLN_START_ZERO, 0, 0};
    return index == 0;
}

static nln_weights make(const nln_config *c)
{
    nln_weights w;
    nln_sizes sizes = {c, ROWS, 0};
    nln_random random = nln_random_seed(1, 1);
    nln_weights_list(&w, tensor, &sizes);
    assert_int_equal(nln_weights_allocate(&w, NULL), NLN_OK);
    nln_weights_draw(&w, c, &random);
    return w;
}

static void tensors_lie_apart_and_aligned(void **state)
{
    (void)state;
    nln_config c = {.init_variables = 1};
    nln_weights w = make(&c);
    assert_int_equal(w.n, 5);
    assert_string_equal(w.shape[3].name, "matrix");
    for (int i = 0; i < w.n; i++) {
        size_t size = w.shape[i].rows * w.shape[i].columns;
        assert_int_equal((uintptr_t)w.data[i] % (16 * sizeof(real)), 0);
        if (i + 1 < w.n)
            assert_true(w.data[i + 1] >= w.data[i] + size);
    }
    nln_weights_free(&w);
    nln_weights_free(&w);
}

static double deviation(const real *x, size_t n)
{
    double sum = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (double)x[i];
        square += (double)x[i] * (double)x[i];
    }
    return sqrt(square / (double)n - sum * sum / (double)(n * n));
}

static void tensors_are_drawn_as_their_shapes_say(void **state)
{
    (void)state;
    nln_config c = {.init_variables = 0.3};
    nln_weights w = make(&c);
    size_t n = (size_t)ROWS * COLUMNS;
    for (int i = 0; i < 3; i++)
        assert_true(w.data[0][i] == 0);
    assert_true(fabs(deviation(w.data[1], n) / 0.3 - 1) < 0.05);
    for (size_t i = 0; i < n; i++)
        assert_true(fabs((double)w.data[3][i]) <= 1 / sqrt(ROWS) + 1e-7);
    assert_true(fabs(deviation(w.data[3], n) * sqrt(3.0 * ROWS) - 1) < 0.05);
    nln_weights_free(&w);
    c.init_scale = 2;
    w = make(&c);
    assert_true(fabs(deviation(w.data[3], n) / 2 - 1) < 0.05);
    assert_true(w.data[4][0] == 0);
    nln_weights_free(&w);
}

static void the_same_seed_gives_the_same_bits(void **state)
{
    (void)state;
    nln_config c = {.init_variables = 0.3};
    nln_weights a = make(&c), b = make(&c);
    for (int i = 0; i < a.n; i++)
        assert_memory_equal(a.data[i], b.data[i],
                            a.shape[i].rows * a.shape[i].columns * sizeof(real));
    nln_weights_free(&a);
    nln_weights_free(&b);
}

static void too_much_is_refused(void **state)
{
    (void)state;
    nln_weights w;
    nln_error err = {0};
    nln_sizes sizes = {NULL, 1, 1};
    nln_weights_list(&w, endless, &sizes);
    assert_int_equal(w.n, NLN_MOST_TENSORS);
    nln_weights_list(&w, huge, &sizes);
    assert_int_equal(nln_weights_allocate(&w, &err), NLN_LIMIT);
    assert_non_null(strstr(err.message, "huge"));
    nln_weights_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_lie_apart_and_aligned),
        cmocka_unit_test(tensors_are_drawn_as_their_shapes_say),
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(too_much_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

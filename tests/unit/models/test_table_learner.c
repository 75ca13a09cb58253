#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/table_learner.h"
#include "tiny.h"

enum { USERS = 6, ITEMS = 9, DIM = 5, TABLES = 4 };

/* Users and items of matrix factorization: tensors 1 to 4 are tables, tensor 0 is not. */
#define SETTINGS "model=biasedmf task=topk dimension=5 init-variables=1 threads=1 "

static nln_model *make(const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_symbols *names = trees_names(ITEMS);
    nln_model *model = NULL;
    nln_error err = {0};
    nln_random random = nln_random_seed(1, 1);
    tiny_need(nln_model_create_for(&model, names, USERS, o, &err), &err);
    nln_model_draw(model, &random);
    nln_symbols_free(names);
    nln_options_free(o);
    return model;
}

static nln_table_learner open_baseline(nln_model *model)
{
    nln_table_learner b = {0};
    assert_int_equal(nln_table_learner_open(&b, model, NULL), NLN_OK);
    return b;
}

static void parts_are_the_tensors(void **state)
{
    (void)state;
    nln_model *model = make(SETTINGS "learning-rate=0.125 noise=0.25");
    nln_table_learner b = open_baseline(model);
    assert_int_equal(b.base.n_parameters, model->weights.n);
    assert_true(b.base.noise == 0.25);
    for (int i = 0; i < b.base.n_parameters; i++) {
        const nln_parameter *p = &b.base.parameter[i];
        const nln_shape *s = &model->weights.shape[i];
        assert_ptr_equal(p->x, model->weights.data[i]);
        assert_int_equal(p->n * (size_t)p->width, s->rows * s->columns);
        assert_int_equal(p->n, s->by_row ? s->rows : 1);
        assert_true(p->rate == 0.125);
    }
    nln_table_learner_close(&b);
    nln_model_free(model);
}

/* Lots one after the other: rows have places in the order in which they are first named. */
static void touched_rows_have_places(void **state)
{
    (void)state;
    nln_model *model = make(SETTINGS);
    nln_table_learner b = open_baseline(model);
    nln_random r = nln_random_seed(2, 2);
    for (int round = 0; round < 100; round++) {
        int32_t wanted[ITEMS], order[ITEMS], n = 0;
        nln_request request = {0};
        memset(wanted, -1, sizeof wanted);
        nln_table_learner_begin(&b, &request);
        for (uint64_t k = nln_random_below(&r, 12); k; k--) {
            int32_t row = (int32_t)nln_random_below(&r, ITEMS);
            if (wanted[row] < 0) {
                order[n] = row;
                wanted[row] = n++;
            }
            assert_int_equal(nln_table_learner_touch(&b, TABLES, row), wanted[row]);
        }
        assert_int_equal(nln_table_learner_end(&b, NULL), NLN_OK);
        assert_ptr_equal(b.request, &request);
        assert_int_equal(b.base.parameter[TABLES].n_rows, n);
        assert_memory_equal(b.base.parameter[TABLES].row, order, (size_t)n * sizeof *order);
        assert_int_equal(b.base.parameter[1].n_rows, 0);
        assert_int_equal(b.base.parameter[0].n_rows, 1);
        for (int32_t row = 0; row < ITEMS; row++)
            assert_int_equal(b.touched[TABLES].place[row], wanted[row] + 1);
    }
    nln_table_learner_close(&b);
    nln_model_free(model);
}

static void l2_holds_what_is_touched(void **state)
{
    (void)state;
    nln_model *model = make(SETTINGS "l2-variables=0.25 l2=7");
    nln_table_learner b = open_baseline(model);
    nln_request request = {0};
    nln_loss loss = {0};
    double wanted = 0;
    model->weights.data[0][0] = 3; /* the mean is under no l2 */
    nln_table_learner_begin(&b, &request);
    for (int32_t row = 7; row >= 3; row -= 2)
        nln_table_learner_touch(&b, TABLES, row);
    assert_int_equal(nln_table_learner_end(&b, NULL), NLN_OK);
    nln_table_learner_clear(&b);
    nln_table_learner_add_l2(&loss, &b.base, model);
    for (int32_t k = 0; k < 3; k++)
        for (int d = 0; d < DIM; d++) {
            double x = (double)nln_table_learner_row(model, TABLES, 7 - 2 * k)[d];
            wanted += 0.25 * x * x;
            assert_true(fabs((double)nln_table_learner_gradient(&b, TABLES, k)[d] - 0.5 * x) <
                        1e-6);
        }
    assert_true(fabs(loss.l2 - wanted) < 1e-5);
    assert_true(*nln_table_learner_gradient(&b, 0, 0) == 0);
    nln_table_learner_clear(&b);
    for (int i = 0; i < 3 * DIM; i++)
        assert_true(nln_table_learner_gradient(&b, TABLES, 0)[i] == 0);
    nln_table_learner_close(&b);
    nln_model_free(model);
}

static void dropout_drops_its_share_alike(void **state)
{
    (void)state;
    enum { ROWS = 500, WIDTH = 20, N = ROWS * WIDTH };
    nln_model *model = make(SETTINGS "dropout=0.25");
    nln_table_learner b = open_baseline(model);
    static real x[N], y[N], z[N];
    int dropped = 0, other = 0;
    for (int i = 0; i < N; i++)
        x[i] = y[i] = z[i] = 3;
    nln_table_learner_drop(x, &b, ROWS, WIDTH, 1);
    nln_table_learner_drop(y, &b, ROWS, WIDTH, 1);
    nln_table_learner_drop(z, &b, ROWS, WIDTH, 2);
    assert_memory_equal(x, y, sizeof x);
    for (int i = 0; i < N; i++) {
        dropped += x[i] == 0;
        other += x[i] != z[i];
        assert_true(x[i] == 0 || fabs((double)x[i] - 4) < 1e-4);
    }
    assert_true(fabs(dropped / (double)N - 0.25) < 0.02);
    assert_true(fabs(other / (double)N - 0.375) < 0.03);
    model->config.dropout = 0;
    memcpy(y, x, sizeof x);
    nln_table_learner_drop(x, &b, ROWS, WIDTH, 3);
    assert_memory_equal(x, y, sizeof x);
    nln_table_learner_close(&b);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_tensors),
        cmocka_unit_test(touched_rows_have_places),
        cmocka_unit_test(l2_holds_what_is_touched),
        cmocka_unit_test(dropout_drops_its_share_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

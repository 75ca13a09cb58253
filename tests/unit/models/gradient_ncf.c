/* NCF on requests that are larger than a tile of its tower, which the other tests of gradients are
 * not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "models/method.h"
#include "models/model.h"
#include "trees.h"

enum { USERS = 20, ITEMS = 60, UNITS = 150, NEGATIVES = 31, KEY = 9 }; /* 4,800 pairs */

typedef struct fixture {
    nln_model *model;
    nln_thread_pool *team;
    nln_learner *learner;
    nln_queries queries;
    nln_request request;
    int32_t unit[UNITS], candidate[UNITS * NEGATIVES];
    uint8_t refused[UNITS * NEGATIVES];
} fixture;

/* Biases start at 0, where a row that nothing enters would be at the kink of relu. */
static void shake(nln_model *m, nln_random *random)
{
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, m, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] += 0.2 * nln_random_normal(random);
}

static void make_model(fixture *f, const char *dropout)
{
    const char *const settings[][2] = {
        {"model", "ncf"}, {"task", "topk"},      {"dimension", "10"},     {"dropout", dropout},
        {"l2", "0"},      {"l2-variables", "0"}, {"init-variables", "1"}, {"reduce", "sum"}};
    nln_options *o = NULL;
    int n_rows;
    const nln_option *rows = nln_config_table(&n_rows);
    nln_symbols *names = trees_names(ITEMS);
    nln_random random = nln_random_seed(6, 1);
    assert_int_equal(nln_options_create_from(&o, rows, n_rows, NULL), NLN_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(nln_options_set(o, settings[i][0], settings[i][1], NULL), NLN_OK);
    assert_int_equal(nln_model_create_for(&f->model, names, USERS, o, NULL), NLN_OK);
    nln_model_draw(f->model, &random);
    shake(f->model, &random);
    nln_symbols_free(names);
    nln_options_free(o);
}

static void make_lot(fixture *f, nln_loss_kind loss_kind)
{
    for (int32_t i = 0; i < UNITS; i++) {
        assert_int_equal(
            nln_queries_append(&f->queries, i * 7 % USERS, NULL, 0, i * 11 % ITEMS, NULL), NLN_OK);
        f->unit[i] = i;
    }
    for (int32_t j = 0; j < UNITS * NEGATIVES; j++) {
        f->candidate[j] = loss_kind == NLN_LOSS_SOFTMAX ? j % ITEMS : (j * 13 + j / 60) % ITEMS;
        f->refused[j] = j % 5 == 0;
    }
    f->request = (nln_request){.loss_kind = loss_kind,
                               .n = UNITS,
                               .queries = &f->queries,
                               .n_candidates = NEGATIVES,
                               .candidate = f->candidate,
                               .refused = f->refused,
                               .unit = f->unit};
}

static void set_up(fixture *f, nln_loss_kind loss_kind, const char *dropout)
{
    *f = (fixture){0};
    make_model(f, dropout);
    make_lot(f, loss_kind);
    assert_int_equal(nln_thread_pool_create(&f->team, 1, NULL), NLN_OK);
    assert_int_equal(nln_method_ncf.learn(&f->learner, f->model, f->team, NULL, NULL), NLN_OK);
}

static void tear_down(fixture *f)
{
    f->learner->free(f->learner);
    nln_thread_pool_free(f->team);
    nln_model_free(f->model);
    nln_queries_free(&f->queries);
}

static double loss_of(fixture *f, uint64_t key)
{
    assert_int_equal(f->learner->plan(f->learner, &f->request, NULL), NLN_OK);
    return f->learner->gradient(f->learner, key).data;
}

/* Moves part i along a fixed random direction, if i is `which`. */
static void move(fixture *f, int which, double by)
{
    nln_random random = nln_random_seed(1, (uint64_t)which);
    const nln_parameter *p = &f->learner->parameter[which];
    for (size_t j = 0; j < p->n * (size_t)p->width; j++)
        p->x[j] += by * nln_random_normal(&random);
}

/* The gradient in that direction. */
static double along(fixture *f, int which)
{
    nln_random random = nln_random_seed(1, (uint64_t)which);
    const nln_parameter *p = &f->learner->parameter[which];
    size_t n = p->n * (size_t)p->width, width = (size_t)p->width;
    double *direction = calloc(n, sizeof *direction), sum = 0;
    assert_non_null(direction);
    for (size_t j = 0; j < n; j++)
        direction[j] = nln_random_normal(&random);
    for (int32_t k = 0; k < p->n_rows; k++)
        for (size_t j = 0; j < width; j++)
            sum += p->gradient[(size_t)k * width + j] *
                   direction[(size_t)(p->row ? p->row[k] : k) * width + j];
    free(direction);
    return sum;
}

static void check(nln_loss_kind loss_kind, const char *dropout)
{
    const double step = 1e-7;
    fixture f;
    set_up(&f, loss_kind, dropout);
    for (int i = 0; i < f.learner->n_parameters; i++) {
        loss_of(&f, KEY);
        double found = along(&f, i);
        move(&f, i, step);
        double above = loss_of(&f, KEY);
        move(&f, i, -2 * step);
        double wanted = (above - loss_of(&f, KEY)) / (2 * step);
        move(&f, i, step);
        if (!(fabs(found - wanted) <= 1e-4 * fmax(1, fabs(wanted))))
            fail_msg("part %d: %.9g instead of %.9g", i, found, wanted);
    }
    tear_down(&f);
}

static void tiles_make_one_gradient(void **state)
{
    (void)state;
    check(NLN_LOSS_PAIRS, "0");
    check(NLN_LOSS_SOFTMAX, "0");
}

static void tiles_drop_the_same_both_ways(void **state)
{
    (void)state;
    check(NLN_LOSS_PAIRS, "0.3");
    check(NLN_LOSS_SOFTMAX, "0.3");
}

/* A key is a choice of what is dropped. */
static void the_key_decides(void **state)
{
    fixture f;
    (void)state;
    set_up(&f, NLN_LOSS_PAIRS, "0.3");
    double first = loss_of(&f, KEY), other = loss_of(&f, KEY + 1), again = loss_of(&f, KEY);
    assert_true(first == again);
    assert_true(first != other);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_make_one_gradient),
        cmocka_unit_test(tiles_drop_the_same_both_ways),
        cmocka_unit_test(the_key_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

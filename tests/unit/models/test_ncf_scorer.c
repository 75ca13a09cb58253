#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "models/ncf.h"
#include "tiny.h"

enum { USERS = 7, ITEMS = 600, MOST_DIM = 16 }; /* items for three tiles, the last one not full */

typedef struct fixture {
    nln_model *model;
    nln_item_scorer *scorer;
    nln_queries queries;
} fixture;

static const int32_t users[] = {3, 0, -1, 6, 3}; /* -1: somebody unknown */
enum { N = sizeof users / sizeof *users };

static void set_up(fixture *f, int dim)
{
    char settings[64];
    nln_symbols *names = trees_names(ITEMS);
    nln_random random = nln_random_seed(4, 4);
    nln_error err = {0};
    nln_net_tensor t;
    *f = (fixture){0};
    snprintf(settings, sizeof settings, "model=ncf task=topk dropout=0.5 dimension=%d", dim);
    nln_options *o = tiny_options("train", settings);
    tiny_need(nln_model_create_for(&f->model, names, USERS, o, &err), &err);
    for (int i = 0; nln_model_get_tensor(&t, f->model, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] = (real)(0.5 * nln_random_normal(&random));
    for (int i = 0; i < N; i++)
        tiny_need(nln_queries_append(&f->queries, users[i], NULL, 0, -1, &err), &err);
    tiny_need(nln_ncf_ask(&f->scorer, f->model, N, &err), &err);
    nln_symbols_free(names);
    nln_options_free(o);
}

static void tear_down(fixture *f)
{
    f->scorer->free(f->scorer);
    nln_queries_free(&f->queries);
    nln_model_free(f->model);
}

static const real *tensor(const nln_model *m, const char *name)
{
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, m, i); i++)
        if (strcmp(t.name, name) == 0)
            return t.data;
    fail_msg("there is no tensor %s", name);
    return NULL;
}

/* out[j] = relu(sum of in[i] weight[i, j] + bias[j]) */
static void layer(double *out, int width, const double *in, int n, const nln_model *m,
                  const char *weight, const char *bias)
{
    for (int j = 0; j < width; j++) {
        double sum = (double)tensor(m, bias)[j];
        for (int i = 0; i < n; i++)
            sum += in[i] * (double)tensor(m, weight)[i * width + j];
        out[j] = sum > 0 ? sum : 0;
    }
}

/* out . [p_u * q_i | tower([p'_u, q'_i])] + bias, the vectors of both in one row. */
static double naive_score(const nln_model *m, int32_t user, int32_t item)
{
    int d = m->config.dimension, half = d / 2 ? d / 2 : 1, quarter = d / 4 ? d / 4 : 1;
    double in[2 * MOST_DIM] = {0}, a[MOST_DIM], b[MOST_DIM], c[MOST_DIM];
    double score = (double)*tensor(m, "out.bias");
    for (int k = 0; k < d; k++) {
        if (user >= 0) {
            in[k] = (double)tensor(m, "users.tower")[user * d + k];
            score += (double)tensor(m, "out.weight")[k] *
                     (double)tensor(m, "users.product")[user * d + k] *
                     (double)tensor(m, "items.product")[item * d + k];
        }
        in[d + k] = (double)tensor(m, "items.tower")[item * d + k];
    }
    layer(a, d, in, 2 * d, m, "in.weight", "in.bias");
    layer(b, half, a, d, m, "middle.weight", "middle.bias");
    layer(c, quarter, b, half, m, "last.weight", "last.bias");
    for (int k = 0; k < quarter; k++)
        score += c[k] * (double)tensor(m, "out.weight")[d + k];
    return score;
}

static void read_queries(fixture *f, size_t first, size_t n)
{
    assert_int_equal(f->scorer->read(f->scorer, &f->queries, first, n, NULL), NLN_OK);
}

static void scores_are_those_of_plain_loops(void **state)
{
    (void)state;
    static const int dims[] = {1, 3, 16};
    for (size_t k = 0; k < sizeof dims / sizeof *dims; k++) {
        fixture f;
        double score[ITEMS];
        set_up(&f, dims[k]);
        read_queries(&f, 0, N);
        for (int i = 0; i < N; i++) {
            f.scorer->scores(score, f.scorer, (size_t)i, NULL, 0);
            for (int32_t v = 0; v < ITEMS; v++) {
                double wanted = naive_score(f.model, users[i], v);
                if (!(fabs(score[v] - wanted) < 1e-5 * fmax(1, fabs(wanted))))
                    fail_msg("user %d, item %d: %.9g instead of %.9g", users[i], v, score[v],
                             wanted);
            }
        }
        tear_down(&f);
    }
}

/* The items in the list get the bits that they get among all, and no other item is touched. */
static void some_items_are_scored_alone(void **state)
{
    (void)state;
    fixture f;
    int32_t only[ITEMS / 2];
    double all[ITEMS], some[ITEMS];
    set_up(&f, 16);
    read_queries(&f, 0, N);
    f.scorer->scores(all, f.scorer, 1, NULL, 0);
    for (int32_t j = 0; j < ITEMS / 2; j++)
        only[j] = ITEMS - 1 - 2 * j; /* odd, from the last on: more than a tile */
    for (int32_t v = 0; v < ITEMS; v++)
        some[v] = -77;
    f.scorer->scores(some, f.scorer, 1, only, ITEMS / 2);
    for (int32_t v = 0; v < ITEMS; v++)
        assert_true(some[v] == (v % 2 ? all[v] : -77));
    f.scorer->scores(some, f.scorer, 1, only, 0);
    assert_true(some[0] == -77);
    tear_down(&f);
}

/* Query i of those read, whatever was read before. */
static void queries_are_counted_from_the_first_read(void **state)
{
    (void)state;
    fixture f;
    double whole[N][ITEMS], part[ITEMS];
    set_up(&f, 3);
    read_queries(&f, 0, N);
    for (size_t i = 0; i < N; i++)
        f.scorer->scores(whole[i], f.scorer, i, NULL, 0);
    assert_memory_equal(whole[0], whole[4], sizeof part); /* the same user */
    for (size_t first = 0; first < N; first++) {
        read_queries(&f, first, 1);
        f.scorer->scores(part, f.scorer, 0, NULL, 0);
        assert_memory_equal(part, whole[first], sizeof part);
    }
    tear_down(&f);
}

/* A clone reads for itself, gives the same bits, and leaves the items to the first scorer. */
static void clones_answer_alike(void **state)
{
    (void)state;
    fixture f;
    nln_item_scorer *clone = NULL;
    double first[ITEMS], second[ITEMS], again[ITEMS];
    set_up(&f, 16);
    assert_int_equal(f.scorer->clone(&clone, f.scorer, NULL), NLN_OK);
    assert_int_equal(clone->most, N);
    read_queries(&f, 0, 1);
    f.scorer->scores(first, f.scorer, 0, NULL, 0);
    assert_int_equal(clone->read(clone, &f.queries, 1, 1, NULL), NLN_OK);
    clone->scores(second, clone, 0, NULL, 0);
    assert_true(first[0] != second[0]);
    assert_int_equal(clone->read(clone, &f.queries, 0, 1, NULL), NLN_OK);
    clone->scores(second, clone, 0, NULL, 0);
    assert_memory_equal(first, second, sizeof first);
    clone->free(clone);
    f.scorer->scores(again, f.scorer, 0, NULL, 0);
    assert_memory_equal(first, again, sizeof first);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_plain_loops),
        cmocka_unit_test(some_items_are_scored_alone),
        cmocka_unit_test(queries_are_counted_from_the_first_read),
        cmocka_unit_test(clones_answer_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* BiasedMF, SVD++, NCF and SASRec against golden values from PyTorch: the scores of all items after
 * small queries, and for every kind of loss_kind the loss and the gradient of every tensor.  The
 * file is written by golden/make_factors.py, which says what is in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/method.h"
#include "models/model.h"
#include "models/safetensors.h"

#define GOLDEN NLN_TEST_DATA "/golden/factors.safetensors"

static const double tolerance = 1e-5;

enum { MOST = 32 }; /* queries, items, and numbers of a request */

typedef struct fixture {
    const char *name; /* of the model, the first part of the names of its tensors */
    nln_safetensors *file;
    nln_model *model;
    nln_thread_pool *team;
    nln_queries queries;
    int32_t pairs[MOST], choice[MOST], unit[MOST], n_pairs, n_choice;
    real truth[MOST];
    uint8_t refused[MOST];
} fixture;

/* ---- reading ---------------------------------------------------------------- */

static const char *metadata(const fixture *f, const char *key)
{
    const char *value = nln_safetensors_metadata(f->file, key);
    if (!value)
        fail_msg("%s has no metadata %s", GOLDEN, key);
    return value;
}

static const nln_tensor *get(const fixture *f, const char *name)
{
    const nln_tensor *t = nln_safetensors_tensor(f->file, name);
    if (!t)
        fail_msg("%s has no tensor %s", GOLDEN, name);
    return t;
}

/* The tensor of the model's that is named `prefix` and `name`; it must have n numbers. */
static const float *numbers(const fixture *f, const char *prefix, const char *name, size_t n)
{
    char full[128];
    snprintf(full, sizeof full, "%s/%s%s", f->name, prefix, name);
    const nln_tensor *t = get(f, full);
    if (t->shape[0] * t->shape[1] != n)
        fail_msg("%s has %zu numbers instead of %zu", full, t->shape[0] * t->shape[1], n);
    return t->data;
}

/* Small whole numbers; returns how many there are to a query. */
static int32_t integers(int32_t out[MOST], const fixture *f, const char *name)
{
    const nln_tensor *t = get(f, name);
    assert_true(t->shape[0] * t->shape[1] <= MOST);
    for (size_t i = 0; i < t->shape[0] * t->shape[1]; i++)
        out[i] = (int32_t)t->data[i];
    return (int32_t)t->shape[1];
}

static void bytes(uint8_t out[MOST], const fixture *f, const char *name)
{
    int32_t whole[MOST] = {0};
    integers(whole, f, name);
    for (int i = 0; i < MOST; i++)
        out[i] = (uint8_t)whole[i];
}

static void read_cases(fixture *f)
{
    int32_t user[MOST], target[MOST], history[MOST];
    size_t n = get(f, "user")->shape[0];
    integers(user, f, "user");
    integers(target, f, "target");
    int32_t longest = integers(history, f, "history");
    for (size_t i = 0; i < n; i++) {
        nln_literal met[MOST];
        size_t k = 0;
        for (const int32_t *h = history + i * (size_t)longest; k < (size_t)longest && h[k] >= 0;
             k++)
            met[k] = (nln_literal){(size_t)h[k], k % 2 == 0, 0};
        assert_int_equal(nln_queries_append(&f->queries, user[i], met, k, target[i], NULL), NLN_OK);
        f->unit[i] = (int32_t)i;
    }
    f->n_pairs = integers(f->pairs, f, "pairs");
    integers(f->choice, f, "choice");
    f->n_choice = (int32_t)get(f, "choice")->shape[0];
    for (size_t i = 0; i < get(f, "label")->shape[0]; i++)
        f->truth[i] = (real)get(f, "label")->data[i];
    bytes(f->refused, f, "refused");
}

/* ---- the model ---------------------------------------------------------------- */

static nln_options *read_options(const fixture *f)
{
    static const char *const same[] = {"dimension", "l2", "l2-variables", "noise"};
    static const char *const of_sasrec[] = {"layers", "history"};
    nln_options *o = NULL;
    int n_rows;
    const nln_option *table = nln_config_table(&n_rows);
    assert_int_equal(nln_options_create_from(&o, table, n_rows, NULL), NLN_OK);
    assert_int_equal(nln_options_set(o, "task", "topk", NULL), NLN_OK);
    assert_int_equal(nln_options_set(o, "model", f->name, NULL), NLN_OK);
    assert_int_equal(nln_options_set(o, "dropout", "0", NULL), NLN_OK);
    assert_int_equal(nln_options_set(o, "reduce", "sum", NULL), NLN_OK);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        assert_int_equal(nln_options_set(o, same[i], metadata(f, same[i]), NULL), NLN_OK);
    for (size_t i = 0; strcmp(f->name, "sasrec") == 0 && i < 2; i++)
        assert_int_equal(nln_options_set(o, of_sasrec[i], metadata(f, of_sasrec[i]), NULL), NLN_OK);
    return o;
}

static void read_model(fixture *f)
{
    nln_error err = {0};
    nln_options *o = read_options(f);
    nln_symbols *items = nln_symbols_create();
    for (long i = 0; i < strtol(metadata(f, "items"), NULL, 10); i++) {
        char name[16];
        int length = snprintf(name, sizeof name, "item%ld", i);
        assert_true(nln_symbols_intern(items, name, (size_t)length) >= 0);
    }
    if (nln_model_create_for(&f->model, items, strtoul(metadata(f, "users"), NULL, 10), o, &err))
        fail_msg("%s: %s", f->name, err.message);
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, f->model, i); i++) {
        const float *x = numbers(f, "", t.name, t.rows * t.columns);
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] = (real)x[j];
    }
    nln_symbols_free(items);
    nln_options_free(o);
}

static void set_up(fixture *f, const char *name)
{
    nln_error err = {0};
    *f = (fixture){.name = name};
    if (nln_safetensors_read(&f->file, GOLDEN, &err))
        fail_msg("%s: %s", GOLDEN, err.message);
    read_cases(f);
    read_model(f);
    assert_int_equal(nln_thread_pool_create(&f->team, 1, NULL), NLN_OK);
}

static void tear_down(fixture *f)
{
    nln_thread_pool_free(f->team);
    nln_model_free(f->model);
    nln_queries_free(&f->queries);
    nln_safetensors_free(f->file);
}

/* ---- comparing -------------------------------------------------------------- */

static void compare(const char *what, const double *found, const float *golden, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double wanted = (double)golden[i];
        if (!(fabs(found[i] - wanted) <= tolerance * fmax(1, fabs(wanted))))
            fail_msg("%s[%zu] is %.9g instead of %.9g", what, i, found[i], wanted);
    }
}

/* Of all items at once, and of each alone. */
static void check_scores(const fixture *f, nln_item_scorer *s)
{
    size_t n_items = nln_model_variables(f->model);
    const float *golden = numbers(f, "", "score", f->queries.n * n_items);
    assert_int_equal(s->read(s, &f->queries, 0, f->queries.n, NULL), NLN_OK);
    for (size_t i = 0; i < f->queries.n; i++) {
        double score[MOST], alone[MOST];
        s->scores(score, s, i, NULL, 0);
        compare("score", score, golden + i * n_items, n_items);
        for (int32_t v = 0; v < (int32_t)n_items; v++)
            s->scores(alone, s, i, &v, 1);
        compare("score alone", alone, golden + i * n_items, n_items);
    }
}

static void check_scorers(const fixture *f)
{
    nln_item_scorer *first = NULL, *second = NULL;
    assert_int_equal(f->model->method->ask(&first, f->model, f->queries.n, NULL), NLN_OK);
    assert_int_equal(first->clone(&second, first, NULL), NLN_OK);
    check_scores(f, second);
    check_scores(f, first);
    second->free(second);
    first->free(first);
}

/* Rows that the request does not touch have a gradient of 0. */
static void check_part(const fixture *f, const char *prefix, const nln_parameter *p,
                       const char *name)
{
    size_t width = (size_t)p->width;
    double *gradient = calloc(p->n * width, sizeof *gradient);
    assert_non_null(gradient);
    for (int32_t k = 0; k < p->n_rows; k++)
        for (size_t j = 0; j < width; j++)
            gradient[(size_t)(p->row ? p->row[k] : k) * width + j] =
                (double)p->gradient[(size_t)k * width + j];
    compare(name, gradient, numbers(f, prefix, name, p->n * width), p->n * width);
    free(gradient);
}

static nln_request lot_of(const fixture *f, nln_loss_kind loss_kind)
{
    int choice = loss_kind == NLN_LOSS_SOFTMAX;
    return (nln_request){.loss_kind = loss_kind,
                         .n = (int32_t)f->queries.n,
                         .queries = &f->queries,
                         .truth = f->truth,
                         .n_candidates = choice ? f->n_choice : f->n_pairs,
                         .candidate = choice ? f->choice : f->pairs,
                         .refused = f->refused,
                         .unit = f->unit};
}

static void check_lesson(const fixture *f, nln_learner *l, nln_loss_kind loss_kind,
                         const char *prefix)
{
    nln_request request = lot_of(f, loss_kind);
    assert_int_equal(l->plan(l, &request, NULL), NLN_OK);
    nln_loss loss = l->gradient(l, /* key */ 1);
    double parts[2] = {loss.data, loss.l2};
    compare(prefix, parts, numbers(f, prefix, "loss", 2), 2);
    for (int i = 0; i < l->n_parameters; i++)
        check_part(f, prefix, &l->parameter[i], f->model->weights.shape[i].name);
}

/* One learner for all lessons, one after the other: nothing of a request may stay. */
static void check(const char *name)
{
    fixture f;
    nln_learner *l = NULL;
    set_up(&f, name);
    check_scorers(&f);
    assert_int_equal(f.model->method->learn(&l, f.model, f.team, NULL, NULL), NLN_OK);
    check_lesson(&f, l, NLN_LOSS_SOFTMAX, "choice/");
    check_lesson(&f, l, NLN_LOSS_LABELS, "labels/");
    check_lesson(&f, l, NLN_LOSS_PAIRS, "pairs/");
    check_lesson(&f, l, NLN_LOSS_PROBABILITY_PAIRS, "chances/");
    check_lesson(&f, l, NLN_LOSS_BINARY_PAIRS, "binary/");
    l->free(l);
    tear_down(&f);
}

static void test_biasedmf(void **state)
{
    (void)state;
    check("biasedmf");
}

static void test_svdpp(void **state)
{
    (void)state;
    check("svdpp");
}

static void test_ncf(void **state)
{
    (void)state;
    check("ncf");
}

static void test_sasrec(void **state)
{
    (void)state;
    check("sasrec");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_biasedmf),
        cmocka_unit_test(test_svdpp),
        cmocka_unit_test(test_ncf),
        cmocka_unit_test(test_sasrec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

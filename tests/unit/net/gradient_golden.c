/* The objective against golden values from PyTorch: the vectors and scores of a small
 * batch, every part of the loss, and the gradient of every tensor.  The file is written
 * by golden/make_golden.py, which says what is in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "logic/parse.h"
#include "models/safetensors.h"
#include "net/batch_shards.h"

#define GOLDEN NLN_TEST_DATA "/golden/objective.safetensors"

static const double tolerance = 1e-5;

typedef struct fixture {
    const char *name; /* of the case: the first part of the names of its tensors */
    nln_safetensors *file;
    nln_symbols *symbols;
    nln_exprs list;
    real truth[32];
    int32_t frequency[32];
    nln_objective objective;
    nln_net *net;
    nln_thread_pool *team;
    nln_batch *batch;
} fixture;

/* ---- reading ---------------------------------------------------------------- */

static const char *metadata(const fixture *f, const char *key)
{
    const char *value = nln_safetensors_metadata(f->file, key);
    if (!value)
        fail_msg("%s has no metadata %s", GOLDEN, key);
    return value;
}

static double number(const fixture *f, const char *key)
{
    return strtod(metadata(f, key), NULL);
}

/* The tensor of that name, which must have n numbers. */
static const float *numbers(const fixture *f, const char *name, size_t n)
{
    const nln_tensor *t = nln_safetensors_tensor(f->file, name);
    if (!t)
        fail_msg("%s has no tensor %s", GOLDEN, name);
    if (t->shape[0] * t->shape[1] != n)
        fail_msg("%s has %zu numbers instead of %zu", name, t->shape[0] * t->shape[1], n);
    return t->data;
}

/* The same for `prefix` and `name` of the case. */
static const float *of_case(const fixture *f, const char *prefix, const char *name, size_t n)
{
    char full[128];
    snprintf(full, sizeof full, "%s/%s%s", f->name, prefix, name);
    return numbers(f, full, n);
}

/* The next line of *text, which moves on; its length, or -1 at the end. */
static long next_line(const char **line, const char **text)
{
    if (!**text)
        return -1;
    size_t length = strcspn(*text, "\n");
    *line = *text;
    *text += length + ((*text)[length] == '\n');
    return (long)length;
}

static void read_expressions(fixture *f)
{
    const char *names = metadata(f, "names"), *texts = metadata(f, "expressions"), *line;
    const char *labels = metadata(f, "labels");
    f->symbols = nln_symbols_create();
    assert_non_null(f->symbols);
    for (long n; (n = next_line(&line, &names)) >= 0;)
        assert_true(nln_symbols_intern(f->symbols, line, (size_t)n) >= 0);
    for (long n; (n = next_line(&line, &texts)) >= 0;) {
        nln_error err = {0};
        if (nln_parse(&f->list, &(nln_vocabulary){.variables = f->symbols}, 0, line, (size_t)n,
                      NLN_DIALECT_TEXT, &err))
            fail_msg("%.*s: %s", (int)n, line, err.message);
    }
    assert_true(f->list.n > 0 && f->list.n <= sizeof f->truth / sizeof *f->truth);
    assert_int_equal(strlen(labels), f->list.n);
    for (size_t i = 0; i < f->list.n; i++)
        f->truth[i] = labels[i] == 'T';
}

static void read_objective(fixture *f)
{
    size_t n = (size_t)nln_symbols_count(f->symbols);
    assert_true(n <= sizeof f->frequency / sizeof *f->frequency);
    const float *frequency = numbers(f, "frequency", n);
    for (size_t i = 0; i < n; i++)
        f->frequency[i] = (int32_t)frequency[i];
    f->objective = (nln_objective){
        .law_weight = number(f, "law_weight"),
        .law_sample = number(f, "law_sample"),
        .laws = (1u << NLN_N_LAWS) - 1,
        .length_weight = number(f, "length_weight"),
        .l2 = number(f, "l2"),
        .l2_variables = number(f, "l2_variables"),
        .l2_logit = number(f, "l2_logit"),
        .frequency = f->frequency,
        .n_names = (int32_t)n,
        .noise = number(f, "noise"),
    };
}

static void read_net(fixture *f, nln_embedding embedding)
{
    assert_int_equal(nln_net_create(&f->net, (int)number(f, "dimension"), (int)number(f, "hidden"),
                                    nln_symbols_count(f->symbols), embedding,
                                    (real)number(f, "alpha"), NULL),
                     NLN_OK);
    nln_net_tensor t;
    for (int i = 0; nln_net_get_tensor(&t, f->net, i); i++) {
        const float *x = of_case(f, "", t.name, t.rows * t.columns);
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] = (real)x[j];
    }
    nln_net_transpose(f->net);
}

static void set_up(fixture *f, const char *name, nln_embedding embedding, int sharing)
{
    nln_error err = {0};
    *f = (fixture){.name = name};
    if (nln_safetensors_read(&f->file, GOLDEN, &err))
        fail_msg("%s: %s", GOLDEN, err.message);
    read_expressions(f);
    read_objective(f);
    read_net(f, embedding);
    static const int32_t index[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    nln_request draw = {
        .exprs = &f->list, .truth = f->truth, .index = index, .n = (int32_t)f->list.n};
    nln_batch_settings settings = {
        .members = 1, .association = NLN_ASSOCIATE_PAIRS, .sharing = sharing};
    assert_int_equal(nln_thread_pool_create(&f->team, 1, NULL), NLN_OK);
    assert_int_equal(nln_batch_create(&f->batch, f->net, f->team, NULL), NLN_OK);
    assert_int_equal(nln_batch_plan(f->batch, &draw, &settings, NULL), NLN_OK);
    assert_int_equal(f->batch->n_shards, 1);
}

static void tear_down(fixture *f)
{
    nln_batch_free(f->batch);
    nln_thread_pool_free(f->team);
    nln_net_free(f->net);
    nln_exprs_free(&f->list);
    nln_symbols_free(f->symbols);
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

static void check_roots(const fixture *f)
{
    size_t n = f->list.n, d = (size_t)f->net->dim;
    const float *vectors = of_case(f, "", "vector", n * d);
    const nln_plan *plan = f->batch->shard[0].plan;
    const nln_workspace *work = f->batch->workspace[0].work;
    double score[32];
    for (size_t i = 0; i < n; i++)
        compare("vector", work->H + (size_t)plan->root[i] * d, vectors + i * d, d);
    nln_objective_scores(score, work, f->net, plan);
    compare("score", score, of_case(f, "", "score", n), n);
}

/* The gradient of a table with rows of `width`, of which the batch's variables have one. */
static void check_variables(const fixture *f, const char *name, const real *found, size_t width)
{
    size_t n = (size_t)f->net->n_variables * width;
    double *gradient = calloc(n, sizeof *gradient);
    assert_non_null(gradient);
    for (size_t i = 0; i < (size_t)f->batch->n_variables; i++) {
        size_t variable = (size_t)f->batch->variable[i];
        memcpy(gradient + variable * width, found + i * width, width * sizeof *gradient);
    }
    compare(name, gradient, of_case(f, "gradient/", name, n), n);
    free(gradient);
}

static void check_gradients(const fixture *f)
{
    size_t d = (size_t)f->net->dim;
    const real *at = f->batch->dmodules;
    nln_net_tensor t;
    for (int i = 0; i < 9; i++) { /* the block of the modules, tensor by tensor */
        assert_true(nln_net_get_tensor(&t, f->net, i));
        size_t n = t.rows * t.columns;
        compare(t.name, at, of_case(f, "gradient/", t.name, n), n);
        at += n;
    }
    if (f->net->vector)
        check_variables(f, "variables.vector", f->batch->dvector, d);
    if (f->net->logit)
        check_variables(f, "variables.logit", f->batch->dlogit, 1);
}

static void check(const char *name, nln_embedding embedding, int sharing)
{
    fixture f;
    set_up(&f, name, embedding, sharing);
    nln_loss loss = nln_batch_gradient(f.batch, &f.objective, /* key */ 0);
    double parts[4] = {loss.data, loss.laws, loss.length, loss.l2};
    check_roots(&f);
    compare("loss", parts, of_case(&f, "", "loss", 4), 4);
    check_gradients(&f);
    tear_down(&f);
}

static void test_free_vectors(void **state)
{
    (void)state;
    for (int sharing = 0; sharing < 2; sharing++)
        check("free", NLN_EMBED_FREE, sharing);
}

static void test_arc(void **state)
{
    (void)state;
    for (int sharing = 0; sharing < 2; sharing++)
        check("arc", NLN_EMBED_ARC, sharing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_vectors),
        cmocka_unit_test(test_arc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

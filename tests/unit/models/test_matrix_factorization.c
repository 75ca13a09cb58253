/* SVD++: what its histories may hold, and how they speak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "models/method.h"
#include "training/source.h"

enum { ITEMS = 12, USERS = 30 };

/* ---- the histories of training ------------------------------------------------------------- */

/* No item twice, and not the target. */
static void check_history(const nln_queries *queries, const nln_query *c)
{
    uint8_t seen[ITEMS] = {0};
    seen[c->target] = 1;
    for (size_t j = c->first; j < c->first + c->n; j++)
        assert_int_equal(seen[queries->literal[j].item]++, 0);
}

/* Returns how many literals there are. */
static size_t check_source(const nln_ratings *r, const char *settings)
{
    nln_model *model = likes_model(r->items, settings);
    nln_source *source = NULL;
    nln_request request;
    nln_error err = {0};
    tiny_need(nln_source_of_ratings(&source, r, &err), &err);
    tiny_need(source->open(source, model, &err), &err);
    int32_t *units = malloc((source->n + 1) * sizeof *units);
    for (size_t i = 0; i < source->n; i++)
        units[i] = (int32_t)i;
    tiny_need(source->draw(&request, source, units, (int32_t)source->n, 5, &err), &err);
    for (size_t i = 0; i < request.queries->n; i++)
        check_history(request.queries, &request.queries->list[i]);
    size_t n = request.queries->n_literals;
    source->free(source);
    nln_model_free(model);
    free(units);
    return n;
}

static void histories_never_hold_the_target(void **state)
{
    static const char *const settings[] = {
        "model=svdpp task=topk history=1000 dimension=4 negatives=2",
        "model=svdpp task=topk history=4 together=3 dimension=4 negatives=2",
        "model=svdpp task=preference history=7 drop-history=0.3 dimension=4",
    };
    nln_ratings *r = likes_random(USERS, ITEMS, ITEMS, 3);
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_true(check_source(r, settings[i]) > USERS);
    nln_ratings_free(r);
}

/* ---- how histories speak ---------------------------------------------------------------- */

static nln_model *make_model(void)
{
    nln_options *o = tiny_options("train", "model=svdpp task=topk dimension=8 init-variables=1");
    nln_symbols *names = trees_names(ITEMS);
    nln_random random = nln_random_seed(2, 2);
    nln_model *model = NULL;
    nln_error err = {0};
    nln_net_tensor t;
    tiny_need(nln_model_create_for(&model, names, USERS, o, &err), &err);
    for (int i = 0; nln_model_get_tensor(&t, model, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] = (real)nln_random_normal(&random);
    nln_symbols_free(names);
    nln_options_free(o);
    return model;
}

static void score_after(double score[ITEMS], const nln_model *m, int32_t user,
                        const nln_literal *history, size_t n)
{
    nln_queries queries = {0};
    nln_item_scorer *s = NULL;
    nln_error err = {0};
    tiny_need(nln_queries_append(&queries, user, history, n, -1, &err), &err);
    tiny_need(m->method->ask(&s, m, 1, &err), &err);
    tiny_need(s->read(s, &queries, 0, 1, &err), &err);
    s->scores(score, s, 0, NULL, 0);
    s->free(s);
    nln_queries_free(&queries);
}

static double distance(const double *a, const double *b)
{
    double most = 0;
    for (int v = 0; v < ITEMS; v++)
        most = fmax(most, fabs(a[v] - b[v]));
    return most;
}

static void only_the_set_of_items_matters(void **state)
{
    static const nln_literal history[] = {{3, 1, 0}, {7, 0, 0}, {1, 1, 0}, {9, 1, 0}};
    static const nln_literal turned[] = {{9, 0, 0}, {1, 1, 0}, {3, 0, 0}, {7, 1, 0}};
    nln_model *m = make_model();
    double a[ITEMS], b[ITEMS], less[ITEMS];
    (void)state;
    for (int32_t user = -1; user < 3; user++) {
        score_after(a, m, user, history, 4);
        score_after(b, m, user, turned, 4);
        score_after(less, m, user, history, 3);
        assert_true(distance(a, b) < 1e-5);
        assert_true(distance(a, less) > 0.1);
    }
    nln_model_free(m);
}

/* The part of the history is the same whoever asks. */
static void histories_of_strangers_speak(void **state)
{
    static const nln_literal history[] = {{2, 1, 0}, {5, 0, 0}};
    nln_model *m = make_model();
    double none[ITEMS], some[ITEMS], known_none[ITEMS], known_some[ITEMS];
    (void)state;
    score_after(none, m, -1, NULL, 0);
    score_after(some, m, -1, history, 2);
    score_after(known_none, m, 4, NULL, 0);
    score_after(known_some, m, 4, history, 2);
    assert_true(distance(none, some) > 0.1);
    assert_true(distance(none, known_none) > 0.1);
    for (int v = 0; v < ITEMS; v++)
        assert_true(fabs(some[v] - none[v] - known_some[v] + known_none[v]) < 1e-5);
    nln_model_free(m);
}

/* Without user and history, the items' biases are all that differs. */
static void a_stranger_without_history_gets_biases(void **state)
{
    nln_model *m = make_model();
    double score[ITEMS];
    nln_net_tensor t;
    int i = 0;
    (void)state;
    score_after(score, m, -1, NULL, 0);
    while (nln_model_get_tensor(&t, m, i) && strcmp(t.name, "items.bias"))
        i++;
    for (int v = 0; v < ITEMS; v++)
        assert_true(fabs(score[v] - score[0] - (double)(t.data[v] - t.data[0])) < 1e-5);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_never_hold_the_target),
        cmocka_unit_test(only_the_set_of_items_matters),
        cmocka_unit_test(histories_of_strangers_speak),
        cmocka_unit_test(a_stranger_without_history_gets_biases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

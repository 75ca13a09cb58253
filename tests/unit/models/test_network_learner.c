#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"
#include "models/network_learner.h"
#include "plans.h"
#include "same_expr.h"
#include "training/source.h"

#define PAIRS "task=topk loss=pairwise dimension=4 together=1 shuffle=true threads=1 "

static int32_t rows_of(nln_planner *p, const nln_exprs *list, const int32_t *index, int32_t n,
                       uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 0);
    return plans_of(p, list, index, n, NLN_ASSOCIATE_PAIRS, &random)->n_rows;
}

static int mentions(nln_expr e, int32_t variable)
{
    for (int32_t i = 0; i < e.n_nodes; i++)
        if (e.nodes[i].op == NLN_OP_VAR && e.nodes[i].arg == variable)
            return 1;
    return 0;
}

/* A source of pairs, and a network that has planned them all. */
typedef struct fixture {
    nln_ratings *ratings;
    nln_model *model;
    nln_source *source;
    nln_thread_pool *team;
    nln_learner *learner;
    int32_t *units;
    nln_request request;
} fixture;

static fixture open_fixture(const char *settings)
{
    fixture f = {.ratings = likes_random(30, 25, 14, 3)};
    nln_error err = {0};
    f.model = likes_model(f.ratings->items, settings);
    tiny_need(nln_source_of_ratings(&f.source, f.ratings, &err), &err);
    tiny_need(f.source->open(f.source, f.model, &err), &err);
    tiny_need(nln_thread_pool_create(&f.team, 1, &err), &err);
    tiny_need(nln_method_nln.learn(&f.learner, f.model, f.team, NULL, &err), &err);
    f.units = malloc(f.source->n * sizeof *f.units);
    for (size_t i = 0; i < f.source->n; i++)
        f.units[i] = (int32_t)i;
    tiny_need(f.source->draw(&f.request, f.source, f.units, (int32_t)f.source->n, 5, &err), &err);
    tiny_need(f.learner->plan(f.learner, &f.request, &err), &err);
    return f;
}

static void close_fixture(fixture *f)
{
    f->learner->free(f->learner);
    nln_thread_pool_free(f->team);
    f->source->free(f->source);
    nln_model_free(f->model);
    nln_ratings_free(f->ratings);
    free(f->units);
}

/* The second of a pair adds an OR and, if it is new, a variable; without the keys the random
 * orders of the two histories would differ. */
static void both_of_a_pair_share_their_history(void **state)
{
    (void)state;
    fixture f = open_fixture(PAIRS "negatives=1 history=8 drop-history=0.2");
    nln_network_learner *l = nln_network_of(f.learner);
    nln_planner *planner = plans_create();
    int torn = 0;
    assert_int_equal(l->list.n, 2 * f.request.n);
    for (int32_t i = 0; i < f.request.n; i++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            int32_t both[] = {2 * i, 2 * i + 1};
            int is_new =
                !mentions(nln_exprs_get(&l->list, (size_t)both[0]), f.request.candidate[i]);
            nln_planner_set_keys(planner, l->keys);
            int32_t first = rows_of(planner, &l->list, both, 1, seed);
            assert_int_equal(rows_of(planner, &l->list, both, 2, seed), first + 1 + is_new);
            nln_planner_set_keys(planner, NULL);
            first = rows_of(planner, &l->list, both, 1, seed);
            torn += rows_of(planner, &l->list, both, 2, seed) > first + 1 + is_new;
        }
    assert_true(torn > f.request.n);
    nln_planner_free(planner);
    close_fixture(&f);
}

/* Every unit with each of its negatives, the liked one first. */
static void pairs_become_rules(void **state)
{
    (void)state;
    fixture f = open_fixture(PAIRS "negatives=3 history=8");
    const nln_exprs *list = &nln_network_of(f.learner)->list;
    nln_exprs wanted = {0};
    for (int32_t i = 0; i < 3 * f.request.n; i++) {
        const nln_query *c = &f.request.queries->list[i / 3];
        const nln_literal *history = f.request.queries->literal + c->first;
        nln_implication_append(&wanted, f.model, c->user, history, c->n, c->target, NULL);
        nln_implication_append(&wanted, f.model, c->user, history, c->n, f.request.candidate[i],
                               NULL);
    }
    assert_int_equal(list->n, wanted.n);
    for (size_t i = 0; i < wanted.n; i++)
        assert_true(same_expr(nln_exprs_get(list, i), nln_exprs_get(&wanted, i)));
    nln_exprs_free(&wanted);
    close_fixture(&f);
}

/* Histories, then targets, then what all of them are chosen from. */
static void a_choice_is_histories_and_items(void **state)
{
    (void)state;
    fixture f = open_fixture("task=topk loss=softmax dimension=4 together=1 threads=1 negatives=9");
    const nln_exprs *list = &nln_network_of(f.learner)->list;
    nln_exprs wanted = {0};
    for (int32_t i = 0; i < f.request.n; i++) {
        const nln_query *c = &f.request.queries->list[i];
        nln_implication_append_history(&wanted, f.model, c->user,
                                       f.request.queries->literal + c->first, c->n, NULL);
    }
    for (int32_t i = 0; i < f.request.n; i++)
        nln_implication_append_item(&wanted, f.request.queries->list[i].target, NULL);
    for (int32_t i = 0; i < f.request.n_candidates; i++)
        nln_implication_append_item(&wanted, f.request.candidate[i], NULL);
    assert_int_equal(list->n, wanted.n);
    for (size_t i = 0; i < wanted.n; i++)
        assert_true(same_expr(nln_exprs_get(list, i), nln_exprs_get(&wanted, i)));
    nln_exprs_free(&wanted);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_of_a_pair_share_their_history),
        cmocka_unit_test(pairs_become_rules),
        cmocka_unit_test(a_choice_is_histories_and_items),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

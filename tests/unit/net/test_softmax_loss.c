/* One of many by two small products each, against OR(h, v) through the network one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/objective.h"
#include "plans.h"

enum { DIM = 9, HIDDEN = 11, N_HISTORIES = 7, MOST_NEGATIVES = 40, MEMBERS = 3 };

typedef struct fixture {
    nln_net *net;
    nln_planner *planner;
    nln_workspace *work;
    nln_shard_gradient gradient;
    nln_softmax *choice;
    int32_t members;
    nln_softmax_dropout dropout;
    nln_exprs list; /* histories, targets, negatives */
    uint8_t refused[N_HISTORIES * MOST_NEGATIVES];
} fixture;

static void set_up(fixture *f, nln_embedding embedding, uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 0);
    *f = (fixture){.planner = plans_create()};
    assert_int_equal(
        nln_net_create(&f->net, DIM, HIDDEN, MEMBERS * N_VARIABLES, embedding, 10, NULL), NLN_OK);
    nln_net_draw(f->net, (nln_init){.scale = NLN_REAL(0.6), .variables = 1}, &random);
    assert_int_equal(nln_workspace_create(&f->work, f->net, 1, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_create(&f->gradient, f->net, NULL), NLN_OK);
    f->work->gradient = &f->gradient;
    assert_int_equal(nln_softmax_create(&f->choice, f->net, NULL), NLN_OK);
}

static void tear_down(fixture *f)
{
    nln_softmax_free(f->choice);
    nln_workspace_free(f->work);
    nln_shard_gradient_free(&f->gradient);
    nln_planner_free(f->planner);
    nln_net_free(f->net);
    nln_exprs_free(&f->list);
}

/* Histories of any kind, the first of them F; a third of the negatives is refused. */
static nln_request draw_request(fixture *f, int32_t n_candidates, int32_t members, nln_random *r)
{
    f->list.n = f->list.n_nodes = 0;
    nln_exprs_push(&f->list, NLN_OP_FALSE, 0, NULL);
    nln_exprs_finish(&f->list, NULL);
    for (int i = 1; i < N_HISTORIES; i++) {
        plans_push_tree(&f->list, r, 3);
        nln_exprs_finish(&f->list, NULL);
    }
    for (int i = 0; i < N_HISTORIES + n_candidates; i++) {
        nln_exprs_push(&f->list, NLN_OP_VAR, (int32_t)nln_random_below(r, N_VARIABLES), NULL);
        nln_exprs_finish(&f->list, NULL);
    }
    for (int i = 0; i < N_HISTORIES * n_candidates; i++)
        f->refused[i] = nln_random_below(r, 3) == 0;
    f->members = members;
    return (nln_request){.n = N_HISTORIES, .n_candidates = n_candidates, .refused = f->refused};
}

static const nln_plan *forward(fixture *f, const nln_exprs *list, int32_t members)
{
    nln_planner_set_members(f->planner, members, N_VARIABLES);
    const nln_plan *plan =
        plans_of(f->planner, list, NULL, (int32_t)list->n, NLN_ASSOCIATE_PAIRS, NULL);
    assert_int_equal(nln_workspace_fit(f->work, plan->n_rows, NULL), NLN_OK);
    nln_propagation_forward(f->work, f->net, plan, (nln_noise){0});
    return plan;
}

static double loss_of(fixture *f, const nln_request *request, double scale)
{
    const nln_plan *plan = forward(f, &f->list, f->members);
    memset(f->work->dH, 0, (size_t)plan->n_rows * DIM * sizeof(real));
    memset(f->gradient.block, 0, nln_modules_size(DIM, HIDDEN) * sizeof(real));
    assert_int_equal(nln_softmax_fit(f->choice, request->n, request->n_candidates, NULL), NLN_OK);
    return nln_softmax_gradient(f->choice, f->work, f->net, plan, request, f->dropout, scale);
}

/* Appends h | v for history i and requestant c: 0 is its target, then the negatives. */
static void append_rule(nln_exprs *out, const fixture *f, int32_t i, int32_t c)
{
    int32_t second = c ? 2 * N_HISTORIES + c - 1 : N_HISTORIES + i;
    nln_exprs_push_all(out, nln_exprs_get(&f->list, (size_t)i), NULL);
    nln_exprs_push_all(out, nln_exprs_get(&f->list, (size_t)second), NULL);
    nln_exprs_push(out, NLN_OP_OR, 2, NULL);
    assert_int_equal(nln_exprs_finish(out, NULL), NLN_OK);
}

/* -log softmax of the first of n scores, those refused left out. */
static double naive_loss(const double *score, const uint8_t *refused, int32_t n)
{
    double sum = 0;
    for (int32_t c = 0; c < n; c++)
        if (!c || !refused[c - 1])
            sum += exp(score[c] - score[0]);
    return log(sum);
}

static double naive_total(fixture *f, const nln_request *request)
{
    static double score[MEMBERS * N_HISTORIES * (1 + MOST_NEGATIVES)];
    int32_t each = 1 + request->n_candidates;
    nln_exprs rules = {0};
    double loss = 0;
    for (int32_t i = 0; i < N_HISTORIES; i++)
        for (int32_t c = 0; c < each; c++)
            append_rule(&rules, f, i, c);
    nln_objective_scores(score, f->work, f->net, forward(f, &rules, f->members));
    for (int32_t i = 0; i < f->members * N_HISTORIES; i++)
        loss += naive_loss(score + i * each, f->refused + i % N_HISTORIES * request->n_candidates,
                           each);
    nln_exprs_free(&rules);
    return loss;
}

static void expect_near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-4 * (1 + fabs(wanted))))
        fail_msg("the loss is %.9g, not %.9g", got, wanted);
}

/* ---- the tests ---------------------------------------------------------------------- */

/* Sizes go up and down, so that the memory is used again. */
static void the_loss_is_that_of_a_softmax(void **state)
{
    (void)state;
    static const int32_t sizes[] = {1, 2, 17, 1, MOST_NEGATIVES, 3, 0};
    for (int embedding = 0; embedding < 5; embedding++) {
        fixture f;
        nln_random random = nln_random_seed(3, (uint64_t)embedding);
        set_up(&f, (nln_embedding)embedding, 2);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (int32_t members = 1; members <= MEMBERS; members++) {
                nln_request request = draw_request(&f, sizes[s], members, &random);
                expect_near(loss_of(&f, &request, 1), naive_total(&f, &request));
                expect_near(loss_of(&f, &request, 0.25), 0.25 * naive_total(&f, &request));
            }
        tear_down(&f);
    }
}

static void who_competes_with_none_loses_nothing(void **state)
{
    (void)state;
    fixture f;
    nln_random random = nln_random_seed(4, 0);
    set_up(&f, NLN_EMBED_FREE, 2);
    nln_request request = draw_request(&f, 8, 2, &random);
    memset(f.refused, 1, sizeof f.refused);
    expect_near(loss_of(&f, &request, 1), 0);
    for (size_t i = 0; i < nln_modules_size(DIM, HIDDEN); i++)
        assert_true(f.gradient.block[i] == 0);
    tear_down(&f);
}

/* Where no hidden unit is awake all scores are 0, and all requestants are equal. */
static void vectors_of_length_0_score_0(void **state)
{
    (void)state;
    fixture f;
    nln_random random = nln_random_seed(5, 0);
    set_up(&f, NLN_EMBED_FREE, 2);
    for (int i = 0; i < HIDDEN; i++)
        f.net->modules.of[NLN_MODULE_OR].bias[i] = NLN_REAL(-1e9);
    nln_request request = draw_request(&f, 6, 1, &random);
    memset(f.refused, 0, sizeof f.refused);
    expect_near(loss_of(&f, &request, 1), N_HISTORIES * log(7));
    expect_near(naive_total(&f, &request), N_HISTORIES * log(7));
    tear_down(&f);
}

static void dropout_depends_on_the_key_alone(void **state)
{
    (void)state;
    fixture f;
    nln_random random = nln_random_seed(6, 0);
    set_up(&f, NLN_EMBED_FREE, 2);
    nln_request request = draw_request(&f, 6, 2, &random);
    double without = loss_of(&f, &request, 1);
    f.dropout.share = NLN_REAL(0.5);
    f.dropout.key = 1;
    double once = loss_of(&f, &request, 1);
    assert_true(once == loss_of(&f, &request, 1));
    assert_true(isfinite(once) && once != without);
    f.dropout.key = 2;
    assert_true(once != loss_of(&f, &request, 1));
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_is_that_of_a_softmax),
        cmocka_unit_test(who_competes_with_none_loses_nothing),
        cmocka_unit_test(vectors_of_length_0_score_0),
        cmocka_unit_test(dropout_depends_on_the_key_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

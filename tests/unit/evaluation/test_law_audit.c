#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/plan.h"
#include "nln_lab.h"
#include "tiny.h"

enum { N_LAWS = 18, N_VARIABLES = 10, N_TRUE = 6 };
static const uint8_t values[N_VARIABLES] = {1, 0, 0, 1, 1, 1, 0, 1, 0, 1};
static const char settings[] = TINY_LOGICIAN "threads=1";

static void look(nln_law_score scores[N_LAWS], const nln_model *model, const nln_data *data)
{
    nln_error err = {0};
    size_t n = 0;
    assert_int_equal(nln_inspect(scores, N_LAWS, &n, model, data, &err), NLN_OK);
    assert_int_equal(n, N_LAWS);
}

static const nln_law_score *find(const nln_law_score scores[N_LAWS], const char *name)
{
    for (int i = 0; i < N_LAWS; i++)
        if (strcmp(scores[i].name, name) == 0)
            return &scores[i];
    fail_msg("there is no law named %s", name);
    return NULL;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Names, formulas and ranges, which hold for any model. */
static void expect_sane(const nln_law_score scores[N_LAWS])
{
    for (int i = 0; i < N_LAWS; i++) {
        const nln_law_score *s = &scores[i];
        assert_true(strlen(s->name) > 0 && strlen(s->formula) > 0);
        assert_int_equal(s->far_apart, strcmp(s->name, "negation") == 0);
        assert_true(s->n > 0);
        assert_true(s->mean_similarity >= 0 && s->mean_similarity <= 1);
        assert_true(s->mean_cosine >= -1.00001 && s->mean_cosine <= 1.00001);
        assert_true(s->kept >= 0 && s->kept <= 1);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(s->name, scores[j].name);
            assert_string_not_equal(s->formula, scores[j].formula);
        }
    }
}

static void the_logician_keeps_every_law(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS];
    nln_model *model = tiny_logician(values, N_VARIABLES, settings);
    look(scores, model, NULL);
    expect_sane(scores);
    for (int i = 0; i < N_LAWS; i++) {
        double cosine = scores[i].far_apart ? -1 : 1;
        assert_true(fabs(scores[i].mean_cosine - cosine) < 1e-6);
        assert_true(fabs(scores[i].mean_similarity - sigmoid(10 * cosine)) < 1e-6);
        assert_true(fabs(scores[i].kept - 1) < 1e-12);
        if (i < 10) /* of every member */
            assert_int_equal(scores[i].n,
                             N_VARIABLES * nln_options_number(nln_model_options(model), "members"));
    }
    nln_model_free(model);
}

static void expect_kept(const nln_law_score scores[N_LAWS], const char *name, double share)
{
    const nln_law_score *s = find(scores, name);
    double sign = s->far_apart ? -1 : 1;
    if (fabs(s->kept - share) > 1e-9)
        fail_msg("%s is kept by %g, not %g", name, s->kept, share);
    assert_true(fabs(s->mean_cosine - sign * (2 * share - 1)) < 1e-6);
}

/* What is told of several networks is their mean. */
static void every_network_is_looked_at(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS];
    const double n_false = N_VARIABLES - N_TRUE;
    nln_model *model = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "threads=1 networks=2");
    tiny_fill(&model->net[1]->modules.of[NLN_MODULE_AND], (const real[]){1, -1, 0, 0, 0, 0},
              (const real[]){1, -1, 0});
    nln_net_transpose(model->net[1]);
    look(scores, model, NULL);
    expect_sane(scores);
    expect_kept(scores, "and_identity", 1);
    expect_kept(scores, "and_annihilator", (1 + n_false / N_VARIABLES) / 2);
    assert_int_equal(find(scores, "and_annihilator")->n, N_VARIABLES * 4 * 2);
    assert_true(find(scores, "and_commutativity")->kept < 1);
    nln_model_free(model);
}

/* With a AND b = a the laws fail exactly where b matters. */
static void a_conjunction_that_is_deaf_on_one_ear(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS];
    const double n_false = N_VARIABLES - N_TRUE;
    nln_model *model = tiny_logician(values, N_VARIABLES, settings);
    tiny_fill(&model->net[0]->modules.of[NLN_MODULE_AND], (const real[]){1, -1, 0, 0, 0, 0},
              (const real[]){1, -1, 0});
    nln_net_transpose(model->net[0]);
    look(scores, model, NULL);
    expect_kept(scores, "and_identity", 1);
    expect_kept(scores, "and_idempotence", 1);
    expect_kept(scores, "and_annihilator", n_false / N_VARIABLES);
    expect_kept(scores, "and_complementation", n_false / N_VARIABLES);
    expect_kept(scores, "or_complementation", 1);
    expect_kept(scores, "negation", 1);
    expect_kept(scores, "and_associativity", 1);
    expect_kept(scores, "and_distributivity", 1);
    const nln_law_score *s = find(scores, "and_commutativity");
    assert_true(s->kept > 0.3 && s->kept < 0.7);
    expect_kept(scores, "or_commutativity", 1);
    s = find(scores, "or_distributivity");
    assert_true(s->kept > 0.99);
    s = find(scores, "de_morgan_and");
    assert_true(s->kept > 0.4 && s->kept < 0.95);
    nln_model_free(model);
}

/* With NOT a = a, F is T. */
static void a_negation_that_says_nothing(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS];
    const double n_true = N_TRUE;
    nln_model *model = tiny_logician(values, N_VARIABLES, settings);
    tiny_fill(&model->net[0]->modules.of[NLN_MODULE_NOT], (const real[]){1, -1, 0},
              (const real[]){1, -1, 0});
    nln_net_transpose(model->net[0]);
    look(scores, model, NULL);
    expect_kept(scores, "negation", 0);
    expect_kept(scores, "double_negation", 1);
    expect_kept(scores, "and_identity", 1);
    expect_kept(scores, "and_annihilator", n_true / N_VARIABLES);
    expect_kept(scores, "and_complementation", n_true / N_VARIABLES);
    expect_kept(scores, "or_annihilator", 1);
    expect_kept(scores, "or_identity", n_true / N_VARIABLES);
    expect_kept(scores, "or_complementation", n_true / N_VARIABLES);
    expect_kept(scores, "or_associativity", 1);
    nln_model_free(model);
}

/* The worst cases of a model are sorted, differ, and are those that break the law. */
static void the_worst_cases_break_the_law(void **state)
{
    (void)state;
    enum { K = 7 };
    nln_law_case cases[N_LAWS * K];
    nln_law_score scores[N_LAWS];
    size_t n[N_LAWS];
    nln_error err = {0};
    nln_model *model = tiny_logician(values, N_VARIABLES, settings);
    tiny_fill(&model->net[0]->modules.of[NLN_MODULE_AND], (const real[]){1, -1, 0, 0, 0, 0},
              (const real[]){1, -1, 0});
    nln_net_transpose(model->net[0]);
    look(scores, model, NULL);
    tiny_need(nln_inspect_worst(cases, n, K, N_LAWS, model, &err), &err);
    for (size_t law = 0; law < N_LAWS; law++) {
        double sign = scores[law].far_apart ? -1 : 1;
        const nln_law_case *list = cases + law * K;
        assert_int_equal(n[law], K);
        for (size_t i = 0; i < K; i++) {
            assert_true(list[i].operand[0] < N_VARIABLES);
            assert_true(law >= 10 || list[i].operand[1] == SIZE_MAX);
            assert_true(law < 10 || list[i].operand[1] < N_VARIABLES);
            if (i)
                assert_true(sign * list[i - 1].similarity <= sign * list[i].similarity);
            for (size_t j = 0; j < i; j++)
                assert_memory_not_equal(list[i].operand, list[j].operand, sizeof list[i].operand);
        }
    }
    /* w AND F = w: broken by the variables that are true, and by no other. */
    const nln_law_case *list = cases + (find(scores, "and_annihilator") - scores) * K;
    for (size_t i = 0; i < K; i++)
        assert_int_equal(list[i].similarity < 0.5, values[list[i].operand[0]]);
    assert_true(list[N_TRUE - 1].similarity < 0.5 && list[N_TRUE].similarity > 0.5);
    /* a AND b = a: broken where the two differ. */
    list = cases + (find(scores, "and_commutativity") - scores) * K;
    for (size_t i = 0; i < K; i++) {
        assert_true(list[i].operand[2] == SIZE_MAX);
        assert_true(values[list[i].operand[0]] != values[list[i].operand[1]]);
    }
    nln_model_free(model);
}

/* A conjunction that always gives 0 has no direction: cosines are 0. */
static void modules_of_zeros_are_neither_near_nor_far(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS];
    nln_model *model = tiny_logician(values, N_VARIABLES, settings);
    memset(model->net[0]->weights, 0,
           nln_modules_size(model->net[0]->dim, model->net[0]->hidden) * sizeof(real));
    nln_net_transpose(model->net[0]);
    look(scores, model, NULL);
    expect_sane(scores);
    for (int i = 0; i < N_LAWS; i++) {
        assert_true(scores[i].mean_cosine == 0);
        assert_true(fabs(scores[i].mean_similarity - 0.5) < 1e-9);
    }
    nln_model_free(model);
}

/* ---- with data ------------------------------------------------------------------------ */

/* The rows of the plan of all variables and the test expressions: the different
 * sub-expressions in the order of the text. */
static size_t different_vectors(const nln_model *model, const nln_data *data)
{
    nln_exprs list = {0};
    nln_planner *planner = NULL;
    const nln_plan *plan = NULL;
    nln_error err = {0};
    for (int32_t i = 0; i < (int32_t)nln_model_variables(model); i++) {
        nln_exprs_push(&list, NLN_OP_VAR, i, NULL);
        nln_exprs_finish(&list, NULL);
    }
    for (size_t i = 0; i < nln_data_size(data, NLN_TEST); i++)
        tiny_need(nln_model_add(&list, model, NULL, &(nln_vocabulary){.variables = data->symbols},
                                nln_exprs_get(&data->split[NLN_TEST].exprs, i), &err),
                  &err);
    tiny_need(nln_planner_create(&planner, &err), &err);
    tiny_need(nln_planner_plan(&plan, planner, &list, NULL, (int32_t)list.n, NLN_ASSOCIATE_PAIRS,
                               NULL, &err),
              &err);
    size_t n = (size_t)plan->n_rows - NLN_ROW_LEAF;
    nln_planner_free(planner);
    nln_exprs_free(&list);
    return n;
}

static void data_adds_their_sub_expressions(void **state)
{
    (void)state;
    nln_law_score alone[N_LAWS], with[N_LAWS];
    nln_data *data = tiny_data("variables=25 expressions=400");
    nln_model *model = tiny_train(NULL, data, "dimension=6 epochs=2 threads=1 members=1");
    size_t n = different_vectors(model, data);
    look(alone, model, NULL);
    look(with, model, data);
    expect_sane(alone);
    expect_sane(with);
    for (int i = 0; i < 10; i++) {
        assert_int_equal(alone[i].n, 25);
        assert_int_equal(with[i].n, n);
    }
    for (int i = 10; i < N_LAWS; i++)
        assert_true(alone[i].n == with[i].n && alone[i].mean_cosine != with[i].mean_cosine);
    nln_model_free(model);
    nln_data_free(data);
}

static void unknown_variables_are_an_error(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS];
    nln_error err = {0};
    size_t n;
    nln_data *data = tiny_data("variables=12 expressions=20");
    nln_model *model = tiny_logician(values, N_VARIABLES, settings);
    assert_int_equal(nln_inspect(scores, N_LAWS, &n, model, data, &err), NLN_UNKNOWN);
    nln_model_free(model);
    nln_data_free(data);
}

/* ---- little room and little to see ------------------------------------------------------- */

static void only_the_room_is_filled(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS + 1];
    nln_error err = {0};
    nln_model *model = tiny_logician(values, N_VARIABLES, settings);
    for (size_t room = 0; room <= N_LAWS + 1; room++) {
        size_t n = 0;
        memset(scores, 0, sizeof scores);
        assert_int_equal(nln_inspect(scores, room, &n, model, NULL, &err), NLN_OK);
        assert_int_equal(n, N_LAWS);
        for (size_t i = 0; i <= N_LAWS; i++)
            assert_int_equal(scores[i].name != NULL, i < room && i < N_LAWS);
    }
    size_t n = 0;
    assert_int_equal(nln_inspect(NULL, 0, &n, model, NULL, &err), NLN_OK);
    nln_model_free(model);
}

static void a_model_without_variables_can_be_looked_at(void **state)
{
    (void)state;
    nln_law_score scores[N_LAWS];
    nln_model *model = tiny_logician(values, 0, settings);
    look(scores, model, NULL);
    for (int i = 0; i < 10; i++)
        assert_int_equal(scores[i].n, 0);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_logician_keeps_every_law),
        cmocka_unit_test(every_network_is_looked_at),
        cmocka_unit_test(a_conjunction_that_is_deaf_on_one_ear),
        cmocka_unit_test(a_negation_that_says_nothing),
        cmocka_unit_test(the_worst_cases_break_the_law),
        cmocka_unit_test(modules_of_zeros_are_neither_near_nor_far),
        cmocka_unit_test(data_adds_their_sub_expressions),
        cmocka_unit_test(unknown_variables_are_an_error),
        cmocka_unit_test(only_the_room_is_filled),
        cmocka_unit_test(a_model_without_variables_can_be_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

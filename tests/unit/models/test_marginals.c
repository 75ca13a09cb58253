#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "math/scalar.h"
#include "models/method.h"
#include "tiny.h"

enum { VARIABLES = 6 };

#define SETTINGS "model=marginals threads=1 normal-form=none "

/* A model that is drawn, with logits that are far from 0. */
static nln_model *make(const char *settings)
{
    nln_model *m = tiny_model(VARIABLES, settings);
    nln_random random = nln_random_seed(2, 2);
    for (int v = 0; v < VARIABLES; v++)
        m->weights.data[0][v] = (real)(2 * nln_random_normal(&random));
    return m;
}

static double p_of(const nln_model *m, int v)
{
    return nln_sigmoid((double)m->weights.data[0][v]);
}

static double score_of(const nln_model *m, const char *text)
{
    nln_exprs list = {0};
    double score;
    trees_parse(&list, m->symbols, text);
    assert_int_equal(nln_model_scores(&score, m, &list, 4, 1, NULL), NLN_OK);
    nln_exprs_free(&list);
    return score;
}

static void expect(const nln_model *m, const char *text, double wanted)
{
    assert_true(fabs(nln_sigmoid(score_of(m, text)) - wanted) < 1e-9);
}

/* A variable that occurs twice counts as two. */
static void probabilities_multiply(void **state)
{
    (void)state;
    nln_model *m = make(SETTINGS);
    double a = p_of(m, 0), b = p_of(m, 1), c = p_of(m, 2);
    expect(m, "x0", a);
    expect(m, "!x0", 1 - a);
    expect(m, "x0 & !x1 & x2", a * (1 - b) * c);
    expect(m, "x0 | !x1 | x2", 1 - (1 - a) * b * (1 - c));
    expect(m, "x0 -> x1", 1 - a * (1 - b));
    expect(m, "x0 <-> x1", a * b + (1 - a) * (1 - b));
    expect(m, "x0 xor x1", a * (1 - b) + (1 - a) * b);
    expect(m, "x0 & x0", a * a);
    expect(m, "(x0 & x1) | (x0 & !x2)", 1 - (1 - a * b) * (1 - a * (1 - c)));
    nln_model_free(m);
}

static void certainty_is_finite(void **state)
{
    (void)state;
    nln_model *m = make(SETTINGS);
    m->weights.data[0][0] = 1000;
    assert_true(isfinite(score_of(m, "x0")) && score_of(m, "x0") > 20);
    assert_true(isfinite(score_of(m, "!x0")) && score_of(m, "!x0") < -20);
    assert_true(score_of(m, "T") > 20 && score_of(m, "F") < -20);
    nln_model_free(m);
}

static nln_thread_pool *team;

static int open_team(void **state)
{
    (void)state;
    return (int)nln_thread_pool_create(&team, 1, NULL);
}

static int close_team(void **state)
{
    (void)state;
    nln_thread_pool_free(team);
    return 0;
}

static nln_learner *learner_of(nln_model *m, const int32_t *frequency)
{
    nln_learner *l = NULL;
    assert_int_equal(m->method->learn(&l, m, team, frequency, NULL), NLN_OK);
    return l;
}

static void its_part_is_one_of_logits(void **state)
{
    (void)state;
    nln_model *m = make(SETTINGS "learning-rate-logit=0.25 learning-rate=1");
    nln_learner *l = learner_of(m, NULL);
    assert_int_equal(l->n_parameters, 1);
    assert_true(l->parameter[0].is_logit && l->parameter[0].rate == 0.25);
    l->free(l);
    nln_model_free(m);
}

/* Labels that contradict what is certain, without noise that could explain them. */
static void surprises_are_finite(void **state)
{
    (void)state;
    static const real truth[] = {0, 1};
    static const int32_t index[] = {0, 1};
    nln_model *m = make(SETTINGS);
    nln_learner *l = learner_of(m, NULL);
    nln_exprs list = {0};
    m->weights.data[0][0] = 1000;
    trees_parse(&list, m->symbols, "x0 | x1");
    trees_parse(&list, m->symbols, "!x0");
    nln_request request = {
        .loss_kind = NLN_LOSS_LABELS, .n = 2, .exprs = &list, .index = index, .truth = truth};
    l->noise = 0;
    assert_int_equal(l->plan(l, &request, NULL), NLN_OK);
    assert_true(isfinite(l->gradient(l, 0).data));
    for (int32_t k = 0; k < l->parameter[0].n_rows; k++)
        assert_true(isfinite((double)l->parameter[0].gradient[k]));
    l->free(l);
    nln_exprs_free(&list);
    nln_model_free(m);
}

/* Lots that together are an epoch have the whole prior of every variable, once. */
static void the_prior_counts_once_an_epoch(void **state)
{
    (void)state;
    enum { N = 40 };
    nln_model *m = make(SETTINGS "l2-logit=0.5");
    nln_exprs list = {0};
    nln_random r = nln_random_seed(3, 3);
    int32_t frequency[VARIABLES] = {0}, index[N];
    real truth[N] = {0};
    double sum = 0, wanted = 0;
    for (int i = 0; i < N; i++) {
        trees_random(&list, &r, VARIABLES, 3);
        index[i] = i;
    }
    for (size_t i = 0; i < list.n_nodes; i++)
        if (list.nodes[i].op == NLN_OP_VAR)
            frequency[list.nodes[i].arg]++;
    nln_learner *l = learner_of(m, frequency);
    for (int32_t at = 0; at < N; at += 8) {
        nln_request request = {.loss_kind = NLN_LOSS_LABELS,
                               .n = 8,
                               .exprs = &list,
                               .index = index + at,
                               .truth = truth};
        assert_int_equal(l->plan(l, &request, NULL), NLN_OK);
        sum += l->gradient(l, 0).l2;
    }
    for (int v = 0; v < VARIABLES; v++) {
        assert_true(frequency[v] > 0);
        wanted += 0.5 * (double)m->weights.data[0][v] * (double)m->weights.data[0][v];
    }
    assert_true(fabs(sum - wanted) < 1e-6);
    l->free(l);
    nln_exprs_free(&list);
    nln_model_free(m);
}

/* With ten labelled expressions for each variable the hidden values are found. */
static void it_learns(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=100 expressions=1200 seed=4");
    nln_report report = {0};
    nln_model *m = tiny_train(&report, data,
                              "model=marginals threads=1 l2-logit=0.003 "
                              "learning-rate-logit=0.1");
    assert_true(report.test.accuracy > 0.95);
    nln_model_free(m);
    nln_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_multiply),         cmocka_unit_test(certainty_is_finite),
        cmocka_unit_test(its_part_is_one_of_logits),      cmocka_unit_test(surprises_are_finite),
        cmocka_unit_test(the_prior_counts_once_an_epoch), cmocka_unit_test(it_learns),
    };
    return cmocka_run_group_tests(tests, open_team, close_team);
}

/* Bi-RNN and Bi-LSTM: what a score depends on, and that they learn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "models/method.h"
#include "models/model.h"
#include "tiny.h"

enum { VARIABLES = 5, EXPRESSIONS = 200, STEPS = 250 };

static const char *const kinds[] = {"birnn", "bilstm"};

static nln_model *make(const char *kind, const char *settings)
{
    char text[256];
    snprintf(text, sizeof text, "model=%s dimension=9 hidden=7 init-variables=0.5 threads=2 %s",
             kind, settings);
    nln_options *o = tiny_options("train", text);
    nln_symbols *names = trees_names(VARIABLES);
    nln_model *model = NULL;
    nln_error err = {0};
    nln_random random = nln_random_seed(1, 1);
    tiny_need(nln_model_create(&model, names, o, &err), &err);
    nln_model_draw(model, &random);
    nln_symbols_free(names);
    nln_options_free(o);
    return model;
}

/* Random expressions, normalized, with their values under all variables T but the first. */
static void draw(nln_exprs *list, real *truth, const nln_model *m)
{
    static const uint8_t values[VARIABLES] = {0, 1, 1, 1, 1};
    uint8_t stack[4096];
    nln_random random = nln_random_seed(9, 0);
    for (int i = 0; i < EXPRESSIONS; i++) {
        nln_exprs raw = {0};
        nln_expr e = trees_random(&raw, &random, VARIABLES, 2);
        truth[i] = (real)nln_expr_evaluate(e, values, stack);
        tiny_need(nln_model_normalize(list, m, e, NULL), &(nln_error){0});
        nln_exprs_free(&raw);
    }
}

/* Blocks and threads make no difference: each score is that of the expression alone. */
static void scores_do_not_depend_on_neighbours(void **state)
{
    (void)state;
    static double together[EXPRESSIONS], on_threads[EXPRESSIONS];
    static real truth[EXPRESSIONS];
    for (int k = 0; k < 2; k++) {
        nln_model *m = make(kinds[k], "");
        nln_exprs list = {0};
        draw(&list, truth, m);
        assert_int_equal(m->method->judge(together, m, &list, 1, 1, NULL), NLN_OK);
        assert_int_equal(m->method->judge(on_threads, m, &list, 1, 3, NULL), NLN_OK);
        assert_memory_equal(together, on_threads, sizeof together);
        for (size_t i = 0; i < list.n; i += 7) {
            nln_exprs one = {0};
            double alone;
            assert_int_equal(nln_exprs_append(&one, nln_exprs_get(&list, i), NULL), NLN_OK);
            assert_int_equal(m->method->judge(&alone, m, &one, 1, 1, NULL), NLN_OK);
            assert_true(fabs(alone - together[i]) < 1e-5);
            nln_exprs_free(&one);
        }
        nln_exprs_free(&list);
        nln_model_free(m);
    }
}

static void no_expressions_are_no_error(void **state)
{
    (void)state;
    nln_model *m = make("birnn", "");
    nln_exprs none = {0};
    assert_int_equal(m->method->judge(NULL, m, &none, 1, 2, NULL), NLN_OK);
    nln_model_free(m);
}

/* Plain steps downhill over all expressions at once; returns the last loss. */
static double descend(nln_model *m, nln_exprs *list, const real *truth, int n_threads)
{
    nln_thread_pool *team = NULL;
    nln_learner *l = NULL;
    static int32_t index[EXPRESSIONS];
    double data = 0;
    for (int32_t i = 0; i < EXPRESSIONS; i++)
        index[i] = i;
    nln_request request = {.loss_kind = NLN_LOSS_LABELS,
                           .n = EXPRESSIONS,
                           .exprs = list,
                           .index = index,
                           .truth = truth,
                           .unit = index};
    assert_int_equal(nln_thread_pool_create(&team, n_threads, NULL), NLN_OK);
    assert_int_equal(m->method->learn(&l, m, team, NULL, NULL), NLN_OK);
    for (int step = 0; step < STEPS; step++) {
        assert_int_equal(l->plan(l, &request, NULL), NLN_OK);
        data = l->gradient(l, (uint64_t)step).data;
        for (int i = 0; i < l->n_parameters; i++) {
            const nln_parameter *p = &l->parameter[i];
            for (int32_t k = 0; k < p->n_rows; k++)
                for (int j = 0; j < p->width; j++)
                    p->x[(p->row ? p->row[k] : k) * p->width + j] -=
                        (real)0.5 * p->gradient[k * p->width + j];
        }
    }
    l->free(l);
    nln_thread_pool_free(team);
    return data;
}

/* Learning takes the loss well below that of a coin, and gives the same bits on one thread and
 * on two. */
static void they_learn_alike_on_any_number_of_threads(void **state)
{
    (void)state;
    static real truth[EXPRESSIONS];
    for (int k = 0; k < 2; k++) {
        nln_model *one = make(kinds[k], "reduce=mean dropout=0.1 l2=0 l2-variables=0");
        nln_model *two = make(kinds[k], "reduce=mean dropout=0.1 l2=0 l2-variables=0");
        nln_exprs list = {0};
        draw(&list, truth, one);
        double loss = descend(one, &list, truth, 1);
        assert_true(loss < 0.45);
        assert_true(descend(two, &list, truth, 2) == loss);
        nln_net_tensor a, b;
        for (int i = 0; nln_model_get_tensor(&a, one, i); i++) {
            assert_true(nln_model_get_tensor(&b, two, i));
            assert_memory_equal(a.data, b.data, a.rows * a.columns * sizeof(real));
        }
        nln_exprs_free(&list);
        nln_model_free(one);
        nln_model_free(two);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_do_not_depend_on_neighbours),
        cmocka_unit_test(no_expressions_are_no_error),
        cmocka_unit_test(they_learn_alike_on_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "family.h"

/* Answers are all entities in the order of their scores, without what is known. */
static void links_are_ranked(void **state)
{
    (void)state;
    nln_triples *t = family_triples(40);
    nln_model *m = family_model(NULL, t, "task=link model=rules threads=1");
    nln_filling all[200], few[3];
    size_t n = 0, n_few = 0;
    nln_error err = {0};
    assert_int_equal(nln_model_entities(m), nln_model_variables(m));
    assert_int_equal(nln_model_predicates(m), 3);
    assert_int_equal(nln_model_arity(m, 2), 2);
    assert_int_equal(nln_model_arity(m, 3), 0);
    tiny_need(nln_fill(all, &n, 200, m, "uncle(c3, ?)", 0, &err), &err);
    assert_int_equal(n, nln_model_entities(m));
    assert_string_equal(nln_model_entity(m, all[0].entity), "b3"); /* it is in no fact */
    for (size_t i = 1; i < n; i++)
        assert_true(all[i].score < all[i - 1].score ||
                    (all[i].score == all[i - 1].score && all[i].entity > all[i - 1].entity));
    tiny_need(nln_fill(few, &n_few, 3, m, " uncle ( c3 , ? ) ", 0, &err), &err);
    assert_int_equal(n_few, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(few[i].entity, all[i].entity);
    tiny_need(nln_fill(few, &n_few, 1, m, "\"uncle\"(?, 'b3')", 0, &err), &err);
    assert_string_equal(nln_model_entity(m, few[0].entity), "c3");
    tiny_need(nln_fill(all, &n, 200, m, "uncle(c0, ?)", 0, &err), &err);
    assert_int_equal(n, nln_model_entities(m) - 1);
    tiny_need(nln_fill(all, &n, 200, m, "uncle(c0, ?)", 1, &err), &err);
    assert_int_equal(n, nln_model_entities(m));
    assert_true(all[0].known && all[0].by_rules > 0);
    nln_model_free(m);
    nln_triples_free(t);
}

static void bad_questions_are_refused(void **state)
{
    static const struct {
        const char *question, *says;
        nln_status status;
    } cases[] = {
        {"uncel(c0, ?)", "'uncle'", NLN_UNKNOWN},
        {"uncle(nobody, ?)", "no entity 'nobody'", NLN_UNKNOWN},
        {"uncle(c0, b0)", "one hole", NLN_INVALID},
        {"uncle(?, ?)", "one hole", NLN_SYNTAX},
        {"uncle(?)", "one hole", NLN_INVALID},
        {"c0", "one hole", NLN_INVALID},
        {"uncle(c0, ?) & uncle(c1, a1)", "one hole", NLN_INVALID},
        {"uncle(c0, ?", "found the end", NLN_SYNTAX},
        {"", "", NLN_SYNTAX},
    };
    (void)state;
    nln_triples *t = family_triples(12);
    nln_model *m = family_model(NULL, t, "task=link epochs=1 dimension=4 threads=1");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_filling out;
        nln_link_reason *reasons = NULL;
        size_t n = 7;
        nln_error err = {0};
        if (nln_fill(&out, &n, 1, m, cases[i].question, 0, &err) != cases[i].status ||
            !strstr(err.message, cases[i].says) || n)
            fail_msg("%s: %s", cases[i].question, err.message);
        assert_int_equal(nln_fill_reasons(&reasons, &n, m, cases[i].question, 0, NULL),
                         cases[i].status);
        assert_null(reasons);
    }
    nln_model_free(m);
    nln_triples_free(t);
}

/* A model of expressions answers any expression with a hole, as nln_predict would. */
static void expressions_are_filled(void **state)
{
    (void)state;
    static const char *const lines[] = {"likes(ann, tea)", "likes(ann, cake)", "likes(bob, tea)",
                                        "sweet(cake)", "sweet(tea)"};
    static const int labels[] = {1, 0, 1, 1, 0};
    nln_data *data = NULL;
    nln_model *m = NULL;
    nln_error err = {0};
    nln_options *o = tiny_options("train", "epochs=3 dimension=8 threads=1");
    nln_filling out[4];
    size_t n = 0;
    tiny_need(nln_data_create(&data, &err), &err);
    tiny_need(nln_data_add(data, NLN_TRAIN, lines, labels, 5, &err), &err);
    tiny_need(nln_train(&m, NULL, data, o, NULL, &err), &err);
    tiny_need(nln_fill(out, &n, 4, m, "likes(ann, ?) | sweet(cake)", 0, &err), &err);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        char text[128];
        double p;
        snprintf(text, sizeof text, "likes(ann, %s) | sweet(cake)",
                 nln_model_entity(m, out[i].entity));
        tiny_need(nln_predict(&p, m, text, &err), &err);
        assert_true(fabs(1 / (1 + exp(-out[i].score)) - p) < 1e-6);
    }
    assert_int_equal(nln_fill(out, &n, 4, m, "likes(ann, tea)", 0, &err), NLN_INVALID);
    assert_int_equal(nln_fill(out, &n, 4, m, "likes(ann, rum) & likes(?, tea)", 0, &err),
                     NLN_UNKNOWN);
    nln_link_reason *reasons;
    assert_int_equal(nln_fill_reasons(&reasons, &n, m, "likes(ann, ?)", 0, &err), NLN_INVALID);
    nln_model_free(m);
    nln_data_free(data);
    nln_options_free(o);
}

static void models_without_entities_have_no_answers(void **state)
{
    (void)state;
    static const uint8_t values[] = {1, 0};
    nln_model *m = tiny_logician(values, 2, TINY_LOGICIAN);
    nln_filling out;
    nln_error err = {0};
    size_t n = 1;
    assert_int_equal(nln_fill(&out, &n, 1, m, "p(?)", 0, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "no entities"));
    assert_int_equal(n, 0);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_ranked),
        cmocka_unit_test(bad_questions_are_refused),
        cmocka_unit_test(expressions_are_filled),
        cmocka_unit_test(models_without_entities_have_no_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

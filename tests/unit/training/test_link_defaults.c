#include "training/link_defaults.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "family.h"

static double value_of(const nln_graph_size *size, const char *settings, const char *name)
{
    nln_error err = {0};
    nln_options *o = tiny_options("train", settings);
    tiny_need(nln_link_defaults_assign(o, size, &err), &err);
    double value = nln_options_number(o, name);
    nln_options_free(o);
    return value;
}

/* The sizes of UMLS, Kinship, FB15k-237 and WN18RR, for which the rule was made. */
static void defaults_follow_the_graph(void **state)
{
    (void)state;
    static const struct {
        nln_graph_size size;
        double dimension, networks, batch, negatives, n3, dropout, relation_weight;
    } graphs[] = {
        {{135, 5216, 3589}, 1000, 2, 0, 0, 0.003, 0.5, 0},
        {{104, 8544, 8544}, 1000, 2, 0, 0, 0.003, 0.5, 1},
        {{14505, 272115, 246234}, 500, 1, 500, 4000, 0.05, 0, 0},
        {{40559, 86835, 86726}, 500, 1, 500, 4000, 0.1, 0, 0},
    };
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) {
        const nln_graph_size *size = &graphs[i].size;
        assert_true(value_of(size, "task=link", "dimension") == graphs[i].dimension);
        assert_true(value_of(size, "task=link", "networks") == graphs[i].networks);
        assert_true(value_of(size, "task=link model=complex", "networks") == 1);
        assert_true(value_of(size, "task=link", "batch") == graphs[i].batch);
        assert_true(value_of(size, "task=link", "negatives") == graphs[i].negatives);
        assert_true(value_of(size, "task=link", "n3") == graphs[i].n3);
        assert_true(value_of(size, "task=link", "dropout") == graphs[i].dropout);
        assert_true(value_of(size, "task=link", "relation-weight") == graphs[i].relation_weight);
        assert_true(value_of(size, "task=link n3=0.5", "n3") == 0.5);
    }
}

/* Validation and test do not count, and a pair with two relations counts once. */
static void the_size_is_that_of_training(void **state)
{
    (void)state;
    static const struct {
        nln_split split;
        const char *triple[3];
    } lines[] = {
        {NLN_TRAIN, {"a", "r", "b"}}, {NLN_TRAIN, {"a", "s", "b"}}, {NLN_TRAIN, {"b", "r", "a"}},
        {NLN_TRAIN, {"b", "r", "c"}}, {NLN_VALID, {"c", "r", "d"}}, {NLN_TEST, {"c", "r", "e"}},
    };
    nln_triples *t = NULL;
    nln_graph_size size;
    nln_error err = {0};
    tiny_need(nln_triples_create(&t, &err), &err);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        tiny_need(nln_triples_add(t, lines[i].split, lines[i].triple[0], lines[i].triple[1],
                                  lines[i].triple[2], &err),
                  &err);
    tiny_need(nln_link_defaults_size(&size, t, &err), &err);
    assert_int_equal(size.entities, 3);
    assert_int_equal(size.triples, 4);
    assert_int_equal(size.pairs, 3);
    nln_triples_free(t);
}

/* A model says what it was trained with. */
static void a_model_keeps_them(void **state)
{
    (void)state;
    nln_report report;
    nln_triples *t = family_triples(40);
    nln_model *m = family_model(&report, t, "task=link epochs=1 dimension=8 threads=1");
    const nln_options *o = nln_model_options(m);
    assert_int_equal(nln_options_source(o, "n3"), NLN_FROM_DATA);
    assert_true(nln_options_number(o, "n3") == 0.1);
    assert_true(nln_options_number(o, "dimension") == 8);
    nln_model_free(m);
    nln_triples_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults_follow_the_graph),
                                       cmocka_unit_test(the_size_is_that_of_training),
                                       cmocka_unit_test(a_model_keeps_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/triples.h"
#include "scratch.h"
#include "tiny.h"

static void put(const char *name, const char *text)
{
    FILE *f = fopen(scratch_path(name), "w");
    fputs(text, f);
    fclose(f);
}

static nln_triples *read_as(const char *path, const char *settings)
{
    nln_options *o = tiny_options("triples", settings);
    nln_triples *t = NULL;
    nln_error err = {0};
    tiny_need(nln_triples_read(&t, path, o, &err), &err);
    nln_options_free(o);
    return t;
}

static void folders_are_read_in_three_parts(void **state)
{
    (void)state;
    mkdir(scratch_path("kg"), 0777);
    put("kg/train.txt", "ann\tlikes\ttea leaves\nbob\tlikes\tann\nann\tlikes\ttea leaves\n");
    put("kg/valid.txt", "bob\tknows\tann\n");
    put("kg/test.txt", "\ncarl\tknows\tbob\r\n");
    nln_triples *t = read_as(scratch_path("kg"), "");
    assert_int_equal(nln_triples_size(t, NLN_TRAIN), 2); /* one was there twice */
    assert_int_equal(nln_triples_size(t, NLN_VALID), 1);
    assert_int_equal(nln_triples_size(t, NLN_TEST), 1);
    assert_int_equal(nln_triples_size(t, (nln_split)3), 0);
    assert_int_equal(nln_triples_entities(t), 4);
    assert_int_equal(nln_triples_relations(t), 2);
    assert_string_equal(nln_triples_entity(t, 1), "tea leaves");
    assert_string_equal(nln_triples_relation(t, 1), "knows");
    nln_triple last = t->list[NLN_TEST][0];
    assert_string_equal(nln_triples_entity(t, (size_t)last.head), "carl");
    assert_string_equal(nln_triples_entity(t, (size_t)last.tail), "bob");
    nln_triples_free(t);
}

/* The same facts in other orders, with other separators, and with a header. */
static void columns_have_any_order(void **state)
{
    static const struct {
        const char *text, *settings;
    } same[] = {
        {"x\tr\ty\n", "holdout=0"},
        {"head,relation,tail\nx,r,\"y\"\n", "holdout=0"},
        {"r x y\n", "holdout=0 order=relation,head,tail"},
        {"y,9,x,r\n", "holdout=0 order=tail,-,head,relation"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        put("facts", same[i].text);
        nln_triples *t = read_as(scratch_path("facts"), same[i].settings);
        assert_int_equal(nln_triples_size(t, NLN_TRAIN), 1);
        nln_triple f = t->list[NLN_TRAIN][0];
        assert_string_equal(nln_triples_entity(t, (size_t)f.head), "x");
        assert_string_equal(nln_triples_relation(t, (size_t)f.relation), "r");
        assert_string_equal(nln_triples_entity(t, (size_t)f.tail), "y");
        nln_triples_free(t);
    }
}

/* Nothing is lost, shares are kept, and training knows every name. */
static void one_file_is_divided(void **state)
{
    char text[40000];
    int at = 0, seen[60] = {0};
    (void)state;
    for (int i = 0; i < 600; i++)
        at += snprintf(text + at, sizeof text - (size_t)at, "e%d r%d e%d\n", i % 60, i % 7,
                       (i * 7 + i / 60) % 60);
    put("one", text);
    nln_triples *t = read_as(scratch_path("one"), ""), *again = read_as(scratch_path("one"), "");
    nln_triples *other = read_as(scratch_path("one"), "holdout-seed=2");
    size_t all = t->n[0] + t->n[1] + t->n[2];
    assert_int_equal(t->n[NLN_VALID], all / 10);
    assert_int_equal(t->n[NLN_TEST], all / 10);
    assert_memory_equal(t->list[NLN_TEST], again->list[NLN_TEST],
                        t->n[NLN_TEST] * sizeof *t->list[0]);
    assert_memory_not_equal(t->list[NLN_TEST], other->list[NLN_TEST],
                            t->n[NLN_TEST] * sizeof *t->list[0]);
    for (size_t i = 0; i < t->n[NLN_TRAIN]; i++)
        seen[t->list[NLN_TRAIN][i].head] = seen[t->list[NLN_TRAIN][i].tail] = 1;
    for (size_t e = 0; e < nln_triples_entities(t); e++)
        assert_true(seen[e]);
    nln_triples_free(t);
    nln_triples_free(again);
    nln_triples_free(other);
}

static void bad_lines_are_named(void **state)
{
    nln_triples *t = NULL;
    nln_error err = {0};
    (void)state;
    put("bad", "a\tb\tc\nd\te\n");
    assert_int_equal(nln_triples_read(&t, scratch_path("bad"), NULL, &err), NLN_SYNTAX);
    assert_null(t);
    assert_int_equal(err.line, 2);
    put("bad", "a\t\tc\n");
    assert_int_equal(nln_triples_read(&t, scratch_path("bad"), NULL, &err), NLN_SYNTAX);
    assert_int_equal(nln_triples_read(&t, scratch_path("none"), NULL, &err), NLN_IO);
    static const char *const orders[] = {"order=head,tail", "order=head,head,tail,relation",
                                         "order=head,relation,tail,weight", "order="};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        nln_options *o = tiny_options("triples", orders[i]);
        assert_int_equal(nln_triples_read(&t, scratch_path("bad"), o, &err), NLN_INVALID);
        nln_options_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_are_read_in_three_parts),
        cmocka_unit_test(columns_have_any_order),
        cmocka_unit_test(one_file_is_divided),
        cmocka_unit_test(bad_lines_are_named),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

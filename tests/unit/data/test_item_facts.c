/* Facts about items, as triples and as a table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "data/item_facts.h"

static nln_status read_text(nln_item_facts **out, nln_symbols *items, const char *text,
                            nln_error *err)
{
    nln_input *in = NULL;
    assert_int_equal(nln_input_memory(&in, text, strlen(text), "facts", NULL), NLN_OK);
    nln_status status = nln_item_facts_read(out, items, in, err);
    nln_input_close(in);
    return status;
}

/* The items a, b, 7 are rated. */
static nln_symbols *rated(void)
{
    nln_symbols *items = nln_symbols_create();
    for (const char *name = "ab7"; *name; name++)
        assert_true(nln_symbols_intern(items, name, 1) >= 0);
    return items;
}

static int has(const nln_item_facts *f, const nln_symbols *items, const char *head,
               const char *relation, const char *tail, int is_thing)
{
    int n = 0;
    for (size_t i = 0; i < f->n; i++) {
        nln_triple t = f->list[i];
        const char *end =
            t.tail < 0 ? nln_symbols_name(f->things, -1 - t.tail) : nln_symbols_name(items, t.tail);
        n += !strcmp(nln_symbols_name(items, t.head), head) &&
             !strcmp(nln_symbols_name(f->relations, t.relation), relation) && !strcmp(end, tail) &&
             (t.tail < 0) == is_thing;
    }
    return n == 1;
}

static void triples_tell_items_from_things(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "a\tcomplement\tb\nb\tcomplement\tnew\na\tkind\t7\nb\tkind\t8\nnew\tkind\t9\n",
        "head,relation,tail\na,complement,b\nb,complement,new\na,kind,7\nb,kind,8\nnew,kind,9\n",
        "a complement b\nb complement new\n\na kind 7\nb kind 8\nnew kind 9\n"};
    for (int i = 0; i < 3; i++) {
        nln_symbols *items = rated();
        nln_item_facts *f = NULL;
        assert_int_equal(read_text(&f, items, texts[i], NULL), NLN_OK);
        assert_int_equal(f->n, 5);
        assert_int_equal(nln_symbols_count(items), 4); /* `new` has facts of its own */
        assert_true(has(f, items, "a", "complement", "b", 0));
        assert_true(has(f, items, "b", "complement", "new", 0));
        assert_true(has(f, items, "a", "kind", "7", 1)); /* and is not the item 7 */
        assert_true(has(f, items, "new", "kind", "9", 1));
        nln_item_facts_free(f);
        nln_symbols_free(items);
    }
}

static void a_table_has_lists_and_properties(void **state)
{
    (void)state;
    const char *text = "item_id\ti_category\tr_complement\tr_substitute\n"
                       "a\t7\t[b, 7]\t[]\nb\t7\t['a', gone]\t[7]\nnew\t\t[a]\t\n";
    nln_symbols *items = rated();
    nln_item_facts *f = NULL;
    assert_int_equal(read_text(&f, items, text, NULL), NLN_OK);
    assert_int_equal(f->n, 8);
    assert_int_equal(nln_symbols_count(items), 4);
    assert_true(has(f, items, "a", "category", "category=7", 1));
    assert_true(has(f, items, "a", "complement", "7", 0));
    assert_true(has(f, items, "b", "complement", "a", 0));
    assert_true(has(f, items, "b", "complement", "gone", 1)); /* nobody sells it */
    assert_true(has(f, items, "b", "substitute", "7", 0));
    assert_true(has(f, items, "new", "complement", "a", 0));
    nln_item_facts_free(f);
    nln_symbols_free(items);
}

static void what_is_no_fact_has_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long line;
    } bad[] = {{"a b c\na b\n", 2},
               {"a\tb\t\n", 1},
               {"item_id\tkind\na\tx\ty\n", 2},
               {"", 0},
               {"item_id\tkind\n", 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        nln_symbols *items = rated();
        nln_item_facts *f = NULL;
        nln_error err = {0};
        assert_int_equal(read_text(&f, items, bad[i].text, &err), NLN_SYNTAX);
        assert_null(f);
        assert_int_equal(err.line, bad[i].line);
        nln_symbols_free(items);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(triples_tell_items_from_things),
                                       cmocka_unit_test(a_table_has_lists_and_properties),
                                       cmocka_unit_test(what_is_no_fact_has_a_place)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "store/events.h"

static void every_bad_member_is_refused_by_its_name(void **state)
{
    (void)state;
    char longest[NLN_EVENT_LONGEST_NAME + 1], too_long[NLN_EVENT_LONGEST_NAME + 2];
    memset(longest, 'x', sizeof longest);
    memset(too_long, 'x', sizeof too_long);
    longest[sizeof longest - 1] = too_long[sizeof too_long - 1] = '\0';
    const struct {
        nln_event event;
        const char *field; /* NULL: allowed */
    } cases[] = {
        {{NULL, "u", "i", NLN_EVENT_LIKE, 0, NAN, 0}, NULL},
        {{"c1-1", "u", "i", NLN_EVENT_RATING, -3.5, 1700000000, 0}, NULL},
        {{NULL, longest, "Amélie (2001)", NLN_EVENT_RETRACT, NAN, -1, 0}, NULL},
        {{NULL, "", "i", NLN_EVENT_LIKE, 0, NAN, 0}, "user"},
        {{NULL, NULL, "i", NLN_EVENT_LIKE, 0, NAN, 0}, "user"},
        {{NULL, too_long, "i", NLN_EVENT_LIKE, 0, NAN, 0}, "user"},
        {{NULL, "u", "a\tb", NLN_EVENT_LIKE, 0, NAN, 0}, "item"},
        {{NULL, "u", "\xff", NLN_EVENT_LIKE, 0, NAN, 0}, "item"},
        {{NULL, "u", " i", NLN_EVENT_LIKE, 0, NAN, 0}, "item"},
        {{"", "u", "i", NLN_EVENT_LIKE, 0, NAN, 0}, "id"},
        {{NULL, "u", "i", NLN_EVENT_KINDS, 0, NAN, 0}, "kind"},
        {{NULL, "u", "i", NLN_EVENT_RATING, NAN, NAN, 0}, "rating"},
        {{NULL, "u", "i", NLN_EVENT_RATING, INFINITY, NAN, 0}, "rating"},
        {{NULL, "u", "i", NLN_EVENT_RATING, 1e300, NAN, 0}, "rating"},
        {{NULL, "u", "i", NLN_EVENT_LIKE, 0, INFINITY, 0}, "time"},
        {{NULL, "u", "i", NLN_EVENT_LIKE, 0, 1700000000000, 0}, "time"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_verdict verdict = nln_event_check(&cases[i].event);
        if (!cases[i].field) {
            assert_int_equal(verdict.kind, NLN_STORED);
            assert_null(verdict.why);
            continue;
        }
        assert_int_equal(verdict.kind, NLN_REFUSED);
        assert_string_equal(verdict.field, cases[i].field);
        assert_non_null(verdict.why);
    }
}

static void kinds_have_names(void **state)
{
    (void)state;
    assert_string_equal(nln_event_kind_name(NLN_EVENT_LIKE), "like");
    assert_string_equal(nln_event_kind_name(NLN_EVENT_DISLIKE), "dislike");
    assert_string_equal(nln_event_kind_name(NLN_EVENT_RATING), "rating");
    assert_string_equal(nln_event_kind_name(NLN_EVENT_RETRACT), "retract");
    assert_string_equal(nln_event_kind_name((nln_event_kind)9), "unknown");
}

/* A list owns its texts, however many and however long, and rows of one user share the name. */
static void lists_keep_copies(void **state)
{
    (void)state;
    nln_events list = {0};
    char user[16], item[6000];
    for (int i = 0; i < 3000; i++) {
        snprintf(user, sizeof user, "user %d", i / 10);
        memset(item, 'a' + i % 26, sizeof item);
        item[i % 7 == 0 ? 5999 : i % 50] = '\0';
        nln_event event = {i % 2 ? user : NULL, user, item, NLN_EVENT_LIKE, i, i, i + 1};
        assert_int_equal(nln_events_add(&list, &event, NULL), NLN_OK);
    }
    memset(user, 0, sizeof user);
    memset(item, 0, sizeof item);
    assert_int_equal(list.n, 3000);
    for (int i = 0; i < 3000; i++) {
        const nln_event *row = &list.rows[i];
        snprintf(user, sizeof user, "user %d", i / 10);
        assert_string_equal(row->user, user);
        assert_int_equal(strlen(row->item), i % 7 == 0 ? 5999 : i % 50);
        assert_int_equal(strspn(row->item, (char[]){(char)('a' + i % 26), 0}), strlen(row->item));
        assert_true(i % 2 ? !strcmp(row->id, user) : !row->id);
        assert_int_equal(row->number, i + 1);
        if (i % 10 > 0)
            assert_ptr_equal(row->user, list.rows[i - 1].user);
    }
    nln_events_free(&list);
    assert_int_equal(list.n, 0);
    nln_events_free(&list);
}

static void a_failed_addition_adds_nothing(void **state)
{
    (void)state;
    nln_events list = {0};
    char item[10000];
    memset(item, 'x', sizeof item);
    item[sizeof item - 1] = '\0';
    nln_event event = {NULL, "u", "i", NLN_EVENT_LIKE, 0, 0, 1};
    assert_int_equal(nln_events_add(&list, &event, NULL), NLN_OK);
    event.item = item;
    nln_memory_limit(nln_memory_used() + 1000);
    nln_error err = {0};
    assert_int_equal(nln_events_add(&list, &event, &err), NLN_MEMORY);
    nln_memory_limit(0);
    assert_int_equal(list.n, 1);
    assert_string_equal(list.rows[0].item, "i");
    nln_events_free(&list);
    assert_int_equal(nln_memory_used(), 0);
}

/* The last word about an item counts, whatever its time; the order is that of the times. */
static void a_history_has_the_last_word_about_each_item(void **state)
{
    (void)state;
    nln_event rows[] = {
        {NULL, "u", "tea", NLN_EVENT_LIKE, 0, 50, 1},
        {NULL, "u", "milk", NLN_EVENT_LIKE, 0, 10, 2},
        {NULL, "u", "rum", NLN_EVENT_RATING, 4, 30, 3},
        {NULL, "u", "tea", NLN_EVENT_DISLIKE, 0, 20, 4},
        {NULL, "u", "rum", NLN_EVENT_RETRACT, 0, 5, 5},
        {NULL, "u", "gin", NLN_EVENT_RATING, 2, 10, 6},
        {NULL, "u", "pie", NLN_EVENT_RETRACT, 0, 1, 7},
        {NULL, "u", "pie", NLN_EVENT_LIKE, 0, 1, 8},
    };
    static const struct {
        const char *item;
        nln_event_kind kind;
    } expected[] = {{"pie", NLN_EVENT_LIKE},
                    {"milk", NLN_EVENT_LIKE},
                    {"gin", NLN_EVENT_RATING},
                    {"tea", NLN_EVENT_DISLIKE}};
    size_t n = nln_events_to_history(rows, sizeof rows / sizeof *rows);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(rows[i].item, expected[i].item);
        assert_int_equal(rows[i].kind, expected[i].kind);
    }
    assert_int_equal(nln_events_to_history(NULL, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_member_is_refused_by_its_name),
        cmocka_unit_test(kinds_have_names),
        cmocka_unit_test(lists_keep_copies),
        cmocka_unit_test(a_failed_addition_adds_nothing),
        cmocka_unit_test(a_history_has_the_last_word_about_each_item),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

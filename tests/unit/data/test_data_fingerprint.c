#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/data_fingerprint.h"
#include "likes.h"

/* Each change of one example, label or place is another fingerprint. */
static void logic_data_are_told_apart(void **state)
{
    (void)state;
    static const char *const sets[][3] = {
        {"a & b", "", ""}, {"a & a", "", ""},      {"a | b", "", ""}, {"a & !b", "", ""},
        {"", "a & b", ""}, {"a & b", "a & b", ""}, {"a", "b", ""},    {"a & b & c", "", ""}};
    uint64_t seen[16];
    size_t n = 0;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        nln_data *data = tiny_set(sets[i]);
        seen[n++] = nln_data_fingerprint_logic(data);
        assert_true(seen[n - 1] == nln_data_fingerprint_logic(data));
        for (int s = 0; s < 3; s++)
            if (data->split[s].exprs.n) {
                data->split[s].labels[0] ^= 1;
                seen[n++] = nln_data_fingerprint_logic(data);
                break;
            }
        nln_data_free(data);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
}

static void ratings_are_told_apart(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a -b +c | -d bob +a");
    uint64_t whole = nln_data_fingerprint_ratings(r);
    assert_true(whole == nln_data_fingerprint_ratings(r));
    for (size_t i = 0; i < r->n; i++) {
        float rating = r->rating[i];
        uint8_t mark = r->mark[i];
        int32_t item = r->item[i];
        r->rating[i] += 0.5f;
        assert_true(nln_data_fingerprint_ratings(r) != whole);
        r->rating[i] = rating;
        r->mark[i] ^= NLN_MARK_LIKED;
        assert_true(nln_data_fingerprint_ratings(r) != whole);
        r->mark[i] = mark;
        r->item[i]++;
        assert_true(nln_data_fingerprint_ratings(r) != whole);
        r->item[i] = item;
    }
    assert_true(nln_data_fingerprint_ratings(r) == whole);
    nln_ratings_free(r);
}

/* Names and times do not matter, but the order that times make. */
static void names_do_not_matter(void **state)
{
    (void)state;
    nln_ratings *a = likes_of("ann +a -b +c"), *b = likes_of("eve +x -y +z");
    nln_ratings *c = likes_of("ann -b +a +c");
    assert_true(nln_data_fingerprint_ratings(a) == nln_data_fingerprint_ratings(b));
    assert_true(nln_data_fingerprint_ratings(a) != nln_data_fingerprint_ratings(c));
    for (size_t i = 0; i < a->n; i++)
        a->time[i] += 100;
    assert_true(nln_data_fingerprint_ratings(a) == nln_data_fingerprint_ratings(b));
    nln_ratings_free(a);
    nln_ratings_free(b);
    nln_ratings_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic_data_are_told_apart),
        cmocka_unit_test(ratings_are_told_apart),
        cmocka_unit_test(names_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

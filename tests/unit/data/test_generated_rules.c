#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/symbols.h"
#include "data/generated_rules.h"

static void no_two_items_have_the_same_title(void **state)
{
    (void)state;
    static const size_t sizes[] = {10, 63, 500, 63001, 300000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        nln_generated_items c = nln_generated_items_create(sizes[k]);
        nln_symbols *titles = nln_symbols_create();
        assert_non_null(titles);
        for (size_t i = 0; i < sizes[k]; i++) {
            char title[NLN_TITLE_ROOM];
            nln_generated_items_title(title, &c, i);
            assert_int_equal(nln_symbols_intern(titles, title, strlen(title)), i);
            assert_true(strlen(title) < 120 && !strpbrk(title, "\t\n"));
        }
        nln_symbols_free(titles);
    }
}

/* The last items of the largest catalogue have names of their own, too. */
static void titles_far_out_differ(void **state)
{
    (void)state;
    nln_generated_items c = nln_generated_items_create(100000000);
    char title[NLN_TITLE_ROOM], other[NLN_TITLE_ROOM];
    size_t franchise = c.n_topics * NLN_FRANCHISE_ITEMS; /* to the next of the same topic */
    size_t block = franchise * 8 * 64 / 2; /* to the next with the same adjective and noun */
    size_t item = c.n_items - 1;
    nln_generated_items_title(title, &c, item);
    for (size_t i = 1; i < 200; i++) {
        nln_generated_items_title(other, &c, item - i * block);
        assert_string_not_equal(title, other);
        nln_generated_items_title(other, &c, item - i * franchise);
        assert_string_not_equal(title, other);
    }
}

static void titles_tell_topic_and_role(void **state)
{
    (void)state;
    static const char *const titles[NLN_FRANCHISE_ITEMS] = {
        [NLN_FRANCHISE_A1] = "The Silent Harbour (sea)",
        [NLN_FRANCHISE_A2] = "The Silent Harbour II (sea)",
        [NLN_FRANCHISE_A3] = "The Silent Harbour III (sea)",
        [NLN_FRANCHISE_B1] = "The Burning Lagoon (sea)",
        [NLN_FRANCHISE_B2] = "The Burning Lagoon II (sea)",
        [NLN_FRANCHISE_B3] = "The Burning Lagoon III (sea)",
        [NLN_FRANCHISE_CROSSOVER] = "The Silent Harbour meets The Burning Lagoon (sea)",
        [NLN_FRANCHISE_PARODY] = "Not The Silent Harbour (sea)",
    };
    nln_generated_items c = nln_generated_items_create(500);
    for (size_t i = 0; i < NLN_FRANCHISE_ITEMS; i++) {
        char title[NLN_TITLE_ROOM];
        nln_generated_items_title(title, &c, i);
        assert_string_equal(title, titles[i]);
    }
}

static void topics_stand_in_a_ring(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 10, 17, 24, 32, 500, 1682, 63001};
    static const size_t topics[] = {1, 2, 3, 3, 4, 4, 13, 16};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        nln_generated_items c = nln_generated_items_create(sizes[k]);
        assert_int_equal(c.n_topics, topics[k]);
        for (size_t t = 0; t < c.n_topics; t++) {
            size_t similar = nln_generated_items_similar(&c, t),
                   opposite = nln_generated_items_opposite(&c, t);
            assert_true(similar < c.n_topics && opposite < c.n_topics);
            assert_true(c.n_topics < 4 || (similar != t && opposite != t && opposite != similar));
        }
        for (size_t i = 0; i < sizes[k]; i++)
            assert_true(nln_generated_items_topic(&c, i) < c.n_topics);
    }
}

/* A history can hold the premises of two rules at once; they must not contradict each other. */
static void the_rules_agree(void **state)
{
    (void)state;
    for (unsigned likes = 0; likes < 1u << NLN_FRANCHISE_ITEMS; likes++) {
        int verdict[NLN_FRANCHISE_ITEMS];
        memset(verdict, -1, sizeof verdict);
        for (int i = 0; i < NLN_FRANCHISE_RULES; i++) {
            const nln_generated_rule *rule = &nln_generated_rules[i];
            int when = (int)(likes >> rule->when.role & 1) == rule->when.liked;
            int also = (int)(likes >> rule->also.role & 1) == rule->also.liked;
            int *then = &verdict[rule->then.role];
            if (!when || !also)
                continue;
            assert_true(*then < 0 || *then == rule->then.liked);
            *then = rule->then.liked;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_items_have_the_same_title),
        cmocka_unit_test(titles_far_out_differ),
        cmocka_unit_test(titles_tell_topic_and_role),
        cmocka_unit_test(topics_stand_in_a_ring),
        cmocka_unit_test(the_rules_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

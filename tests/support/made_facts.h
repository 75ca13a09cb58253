/* Ratings whose users like an item and then its complement, which facts tell and counts do not:
 * nobody in training likes both. */
#ifndef NLN_TESTS_MADE_FACTS_H
#define NLN_TESTS_MADE_FACTS_H

#include "likes.h"

enum { FACTS_PAIRS = 30, FACTS_USERS = 300 };

/* Items a0, b0, a1, b1, ...; user u likes an a, and in validation (one of two) or test its b, or a
 * random b where the facts are not `planted`.  One more user likes every b in training but the
 * last, which is cold. */
static inline nln_ratings *facts_ratings(int planted)
{
    nln_ratings_rows rows = likes_rows();
    nln_random r = nln_random_seed(3, 3);
    char user[16], item[16];
    for (int u = 0; u < FACTS_USERS; u++) {
        int pair = (int)nln_random_below(&r, FACTS_PAIRS);
        snprintf(user, sizeof user, "u%d", u);
        snprintf(item, sizeof item, "a%d", pair);
        likes_add(&rows, user, item, 1, NLN_TRAIN);
        snprintf(item, sizeof item, "b%d", planted ? pair : (int)nln_random_below(&r, FACTS_PAIRS));
        likes_add(&rows, user, item, 1, u % 2 ? NLN_VALID : NLN_TEST);
    }
    for (int i = 0; i + 1 < FACTS_PAIRS; i++) {
        snprintf(user, sizeof user, "w%d", i);
        snprintf(item, sizeof item, "b%d", i);
        likes_add(&rows, user, item, 1, NLN_TRAIN);
    }
    return likes_finish(&rows);
}

/* complement(a_i, b_i) of every pair, and a relation that says nothing. */
static inline void facts_add(nln_ratings *ratings)
{
    char text[64 * FACTS_PAIRS];
    size_t at = 0;
    nln_error err = {0};
    nln_input *in = NULL;
    for (int i = 0; i < FACTS_PAIRS; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "a%d\tcomplement\tb%d\nb%d\tnoise\ta%d\n",
                             i, i, i, (i * 7 + 3) % FACTS_PAIRS);
    tiny_need(nln_input_memory(&in, text, at, "facts", &err), &err);
    tiny_need(nln_item_facts_read(&ratings->facts, ratings->items, in, &err), &err);
    nln_input_close(in);
}

static inline nln_item_knowledge *facts_knowledge(const nln_ratings *r)
{
    nln_item_knowledge *k = NULL;
    nln_error err = {0};
    tiny_need(nln_item_knowledge_of_facts(&k, nln_ratings_items(r), r->facts, &err), &err);
    return k;
}

#endif

/* Dealing interactions to train, valid and test. */
#include <string.h>

#include "base/random.h"
#include "data/ratings.h"

enum { FIRST_IN_TRAIN = 5 };

static void mark_split(nln_ratings *r, size_t begin, size_t end, nln_split split)
{
    for (size_t i = begin; i < end; i++)
        r->mark[i] = (uint8_t)(nln_ratings_liked(r, i) | (int)((unsigned)split << NLN_MARK_SPLIT));
}

/* Below, one user's interactions are begin .. end - 1, in time order and all in train. */

static void deal_paper(nln_ratings *r, size_t begin, size_t end)
{
    size_t rest = end - begin > FIRST_IN_TRAIN ? end - begin - FIRST_IN_TRAIN : 0;
    if (rest >= 1)
        mark_split(r, end - 1, end, NLN_TEST);
    if (rest >= 2)
        mark_split(r, end - 2, end - 1, NLN_VALID);
}

/* Where the first five likes end; `end` when there are fewer. */
static size_t after_first_likes(const nln_ratings *r, size_t begin, size_t end)
{
    int likes = 0;
    while (begin < end && likes < FIRST_IN_TRAIN)
        likes += nln_ratings_liked(r, begin++);
    return begin;
}

/* Marks the last like of begin .. end - 1 and all that follows it.  Returns what is then the
 * end of the rest: `end` when there is no like. */
static size_t leave_out(nln_ratings *r, size_t begin, size_t end, nln_split split)
{
    for (size_t i = end; i-- > begin;)
        if (nln_ratings_liked(r, i)) {
            mark_split(r, i, end, split);
            return i;
        }
    return end;
}

static void deal_nlr(nln_ratings *r, size_t begin, size_t end)
{
    size_t rest = after_first_likes(r, begin, end);
    leave_out(r, rest, leave_out(r, rest, end, NLN_TEST), NLN_VALID);
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0;
    for (; *name; name++)
        hash = nln_random_mix(hash ^ (unsigned char)*name);
    return hash;
}

/* The draw depends on the seed and the two names alone, so that it is the same whatever the
 * order of the file. */
static void deal_random(nln_ratings *r, size_t user, uint64_t seed)
{
    uint64_t key = hash_name(nln_symbols_name(r->users, (int32_t)user)) ^ nln_random_mix(seed);
    for (size_t i = r->start[user]; i < r->start[user + 1]; i++) {
        uint64_t item = hash_name(nln_symbols_name(r->items, r->item[i]));
        nln_random random = nln_random_seed(key, item);
        uint64_t ticket = nln_random_below(&random, 10);
        mark_split(r, i, i + 1, ticket < 8 ? NLN_TRAIN : ticket < 9 ? NLN_VALID : NLN_TEST);
    }
}

nln_status nln_ratings_deal(nln_ratings *r, nln_splitting how, uint64_t seed, nln_error *err)
{
    mark_split(r, 0, r->n, NLN_TRAIN);
    nln_status status = nln_ratings_sort(r, err);
    if (status)
        return status;
    for (size_t u = 0; u < (size_t)nln_symbols_count(r->users); u++)
        switch (how) {
        case NLN_SPLIT_NONE:
            break;
        case NLN_SPLIT_PAPER:
            deal_paper(r, r->start[u], r->start[u + 1]);
            break;
        case NLN_SPLIT_NLR:
            deal_nlr(r, r->start[u], r->start[u + 1]);
            break;
        case NLN_SPLIT_RANDOM:
            deal_random(r, u, seed);
            break;
        }
    return nln_ratings_sort(r, err);
}

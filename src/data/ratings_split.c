/* Splitting interactions into train, valid and test. */
#include <string.h>

#include "base/random.h"
#include "data/ratings.h"

/* The user's first interactions, or likes, which stay in train. */
enum { FIRST_IN_TRAIN = 5, FIRST_LIKE = 1 };

static void mark_split(nln_ratings *r, size_t begin, size_t end, nln_split split)
{
    for (size_t i = begin; i < end; i++)
        r->mark[i] = (uint8_t)(nln_ratings_liked(r, i) | (int)((unsigned)split << NLN_MARK_SPLIT));
}

/* Marks the last like of begin .. end - 1 and all that follows it.  Returns the end of the rest:
 * `end` when there is no like. */
static size_t leave_out(nln_ratings *r, size_t begin, size_t end, nln_split split)
{
    for (size_t i = end; i-- > begin;)
        if (nln_ratings_liked(r, i)) {
            mark_split(r, i, end, split);
            return i;
        }
    return end;
}

static uint64_t hash_name(const char *name)
{
    uint64_t hash = 0;
    for (; *name; name++)
        hash = nln_random_mix(hash ^ (unsigned char)*name);
    return hash;
}

/* The draw depends on the seed and the two names alone, and not on the order of the file. */
static void split_at_random(nln_ratings *r, size_t user, uint64_t seed)
{
    uint64_t key = hash_name(nln_symbols_name(r->users, (int32_t)user)) ^ nln_random_mix(seed);
    for (size_t i = r->start[user]; i < r->start[user + 1]; i++) {
        uint64_t item = hash_name(nln_symbols_name(r->items, r->item[i]));
        nln_random random = nln_random_seed(key, item);
        uint64_t draw = nln_random_below(&random, 10);
        mark_split(r, i, i + 1, draw < 8 ? NLN_TRAIN : draw < 9 ? NLN_VALID : NLN_TEST);
    }
}

/* A user's interactions begin .. end - 1 are in time order here, and all in train. */
nln_status nln_ratings_split_by(nln_ratings *r, nln_split_method method, uint64_t seed,
                                nln_error *err)
{
    mark_split(r, 0, r->n, NLN_TRAIN);
    nln_status status = nln_ratings_sort(r, err);
    for (size_t u = 0; !status && u < nln_ratings_users(r); u++) {
        size_t begin = r->start[u], end = r->start[u + 1], n = end - begin;
        int likes = 0, first = method == NLN_SPLIT_LIKES ? FIRST_LIKE : FIRST_IN_TRAIN;
        switch (method) {
        case NLN_SPLIT_NONE:
            break;
        case NLN_SPLIT_AUTO:
        case NLN_SPLIT_PAPER:
            if (n > FIRST_IN_TRAIN)
                mark_split(r, end - 1, end, NLN_TEST);
            if (n > FIRST_IN_TRAIN + 1)
                mark_split(r, end - 2, end - 1, NLN_VALID);
            break;
        case NLN_SPLIT_NLR:
        case NLN_SPLIT_LIKES:
            while (begin < end && likes < first)
                likes += nln_ratings_liked(r, begin++);
            leave_out(r, begin, leave_out(r, begin, end, NLN_TEST), NLN_VALID);
            break;
        case NLN_SPLIT_RANDOM:
            split_at_random(r, u, seed);
            break;
        }
    }
    return status ? status : nln_ratings_sort(r, err);
}

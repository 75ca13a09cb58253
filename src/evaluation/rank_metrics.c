#include "evaluation/rank_metrics.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

/* ---- ranks ------------------------------------------------------------------- */

/* 2 for a better rival, 1 for an equal one, 0 for a worse one.  Comparisons with NaN are false, so
 * a NaN on either side makes the rival better. */
static uint64_t twice_ahead(double rival, double own)
{
    return (rival < own ? 0u : 1u) + (rival <= own ? 0u : 1u);
}

double nln_rank_metrics_place(const double *score, size_t n, size_t item, const uint8_t *excluded)
{
    double own = score[item];
    uint64_t twice = 0;
    for (size_t i = 0; i < n; i++)
        twice += excluded && excluded[i] ? 0 : twice_ahead(score[i], own);
    if (!excluded || !excluded[item]) /* not its own rival */
        twice -= twice_ahead(own, own);
    return 1 + (double)twice / 2;
}

double nln_rank_metrics_place_among(const double *score, size_t item, const int32_t *rivals,
                                    size_t n_rivals)
{
    uint64_t twice = 0;
    for (size_t i = 0; i < n_rivals; i++)
        if ((size_t)rivals[i] != item)
            twice += twice_ahead(score[rivals[i]], score[item]);
    return 1 + (double)twice / 2;
}

/* ---- cuts -------------------------------------------------------------------- */

/* Reads digits at *text and moves it behind them; 0 if there are none or the number exceeds
 * INT_MAX. */
static int read_cut(const char **text)
{
    int64_t x = 0;
    for (; **text >= '0' && **text <= '9'; (*text)++) {
        x = x * 10 + (**text - '0');
        if (x > INT_MAX)
            return 0;
    }
    return (int)x;
}

/* Inserts x in order; 0 if it is there already. */
static int insert_cut(nln_ranking *r, int x)
{
    int at = r->n_cuts;
    while (at > 0 && r->cut[at - 1] >= x)
        at--;
    if (at < r->n_cuts && r->cut[at] == x)
        return 0;
    for (int i = r->n_cuts++; i > at; i--)
        r->cut[i] = r->cut[i - 1];
    r->cut[at] = x;
    return 1;
}

nln_status nln_rank_metrics_cuts(nln_ranking *out, const char *text, nln_error *err)
{
    nln_ranking r = *out;
    const char *at = text;
    r.n_cuts = 0;
    for (int more = 1; more; at++) {
        int x = read_cut(&at);
        more = *at == ',';
        if (x == 0 || (*at && !more))
            return nln_error_set(err, NLN_INVALID,
                                 "option --cuts must be whole numbers from 1 to %d, separated by "
                                 "commas, as in 1,5,10, not '%.80s'",
                                 INT_MAX, text);
        if (r.n_cuts == NLN_MOST_CUTS)
            return nln_error_set(err, NLN_INVALID,
                                 "option --cuts may have at most %d numbers, '%.80s' has more",
                                 NLN_MOST_CUTS, text);
        if (!insert_cut(&r, x))
            return nln_error_set(err, NLN_INVALID,
                                 "option --cuts has %d twice in '%.80s'; give it once", x, text);
    }
    *out = r;
    return NLN_OK;
}

/* ---- metrics ----------------------------------------------------------------- */

/* Adds the items of one user to the sums. */
static void add_user(nln_ranking *r, const double *ranks, size_t n)
{
    for (int c = 0; c < r->n_cuts; c++) {
        double hits = 0;
        for (size_t i = 0; i < n; i++) {
            if (ranks[i] > r->cut[c])
                continue;
            hits++;
            r->ndcg[c] += 1 / log2(ranks[i] + 1);
        }
        r->hit[c] += hits;
        r->recall[c] += hits / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        r->mrr += 1 / ranks[i];
        r->mean_rank += ranks[i];
    }
    r->n += n;
    r->n_users++;
}

void nln_rank_metrics_measure(nln_ranking *out, const double *ranks, const size_t *users, size_t n)
{
    nln_ranking sums = {.n_cuts = out->n_cuts};
    memcpy(sums.cut, out->cut, sizeof sums.cut);
    *out = sums;
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && users[end] == users[begin];)
            end++;
        add_user(out, ranks + begin, end - begin);
    }
    if (n == 0)
        return;
    for (int c = 0; c < out->n_cuts; c++) {
        out->hit[c] /= (double)n;
        out->ndcg[c] /= (double)n;
        out->recall[c] /= (double)out->n_users;
    }
    out->mrr /= (double)n;
    out->mean_rank /= (double)n;
}

/* ---- negatives --------------------------------------------------------------- */

/* The set of numbers drawn so far: a hash table with open addressing, at most half full. */
typedef struct drawn {
    uint32_t *slot; /* [mask + 1] number + 1; 0 is empty */
    size_t mask;
} drawn;

/* 0 if x is there already. */
static int drawn_add(drawn *d, uint32_t x)
{
    size_t at = (size_t)nln_random_mix(x) & d->mask;
    while (d->slot[at] && d->slot[at] != x + 1)
        at = (at + 1) & d->mask;
    if (d->slot[at])
        return 0;
    d->slot[at] = x + 1;
    return 1;
}

/* The item that is not liked and has exactly `place` such items before it.  liked[j] has
 * liked[j] - j of them before it, which never falls with j. */
static int32_t unliked(const nln_rank_negatives *draw, uint32_t place)
{
    size_t low = 0, high = draw->n_liked;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)draw->liked[middle] - middle <= place)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)(place + low);
}

nln_status nln_rank_metrics_sample(int32_t *out, size_t *n, size_t k,
                                   const nln_rank_negatives *draw, nln_error *err)
{
    size_t n_places = draw->n_items - draw->n_liked;
    *n = k < n_places ? k : n_places;
    if (k >= n_places) {
        for (size_t i = 0; i < n_places; i++)
            out[i] = unliked(draw, (uint32_t)i);
        return NLN_OK;
    }
    size_t n_slots = 4;
    while (n_slots / 2 < k)
        n_slots *= 2;
    drawn d = {nln_memory_zeroed(n_slots, sizeof *d.slot), n_slots - 1};
    if (!d.slot)
        return nln_error_memory(err);
    /* Floyd's algorithm: after step j the places drawn are a uniform subset of 0 .. j. */
    nln_random r = nln_random_seed(draw->seed, nln_random_mix(draw->user) + draw->item);
    for (size_t i = 0; i < k; i++) {
        size_t j = n_places - k + i;
        uint32_t place = (uint32_t)nln_random_below(&r, j + 1);
        if (!drawn_add(&d, place)) {
            place = (uint32_t)j;
            drawn_add(&d, place);
        }
        out[i] = unliked(draw, place);
    }
    nln_free(d.slot);
    return NLN_OK;
}

#include "evaluation/rank_metrics.h"

#include <limits.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

/* ---- places ------------------------------------------------------------------ */

/* 2 for a rival that is ahead, 1 for one that is level, 0 for one that is behind.
 * Comparisons with NaN are false, so a NaN on either side puts the rival ahead. */
static uint64_t twice_ahead(double rival, double mine)
{
    return (rival < mine ? 0u : 1u) + (rival <= mine ? 0u : 1u);
}

/* The sum over the items begin .. end-1. */
static uint64_t twice_ahead_in(const double *score, const uint8_t *excluded, size_t begin,
                               size_t end, double mine)
{
    uint64_t twice = 0;
    for (size_t i = begin; i < end; i++)
        twice += excluded && excluded[i] ? 0 : twice_ahead(score[i], mine);
    return twice;
}

double nln_rank_metrics_place(const double *score, size_t n, size_t item, const uint8_t *excluded)
{
    double mine = score[item];
    uint64_t twice = twice_ahead_in(score, excluded, 0, item, mine) +
                     twice_ahead_in(score, excluded, item + 1, n, mine);
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

/* Reads digits at *text, which moves behind them; 0 when there are none or the number is not
 * in 1 .. INT_MAX. */
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

/* Puts x into its place; 0 when it is there already. */
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

/* ---- measures ---------------------------------------------------------------- */

/* Adds one user's items: their sums, and the user's share of hits to the recall. */
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

/* The same ranking with its cuts and nothing measured. */
static nln_ranking only_cuts(const nln_ranking *r)
{
    nln_ranking bare = {.n_cuts = r->n_cuts};
    for (int c = 0; c < r->n_cuts; c++)
        bare.cut[c] = r->cut[c];
    return bare;
}

void nln_rank_metrics_measure(nln_ranking *out, const double *ranks, const size_t *users, size_t n)
{
    *out = only_cuts(out);
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

/* Numbers that have been drawn: a table with open addressing, at most half full. */
typedef struct drawn {
    uint32_t *slot; /* [mask + 1] number + 1; 0 is empty */
    size_t mask;
} drawn;

static nln_status drawn_create(drawn *d, size_t most, nln_error *err)
{
    size_t n = 4;
    while (n / 2 < most)
        n *= 2;
    *d = (drawn){nln_memory_zeroed(n, sizeof *d->slot), n - 1};
    return d->slot ? NLN_OK : nln_error_memory(err);
}

/* 0 when x is there already. */
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

/* The item that has exactly `place` items before it that are not liked, and is not itself:
 * liked[j] has liked[j] - j of them before it, which never falls with j. */
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

/* Floyd's algorithm: after the step for j, the places drawn are a uniform subset of 0 .. j. */
static void draw_places(int32_t *out, size_t k, size_t n_places, drawn *d,
                        const nln_rank_negatives *draw)
{
    nln_random r = nln_random_seed(draw->seed, nln_random_mix(draw->user) + draw->item);
    for (size_t i = 0; i < k; i++) {
        size_t j = n_places - k + i;
        uint32_t place = (uint32_t)nln_random_below(&r, j + 1);
        if (!drawn_add(d, place)) {
            place = (uint32_t)j;
            drawn_add(d, place);
        }
        out[i] = unliked(draw, place);
    }
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
    drawn d;
    nln_status status = drawn_create(&d, k, err);
    if (status)
        return status;
    draw_places(out, k, n_places, &d, draw);
    nln_free(d.slot);
    return NLN_OK;
}

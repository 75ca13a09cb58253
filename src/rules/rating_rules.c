/* nln_rating_rules_find of nln.h: rules that hold among what users like.
 *
 * liked(A) -> likes(C) is counted for all items, by going from each item through the users who like
 * it.  liked(A) & disliked(B) -> likes(C) is counted among the items with the most interactions, as
 * sets of users in bits, and kept only where the second atom raises the confidence. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "data/ratings.h"

enum { MOST_OF_TWO = 300 }; /* items among which rules with two atoms are looked for */

/* Bodies without a head that are counted besides those seen. */
static const double doubt = 5;

typedef struct counter {
    const nln_ratings *ratings;
    size_t n_users, n_items;
    size_t least_support;
    double least_confidence;
    size_t *first;  /* [items + 1] of `fan` */
    int32_t *fan;   /* users who like each item */
    size_t *common; /* [items] scratch: fans of an item who like this one, too */
    nln_rating_rule *list;
    size_t n, room;
} counter;

static void counter_free(counter *c)
{
    nln_free(c->first);
    nln_free(c->fan);
    nln_free(c->common);
    nln_free(c->list);
}

static int counts(const nln_ratings *r, size_t i)
{
    return nln_ratings_split(r, i) == NLN_TRAIN;
}

static nln_status counter_create(counter *c, const nln_ratings *r, const nln_options *o,
                                 nln_error *err)
{
    *c = (counter){.ratings = r,
                   .n_users = nln_ratings_users(r),
                   .n_items = nln_ratings_items(r),
                   .least_support = (size_t)nln_options_number(o, "support"),
                   .least_confidence = nln_options_number(o, "confidence")};
    c->first = nln_array_zeroed(c->n_items + 1, sizeof *c->first);
    c->fan = nln_array_zeroed(r->n, sizeof *c->fan);
    c->common = nln_array_zeroed(c->n_items, sizeof *c->common);
    if (!c->first || !c->fan || !c->common) {
        counter_free(c);
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < r->n; i++)
        c->first[r->item[i] + 1] += counts(r, i) && nln_ratings_liked(r, i);
    for (size_t v = 0; v < c->n_items; v++)
        c->first[v + 1] += c->first[v];
    for (size_t u = c->n_users; u-- > 0;) /* backwards: each entry takes the last free place */
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
            if (counts(r, i) && nln_ratings_liked(r, i))
                c->fan[--c->first[r->item[i] + 1]] = (int32_t)u;
    for (size_t v = 0; v < c->n_items; v++) /* which has moved every beginning by one item */
        c->first[v] = c->first[v + 1];
    c->first[c->n_items] = 0;
    for (size_t i = 0; i < r->n; i++)
        c->first[c->n_items] += counts(r, i) && nln_ratings_liked(r, i);
    return NLN_OK;
}

static size_t fans(const counter *c, size_t item)
{
    return c->first[item + 1] - c->first[item];
}

static double belief(size_t support, size_t bodies)
{
    return (double)support / ((double)bodies + doubt);
}

static nln_status add(counter *c, nln_rating_rule rule, nln_error *err)
{
    rule.confidence = (double)rule.support / (double)rule.bodies;
    rule.lift = rule.confidence * (double)c->n_users / (double)fans(c, rule.likes);
    if (rule.support < c->least_support || belief(rule.support, rule.bodies) < c->least_confidence)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(c->list, c->room, c->n + 1))
        return nln_error_memory(err);
    c->list[c->n++] = rule;
    return NLN_OK;
}

/* ---- one atom ----------------------------------------------------------------------------------
 */

/* common[v] = how many fans of `item` like v. */
static void count_common(counter *c, size_t item)
{
    const nln_ratings *r = c->ratings;
    memset(c->common, 0, c->n_items * sizeof *c->common);
    for (size_t k = c->first[item]; k < c->first[item + 1]; k++)
        for (size_t i = r->start[c->fan[k]]; i < r->start[c->fan[k] + 1]; i++)
            c->common[r->item[i]] += counts(r, i) && nln_ratings_liked(r, i);
}

static nln_status find_single(counter *c, nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t a = 0; !status && a < c->n_items; a++) {
        if (fans(c, a) < c->least_support)
            continue;
        count_common(c, a);
        for (size_t v = 0; !status && v < c->n_items; v++)
            if (v != a && c->common[v] >= c->least_support)
                status = add(c,
                             (nln_rating_rule){.liked = a,
                                               .disliked = NLN_NO_ITEM,
                                               .likes = v,
                                               .support = c->common[v],
                                               .bodies = fans(c, a)},
                             err);
    }
    return status;
}

/* ---- two atoms ---------------------------------------------------------------------------------
 */

/* Items with the most interactions, and who likes and dislikes them, in bits. */
typedef struct crowd {
    size_t *item; /* [n] */
    size_t n, words;
    uint64_t *liked, *disliked; /* [n, words] */
    uint64_t *both;             /* [words] who likes A and dislikes B */
} crowd;

typedef struct counted {
    size_t item, n;
} counted;

static int more(const void *x, const void *y)
{
    const counted *a = x, *b = y;
    if (a->n != b->n)
        return a->n > b->n ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

static void crowd_free(crowd *w)
{
    nln_free(w->item);
    nln_free(w->liked);
    nln_free(w->disliked);
    nln_free(w->both);
}

static nln_status crowd_create(crowd *w, const counter *c, nln_error *err)
{
    const nln_ratings *r = c->ratings;
    counted *all = nln_array_zeroed(c->n_items, sizeof *all);
    int32_t *place = nln_array_zeroed(c->n_items, sizeof *place);
    *w = (crowd){.n = c->n_items < MOST_OF_TWO ? c->n_items : MOST_OF_TWO,
                 .words = (c->n_users + 63) / 64};
    w->item = nln_array_zeroed(w->n, sizeof *w->item);
    w->liked = nln_array_zeroed(w->n * w->words, sizeof *w->liked);
    w->disliked = nln_array_zeroed(w->n * w->words, sizeof *w->disliked);
    w->both = nln_array_zeroed(w->words, sizeof *w->both);
    int ok = all && place && w->item && w->liked && w->disliked && w->both;
    for (size_t v = 0; ok && v < c->n_items; v++)
        all[v].item = v;
    for (size_t i = 0; ok && i < r->n; i++)
        all[r->item[i]].n += (size_t)counts(r, i);
    if (ok && c->n_items > 1)
        qsort(all, c->n_items, sizeof *all, more);
    for (size_t k = 0; ok && k < w->n; k++) {
        w->item[k] = all[k].item;
        place[all[k].item] = (int32_t)k + 1;
    }
    for (size_t u = 0; ok && u < c->n_users; u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            size_t k = (size_t)place[r->item[i]];
            uint64_t *set = nln_ratings_liked(r, i) ? w->liked : w->disliked;
            if (k && counts(r, i))
                set[(k - 1) * w->words + u / 64] |= (uint64_t)1 << u % 64;
        }
    nln_free(all);
    nln_free(place);
    if (!ok)
        crowd_free(w);
    return ok ? NLN_OK : nln_error_memory(err);
}

static size_t bits_of_both(const uint64_t *a, const uint64_t *b, size_t words)
{
    size_t n = 0;
    for (size_t i = 0; i < words; i++)
        n += (size_t)__builtin_popcountll(a[i] & b[i]);
    return n;
}

/* The rules of one body, A liked and B disliked; single[k] has the fans of A who like item k. */
static nln_status find_of_body(counter *c, crowd *w, size_t a, size_t b, const size_t *single,
                               nln_error *err)
{
    const uint64_t *likes_a = w->liked + a * w->words, *dislikes_b = w->disliked + b * w->words;
    size_t bodies = bits_of_both(likes_a, dislikes_b, w->words), of_a = fans(c, w->item[a]);
    nln_status status = NLN_OK;
    if (a == b || bodies < c->least_support)
        return NLN_OK;
    for (size_t i = 0; i < w->words; i++)
        w->both[i] = likes_a[i] & dislikes_b[i];
    for (size_t k = 0; !status && k < w->n; k++) {
        if (k == a || k == b || single[k] < c->least_support)
            continue;
        size_t support = bits_of_both(w->both, w->liked + k * w->words, w->words);
        if (support >= c->least_support && belief(support, bodies) > belief(single[k], of_a))
            status = add(c,
                         (nln_rating_rule){.liked = w->item[a],
                                           .disliked = w->item[b],
                                           .likes = w->item[k],
                                           .support = support,
                                           .bodies = bodies},
                         err);
    }
    return status;
}

static nln_status find_double(counter *c, nln_error *err)
{
    crowd w;
    nln_status status = crowd_create(&w, c, err);
    if (status)
        return status;
    size_t single[MOST_OF_TWO];
    for (size_t a = 0; !status && a < w.n; a++) {
        for (size_t k = 0; k < w.n; k++)
            single[k] = bits_of_both(w.liked + a * w.words, w.liked + k * w.words, w.words);
        for (size_t b = 0; !status && b < w.n; b++)
            status = find_of_body(c, &w, a, b, single, err);
    }
    crowd_free(&w);
    return status;
}

/* ---- the list ----------------------------------------------------------------------------------
 */

/* How much more often than otherwise, believed less where it was seen less. */
static double worth(const nln_rating_rule *r)
{
    return r->lift * (double)r->bodies / ((double)r->bodies + doubt);
}

static int better(const void *x, const void *y)
{
    const nln_rating_rule *a = x, *b = y;
    double p = worth(a), q = worth(b);
    if (p != q)
        return p > q ? -1 : 1;
    if (a->support != b->support)
        return a->support > b->support ? -1 : 1;
    if (a->liked != b->liked)
        return a->liked < b->liked ? -1 : 1;
    if (a->disliked != b->disliked)
        return a->disliked < b->disliked ? -1 : 1;
    return a->likes < b->likes ? -1 : a->likes > b->likes;
}

nln_status nln_rating_rules_find(nln_rating_rule **rules, size_t *n, const nln_ratings *ratings,
                                 const nln_options *options, nln_error *err)
{
    nln_options *own = NULL;
    counter c = {0};
    *rules = NULL;
    *n = 0;
    nln_status status =
        options ? nln_options_check(options, "rules", err) : nln_options_create(&own, "rules", err);
    if (!status)
        status = counter_create(&c, ratings, options ? options : own, err);
    if (!status) {
        status = find_single(&c, err);
        if (!status)
            status = find_double(&c, err);
        if (!status && c.n > 1)
            qsort(c.list, c.n, sizeof *c.list, better);
        if (!status) {
            *rules = c.list;
            *n = c.n;
            c.list = NULL;
        }
        counter_free(&c);
    }
    nln_options_free(own);
    return status;
}

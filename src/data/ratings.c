#include "data/ratings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Set in the mark of a row that a later one of the same user and item replaces. */
enum { MARK_REPLACED = 1 << 7 };

/* ---- order --------------------------------------------------------------- */

/* The sort key of an interaction.  `row` is its place before sorting, so that no two keys are
 * equal. */
typedef struct key {
    double time;
    uint32_t row;
    uint8_t split;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->split != y->split)
        return x->split < y->split ? -1 : 1;
    if (x->time < y->time || x->time > y->time)
        return x->time < y->time ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* A row without a time precedes those with one. */
static double time_of(const nln_ratings *r, size_t i)
{
    return !r->time || isnan(r->time[i]) ? -INFINITY : r->time[i];
}

size_t nln_ratings_longest(const nln_ratings *r)
{
    size_t most = 0;
    for (size_t u = 0; u < nln_ratings_users(r); u++)
        if (r->start[u + 1] - r->start[u] > most)
            most = r->start[u + 1] - r->start[u];
    return most;
}

/* Sorts order[start[u] .. start[u + 1]), the rows of user u in any order, for every user. */
static nln_status sort_users(uint32_t *order, const nln_ratings *r, nln_error *err)
{
    key *keys = nln_array_zeroed(nln_ratings_longest(r), sizeof *keys);
    if (!keys)
        return nln_error_memory(err);
    for (size_t u = 0; u < nln_ratings_users(r); u++) {
        uint32_t *rows = order + r->start[u];
        size_t n = r->start[u + 1] - r->start[u];
        int sorted = 1;
        for (size_t i = 0; i < n; i++) {
            keys[i] = (key){time_of(r, rows[i]), rows[i], r->mark[rows[i]] >> NLN_MARK_SPLIT};
            sorted = sorted && (i == 0 || compare_keys(&keys[i - 1], &keys[i]) < 0);
        }
        if (sorted)
            continue;
        qsort(keys, n, sizeof *keys, compare_keys);
        for (size_t i = 0; i < n; i++)
            rows[i] = keys[i].row;
    }
    nln_free(keys);
    return NLN_OK;
}

static void move_row(nln_ratings *r, size_t to, size_t from)
{
    r->item[to] = r->item[from];
    r->rating[to] = r->rating[from];
    r->mark[to] = r->mark[from];
    if (r->time)
        r->time[to] = r->time[from];
}

/* Moves row order[i] to i for every i, cycle by cycle, so that no column is copied; `order`
 * is the identity afterwards. */
static void permute(nln_ratings *r, uint32_t *order)
{
    for (size_t first = 0; first < r->n; first++) {
        size_t to = first;
        int32_t item = r->item[first];
        float rating = r->rating[first];
        double time = r->time ? r->time[first] : 0;
        uint8_t mark = r->mark[first];
        while (order[to] != first) {
            size_t from = order[to];
            move_row(r, to, from);
            order[to] = (uint32_t)to;
            to = from;
        }
        order[to] = (uint32_t)to;
        r->item[to] = item;
        r->rating[to] = rating;
        r->mark[to] = mark;
        if (r->time)
            r->time[to] = time;
    }
}

nln_status nln_ratings_sort(nln_ratings *r, nln_error *err)
{
    uint32_t *order = nln_array_zeroed(r->n, sizeof *order);
    if (!order)
        return nln_error_memory(err);
    for (size_t i = 0; i < r->n; i++)
        order[i] = (uint32_t)i;
    nln_status status = sort_users(order, r, err);
    if (!status)
        permute(r, order);
    nln_free(order);
    return status;
}

/* Each split is in time order, so the three are merged. */
void nln_ratings_timeline(size_t *order, const nln_ratings *r, size_t user)
{
    size_t begin = r->start[user], end = r->start[user + 1], from = begin;
    size_t at[NLN_TEST + 1], last[NLN_TEST + 1];
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        at[s] = from;
        while (from < end && nln_ratings_split(r, from) == (nln_split)s)
            from++;
        last[s] = from;
    }
    for (size_t i = begin; i < end; i++) {
        int next = NLN_TRAIN;
        for (int s = NLN_VALID; s <= NLN_TEST; s++)
            if (at[s] < last[s] &&
                (at[next] == last[next] || time_of(r, at[s]) < time_of(r, at[next])))
                next = s;
        *order++ = at[next]++;
    }
}

/* ---- from rows ------------------------------------------------------------ */

/* Marks all but the last of every (user, item) pair in `order`; returns their number in *n, and
 * in *user the user and in *first the row of the first of them in the files. */
static nln_status mark_replaced(size_t *n, size_t *user, size_t *first, nln_ratings *r,
                                const uint32_t *order, nln_error *err)
{
    size_t *seen_by = nln_array_zeroed(nln_ratings_items(r), sizeof *seen_by); /* user + 1 */
    if (!seen_by)
        return nln_error_memory(err);
    *n = *user = 0;
    *first = SIZE_MAX;
    for (size_t u = 0; u < nln_ratings_users(r); u++)
        for (size_t i = r->start[u + 1]; i > r->start[u]; i--) {
            uint32_t row = order[i - 1];
            size_t *seen = &seen_by[r->item[row]];
            if (*seen == u + 1) {
                r->mark[row] |= MARK_REPLACED;
                ++*n;
                *user = row < *first ? u : *user;
                *first = row < *first ? row : *first;
            }
            *seen = u + 1;
        }
    nln_free(seen_by);
    return NLN_OK;
}

/* Puts the rows in order and keeps only the last of each (user, item) pair; in `strict` a
 * repeated pair is an error, else the report counts them and tells of the first. */
static nln_status arrange(nln_ratings *r, nln_ratings_report *report, uint32_t *order,
                          const nln_ratings_rows *rows, int strict, nln_error *err)
{
    size_t n_replaced, user, first, n = 0, n_users = nln_ratings_users(r);
    nln_status status = sort_users(order, r, err);
    if (status || (status = mark_replaced(&n_replaced, &user, &first, r, order, err)))
        return status;
    if (n_replaced > 0 && (strict || (report && !report->first.status))) {
        long line;
        const char *path = nln_ratings_rows_where(&line, rows, first);
        status =
            nln_error_at(strict ? err : &report->first, NLN_INVALID, path, line, 0,
                         "user '%.80s' has item '%.80s' more than once; keep one of the lines "
                         "(the latest counts)",
                         nln_ratings_user(r, user), nln_ratings_item(r, (size_t)r->item[first]));
        if (strict)
            return status;
    }
    if (report)
        report->duplicates += n_replaced;
    permute(r, order);
    if (n_replaced == 0)
        return NLN_OK;
    for (size_t u = 0; u < n_users; u++) {
        size_t begin = r->start[u];
        r->start[u] = n;
        for (size_t i = begin; i < r->start[u + 1]; i++)
            if (!(r->mark[i] & MARK_REPLACED))
                move_row(r, n++, i);
    }
    r->start[n_users] = r->n = n;
    return NLN_OK;
}

/* Gives back the unused room of a growing array; a failure to do so does no harm. */
static void *shrink(void *items, size_t n, size_t size)
{
    void *smaller = items && n > 0 ? nln_memory_resize(items, n * size) : NULL;
    return smaller ? smaller : items;
}

/* Turns a permutation into its inverse where it is: p[i] = j becomes p[j] = i. */
static nln_status invert(uint32_t *p, size_t n, nln_error *err)
{
    uint8_t *is_done = nln_array_zeroed(n / 8 + 1, 1); /* a bit for each place */
    if (!is_done)
        return nln_error_memory(err);
    for (size_t first = 0; first < n; first++) {
        size_t from = first, to = p[first];
        if (is_done[first / 8] >> first % 8 & 1)
            continue;
        while (to != first) {
            size_t next = p[to];
            p[to] = (uint32_t)from;
            is_done[to / 8] |= (uint8_t)(1 << to % 8);
            from = to;
            to = next;
        }
        p[first] = (uint32_t)from;
    }
    nln_free(is_done);
    return NLN_OK;
}

nln_status nln_ratings_from_rows(nln_ratings **out, nln_ratings_report *report,
                                 nln_ratings_rows *rows, int strict, nln_error *err)
{
    nln_ratings *r = nln_memory_zeroed(1, sizeof *r);
    uint32_t *order = NULL;
    size_t n_users = (size_t)nln_symbols_count(rows->users);
    nln_status status;
    *out = NULL;
    if (rows->n > UINT32_MAX) {
        status = nln_error_set(err, NLN_LIMIT, "there are more than %lu ratings; use fewer",
                               (unsigned long)UINT32_MAX);
        goto cleanup;
    }
    if (!r || !(r->start = nln_array_zeroed(n_users + 1, sizeof *r->start))) {
        status = nln_error_memory(err);
        goto cleanup;
    }
    /* A counting sort by user: the place of each row takes that of its user, so that no other
     * memory is needed, and inverted it lists the rows of each user in their order. */
    for (size_t i = 0; i < rows->n; i++)
        r->start[rows->user[i] + 1]++;
    for (size_t u = 0; u < n_users; u++)
        r->start[u + 1] += r->start[u];
    for (size_t i = 0; i < rows->n; i++)
        rows->user[i] = (int32_t)(uint32_t)r->start[rows->user[i]]++;
    for (size_t u = n_users; u > 0; u--)
        r->start[u] = r->start[u - 1];
    r->start[0] = 0;
    order = (uint32_t *)rows->user;
    rows->user = NULL;
    status = invert(order, rows->n, err);
    if (status)
        goto cleanup;
    /* Most columns pass from the rows to the ratings. */
    r->n = rows->n;
    r->users = rows->users;
    r->items = rows->items;
    r->item = rows->item;
    r->rating = rows->rating;
    r->mark = rows->mark;
    r->has_rating = rows->has_rating;
    if (rows->has_time) {
        r->time = rows->time;
        rows->time = NULL;
    }
    nln_free(rows->time);
    rows->users = rows->items = NULL;
    rows->item = NULL;
    rows->rating = NULL;
    rows->time = NULL;
    rows->mark = NULL;
    for (size_t i = 0; i < r->n; i++)
        if (isnan(r->rating[i]))
            r->rating[i] = 1;
    status = arrange(r, report, order, rows, strict, err);
    if (status)
        goto cleanup;
    r->item = shrink(r->item, r->n, sizeof *r->item);
    r->rating = shrink(r->rating, r->n, sizeof *r->rating);
    r->mark = shrink(r->mark, r->n, sizeof *r->mark);
    r->time = shrink(r->time, r->n, sizeof *r->time);
    *out = r;
cleanup:
    nln_free(order);
    nln_ratings_rows_free(rows);
    if (status)
        nln_ratings_free(r);
    return status;
}

void nln_ratings_free(nln_ratings *ratings)
{
    if (!ratings)
        return;
    nln_symbols_free(ratings->users);
    nln_symbols_free(ratings->items);
    nln_item_facts_free(ratings->facts);
    nln_free(ratings->item);
    nln_free(ratings->rating);
    nln_free(ratings->time);
    nln_free(ratings->mark);
    nln_free(ratings->start);
    nln_free(ratings);
}

nln_status nln_ratings_read_facts(nln_ratings *ratings, const char *path, nln_error *err)
{
    nln_input *in = NULL;
    nln_item_facts *facts = NULL;
    nln_status status = nln_input_open(&in, path, err);
    if (!status)
        status = nln_item_facts_read(&facts, ratings->items, in, err);
    nln_input_close(in);
    if (status)
        return status;
    nln_item_facts_free(ratings->facts);
    ratings->facts = facts;
    return NLN_OK;
}

size_t nln_ratings_facts(const nln_ratings *ratings)
{
    return ratings->facts ? ratings->facts->n : 0;
}

/* ---- contents ------------------------------------------------------------- */

size_t nln_ratings_users(const nln_ratings *ratings)
{
    return (size_t)nln_symbols_count(ratings->users);
}

size_t nln_ratings_items(const nln_ratings *ratings)
{
    return (size_t)nln_symbols_count(ratings->items);
}

static size_t count(const nln_ratings *r, nln_split split, int only_likes)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        n += nln_ratings_split(r, i) == split && (!only_likes || nln_ratings_liked(r, i));
    return n;
}

size_t nln_ratings_size(const nln_ratings *ratings, nln_split split)
{
    return count(ratings, split, 0);
}

size_t nln_ratings_likes(const nln_ratings *ratings, nln_split split)
{
    return count(ratings, split, 1);
}

const char *nln_ratings_user(const nln_ratings *ratings, size_t user)
{
    return user < INT32_MAX ? nln_symbols_name(ratings->users, (int32_t)user) : NULL;
}

const char *nln_ratings_item(const nln_ratings *ratings, size_t item)
{
    return item < INT32_MAX ? nln_symbols_name(ratings->items, (int32_t)item) : NULL;
}

int nln_ratings_are_labels(const nln_ratings *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->rating[i] != 0 && r->rating[i] != 1)
            return 0;
    return 1;
}

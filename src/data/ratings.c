#include "data/ratings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* Set in the mark of a row that a later one of the same user and item replaces. */
enum { MARK_REPLACED = 1 << 7 };

/* ---- order --------------------------------------------------------------- */

/* What a user's interactions are sorted by; `row` is where they lay before, so that no two
 * keys are equal. */
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

/* Sorts order[0..n), the rows of one user; a row without a time precedes those with one. */
static void sort_user(uint32_t *order, key *keys, size_t n, const nln_ratings *r)
{
    int sorted = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t row = order[i];
        double time = r->time ? r->time[row] : 0;
        keys[i] = (key){isnan(time) ? -INFINITY : time, row, r->mark[row] >> NLN_MARK_SPLIT};
        sorted = sorted && (i == 0 || compare_keys(&keys[i - 1], &keys[i]) < 0);
    }
    if (sorted)
        return;
    qsort(keys, n, sizeof *keys, compare_keys);
    for (size_t i = 0; i < n; i++)
        order[i] = keys[i].row;
}

size_t nln_ratings_longest(const nln_ratings *r)
{
    size_t most = 0;
    for (size_t u = 0; u < nln_ratings_users(r); u++)
        if (r->start[u + 1] - r->start[u] > most)
            most = r->start[u + 1] - r->start[u];
    return most;
}

/* order[start[u] .. start[u + 1]) are the rows of user u, in any order. */
static nln_status sort_users(uint32_t *order, const nln_ratings *r, nln_error *err)
{
    size_t n_users = nln_ratings_users(r);
    key *keys = nln_array_zeroed(nln_ratings_longest(r), sizeof *keys);
    if (!keys)
        return nln_error_memory(err);
    for (size_t u = 0; u < n_users; u++)
        sort_user(order + r->start[u], keys, r->start[u + 1] - r->start[u], r);
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

/* ---- by time alone -------------------------------------------------------- */

static double time_of(const nln_ratings *r, size_t i)
{
    return !r->time || isnan(r->time[i]) ? -INFINITY : r->time[i];
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

/* Counting sort by user: fills `start` and lists the rows of each user in their order. */
static void group(uint32_t *order, size_t *start, const nln_ratings_builder *rows, size_t n_users)
{
    for (size_t i = 0; i < rows->n; i++)
        start[rows->user[i] + 1]++;
    for (size_t u = 0; u < n_users; u++)
        start[u + 1] += start[u];
    for (size_t i = 0; i < rows->n; i++)
        order[start[rows->user[i]]++] = (uint32_t)i;
    for (size_t u = n_users; u > 0; u--)
        start[u] = start[u - 1];
    start[0] = 0;
}

/* Marks all but the last of every (user, item) pair in `order`; returns how many, and in
 * *user the user and in *first the row of the first of them in the files. */
static nln_status mark_replaced(size_t *n, size_t *user, size_t *first, nln_ratings *r,
                                const uint32_t *order, nln_error *err)
{
    size_t *seen_by = nln_array_zeroed(nln_ratings_items(r), sizeof *seen_by); /* user + 1 */
    if (!seen_by)
        return nln_error_memory(err);
    *n = 0;
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

static nln_status fail_repeated(const nln_ratings_builder *rows, const nln_ratings *r, size_t user,
                                size_t row, nln_error *err)
{
    long line;
    const char *path = nln_ratings_builder_where(&line, rows, row);
    return nln_error_at(err, NLN_INVALID, path, line, 0,
                        "user '%.80s' has item '%.80s' more than once; keep one of the lines (the "
                        "latest counts)",
                        nln_ratings_user(r, user), nln_ratings_item(r, (size_t)r->item[row]));
}

/* Takes the marked rows out; the others stay in their order. */
static void drop_replaced(nln_ratings *r)
{
    size_t n = 0, n_users = nln_ratings_users(r);
    for (size_t u = 0; u < n_users; u++) {
        size_t begin = r->start[u];
        r->start[u] = n;
        for (size_t i = begin; i < r->start[u + 1]; i++)
            if (!(r->mark[i] & MARK_REPLACED))
                move_row(r, n++, i);
    }
    r->start[n_users] = r->n = n;
}

static nln_status drop_repeated(nln_ratings *r, nln_ratings_report *report,
                                const nln_ratings_builder *rows, uint32_t *order, int strict,
                                nln_error *err)
{
    size_t n = 0, user = 0, first = 0;
    nln_status status = mark_replaced(&n, &user, &first, r, order, err);
    if (status)
        return status;
    if (n > 0 && strict)
        return fail_repeated(rows, r, user, first, err);
    if (n > 0 && report && !report->first.status)
        fail_repeated(rows, r, user, first, &report->first);
    if (report)
        report->duplicates += n;
    permute(r, order);
    if (n > 0)
        drop_replaced(r);
    return NLN_OK;
}

/* Gives back what a growing array has too much; a failure to do so does no harm. */
static void *shrink(void *items, size_t n, size_t size)
{
    void *smaller = n > 0 ? nln_memory_resize(items, n * size) : NULL;
    return smaller ? smaller : items;
}

/* The columns pass from the rows to the ratings, but for the users and, where none is known,
 * the times. */
static void take_columns(nln_ratings *r, nln_ratings_builder *rows)
{
    r->item = rows->item;
    r->rating = rows->rating;
    r->time = rows->has_time ? rows->time : NULL;
    r->has_rating = rows->has_rating;
    if (!rows->has_time)
        nln_free(rows->time);
    nln_free(rows->user);
    rows->user = rows->item = NULL;
    rows->rating = NULL;
    rows->time = NULL;
    for (size_t i = 0; i < r->n; i++)
        if (isnan(r->rating[i]))
            r->rating[i] = 1;
}

static nln_status arrange(nln_ratings *r, nln_ratings_report *report, nln_ratings_builder *rows,
                          int strict, nln_error *err)
{
    size_t n_users = nln_ratings_users(r);
    uint32_t *order = nln_array_zeroed(rows->n, sizeof *order);
    r->start = nln_array_zeroed(n_users + 1, sizeof *r->start);
    if (!order || !r->start) {
        nln_free(order);
        return nln_error_memory(err);
    }
    group(order, r->start, rows, n_users);
    take_columns(r, rows);
    nln_status status = sort_users(order, r, err);
    if (!status)
        status = drop_repeated(r, report, rows, order, strict, err);
    nln_free(order);
    return status;
}

nln_status nln_ratings_from_rows(nln_ratings **out, nln_ratings_report *report,
                                 nln_ratings_builder *rows, int strict, nln_error *err)
{
    *out = NULL;
    nln_ratings *r = nln_memory_zeroed(1, sizeof *r);
    nln_status status = r ? NLN_OK : nln_error_memory(err);
    if (!status && rows->n > UINT32_MAX)
        status = nln_error_set(err, NLN_LIMIT, "there are more than %lu ratings; use fewer",
                               (unsigned long)UINT32_MAX);
    if (!status) {
        r->users = rows->users;
        r->items = rows->items;
        r->mark = rows->mark;
        r->n = rows->n;
        status = arrange(r, report, rows, strict, err);
        rows->users = rows->items = NULL;
        rows->mark = NULL;
    }
    nln_ratings_builder_free(rows);
    if (status) {
        nln_ratings_free(r);
        return status;
    }
    r->item = shrink(r->item, r->n, sizeof *r->item);
    r->rating = shrink(r->rating, r->n, sizeof *r->rating);
    r->mark = shrink(r->mark, r->n, sizeof *r->mark);
    if (r->time)
        r->time = shrink(r->time, r->n, sizeof *r->time);
    *out = r;
    return NLN_OK;
}

void nln_ratings_free(nln_ratings *ratings)
{
    if (!ratings)
        return;
    nln_symbols_free(ratings->users);
    nln_symbols_free(ratings->items);
    nln_free(ratings->item);
    nln_free(ratings->rating);
    nln_free(ratings->time);
    nln_free(ratings->mark);
    nln_free(ratings->start);
    nln_free(ratings);
}

/* ---- what is in them ------------------------------------------------------ */

size_t nln_ratings_users(const nln_ratings *ratings)
{
    return (size_t)nln_symbols_count(ratings->users);
}

size_t nln_ratings_items(const nln_ratings *ratings)
{
    return (size_t)nln_symbols_count(ratings->items);
}

size_t nln_ratings_size(const nln_ratings *ratings, nln_split split)
{
    size_t n = 0;
    for (size_t i = 0; i < ratings->n; i++)
        n += nln_ratings_split(ratings, i) == split;
    return n;
}

size_t nln_ratings_likes(const nln_ratings *ratings, nln_split split)
{
    size_t n = 0;
    for (size_t i = 0; i < ratings->n; i++)
        n += nln_ratings_split(ratings, i) == split && nln_ratings_liked(ratings, i);
    return n;
}

const char *nln_ratings_user(const nln_ratings *ratings, size_t user)
{
    return user < INT32_MAX ? nln_symbols_name(ratings->users, (int32_t)user) : NULL;
}

const char *nln_ratings_item(const nln_ratings *ratings, size_t item)
{
    return item < INT32_MAX ? nln_symbols_name(ratings->items, (int32_t)item) : NULL;
}

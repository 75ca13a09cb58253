#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "data/ratings.h"

/* Clears kept[i] of the rows of users and items with fewer than `core` kept rows, and repeats until
 * nothing changes.  Returns the number of rows that are kept. */
static size_t peel(uint8_t *kept, uint32_t *of_user, uint32_t *of_item, const nln_ratings *r,
                   uint32_t core)
{
    size_t n = r->n, before, n_users = nln_ratings_users(r);
    for (size_t u = 0; u < n_users; u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            of_user[u]++;
            of_item[r->item[i]]++;
        }
    memset(kept, 1, r->n);
    do {
        before = n;
        for (size_t u = 0; u < n_users; u++)
            for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
                if (kept[i] && (of_user[u] < core || of_item[r->item[i]] < core)) {
                    kept[i] = 0;
                    of_user[u]--;
                    of_item[r->item[i]]--;
                    n--;
                }
    } while (n < before);
    return n;
}

/* The kept rows, with the names of users and items that still have one, in the old order of both.
 */
static nln_status copy_kept(nln_ratings_rows *rows, const nln_ratings *r, const uint8_t *kept,
                            const uint32_t *of_item, nln_error *err)
{
    int32_t *item = nln_array_zeroed(nln_ratings_items(r), sizeof *item);
    nln_status status = item ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < nln_ratings_items(r); i++) {
        const char *name = nln_ratings_item(r, i);
        item[i] = of_item[i] ? nln_symbols_intern(rows->items, name, strlen(name)) : 0;
        if (item[i] < 0)
            status = nln_error_memory(err);
    }
    for (size_t u = 0; !status && u < nln_ratings_users(r); u++) {
        const char *name = nln_ratings_user(r, u);
        for (size_t i = r->start[u]; !status && i < r->start[u + 1]; i++) {
            if (!kept[i])
                continue;
            int32_t user = nln_symbols_intern(rows->users, name, strlen(name));
            status = user < 0 ? nln_error_memory(err)
                              : nln_ratings_rows_add(rows, user, item[r->item[i]], r->rating[i],
                                                     r->time ? r->time[i] : NAN, r->mark[i], err);
        }
    }
    rows->has_rating = r->has_rating;
    rows->has_time = r->time != NULL;
    nln_free(item);
    return status;
}

nln_status nln_ratings_core(nln_ratings **ratings, int core, nln_error *err)
{
    nln_ratings *r = *ratings, *smaller = NULL;
    nln_ratings_rows rows = {0};
    uint8_t *kept = nln_array_zeroed(r->n, sizeof *kept);
    uint32_t *of_user = nln_array_zeroed(nln_ratings_users(r), sizeof *of_user);
    uint32_t *of_item = nln_array_zeroed(nln_ratings_items(r), sizeof *of_item);
    nln_status status = kept && of_user && of_item ? NLN_OK : nln_error_memory(err);
    size_t n = status ? 0 : peel(kept, of_user, of_item, r, (uint32_t)core);
    if (status || n == r->n)
        goto cleanup;
    if (n == 0) {
        status = nln_error_set(err, NLN_INVALID,
                               "no rating is left where every user and every item has at least %d; "
                               "set --core lower",
                               core);
        goto cleanup;
    }
    if ((status = nln_ratings_rows_create(&rows, err)) ||
        (status = copy_kept(&rows, r, kept, of_item, err)) ||
        (status = nln_ratings_from_rows(&smaller, NULL, &rows, 0, err)))
        goto cleanup;
    smaller->origin = r->origin;
    nln_ratings_free(r);
    *ratings = smaller;
cleanup:
    if (rows.users)
        nln_ratings_rows_free(&rows);
    nln_free(kept);
    nln_free(of_user);
    nln_free(of_item);
    return status;
}

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "data/ratings.h"

nln_status nln_ratings_rows_create(nln_ratings_rows *rows, nln_error *err)
{
    *rows = (nln_ratings_rows){.users = nln_symbols_create(), .items = nln_symbols_create()};
    if (rows->users && rows->items)
        return NLN_OK;
    nln_ratings_rows_free(rows);
    return nln_error_memory(err);
}

void nln_ratings_rows_free(nln_ratings_rows *rows)
{
    nln_symbols_free(rows->users);
    nln_symbols_free(rows->items);
    nln_free(rows->user);
    nln_free(rows->item);
    nln_free(rows->rating);
    nln_free(rows->time);
    nln_free(rows->mark);
    nln_free(rows->sources);
    for (int i = NLN_TRAIN; i <= NLN_TEST; i++)
        nln_free(rows->path[i]);
    memset(rows, 0, sizeof *rows);
}

nln_status nln_ratings_rows_reserve(nln_ratings_rows *rows, size_t more, nln_error *err)
{
    size_t n = rows->n + more, *room = rows->room;
    if (n < more || !NLN_ARRAY_RESERVE(rows->user, room[0], n) ||
        !NLN_ARRAY_RESERVE(rows->item, room[1], n) ||
        !NLN_ARRAY_RESERVE(rows->rating, room[2], n) ||
        !NLN_ARRAY_RESERVE(rows->time, room[3], n) || !NLN_ARRAY_RESERVE(rows->mark, room[4], n))
        return nln_error_memory(err);
    return NLN_OK;
}

nln_status nln_ratings_rows_add(nln_ratings_rows *rows, int32_t user, int32_t item, float rating,
                                double time, uint8_t mark, nln_error *err)
{
    size_t i = rows->n;
    nln_status status = nln_ratings_rows_reserve(rows, 1, err);
    if (status)
        return status;
    rows->user[i] = user;
    rows->item[i] = item;
    rows->rating[i] = rating;
    rows->time[i] = time;
    rows->mark[i] = mark;
    rows->n++;
    return NLN_OK;
}

/* The line of a row and its file; NULL when it is not known.  The last source at or before the
 * row is found by halving. */
static const nln_row_source *find_source(long *line, const nln_ratings_rows *rows, size_t row)
{
    size_t low = 0, high = rows->n_sources;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->sources[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    const nln_row_source *source = low > 0 && row < rows->n ? &rows->sources[low - 1] : NULL;
    *line = source ? source->line + (long)(row - source->row) : 0;
    return source;
}

const char *nln_ratings_rows_where(long *line, const nln_ratings_rows *rows, size_t row)
{
    const nln_row_source *source = find_source(line, rows, row);
    return source ? rows->path[source->file] : NULL;
}

nln_status nln_ratings_rows_locate(nln_ratings_rows *rows, long line, nln_split file,
                                   nln_error *err)
{
    const nln_row_source *last = rows->n_sources ? &rows->sources[rows->n_sources - 1] : NULL;
    if (last && last->file == file && last->line + (long)(rows->n - last->row) == line)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(rows->sources, rows->sources_room, rows->n_sources + 1))
        return nln_error_memory(err);
    rows->sources[rows->n_sources++] = (nln_row_source){rows->n, line, file};
    return NLN_OK;
}

/* Appends row i of others, with its names and its line. */
static nln_status copy_row(nln_ratings_rows *to, const nln_ratings_rows *from, size_t i,
                           nln_error *err)
{
    long line;
    const nln_row_source *source = find_source(&line, from, i);
    const char *user = nln_symbols_name(from->users, from->user[i]);
    const char *item = nln_symbols_name(from->items, from->item[i]);
    nln_status status = NLN_OK;
    if (source && (status = nln_ratings_rows_locate(to, line, source->file, err)))
        return status;
    int32_t new_user = nln_symbols_intern(to->users, user, strlen(user));
    int32_t new_item = nln_symbols_intern(to->items, item, strlen(item));
    if (new_user < 0 || new_item < 0)
        return nln_error_memory(err);
    return nln_ratings_rows_add(to, new_user, new_item, from->rating[i], from->time[i],
                                from->mark[i], err);
}

/* The names are collected again, as if the others had never been there. */
nln_status nln_ratings_rows_keep(nln_ratings_rows *rows, size_t first, int rated, nln_error *err)
{
    nln_ratings_rows kept;
    nln_status status = nln_ratings_rows_create(&kept, err);
    if (status)
        return status;
    for (size_t i = 0; !status && i < rows->n; i++)
        if (i < first || (!isnan(rows->rating[i])) == rated)
            status = copy_row(&kept, rows, i, err);
    if (status) {
        nln_ratings_rows_free(&kept);
        return status;
    }
    memcpy(kept.path, rows->path, sizeof kept.path);
    memset(rows->path, 0, sizeof rows->path);
    kept.has_rating = rows->has_rating;
    kept.has_time = rows->has_time;
    nln_ratings_rows_free(rows);
    *rows = kept;
    return NLN_OK;
}

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "data/ratings.h"

nln_status nln_ratings_builder_create(nln_ratings_builder *rows, nln_error *err)
{
    *rows = (nln_ratings_builder){.users = nln_symbols_create(), .items = nln_symbols_create()};
    if (rows->users && rows->items)
        return NLN_OK;
    nln_ratings_builder_free(rows);
    return nln_error_memory(err);
}

void nln_ratings_builder_free(nln_ratings_builder *rows)
{
    nln_symbols_free(rows->users);
    nln_symbols_free(rows->items);
    nln_free(rows->user);
    nln_free(rows->item);
    nln_free(rows->rating);
    nln_free(rows->time);
    nln_free(rows->mark);
    nln_free(rows->places);
    for (int i = NLN_TRAIN; i <= NLN_TEST; i++)
        nln_free(rows->path[i]);
    memset(rows, 0, sizeof *rows);
}

/* Room for one more row in every column. */
static int reserve(nln_ratings_builder *rows)
{
    size_t n = rows->n + 1, *room = rows->room;
    return NLN_ARRAY_RESERVE(rows->user, room[0], n) && NLN_ARRAY_RESERVE(rows->item, room[1], n) &&
           NLN_ARRAY_RESERVE(rows->rating, room[2], n) &&
           NLN_ARRAY_RESERVE(rows->time, room[3], n) && NLN_ARRAY_RESERVE(rows->mark, room[4], n);
}

nln_status nln_ratings_builder_add(nln_ratings_builder *rows, int32_t user, int32_t item,
                                   float rating, double time, uint8_t mark, nln_error *err)
{
    if (!reserve(rows))
        return nln_error_memory(err);
    size_t i = rows->n++;
    rows->user[i] = user;
    rows->item[i] = item;
    rows->rating[i] = rating;
    rows->time[i] = time;
    rows->mark[i] = mark;
    return NLN_OK;
}

/* The last place at or before the row, by halving; NULL when there is none. */
static const nln_ratings_builder_place *find_place(const nln_ratings_builder *rows, size_t row)
{
    size_t low = 0, high = rows->n_places;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->places[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && row < rows->n ? &rows->places[low - 1] : NULL;
}

const char *nln_ratings_builder_where(long *line, const nln_ratings_builder *rows, size_t row)
{
    const nln_ratings_builder_place *place = find_place(rows, row);
    *line = place ? place->line + (long)(row - place->row) : 0;
    return place ? rows->path[place->file] : NULL;
}

nln_status nln_ratings_builder_locate(nln_ratings_builder *rows, long line, nln_split file,
                                      nln_error *err)
{
    const nln_ratings_builder_place *last =
        rows->n_places ? &rows->places[rows->n_places - 1] : NULL;
    if (last && last->file == file && last->line + (long)(rows->n - last->row) == line)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(rows->places, rows->places_room, rows->n_places + 1))
        return nln_error_memory(err);
    rows->places[rows->n_places++] = (nln_ratings_builder_place){rows->n, line, file};
    return NLN_OK;
}

/* Appends row i of others, with its names and its place. */
static nln_status copy_row(nln_ratings_builder *to, const nln_ratings_builder *from, size_t i,
                           nln_error *err)
{
    const nln_ratings_builder_place *place = find_place(from, i);
    const char *user = nln_symbols_name(from->users, from->user[i]);
    const char *item = nln_symbols_name(from->items, from->item[i]);
    nln_status status = NLN_OK;
    if (place)
        status =
            nln_ratings_builder_locate(to, place->line + (long)(i - place->row), place->file, err);
    if (status)
        return status;
    int32_t new_user = nln_symbols_intern(to->users, user, strlen(user));
    int32_t new_item = nln_symbols_intern(to->items, item, strlen(item));
    if (new_user < 0 || new_item < 0)
        return nln_error_memory(err);
    return nln_ratings_builder_add(to, new_user, new_item, from->rating[i], from->time[i],
                                   from->mark[i], err);
}

/* The names are collected anew, as if the others had never been there. */
nln_status nln_ratings_builder_keep(nln_ratings_builder *rows, size_t first, int rated,
                                    nln_error *err)
{
    nln_ratings_builder kept;
    nln_status status = nln_ratings_builder_create(&kept, err);
    if (status)
        return status;
    for (size_t i = 0; !status && i < rows->n; i++)
        if (i < first || (!isnan(rows->rating[i])) == rated)
            status = copy_row(&kept, rows, i, err);
    if (status) {
        nln_ratings_builder_free(&kept);
        return status;
    }
    memcpy(kept.path, rows->path, sizeof kept.path);
    memset(rows->path, 0, sizeof rows->path);
    kept.has_rating = rows->has_rating;
    kept.has_time = rows->has_time;
    nln_ratings_builder_free(rows);
    *rows = kept;
    return NLN_OK;
}

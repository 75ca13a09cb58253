#include <string.h>

#include "base/array.h"
#include "data/ratings.h"

nln_status nln_rows_create(nln_rows *rows, nln_error *err)
{
    *rows = (nln_rows){.users = nln_symbols_create(), .items = nln_symbols_create()};
    if (rows->users && rows->items)
        return NLN_OK;
    nln_rows_free(rows);
    return nln_error_memory(err);
}

void nln_rows_free(nln_rows *rows)
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
static int reserve(nln_rows *rows)
{
    size_t n = rows->n + 1, *room = rows->room;
    return NLN_ARRAY_RESERVE(rows->user, room[0], n) && NLN_ARRAY_RESERVE(rows->item, room[1], n) &&
           NLN_ARRAY_RESERVE(rows->rating, room[2], n) &&
           NLN_ARRAY_RESERVE(rows->time, room[3], n) && NLN_ARRAY_RESERVE(rows->mark, room[4], n);
}

nln_status nln_rows_add(nln_rows *rows, int32_t user, int32_t item, float rating, double time,
                        uint8_t mark, nln_error *err)
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

/* The last place at or before the row, by halving. */
const char *nln_rows_where(long *line, const nln_rows *rows, size_t row)
{
    size_t low = 0, high = rows->n_places;
    *line = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rows->places[middle].row <= row)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || row >= rows->n)
        return NULL;
    const nln_rows_place *place = &rows->places[low - 1];
    *line = place->line + (long)(row - place->row);
    return rows->path[place->file];
}

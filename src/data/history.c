#include "data/history.h"

size_t nln_history_window(nln_literal *out, const nln_ratings *r, size_t start, size_t i,
                          size_t most, const int32_t *map)
{
    size_t n = 0;
    /* Backwards, until there are enough that are known; then in time order. */
    for (size_t at = i; at > start && n < most; at--) {
        int32_t item = map ? map[r->item[at - 1]] : r->item[at - 1];
        if (item >= 0)
            out[n++] = (nln_literal){(size_t)item, nln_ratings_liked(r, at - 1)};
    }
    for (size_t a = 0; a < n / 2; a++) {
        nln_literal swap = out[a];
        out[a] = out[n - 1 - a];
        out[n - 1 - a] = swap;
    }
    return n;
}

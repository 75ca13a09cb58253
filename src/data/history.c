#include "data/history.h"

static nln_literal literal_of(const nln_ratings *r, size_t i, int32_t item,
                              const nln_rating_grades *grading)
{
    return (nln_literal){(size_t)item, nln_ratings_liked(r, i),
                         nln_rating_grades_grade(grading, (double)r->rating[i])};
}

size_t nln_history_whole(nln_literal *out, size_t *order, const nln_ratings *r, size_t user,
                         const int32_t *map, const nln_rating_grades *grading)
{
    size_t n = 0;
    nln_ratings_timeline(order, r, user);
    for (size_t k = 0; k < r->start[user + 1] - r->start[user]; k++) {
        int32_t item = map ? map[r->item[order[k]]] : r->item[order[k]];
        if (item >= 0)
            out[n++] = literal_of(r, order[k], item, grading);
    }
    return n;
}

size_t nln_history_window(nln_literal *out, const nln_ratings *r, size_t start, size_t i,
                          size_t most, const int32_t *map, const nln_rating_grades *grading)
{
    size_t n = 0;
    /* Backwards, until there are enough that are known; then in time order. */
    for (size_t at = i; at > start && n < most; at--) {
        int32_t item = map ? map[r->item[at - 1]] : r->item[at - 1];
        if (item >= 0)
            out[n++] = literal_of(r, at - 1, item, grading);
    }
    for (size_t a = 0; a < n / 2; a++) {
        nln_literal swap = out[a];
        out[a] = out[n - 1 - a];
        out[n - 1 - a] = swap;
    }
    return n;
}

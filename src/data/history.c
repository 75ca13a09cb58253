#include "data/history.h"

#include <math.h>

static nln_literal literal_of(const nln_ratings *r, size_t i, int32_t item,
                              const nln_grade_scale *grading)
{
    return (nln_literal){(size_t)item, nln_ratings_liked(r, i),
                         nln_grade_scale_grade(grading, (double)r->rating[i])};
}

size_t nln_history_whole(nln_literal *out, size_t *order, const nln_ratings *r, size_t user,
                         const int32_t *map, const nln_grade_scale *grading)
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
                          size_t most, const int32_t *map, const nln_grade_scale *grading)
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

/* ---- grades ------------------------------------------------------------------------ */

/* The range of the ratings that train. */
static void find_range(nln_grade_scale *g, const nln_ratings *r)
{
    g->least = INFINITY;
    g->most = -INFINITY;
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN) {
            g->least = fmin(g->least, (double)r->rating[i]);
            g->most = fmax(g->most, (double)r->rating[i]);
        }
}

/* Whether there are any between its ends. */
static int has_inside(const nln_grade_scale *g, const nln_ratings *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN && (double)r->rating[i] > g->least &&
            (double)r->rating[i] < g->most)
            return 1;
    return 0;
}

static int commonest(const size_t *count, int n)
{
    int best = 1;
    for (int grade = 2; grade <= n; grade++)
        if (count[grade] > count[best])
            best = grade;
    return best;
}

nln_grade_scale nln_history_grading(const nln_ratings *r, int n)
{
    nln_grade_scale g = {.n = n};
    size_t count[2][NLN_MOST_GRADES + 1] = {0};
    if (!n)
        return g;
    find_range(&g, r);
    if (!has_inside(&g, r))
        return (nln_grade_scale){.n = n};
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN)
            count[nln_ratings_liked(r, i)][nln_grade_scale_grade(&g, (double)r->rating[i])]++;
    for (int liked = 0; liked < 2; liked++)
        g.usual[liked] = commonest(count[liked], n);
    return g;
}

static int are_labels(const nln_ratings *r)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->rating[i] != 0 && r->rating[i] != 1)
            return 0;
    return 1;
}

nln_grade_scale nln_history_grading_of(const nln_ratings *r, const nln_grade_scale *trained)
{
    nln_grade_scale g = *trained;
    int of_labels = g.least >= 0 && g.most <= 1;
    if (g.n && !of_labels && are_labels(r))
        g.least = g.most = 0;
    return g;
}

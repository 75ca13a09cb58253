#include "inference/diversity.h"

#include <math.h>

enum { LEAST_POOL = 100, TIMES = 5 };

size_t nln_diversity_pool(size_t need, size_t n_items)
{
    size_t pool = need > n_items / TIMES ? n_items : TIMES * need;
    pool = pool < LEAST_POOL ? LEAST_POOL : pool;
    return pool < n_items ? pool : n_items;
}

static double cosine(const float *vectors, size_t length, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += (double)vectors[a * length + i] * (double)vectors[b * length + i];
    return sum;
}

/* Moves an item to the front and keeps the order of the others. */
static void move(nln_recommendation *list, double *nearest, size_t from, size_t to)
{
    nln_recommendation row = list[from];
    double value = nearest[from];
    for (size_t i = from; i > to; i--) {
        list[i] = list[i - 1];
        nearest[i] = nearest[i - 1];
    }
    list[to] = row;
    nearest[to] = value;
}

void nln_diversity_choose(nln_recommendation *list, size_t n, size_t k, double weight,
                          const float *vectors, size_t length, double *nearest)
{
    double most = n ? list[0].score : 0, least = n ? list[n - 1].score : 0;
    double scale = most > least ? 1 / (most - least) : 0;
    for (size_t i = 0; i < n; i++)
        nearest[i] = -1;
    for (size_t at = 0; at < k && at < n; at++) {
        size_t best = at;
        double highest = -INFINITY;
        for (size_t i = at; i < n; i++) {
            double value =
                (1 - weight) * (list[i].score - least) * scale - weight * (at ? nearest[i] : 0);
            if (value > highest) {
                highest = value;
                best = i;
            }
        }
        move(list, nearest, best, at);
        for (size_t i = at + 1; i < n; i++)
            nearest[i] = fmax(nearest[i], cosine(vectors, length, list[i].item, list[at].item));
    }
}

double nln_diversity_of(const nln_recommendation *list, size_t n, const float *vectors,
                        size_t length)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            sum += 1 - cosine(vectors, length, list[i].item, list[j].item);
    return n < 2 ? (double)NAN : sum / ((double)n * (double)(n - 1) / 2);
}

#include "training/cold_items.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/kernels.h"

/* The row of an item becomes the mean of others, with these weights by item. */
static void place(real *table, int width, size_t item, const double *weight, size_t n_items,
                  int keep_length)
{
    real *x = table + item * (size_t)width;
    double sum = 0, length = 0, own = 0;
    memset(x, 0, (size_t)width * sizeof *x);
    for (size_t v = 0; v < n_items; v++) {
        const real *y = table + v * (size_t)width;
        if (v == item || !(weight[v] > 0))
            continue;
        sum += weight[v];
        length += weight[v] * sqrt((double)nln_kernels_get()->dot(y, y, width));
        nln_kernels_get()->axpy(x, (real)weight[v], y, (size_t)width);
    }
    own = sqrt((double)nln_kernels_get()->dot(x, x, width));
    double by = keep_length ? (own > 0 ? length / sum / own : 0) : 1 / sum;
    for (int i = 0; i < width; i++)
        x[i] *= (real)by;
}

nln_status nln_cold_items_place(size_t *n, nln_model *m, const nln_item_knowledge *k,
                                const int32_t *frequency, nln_error *err)
{
    double *weight = nln_array_zeroed(k->n_items, sizeof *weight), even[NLN_KNOWLEDGE_WEIGHTS];
    nln_knowledge_walk walk = {0};
    nln_status status =
        weight ? nln_knowledge_walk_open(&walk, k->n_items, err) : nln_error_memory(err);
    *n = 0;
    for (int i = 0; i < NLN_KNOWLEDGE_WEIGHTS; i++)
        even[i] = 1;
    for (size_t v = 0; !status && v < k->n_items; v++) {
        double known = 0;
        if (frequency[v])
            continue;
        memset(weight, 0, k->n_items * sizeof *weight);
        nln_item_knowledge_add(weight, k, &(nln_literal){v, 1, 0}, 1, even, 1, &walk);
        for (size_t o = 0; o < k->n_items; o++) {
            weight[o] = frequency[o] ? weight[o] : 0;
            known += weight[o];
        }
        if (!(known > 0))
            continue;
        for (int i = 0; i < m->n_networks; i++)
            for (int member = 0; member < m->config.members; member++) {
                size_t first = (size_t)member * (size_t)nln_model_rows(m);
                nln_net *net = m->net[i];
                if (net->vector)
                    place(net->vector + first * (size_t)net->dim, net->dim, v, weight, k->n_items,
                          1);
                if (net->logit)
                    place(net->logit + first, 1, v, weight, k->n_items, 0);
            }
        ++*n;
    }
    nln_knowledge_walk_close(&walk);
    nln_free(weight);
    return status;
}

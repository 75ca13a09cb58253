#include "evaluation/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define LEAST 1e-12

/* Comparisons with NaN are false: a NaN passes through instead of becoming a hit
 * or a miss, or a bound. */

static double hit(double p, int label)
{
    return isnan(p) ? p : (p > 0.5) == label;
}

static double surprise(double p, int label)
{
    double held = p < LEAST ? LEAST : p > 1 - LEAST ? 1 - LEAST : p;
    return label ? -log(held) : -log1p(-held);
}

nln_metrics nln_metrics_binary(const double *p, const uint8_t *labels, size_t n)
{
    double hits = 0, squares = 0, surprises = 0;
    if (n == 0)
        return (nln_metrics){.auc = NAN};
    for (size_t i = 0; i < n; i++) {
        int label = labels[i] != 0;
        hits += hit(p[i], label);
        squares += (p[i] - label) * (p[i] - label);
        surprises += surprise(p[i], label);
    }
    double count = (double)n;
    return (nln_metrics){
        .n = n,
        .accuracy = hits / count,
        .rmse = sqrt(squares / count),
        .cross_entropy = surprises / count,
        .auc = NAN,
    };
}

/* ---- area under the ROC curve ----------------------------------------------- */

typedef struct answer {
    double p;
    int label;
} answer;

static int by_p(const void *a, const void *b)
{
    double x = ((const answer *)a)->p, y = ((const answer *)b)->p;
    return (x > y) - (x < y);
}

/* Copies the answers and counts the true ones; 0 when a p is NaN, which has no place in an
 * order. */
static int collect(answer *answers, size_t *n_true, const double *p, const uint8_t *labels,
                   size_t n)
{
    *n_true = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(p[i]))
            return 0;
        answers[i] = (answer){p[i], labels[i] != 0};
        *n_true += labels[i] != 0;
    }
    return 1;
}

/* Twice the number of pairs that are in order, a tie being half in order.  A whole number, at
 * most n * n / 2: 64 bits hold it for every n below 2^32. */
static uint64_t twice_in_order(const answer *sorted, size_t n)
{
    uint64_t twice = 0, false_below = 0;
    for (size_t begin = 0, end; begin < n; begin = end) {
        uint64_t tied[2] = {0, 0};
        for (end = begin; end < n && sorted[end].p == sorted[begin].p; end++)
            tied[sorted[end].label]++;
        twice += tied[1] * (2 * false_below + tied[0]);
        false_below += tied[0];
    }
    return twice;
}

nln_status nln_metrics_auc(double *auc, const double *p, const uint8_t *labels, size_t n,
                           nln_error *err)
{
    size_t n_true;
    *auc = NAN;
    if (n > UINT32_MAX)
        return nln_error_set(err, NLN_LIMIT,
                             "the AUC of %zu answers is too large to count; measure at most %u", n,
                             UINT32_MAX);
    answer *answers = n ? nln_memory_take(n * sizeof *answers) : NULL;
    if (n && !answers)
        return nln_error_memory(err);
    if (collect(answers, &n_true, p, labels, n) && n_true > 0 && n_true < n) {
        qsort(answers, n, sizeof *answers, by_p);
        double pairs = (double)n_true * (double)(n - n_true);
        *auc = (double)twice_in_order(answers, n) / (2 * pairs);
    }
    nln_free(answers);
    return NLN_OK;
}

#include "evaluation/metrics.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"

#define LEAST 1e-12

/* The cross-entropy of one answer.  Comparisons with NaN are false, so a NaN stays NaN. */
static double cross_entropy(double p, int label)
{
    double clamped = p < LEAST ? LEAST : p > 1 - LEAST ? 1 - LEAST : p;
    return label ? -log(clamped) : -log1p(-clamped);
}

nln_metrics nln_metrics_binary(const double *p, const uint8_t *labels, size_t n)
{
    double hits = 0, squares = 0, entropy = 0, count = (double)n;
    if (n == 0)
        return (nln_metrics){.auc = NAN};
    for (size_t i = 0; i < n; i++) {
        int label = labels[i] != 0;
        hits += isnan(p[i]) ? p[i] : (p[i] > 0.5) == label;
        squares += (p[i] - label) * (p[i] - label);
        entropy += cross_entropy(p[i], label);
    }
    return (nln_metrics){.n = n,
                         .accuracy = hits / count,
                         .rmse = sqrt(squares / count),
                         .cross_entropy = entropy / count,
                         .auc = NAN};
}

nln_metrics nln_metrics_labels(const double *p, nln_truths truths, size_t n)
{
    double hits = 0, squares = 0, entropy = 0, mass = 0;
    if (!truths.soft && !truths.weight)
        return nln_metrics_binary(p, truths.label, n);
    for (size_t i = 0; i < n; i++) {
        double t = nln_truths_label(&truths, i), w = nln_truths_weight(&truths, i);
        hits += w * (isnan(p[i]) ? p[i] : p[i] > 0.5 ? t : 1 - t);
        squares += w * (p[i] - t) * (p[i] - t);
        entropy += w * (t * cross_entropy(p[i], 1) + (1 - t) * cross_entropy(p[i], 0));
        mass += w;
    }
    return mass > 0 ? (nln_metrics){.n = n,
                                    .accuracy = hits / mass,
                                    .rmse = sqrt(squares / mass),
                                    .cross_entropy = entropy / mass,
                                    .auc = NAN}
                    : (nln_metrics){.auc = NAN};
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

/* Twice the number of pairs in order, where a tie counts half.  At most n * n / 2, which fits in 64
 * bits for every n below 2^32. */
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
    size_t n_true = 0;
    int ordered = 1;
    *auc = NAN;
    if (n > UINT32_MAX)
        return nln_error_set(err, NLN_LIMIT,
                             "the AUC of %zu answers is too large to count; measure at most %u", n,
                             UINT32_MAX);
    answer *answers = n ? nln_memory_take(n * sizeof *answers) : NULL;
    if (n && !answers)
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        answers[i] = (answer){p[i], labels[i] != 0};
        n_true += labels[i] != 0;
        ordered = ordered && !isnan(p[i]);
    }
    if (ordered && n_true > 0 && n_true < n) {
        qsort(answers, n, sizeof *answers, by_p);
        double pairs = (double)n_true * (double)(n - n_true);
        *auc = (double)twice_in_order(answers, n) / (2 * pairs);
    }
    nln_free(answers);
    return NLN_OK;
}

typedef struct part {
    double p, mass[2]; /* as a false one, and as a true one */
} part;

static int by_part(const void *a, const void *b)
{
    double x = ((const part *)a)->p, y = ((const part *)b)->p;
    return (x > y) - (x < y);
}

nln_status nln_metrics_labels_auc(double *auc, const double *p, nln_truths truths, size_t n,
                                  nln_error *err)
{
    double in_order = 0, below = 0, all[2] = {0, 0};
    int ordered = 1;
    *auc = NAN;
    if (!truths.soft && !truths.weight)
        return nln_metrics_auc(auc, p, truths.label, n, err);
    part *parts = nln_memory_zeroed(n ? n : 1, sizeof *parts);
    if (!parts)
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        double t = nln_truths_label(&truths, i), w = nln_truths_weight(&truths, i);
        parts[i] = (part){p[i], {w * (1 - t), w * t}};
        ordered = ordered && !isnan(p[i]);
    }
    if (ordered && n)
        qsort(parts, n, sizeof *parts, by_part);
    for (size_t begin = 0, end; ordered && begin < n; begin = end) {
        double tied[2] = {0, 0};
        for (end = begin; end < n && parts[end].p == parts[begin].p; end++)
            for (int side = 0; side < 2; side++)
                tied[side] += parts[end].mass[side];
        in_order += tied[1] * (below + tied[0] / 2);
        below += tied[0];
        all[0] += tied[0];
        all[1] += tied[1];
    }
    if (all[0] > 0 && all[1] > 0)
        *auc = in_order / (all[0] * all[1]);
    nln_free(parts);
    return NLN_OK;
}

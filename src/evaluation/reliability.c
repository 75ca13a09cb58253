#include "evaluation/reliability.h"

#include <math.h>

#include "base/array.h"
#include "base/options.h"
#include "base/thread_pool.h"
#include "data/logic_data.h"
#include "data/split_names.h"
#include "models/model.h"
#include "models/task.h"

void nln_reliability_fill(nln_reliability_bin *bins, size_t n_bins, double *error, const double *p,
                          nln_truths truths, size_t n)
{
    double whole = 0, distance = 0;
    for (size_t b = 0; b < n_bins; b++) {
        nln_reliability_bin bin = {0};
        double weights = 0, sum = 0, right = 0;
        for (size_t i = 0; i < n; i++) {
            double at = floor(p[i] * (double)n_bins), w = nln_truths_weight(&truths, i);
            if (!(at == (double)b || (b + 1 == n_bins && p[i] >= 1)))
                continue;
            bin.n++;
            weights += w;
            sum += w * p[i];
            right += w * nln_truths_label(&truths, i);
        }
        bin.mean = weights > 0 ? sum / weights : NAN;
        bin.true_share = weights > 0 ? right / weights : NAN;
        if (weights > 0)
            distance += fabs(sum - right);
        whole += weights;
        bins[b] = bin;
    }
    *error = whole > 0 ? distance / whole : NAN;
    for (size_t i = 0; i < n; i++)
        *error = isnan(p[i]) ? NAN : *error;
}

static nln_status check(nln_split split, size_t n_bins, size_t n, nln_error *err)
{
    nln_status status = nln_split_check(split, err);
    if (!status && !n_bins)
        status = nln_error_set(err, NLN_INVALID, "there must be at least one bin");
    if (!status && !n)
        status = nln_error_set(err, NLN_INVALID, "the %s split is empty", nln_split_name(split));
    return status;
}

nln_status nln_reliability(nln_reliability_bin *bins, size_t n_bins, double *error,
                           const nln_model *model, const nln_data *data, nln_split split,
                           const nln_options *options, nln_error *err)
{
    size_t n = nln_data_size(data, split);
    nln_status status = check(split, n_bins, n, err);
    if (status)
        return status;
    double *p = nln_array_zeroed(n, sizeof *p);
    status = p ? nln_evaluate_predict(p, model, data, split, options, err) : nln_error_memory(err);
    if (!status)
        nln_reliability_fill(bins, n_bins, error, p, nln_labelled_truths(&data->split[split]), n);
    nln_free(p);
    return status;
}

nln_status nln_reliability_ratings(nln_reliability_bin *bins, size_t n_bins, double *error,
                                   const nln_model *model, const nln_ratings *ratings,
                                   nln_split split, nln_error *err)
{
    size_t n = nln_ratings_size(ratings, split);
    nln_status status = check(split, n_bins, n, err);
    if (!status &&
        (model->task->data != NLN_DATA_RATINGS || model->task->measures == NLN_MEASURE_RANKS))
        status = nln_error_set(err, NLN_INVALID,
                               "only a model of --task preference predicts probabilities of likes");
    if (status)
        return status;
    double *p = nln_array_zeroed(n, sizeof *p);
    uint8_t *labels = nln_array_zeroed(n, sizeof *labels);
    status = p && labels ? nln_evaluate_preference(p, labels, &n, model, ratings, split,
                                                   nln_thread_pool_processors(), err)
                         : nln_error_memory(err);
    if (!status)
        nln_reliability_fill(bins, n_bins, error, p, (nln_truths){.label = labels}, n);
    nln_free(p);
    nln_free(labels);
    return status;
}

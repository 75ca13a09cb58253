/* One file of labelled expressions, split into training, validation and test at random. */
#include <inttypes.h>
#include <stdio.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "data/data_fingerprint.h"
#include "data/logic_data.h"

/* How lines are split: by share, or by folds. */
typedef struct deal {
    double holdout;
    uint64_t seed;
    int32_t folds, fold; /* 0: by share; fold counts from 1 */
} deal;

enum { LEAST_FOLDS = 3 };

static nln_status read_deal(deal *out, const nln_options *o, size_t n, nln_error *err)
{
    *out = (deal){.holdout = 0.1, .seed = 1};
    if (!o)
        return NLN_OK;
    *out = (deal){.holdout = nln_options_number(o, "holdout"),
                  .seed = (uint64_t)nln_options_number(o, "holdout-seed"),
                  .folds = (int32_t)nln_options_number(o, "folds"),
                  .fold = (int32_t)nln_options_number(o, "fold")};
    if (out->fold > out->folds)
        return nln_error_set(err, NLN_INVALID, "option --fold %d needs --folds of at least as many",
                             (int)out->fold);
    if (out->folds && out->folds < LEAST_FOLDS)
        return nln_error_set(err, NLN_INVALID,
                             "option --folds must be at least %d: one fold is test, one is valid, "
                             "and the others are learned from",
                             LEAST_FOLDS);
    if (out->folds && !out->fold)
        return nln_error_set(err, NLN_INVALID, "option --folds needs --fold, from 1 to %d",
                             (int)out->folds);
    if ((size_t)out->folds > n)
        return nln_error_set(err, NLN_INVALID, "option --folds %d is more than the %zu expressions",
                             (int)out->folds, n);
    return NLN_OK;
}

/* The split of the line that is at `place` in random order. */
static nln_split split_of(const deal *d, size_t place, size_t n)
{
    if (d->folds) {
        int32_t fold = (int32_t)((uint64_t)place * (uint64_t)d->folds / n);
        return fold == d->fold - 1 ? NLN_TEST : fold == d->fold % d->folds ? NLN_VALID : NLN_TRAIN;
    }
    size_t held = (size_t)(d->holdout * (double)n + 0.5);
    if (held == 0 && d->holdout > 0 && n >= 3)
        held = 1; /* something must be measured */
    return place < held ? NLN_TEST : place < 2 * held ? NLN_VALID : NLN_TRAIN;
}

static void note_origin(nln_data_provenance *out, const deal *d, uint64_t fingerprint)
{
    *out = (nln_data_provenance){.split = NLN_ORIGIN_FILE, .like_from = "-", .core = "-"};
    snprintf(out->split_seed, sizeof out->split_seed, "%" PRIu64, d->seed);
    if (d->folds)
        snprintf(out->holdout, sizeof out->holdout, "%d/%d", (int)d->fold, (int)d->folds);
    else
        nln_number_print(out->holdout, d->holdout);
    snprintf(out->fingerprint, sizeof out->fingerprint, "%016" PRIx64, fingerprint);
}

static nln_status scatter(nln_data *data, nln_labelled *all, const deal *d, nln_error *err)
{
    size_t n = all->exprs.n;
    int32_t *order = nln_array_zeroed(n, sizeof *order);
    uint8_t *split = nln_array_zeroed(n, 1);
    nln_random random = nln_random_seed(d->seed, 8);
    nln_status status = order && split ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < n; i++)
        order[i] = (int32_t)i;
    if (!status)
        nln_random_shuffle(&random, order, (int32_t)n);
    for (size_t i = 0; !status && i < n; i++)
        split[order[i]] = (uint8_t)split_of(d, i, n);
    for (size_t i = 0; !status && i < n; i++) /* each split in the order of the file */
        status = nln_labelled_copy(&data->split[split[i]], all, i, err);
    nln_free(order);
    nln_free(split);
    return status;
}

nln_status nln_data_deal(nln_data *data, const nln_options *options, nln_error *err)
{
    deal d;
    nln_labelled all = data->split[NLN_TRAIN];
    uint64_t fingerprint = nln_data_fingerprint_logic(data);
    nln_status status = read_deal(&d, options, all.exprs.n, err);
    if (status)
        return status;
    data->split[NLN_TRAIN] = (nln_labelled){0};
    status = scatter(data, &all, &d, err);
    nln_labelled_free(&all);
    note_origin(&data->origin, &d, fingerprint);
    return status;
}

/* The simulated task of the paper as a data set: generated, split 80/10/10, and
 * with a share of the training and validation labels flipped if wanted. */
#include <stdio.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "data/logic_data.h"
#include "logic/random_formulas.h"

static int option(const nln_options *o, const char *name)
{
    return (int)nln_options_number(o, name);
}

/* Flips `share` of the labels, rounded to a whole number. */
static nln_status flip_labels(nln_labelled *set, double share, nln_random *random, nln_error *err)
{
    size_t n = set->exprs.n, flips = (size_t)(share * (double)n + 0.5);
    int32_t *order = nln_array_zeroed(n, sizeof *order);
    if (!order)
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++)
        order[i] = (int32_t)i;
    nln_random_shuffle(random, order, (int32_t)n);
    for (size_t i = 0; i < flips; i++)
        set->labels[order[i]] ^= 1;
    nln_free(order);
    return NLN_OK;
}

nln_status nln_data_generate(nln_data **out, const nln_options *o, nln_error *err)
{
    static const char *const ranges[][2] = {{"min-clauses", "max-clauses"},
                                            {"min-literals", "max-literals"}};
    nln_exprs all = {0};
    uint8_t *labels = NULL, *values = NULL;
    nln_data *data = NULL;
    *out = NULL;
    nln_status status = nln_options_check(o, "generate logic", err);
    for (int i = 0; !status && i < 2; i++)
        if (option(o, ranges[i][0]) > option(o, ranges[i][1]))
            status = nln_error_set(err, NLN_INVALID, "option --%s (%d) must not be above --%s (%d)",
                                   ranges[i][0], option(o, ranges[i][0]), ranges[i][1],
                                   option(o, ranges[i][1]));
    if (status)
        return status;
    size_t n_variables = (size_t)nln_options_number(o, "variables");
    double noise = nln_options_number(o, "noise");
    nln_random random = nln_random_seed((uint64_t)nln_options_number(o, "seed"), 0);
    data = nln_memory_zeroed(1, sizeof *data);
    if (!data || !(data->symbols = nln_symbols_create()) ||
        !NLN_ARRAY_RESERVE(data->truth, data->truth_room, n_variables)) {
        status = nln_error_memory(err);
        goto cleanup;
    }
    for (size_t i = 1; i <= n_variables; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "v%zu", i);
        if (nln_symbols_intern(data->symbols, name, (size_t)length) < 0) {
            status = nln_error_memory(err);
            goto cleanup;
        }
    }
    status = nln_random_formulas_generate(
        &all, &labels, &values, n_variables, (size_t)nln_options_number(o, "expressions"),
        option(o, "min-clauses"), option(o, "max-clauses"), option(o, "min-literals"),
        option(o, "max-literals"), &random, err);
    if (status)
        goto cleanup;
    size_t n = all.n, ends[3] = {n - n / 10 - n / 10, n - n / 10, n};
    for (size_t i = 0, s = 0; !status && i < n; i++) {
        while (i >= ends[s])
            s++;
        status = nln_exprs_append(&data->split[s].exprs, nln_exprs_get(&all, i), err);
        if (!status)
            status = nln_labelled_add(&data->split[s], labels[i], err);
    }
    for (int s = NLN_TRAIN; !status && noise > 0 && s <= NLN_VALID; s++)
        status = flip_labels(&data->split[s], noise, &random, err);
    for (size_t i = 0; !status && i < n_variables; i++)
        data->truth[i] = (int8_t)values[i];
cleanup:
    nln_exprs_free(&all);
    nln_free(labels);
    nln_free(values);
    if (status)
        nln_data_free(data);
    else
        *out = data;
    return status;
}

/* The simulated task of the paper as a data set: generated, split 80/10/10, and
 * with a share of the training and validation labels flipped if asked for. */
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

static nln_status check_range(const nln_options *o, const char *least, const char *most,
                              nln_error *err)
{
    if (option(o, least) <= option(o, most))
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID, "option --%s (%d) must not be above --%s (%d)", least,
                         option(o, least), most, option(o, most));
}

static nln_status name_variables(nln_symbols *symbols, size_t n, nln_error *err)
{
    char name[32];
    for (size_t i = 1; i <= n; i++) {
        int length = snprintf(name, sizeof name, "v%zu", i);
        if (nln_symbols_intern(symbols, name, (size_t)length) < 0)
            return nln_error_memory(err);
    }
    return NLN_OK;
}

static nln_status copy_expression(nln_labelled *to, nln_expr e, int label, nln_error *err)
{
    nln_status status = nln_exprs_append(&to->exprs, e, err);
    return status ? status : nln_labelled_add(to, label, err);
}

/* Flips exactly the nearest whole number of labels to `share` of the set. */
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

static nln_status fill(nln_data *data, const nln_exprs *all, const uint8_t *labels,
                       const uint8_t *values, double noise, nln_random *random, nln_error *err)
{
    size_t n = all->n, ends[3] = {n - n / 10 - n / 10, n - n / 10, n};
    size_t n_variables = (size_t)nln_symbols_count(data->symbols);
    nln_status status = NLN_OK;
    for (size_t i = 0, s = 0; !status && i < n; i++) {
        while (i >= ends[s])
            s++;
        status = copy_expression(&data->split[s], nln_exprs_get(all, i), labels[i], err);
    }
    for (int s = NLN_TRAIN; !status && noise > 0 && s <= NLN_VALID; s++)
        status = flip_labels(&data->split[s], noise, random, err);
    if (status)
        return status;
    if (!NLN_ARRAY_RESERVE(data->truth, data->truth_room, n_variables))
        return nln_error_memory(err);
    for (size_t i = 0; i < n_variables; i++)
        data->truth[i] = (int8_t)values[i];
    return NLN_OK;
}

nln_status nln_data_generate(nln_data **out, const nln_options *o, nln_error *err)
{
    *out = NULL;
    nln_status status = nln_options_check(o, "generate logic", err);
    if (!status)
        status = check_range(o, "min-clauses", "max-clauses", err);
    if (!status)
        status = check_range(o, "min-literals", "max-literals", err);
    if (status)
        return status;
    size_t n_variables = (size_t)nln_options_number(o, "variables");
    nln_random random = nln_random_seed((uint64_t)nln_options_number(o, "seed"), 0);
    nln_exprs all = {0};
    uint8_t *labels = NULL, *values = NULL;
    nln_data *data = nln_memory_zeroed(1, sizeof *data);
    if (!data || !(data->symbols = nln_symbols_create()))
        status = nln_error_memory(err);
    if (!status)
        status = name_variables(data->symbols, n_variables, err);
    if (!status)
        status = nln_random_formulas_generate(
            &all, &labels, &values, n_variables, (size_t)nln_options_number(o, "expressions"),
            option(o, "min-clauses"), option(o, "max-clauses"), option(o, "min-literals"),
            option(o, "max-literals"), &random, err);
    if (!status)
        status = fill(data, &all, labels, values, nln_options_number(o, "noise"), &random, err);
    nln_exprs_free(&all);
    nln_free(labels);
    nln_free(values);
    if (status)
        nln_data_free(data);
    else
        *out = data;
    return status;
}

/* The simulated task of the paper as a data set: random expressions in disjunctive normal form,
 * labelled by one hidden random assignment, split 80/10/10, and with a share of the training and
 * validation labels flipped if wanted.
 *
 * The number of clauses and that of literals in each clause are uniform in their ranges, variables
 * are uniform with repetition, and negated with probability 1/2.  A single clause is a bare AND,
 * and a single literal stands bare. */
#include <stdio.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/random.h"
#include "data/logic_data.h"

typedef struct range {
    int least, most;
} range;

static nln_status read_range(range *out, const nln_options *o, const char *least, const char *most,
                             nln_error *err)
{
    *out = (range){(int)nln_options_number(o, least), (int)nln_options_number(o, most)};
    if (out->least <= out->most)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID, "option --%s (%d) must not be above --%s (%d)", least,
                         out->least, most, out->most);
}

static int32_t draw(range r, nln_random *random)
{
    return (int32_t)(r.least + (int)nln_random_below(random, (uint64_t)(r.most - r.least) + 1));
}

static nln_status add_expression(nln_exprs *out, size_t n_variables, range clauses, range literals,
                                 nln_random *random, nln_error *err)
{
    int32_t n_clauses = draw(clauses, random);
    nln_status status = NLN_OK;
    for (int32_t i = 0; i < n_clauses && !status; i++) {
        int32_t n = draw(literals, random);
        for (int32_t k = 0; k < n && !status; k++) {
            int32_t variable = (int32_t)nln_random_below(random, n_variables);
            status = nln_exprs_push(out, NLN_OP_VAR, variable, err);
            if (!status && nln_random_below(random, 2))
                status = nln_exprs_push(out, NLN_OP_NOT, 0, err);
        }
        if (!status && n > 1)
            status = nln_exprs_push(out, NLN_OP_AND, n, err);
    }
    if (!status && n_clauses > 1)
        status = nln_exprs_push(out, NLN_OP_OR, n_clauses, err);
    return status ? status : nln_exprs_finish(out, err);
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

/* Names the variables and draws their values. */
static nln_status add_variables(nln_data *data, size_t n, nln_random *random, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(data->truth, data->truth_room, n))
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "v%zu", i + 1);
        if (nln_symbols_intern(data->symbols, name, (size_t)length) < 0)
            return nln_error_memory(err);
        data->truth[i] = (int8_t)nln_random_below(random, 2);
    }
    return NLN_OK;
}

nln_status nln_data_generate(nln_data **out, const nln_options *o, nln_error *err)
{
    range clauses, literals;
    uint8_t *stack = NULL;
    size_t room = 0;
    nln_status status;
    *out = NULL;
    if ((status = nln_options_check(o, "generate logic", err)) ||
        (status = read_range(&clauses, o, "min-clauses", "max-clauses", err)) ||
        (status = read_range(&literals, o, "min-literals", "max-literals", err)))
        return status;
    size_t n_variables = (size_t)nln_options_number(o, "variables");
    size_t n = (size_t)nln_options_number(o, "expressions");
    size_t ends[3] = {n - n / 10 - n / 10, n - n / 10, n};
    double noise = nln_options_number(o, "noise");
    nln_random random = nln_random_seed((uint64_t)nln_options_number(o, "seed"), 0);
    nln_data *data;
    if (!(status = nln_data_create(&data, err)))
        status = add_variables(data, n_variables, &random, err);
    for (size_t i = 0, s = 0; !status && i < n; i++) {
        while (i >= ends[s])
            s++;
        nln_labelled *set = &data->split[s];
        if ((status = add_expression(&set->exprs, n_variables, clauses, literals, &random, err)))
            break;
        nln_expr e = nln_exprs_get(&set->exprs, set->exprs.n - 1);
        if (!NLN_ARRAY_RESERVE(stack, room, (size_t)e.n_nodes))
            status = nln_error_memory(err);
        else
            status = nln_labelled_add(
                set, nln_expr_evaluate(e, (const uint8_t *)data->truth, stack), 1, err);
    }
    for (int s = NLN_TRAIN; !status && noise > 0 && s <= NLN_VALID; s++)
        status = flip_labels(&data->split[s], noise, &random, err);
    nln_free(stack);
    if (status)
        nln_data_free(data);
    else
        *out = data;
    return status;
}

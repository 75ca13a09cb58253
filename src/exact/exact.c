/* nln_exact of nln_lab.h: a SAT solver and belief propagation on a data set. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "base/options.h"
#include "data/logic_data.h"
#include "evaluation/metrics.h"
#include "exact/belief_propagation.h"
#include "exact/sat_encoding.h"
#include "net/profile.h"
#include "nln_lab.h"

static const double noise_rates[] = {0, .01, .02, .05, .1, .15, .2, .25, .3, .35, .4, .45};
enum { N_NOISE_RATES = sizeof noise_rates / sizeof *noise_rates };

typedef struct reasoner {
    const nln_data *data;
    nln_belief_propagation_settings settings;
    int choose_noise;  /* on the validation set */
    uint8_t *values;   /* [n_variables] */
    double *marginals; /* [n_variables] */
    double *trial;     /* [n_variables] scratch */
} reasoner;

/* Exact reasoning needs labels that are true or false and have equal weights. */
static nln_status check_labels(const nln_data *data, nln_error *err)
{
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++)
        if (data->split[s].soft || data->split[s].weights)
            return nln_error_set(err, NLN_INVALID,
                                 "exact reasoning needs labels that are 0 or 1, without weights");
    return NLN_OK;
}

static nln_status read_options(reasoner *r, const nln_options *options, nln_error *err)
{
    r->settings = (nln_belief_propagation_settings){.damping = .5, .tolerance = 1e-4, .sweeps = 30};
    r->choose_noise = 1;
    if (!options)
        return NLN_OK;
    r->settings.sweeps = (int)nln_options_number(options, "sweeps");
    r->settings.damping = nln_options_number(options, "damping");
    const char *text = nln_options_text(options, "noise");
    char *end;
    r->choose_noise = strcmp(text, "auto") == 0;
    if (r->choose_noise)
        return NLN_OK;
    double noise = r->settings.noise = nln_number_parse(text, &end);
    if (end != text && *end == '\0' && noise >= 0 && noise <= 0.5)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "noise is \"%.40s\"; give the share of flipped labels as a number from 0 "
                         "to 0.5, or \"auto\" to choose it on the validation set",
                         text);
}

/* The share of ALL variables with known truth that are right.  A variable that occurs in no
 * training expression counts too; its value is a guess, F. */
static double recovered(const reasoner *r)
{
    const int8_t *truth = r->data->truth;
    size_t known = 0, right = 0, n = nln_data_variables(r->data);
    for (size_t v = 0; truth && v < n; v++) {
        known += truth[v] >= 0;
        right += truth[v] >= 0 && (r->marginals[v] > 0.5) == truth[v];
    }
    return known ? (double)right / (double)known : -1;
}

/* Metrics of a split under the marginals, if the share `noise` of its labels is flipped. */
static nln_status measure(nln_metrics *out, const reasoner *r, nln_split split,
                          const double *marginals, double noise, nln_error *err)
{
    const nln_labelled *set = &r->data->split[split];
    double *p = nln_array_zeroed(set->exprs.n, sizeof *p);
    if (!p)
        return nln_error_memory(err);
    nln_status status =
        nln_belief_propagation_predict(p, &set->exprs, marginals, nln_data_variables(r->data), err);
    for (size_t i = 0; i < set->exprs.n; i++)
        p[i] = noise + (1 - 2 * noise) * p[i];
    if (!status)
        *out = nln_metrics_binary(p, set->labels, set->exprs.n);
    nln_free(p);
    return status;
}

static nln_status solve(nln_exact_report *out, reasoner *r, nln_error *err)
{
    const nln_labelled *train = &r->data->split[NLN_TRAIN];
    size_t n = nln_data_variables(r->data);
    double start = nln_profile_now();
    nln_status status =
        nln_sat_solve(r->values, &out->consistent, &train->exprs, train->labels, n, err);
    out->sat_recovered = -1;
    if (!status && out->consistent) {
        for (size_t v = 0; v < n; v++) /* with marginals of 0 and 1, predicting is evaluating */
            r->marginals[v] = r->values[v];
        out->sat_recovered = recovered(r);
        status = measure(&out->sat, r, NLN_TEST, r->marginals, 0, err);
    }
    out->sat_seconds = nln_profile_now() - start;
    return status;
}

/* The marginals at the noise rate with the least cross-entropy on the validation set (or at the
 * given rate).  The cross-entropy falls and then rises with the rate, so the search ends after two
 * rises in a row. */
static nln_status fit(reasoner *r, nln_error *err)
{
    const nln_labelled *train = &r->data->split[NLN_TRAIN];
    size_t n = nln_data_variables(r->data);
    if (!r->choose_noise)
        return nln_belief_propagation_fit(r->marginals, &train->exprs, train->labels, n,
                                          &r->settings, err);
    double least = INFINITY;
    nln_belief_propagation_settings settings = r->settings;
    for (int i = 0, rises = 0; i < N_NOISE_RATES && rises < 2; i++) {
        nln_metrics valid = {0};
        settings.noise = noise_rates[i];
        nln_status status =
            nln_belief_propagation_fit(r->trial, &train->exprs, train->labels, n, &settings, err);
        if (!status)
            status = measure(&valid, r, NLN_VALID, r->trial, settings.noise, err);
        if (status)
            return status;
        rises = valid.cross_entropy < least ? 0 : rises + 1;
        if (rises == 0) {
            least = valid.cross_entropy;
            r->settings.noise = settings.noise;
            memcpy(r->marginals, r->trial, n * sizeof *r->trial);
        }
    }
    return NLN_OK;
}

static nln_status infer(nln_exact_report *out, reasoner *r, nln_error *err)
{
    double start = nln_profile_now();
    if (r->choose_noise && r->data->split[NLN_VALID].exprs.n == 0) {
        if (!out->consistent)
            return nln_error_set(err, NLN_INVALID,
                                 "the training labels contradict each other and there is no "
                                 "validation set to choose the noise rate on; set noise to a "
                                 "number");
        r->choose_noise = 0; /* consistent labels have no noise */
        r->settings.noise = 0;
    }
    nln_status status = fit(r, err);
    if (!status)
        status = measure(&out->posterior, r, NLN_TEST, r->marginals, 0, err);
    out->noise = r->settings.noise;
    out->posterior_recovered = recovered(r);
    out->posterior_seconds = nln_profile_now() - start;
    return status;
}

/* Fills the report; the values and marginals of the variables stay in `r`, which end() releases. */
static nln_status begin(nln_exact_report *out, reasoner *r, const nln_options *options,
                        nln_error *err)
{
    size_t n = nln_data_variables(r->data);
    nln_status status = options ? nln_options_check(options, "exact", err) : NLN_OK;
    if (!status)
        status = read_options(r, options, err);
    if (status)
        return status;
    r->values = nln_array_zeroed(n, sizeof *r->values);
    r->marginals = nln_array_zeroed(n, sizeof *r->marginals);
    r->trial = nln_array_zeroed(n, sizeof *r->trial);
    if (!r->values || !r->marginals || !r->trial)
        return nln_error_memory(err);
    status = solve(out, r, err);
    return status ? status : infer(out, r, err);
}

static void end(reasoner *r)
{
    nln_free(r->values);
    nln_free(r->marginals);
    nln_free(r->trial);
}

nln_status nln_exact(nln_exact_report *out, const nln_data *data, const nln_options *options,
                     nln_error *err)
{
    nln_exact_report report = {0};
    reasoner r = {.data = data};
    nln_status status = NLN_OK;
    if (data->atoms && data->atoms->n > 0)
        status = nln_error_set(
            err, NLN_INVALID, "exact reasoning is for plain variables: these data have predicates");
    if (!status)
        status = check_labels(data, err);
    if (!status)
        status = begin(&report, &r, options, err);
    if (!status)
        *out = report;
    end(&r);
    return status;
}

nln_status nln_exact_variables(double *posterior, int8_t *value, const nln_model *model,
                               const nln_data *data, const nln_options *options, nln_error *err)
{
    nln_exact_report report = {0};
    reasoner r = {.data = data};
    nln_status status = check_labels(data, err);
    if (!status)
        status = begin(&report, &r, options, err);
    for (size_t i = 0; !status && i < nln_model_variables(model); i++) {
        const char *name = nln_model_variable(model, i);
        int32_t v = nln_symbols_find(data->symbols, name, strlen(name));
        posterior[i] = v < 0 ? 0.5 : r.marginals[v];
        value[i] = v < 0 || !report.consistent ? -1 : (int8_t)r.values[v];
    }
    end(&r);
    return status;
}

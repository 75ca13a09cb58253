/* nln_exact of nln.h: what a SAT solver and the posterior make of a data set. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/number.h"
#include "base/options.h"
#include "data/logic_data.h"
#include "evaluation/metrics.h"
#include "exact/belief_propagation.h"
#include "exact/sat_solver.h"
#include "nln_lab.h"

static const double noise_rates[] = {0, .01, .02, .05, .1, .15, .2, .25, .3, .35, .4, .45};
enum { N_NOISE_RATES = sizeof noise_rates / sizeof *noise_rates };

typedef struct plan {
    nln_belief_propagation_settings settings;
    int choose_noise;
} plan;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- options ------------------------------------------------------------ */

static nln_status read_noise(plan *out, const char *text, nln_error *err)
{
    char *end;
    out->choose_noise = strcmp(text, "auto") == 0;
    if (out->choose_noise)
        return NLN_OK;
    out->settings.noise = nln_number_parse(text, &end);
    if (end != text && *end == '\0' && out->settings.noise >= 0 && out->settings.noise <= 0.5)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "noise is \"%.40s\"; give the share of flipped labels as a number from 0 "
                         "to 0.5, or \"auto\" to choose it on the validation set",
                         text);
}

static nln_status read_plan(plan *out, const nln_options *options, nln_error *err)
{
    *out = (plan){.settings = {.damping = .5, .tolerance = 1e-4, .sweeps = 30}, .choose_noise = 1};
    if (!options)
        return NLN_OK;
    out->settings.sweeps = (int)nln_options_number(options, "sweeps");
    out->settings.damping = nln_options_number(options, "damping");
    const char *noise = nln_options_text(options, "noise");
    return noise ? read_noise(out, noise, err) : NLN_OK;
}

/* ---- what both answers are measured by ---------------------------------- */

/* The share of ALL variables of known truth that are right.  Those that no training
 * expression has are guessed, as F, and count too. */
static double recovered(const nln_data *data, const double *marginals)
{
    size_t known = 0, right = 0, n = nln_data_variables(data);
    for (size_t v = 0; data->truth && v < n; v++) {
        if (data->truth[v] < 0)
            continue;
        known++;
        right += (marginals[v] > 0.5) == data->truth[v];
    }
    return known ? (double)right / (double)known : -1;
}

/* Of the split's expressions under the marginals, for labels of which the share
 * `noise` is flipped. */
static nln_status measure(nln_metrics *out, const nln_data *data, nln_split split,
                          const double *marginals, double noise, nln_error *err)
{
    const nln_labelled *set = &data->split[split];
    double *p = nln_array_zeroed(set->exprs.n, sizeof *p);
    if (!p)
        return nln_error_memory(err);
    nln_status status =
        nln_belief_propagation_predict(p, &set->exprs, marginals, nln_data_variables(data), err);
    for (size_t i = 0; i < set->exprs.n; i++)
        p[i] = noise + (1 - 2 * noise) * p[i];
    if (!status)
        *out = nln_metrics_binary(p, set->labels, set->exprs.n);
    nln_free(p);
    return status;
}

/* ---- the two answers ---------------------------------------------------- */

/* Marginals of 0 and 1 make nln_belief_propagation_predict an evaluator. */
static nln_status solve(nln_exact_report *out, double *marginals, uint8_t *values,
                        const nln_data *data, nln_error *err)
{
    const nln_labelled *train = &data->split[NLN_TRAIN];
    size_t n = nln_data_variables(data);
    double start = now();
    nln_status status =
        nln_sat_solve(values, &out->consistent, &train->exprs, train->labels, n, err);
    out->sat_recovered = -1;
    if (!status && out->consistent) {
        for (size_t v = 0; v < n; v++)
            marginals[v] = values[v];
        out->sat_recovered = recovered(data, marginals);
        status = measure(&out->sat, data, NLN_TEST, marginals, 0, err);
    }
    out->sat_seconds = now() - start;
    return status;
}

static nln_status fit(double *marginals, const nln_data *data,
                      const nln_belief_propagation_settings *settings, nln_error *err)
{
    const nln_labelled *train = &data->split[NLN_TRAIN];
    return nln_belief_propagation_fit(marginals, &train->exprs, train->labels,
                                      nln_data_variables(data), settings, err);
}

/* The marginals at the noise rate that explains the validation labels best.  Their
 * cross-entropy falls and then rises with the rate, so two rises in a row end the
 * search. */
static nln_status fit_best(double *marginals, double *trial, plan *p, const nln_data *data,
                           nln_error *err)
{
    double least = INFINITY;
    nln_belief_propagation_settings settings = p->settings;
    for (int i = 0, rises = 0; i < N_NOISE_RATES && rises < 2; i++) {
        nln_metrics valid = {0};
        settings.noise = noise_rates[i];
        nln_status status = fit(trial, data, &settings, err);
        if (!status)
            status = measure(&valid, data, NLN_VALID, trial, settings.noise, err);
        if (status)
            return status;
        rises = valid.cross_entropy < least ? 0 : rises + 1;
        if (rises == 0) {
            least = valid.cross_entropy;
            p->settings.noise = settings.noise;
            memcpy(marginals, trial, nln_data_variables(data) * sizeof *trial);
        }
    }
    return NLN_OK;
}

static nln_status infer(nln_exact_report *out, double *marginals, double *trial, plan *p,
                        const nln_data *data, nln_error *err)
{
    double start = now();
    nln_status status = p->choose_noise ? fit_best(marginals, trial, p, data, err)
                                        : fit(marginals, data, &p->settings, err);
    if (!status)
        status = measure(&out->posterior, data, NLN_TEST, marginals, 0, err);
    if (status)
        return status;
    out->noise = p->settings.noise;
    out->posterior_recovered = recovered(data, marginals);
    out->posterior_seconds = now() - start;
    return NLN_OK;
}

/* Without a validation set nothing tells the noise rate, but labels that one
 * assignment explains need none. */
static nln_status settle_noise(plan *p, const nln_data *data, int consistent, nln_error *err)
{
    if (!p->choose_noise || data->split[NLN_VALID].exprs.n > 0)
        return NLN_OK;
    p->choose_noise = 0;
    p->settings.noise = 0;
    return consistent ? NLN_OK
                      : nln_error_set(err, NLN_INVALID,
                                      "the training labels contradict each other and there is no "
                                      "validation set to choose the noise rate on; set noise to a "
                                      "number");
}

nln_status nln_exact(nln_exact_report *out, const nln_data *data, const nln_options *options,
                     nln_error *err)
{
    plan p;
    nln_exact_report report = {0};
    size_t n = nln_data_variables(data);
    nln_status status = options ? nln_options_check(options, "exact", err) : NLN_OK;
    if (!status)
        status = read_plan(&p, options, err);
    if (status)
        return status;
    uint8_t *values = nln_array_zeroed(n, 1);
    double *marginals = nln_array_zeroed(n, sizeof *marginals);
    double *trial = nln_array_zeroed(n, sizeof *trial);
    if (!values || !marginals || !trial)
        status = nln_error_memory(err);
    if (!status)
        status = solve(&report, marginals, values, data, err);
    if (!status)
        status = settle_noise(&p, data, report.consistent, err);
    if (!status)
        status = infer(&report, marginals, trial, &p, data, err);
    if (!status)
        *out = report;
    nln_free(values);
    nln_free(marginals);
    nln_free(trial);
    return status;
}

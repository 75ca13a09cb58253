/* Using a trained model: metrics of a split, probabilities of expressions, and the
 * values of the variables. */
#include <string.h>

#include "base/array.h"
#include "base/thread_pool.h"
#include "data/logic_data.h"
#include "data/split.h"
#include "evaluation/metrics.h"
#include "logic/parse.h"
#include "math/scalar.h"
#include "models/model.h"
#include "net/objective.h"
#include "nln_lab.h"

static int threads_of(const nln_options *options)
{
    int n = options ? (int)nln_options_number(options, "threads") : 1;
    return n ? n : nln_thread_pool_processors();
}

static int orders_of(const nln_model *model, const nln_options *options)
{
    int n = options ? (int)nln_options_number(options, "orders") : 0;
    return n ? n : model->config.orders;
}

/* p of a list that is already in the model's normal form. */
static nln_status probabilities(double *p, const nln_model *model, const nln_exprs *list,
                                const nln_options *options, nln_error *err)
{
    nln_status status =
        nln_model_scores(p, model, list, orders_of(model, options), threads_of(options), err);
    for (size_t i = 0; !status && i < list->n; i++)
        p[i] = nln_sigmoid(p[i]);
    return status;
}

/* ---- predict ---------------------------------------------------------------------- */

static nln_status add_text(nln_exprs *list, nln_exprs *scratch, const nln_model *model,
                           const char *text, nln_error *err)
{
    scratch->n = 0;
    scratch->n_nodes = 0;
    nln_status status =
        nln_parse(scratch, model->symbols, 0, text, strlen(text), NLN_DIALECT_TEXT, err);
    return status ? status : nln_model_normalize(list, model, nln_exprs_get(scratch, 0), err);
}

nln_status nln_predict_many(double *p, const nln_model *model, const char *const *expressions,
                            size_t n, const nln_options *options, nln_error *err)
{
    nln_exprs list = {0}, scratch = {0};
    nln_status status = options ? nln_options_check(options, "predict", err) : NLN_OK;
    for (size_t i = 0; !status && i < n; i++) {
        status = add_text(&list, &scratch, model, expressions[i], err);
        if (status)
            nln_error_place(err, NULL, (long)i + 1);
    }
    if (!status)
        status = probabilities(p, model, &list, options, err);
    nln_exprs_free(&list);
    nln_exprs_free(&scratch);
    return status;
}

nln_status nln_predict(double *p, const nln_model *model, const char *expression, nln_error *err)
{
    nln_status status = nln_predict_many(p, model, &expression, 1, NULL, err);
    if (status && err)
        err->line = 0;
    return status;
}

/* ---- evaluate ------------------------------------------------------------------------ */

nln_status nln_evaluate(nln_metrics *out, const nln_model *model, const nln_data *data,
                        nln_split split, const nln_options *options, nln_error *err)
{
    nln_exprs list = {0};
    nln_status status = nln_split_check(split, err);
    if (!status && options)
        status = nln_options_check(options, "predict", err);
    if (status)
        return status;
    const nln_labelled *set = &data->split[split];
    double *p = nln_array_zeroed(set->exprs.n, sizeof *p);
    if (!p)
        status = nln_error_memory(err);
    for (size_t i = 0; !status && i < set->exprs.n; i++) {
        status = nln_model_add(&list, model, data->symbols, nln_exprs_get(&set->exprs, i), err);
        if (status)
            nln_data_place(err, split, i);
    }
    if (!status)
        status = probabilities(p, model, &list, options, err);
    if (!status)
        *out = nln_metrics_binary(p, set->labels, set->exprs.n);
    nln_exprs_free(&list);
    nln_free(p);
    return status;
}

/* ---- solve ----------------------------------------------------------------------------- */

nln_status nln_solve(double *confidence, const nln_model *model, nln_error *err)
{
    nln_exprs list = {0};
    nln_status status = nln_model_list_variables(&list, model, err);
    if (!status)
        status = nln_model_scores(confidence, model, &list, 1, nln_thread_pool_processors(), err);
    for (size_t i = 0; !status && i < list.n; i++)
        confidence[i] = nln_sigmoid(confidence[i] / model->temperature);
    nln_exprs_free(&list);
    return status;
}

nln_status nln_solve_score(double *recovered, size_t *n, const nln_model *model, const char *truth,
                           nln_error *err)
{
    size_t n_variables = nln_model_variables(model), known = 0, right = 0;
    int8_t *values = nln_array_zeroed(n_variables, sizeof *values);
    double *confidence = nln_array_zeroed(n_variables, sizeof *confidence);
    nln_status status = values && confidence ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_truth_read(values, model->symbols, truth, err);
    if (!status)
        status = nln_solve(confidence, model, err);
    for (size_t i = 0; !status && i < n_variables; i++)
        if (values[i] >= 0) {
            known++;
            right += (size_t)((confidence[i] > 0.5) == values[i]);
        }
    if (!status && !known)
        status = nln_error_at(err, NLN_INVALID, truth, 0, 0,
                              "this file has no value for any variable of the model");
    if (!status) {
        *recovered = (double)right / (double)known;
        *n = known;
    }
    nln_free(values);
    nln_free(confidence);
    return status;
}

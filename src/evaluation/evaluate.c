/* Metrics of a model on labelled expressions, and against known values of its variables. */
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "data/logic_data.h"
#include "data/split_names.h"
#include "evaluation/metrics.h"
#include "evaluation/reliability.h"
#include "inference/predict.h"
#include "nln_lab.h"

nln_status nln_evaluate_predict(double *p, const nln_model *model, const nln_data *data,
                                nln_split split, const nln_options *options, nln_error *err)
{
    nln_exprs list = {0};
    nln_atoms *atoms = NULL;
    nln_vocabulary names = nln_data_names(data);
    const nln_labelled *set = &data->split[split];
    nln_status status = options ? nln_options_check(options, "predict", err) : NLN_OK;
    if (!status)
        status = nln_atoms_create(&atoms, err);
    for (size_t i = 0; !status && i < set->exprs.n; i++) {
        status = nln_model_add(&list, model, atoms, &names, nln_exprs_get(&set->exprs, i), err);
        if (status)
            nln_data_place(err, split, i);
    }
    if (!status)
        status = nln_predict_list(p, model, &list, options, err);
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    return status;
}

nln_status nln_evaluate(nln_metrics *out, const nln_model *model, const nln_data *data,
                        nln_split split, const nln_options *options, nln_error *err)
{
    nln_status status = nln_split_check(split, err);
    if (status)
        return status;
    const nln_labelled *set = &data->split[split];
    double *p = nln_array_zeroed(set->exprs.n, sizeof *p);
    status = p ? nln_evaluate_predict(p, model, data, split, options, err) : nln_error_memory(err);
    if (!status)
        *out = nln_metrics_labels(p, nln_labelled_truths(set), set->exprs.n);
    nln_free(p);
    return status;
}

/* Options of "expressions" that split a file as `origin` says. */
static nln_status split_as(nln_options *o, const nln_data_provenance *origin, nln_error *err)
{
    char fold[NLN_ORIGIN_WORD] = "";
    const char *folds = strchr(origin->holdout, '/');
    nln_status status = nln_options_set(o, "holdout-seed", origin->split_seed, err);
    if (!status && !folds)
        return nln_options_set(o, "holdout", origin->holdout, err);
    if (!status)
        status = nln_options_set(o, "folds", folds + 1, err);
    if (!status) {
        memcpy(fold, origin->holdout, (size_t)(folds - origin->holdout));
        status = nln_options_set(o, "fold", fold, err);
    }
    return status;
}

/* All lines of one file are those of training: splits them as training did, or
 * moves them to the test split. */
static nln_status arrange(nln_data *data, int is_same, const nln_model *model, nln_error *err)
{
    nln_options *o = NULL;
    if (!is_same) {
        data->split[NLN_TEST] = data->split[NLN_TRAIN];
        data->split[NLN_TRAIN] = (nln_labelled){0};
        return NLN_OK;
    }
    nln_status status = nln_options_create(&o, "expressions", err);
    if (!status)
        status = split_as(o, &model->origin, err);
    if (!status)
        status = nln_data_deal(data, o, err);
    nln_options_free(o);
    return status;
}

nln_status nln_data_read_for(nln_data **out, int *is_same, const nln_model *model, const char *path,
                             nln_error *err)
{
    nln_options *whole = NULL;
    nln_data *data = NULL;
    nln_status status = nln_options_create(&whole, "expressions", err);
    if (!status)
        status = nln_options_set(whole, "holdout", "0", err);
    if (!status)
        status = nln_data_read_with(&data, path, whole, err);
    int is_file = !status && data->origin.split[0];
    int same = is_file && strcmp(data->origin.fingerprint, model->origin.fingerprint) == 0;
    if (is_file)
        status = arrange(data, same, model, err);
    nln_options_free(whole);
    if (is_same)
        *is_same = same;
    if (status)
        nln_data_free(data);
    *out = status ? NULL : data;
    return status;
}

nln_status nln_model_truth(int8_t *value, size_t *n_known, const nln_model *model,
                           const char *truth, nln_error *err)
{
    nln_status status = nln_truth_read(value, model->symbols, truth, err);
    *n_known = 0;
    for (size_t i = 0; !status && i < nln_model_variables(model); i++)
        *n_known += value[i] >= 0;
    return status;
}

nln_status nln_solve_score(double *recovered, size_t *n, const nln_model *model, const char *truth,
                           nln_error *err)
{
    size_t n_variables = nln_model_variables(model), known = 0, right = 0;
    int8_t *value = nln_array_zeroed(n_variables, sizeof *value);
    double *confidence = nln_array_zeroed(n_variables, sizeof *confidence);
    nln_status status = value && confidence ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_model_truth(value, &known, model, truth, err);
    if (!status)
        status = nln_solve(confidence, model, err);
    if (!status && !known)
        status = nln_error_at(err, NLN_INVALID, truth, 0, 0,
                              "this file has no value for any variable of the model");
    for (size_t i = 0; !status && i < n_variables; i++)
        right += value[i] >= 0 && (confidence[i] > 0.5) == value[i];
    if (!status) {
        *recovered = (double)right / (double)known;
        *n = known;
    }
    nln_free(value);
    nln_free(confidence);
    return status;
}

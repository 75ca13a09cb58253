/* nln_predict, nln_predict_many and nln_solve of nln.h. */
#include "inference/predict.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "base/thread_pool.h"
#include "logic/parse.h"
#include "math/scalar.h"

nln_status nln_predict_list(double *p, const nln_model *model, const nln_exprs *list,
                            const nln_options *options, nln_error *err)
{
    int orders = options ? (int)nln_options_number(options, "orders") : 0;
    int threads = options ? (int)nln_options_number(options, "threads") : 1;
    int hard = options && nln_options_number(options, "hard") != 0;
    nln_status status =
        hard ? nln_model_need_network(model, "taking variables as solved", err) : NLN_OK;
    if (!status)
        status = nln_model_scores(p, model, list,
                                  hard     ? NLN_ORDERS_HARD
                                  : orders ? orders
                                           : model->config.orders,
                                  threads ? threads : nln_thread_pool_processors(), err);
    for (size_t i = 0; !status && i < list->n; i++)
        p[i] = nln_sigmoid(p[i]);
    return status;
}

/* Appends one expression in the model's normal form; on failure nothing is added. */
static nln_status append(nln_exprs *list, nln_exprs *parsed, const nln_model *model,
                         nln_atoms *atoms, const char *text, nln_error *err)
{
    nln_vocabulary names = nln_model_names(model, atoms);
    parsed->n = parsed->n_nodes = 0;
    nln_status status = nln_parse(parsed, &names, 0, text, strlen(text), NLN_DIALECT_TEXT, err);
    return status ? status : nln_model_ground(list, model, atoms, nln_exprs_get(parsed, 0), err);
}

nln_status nln_predict_many(double *p, const nln_model *model, const char *const *expressions,
                            size_t n, const nln_options *options, nln_error *err)
{
    nln_exprs list = {0}, parsed = {0};
    nln_atoms *atoms = NULL;
    nln_status status = nln_atoms_create(&atoms, err);
    if (!status && options)
        status = nln_options_check(options, "predict", err);
    for (size_t i = 0; !status && i < n; i++) {
        status = append(&list, &parsed, model, atoms, expressions[i], err);
        if (status)
            nln_error_place(err, NULL, (long)i + 1);
    }
    if (!status)
        status = nln_predict_list(p, model, &list, options, err);
    nln_exprs_free(&list);
    nln_exprs_free(&parsed);
    nln_atoms_free(atoms);
    return status;
}

nln_status nln_predict_each(double *p, const nln_model *model, const char *const *expressions,
                            size_t n, const nln_options *options, nln_refused *refused,
                            void *context, nln_error *err)
{
    nln_exprs list = {0}, parsed = {0};
    nln_atoms *atoms = NULL;
    double *known = nln_array_zeroed(n, sizeof *known);
    nln_status status = nln_atoms_create(&atoms, err);
    if (!status && options)
        status = nln_options_check(options, "predict", err);
    if (!status && !known)
        status = nln_error_memory(err);
    for (size_t i = 0; !status && i < n; i++) {
        nln_error reason = {0};
        nln_status read = append(&list, &parsed, model, atoms, expressions[i], &reason);
        p[i] = read ? NAN : 0;
        if (read == NLN_MEMORY)
            status = nln_error_memory(err);
        else if (read && refused)
            refused(context, i, &reason);
    }
    if (!status)
        status = nln_predict_list(known, model, &list, options, err);
    for (size_t i = 0, next = 0; !status && i < n; i++)
        p[i] = isnan(p[i]) ? NAN : known[next++];
    nln_free(known);
    nln_exprs_free(&list);
    nln_exprs_free(&parsed);
    nln_atoms_free(atoms);
    return status;
}

nln_status nln_predict(double *p, const nln_model *model, const char *expression, nln_error *err)
{
    nln_status status = nln_predict_many(p, model, &expression, 1, NULL, err);
    if (status && err)
        err->line = 0;
    return status;
}

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

/* nln_predict, nln_predict_many and nln_solve of nln.h. */
#include "inference/predict.h"

#include <string.h>

#include "base/options.h"
#include "base/thread_pool.h"
#include "logic/parse.h"
#include "math/scalar.h"

nln_status nln_predict_list(double *p, const nln_model *model, const nln_exprs *list,
                            const nln_options *options, nln_error *err)
{
    int orders = options ? (int)nln_options_number(options, "orders") : 0;
    int threads = options ? (int)nln_options_number(options, "threads") : 1;
    nln_status status = nln_model_scores(p, model, list, orders ? orders : model->config.orders,
                                         threads ? threads : nln_thread_pool_processors(), err);
    for (size_t i = 0; !status && i < list->n; i++)
        p[i] = nln_sigmoid(p[i]);
    return status;
}

nln_status nln_predict_many(double *p, const nln_model *model, const char *const *expressions,
                            size_t n, const nln_options *options, nln_error *err)
{
    nln_exprs list = {0}, parsed = {0};
    nln_status status = options ? nln_options_check(options, "predict", err) : NLN_OK;
    for (size_t i = 0; !status && i < n; i++) {
        const char *text = expressions[i];
        parsed.n = parsed.n_nodes = 0;
        status = nln_parse(&parsed, model->symbols, 0, text, strlen(text), NLN_DIALECT_TEXT, err);
        if (!status)
            status = nln_model_normalize(&list, model, nln_exprs_get(&parsed, 0), err);
        if (status)
            nln_error_place(err, NULL, (long)i + 1);
    }
    if (!status)
        status = nln_predict_list(p, model, &list, options, err);
    nln_exprs_free(&list);
    nln_exprs_free(&parsed);
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

/* Asking a model of any method. */
#include <math.h>

#include "base/array.h"
#include "models/method.h"
#include "models/model.h"

enum { BLOCK = 256 };

nln_status nln_model_check_scores(const double *score, size_t n, const char *what, nln_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(score[i]))
            return nln_error_set(err, NLN_NUMERIC,
                                 "the vectors of %s %zu left the finite range: train with a "
                                 "smaller initial scale or learning rate",
                                 what, i + 1);
    return NLN_OK;
}

static nln_status finish(double *score, size_t n, const nln_model *model, const char *what,
                         nln_error *err)
{
    for (size_t i = 0; i < n; i++)
        score[i] *= model->temperature;
    return nln_model_check_scores(score, n, what, err);
}

nln_status nln_model_scores(double *score, const nln_model *model, const nln_exprs *list,
                            int orders, int n_threads, nln_error *err)
{
    if (!model->method->judge)
        return nln_error_set(err, NLN_INVALID,
                             "a model of kind %s reads histories of users, not expressions: use "
                             "nln recommend or nln evaluate",
                             model->method->name);
    nln_status status = model->method->judge(score, model, list, orders, n_threads, err);
    return status ? status : finish(score, list->n, model, "expression", err);
}

/* The answers of a method that has only a scorer. */
static nln_status ask(double *score, const nln_model *model, const nln_cases *cases, nln_error *err)
{
    nln_scorer *scorer = NULL;
    double *all = nln_array_zeroed(nln_model_variables(model), sizeof *all);
    nln_status status =
        all ? model->method->ask(&scorer, model, BLOCK, err) : nln_error_memory(err);
    for (size_t at = 0; !status && at < cases->n; at += BLOCK) {
        size_t n = cases->n - at < BLOCK ? cases->n - at : BLOCK;
        status = scorer->read(scorer, cases, at, n, err);
        for (size_t i = 0; !status && i < n; i++) {
            int32_t target = cases->list[at + i].target;
            scorer->scores(all, scorer, i, &target, 1);
            score[at + i] = all[target];
        }
    }
    if (scorer)
        scorer->free(scorer);
    nln_free(all);
    return status;
}

nln_status nln_model_answers(double *score, const nln_model *model, const nln_cases *cases,
                             int n_threads, nln_error *err)
{
    const nln_method *method = model->method;
    nln_status status = method->answer ? method->answer(score, model, cases, n_threads, err)
                                       : ask(score, model, cases, err);
    return status ? status : finish(score, cases->n, model, "interaction", err);
}

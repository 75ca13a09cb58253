#include "models/implication.h"

static nln_status push_literal(nln_exprs *out, const nln_model *model, nln_literal literal,
                               nln_error *err)
{
    int grade = nln_rating_grades_known(&model->grading, literal);
    nln_status status = nln_exprs_push(out, NLN_OP_VAR, (int32_t)literal.item, err);
    if (!status && !literal.liked)
        status = nln_exprs_push(out, NLN_OP_NOT, 0, err);
    if (status || !model->grading.n || !grade)
        return status;
    status = nln_exprs_push(out, NLN_OP_VAR, nln_symbols_count(model->symbols) + grade - 1, err);
    return status ? status : nln_exprs_push(out, NLN_OP_AND, 2, err);
}

static nln_status push(nln_exprs *out, const nln_model *model, int32_t user,
                       const nln_literal *history, size_t n, nln_error *err)
{
    int has_user = user >= 0 && user < model->n_user_variables;
    size_t premises = n + (size_t)has_user;
    nln_status status = NLN_OK;
    if (!premises)
        return nln_exprs_push(out, NLN_OP_FALSE, 0, err);
    for (size_t i = 0; !status && i < n; i++)
        status = push_literal(out, model, history[i], err);
    if (!status && has_user)
        status = nln_exprs_push(out, NLN_OP_VAR,
                                nln_symbols_count(model->symbols) + model->grading.n + user, err);
    if (!status && premises > 1)
        status = nln_exprs_push(out, NLN_OP_AND, (int32_t)premises, err);
    return status ? status : nln_exprs_push(out, NLN_OP_NOT, 0, err);
}

nln_status nln_implication_append_history(nln_exprs *out, const nln_model *model, int32_t user,
                                          const nln_literal *history, size_t n, nln_error *err)
{
    nln_status status = push(out, model, user, history, n, err);
    return status ? status : nln_exprs_finish(out, err);
}

nln_status nln_implication_append(nln_exprs *out, const nln_model *model, int32_t user,
                                  const nln_literal *history, size_t n, int32_t target,
                                  nln_error *err)
{
    nln_status status = push(out, model, user, history, n, err);
    if (!status)
        status = nln_exprs_push(out, NLN_OP_VAR, target, err);
    if (!status)
        status = nln_exprs_push(out, nln_module_table[NLN_MODULE_CANDIDATE].op, 2, err);
    return status ? status : nln_exprs_finish(out, err);
}

nln_status nln_implication_append_item(nln_exprs *out, int32_t item, nln_error *err)
{
    nln_status status = nln_exprs_push(out, NLN_OP_VAR, item, err);
    return status ? status : nln_exprs_finish(out, err);
}

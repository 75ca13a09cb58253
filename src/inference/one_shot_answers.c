/* What a model can do, the histories of users, and answers without a scorer of one's own. */
#include <string.h>

#include "base/array.h"
#include "base/number.h"
#include "data/history.h"
#include "inference/scorer.h"
#include "models/method.h"
#include "models/model.h"

nln_abilities nln_model_abilities(const nln_model *model)
{
    const nln_method *method = model->method;
    return (nln_abilities){
        .task = nln_options_text(model->options, "task"),
        .method = method->name,
        .recommends = model->task->data == NLN_DATA_RATINGS,
        .knows_users = nln_model_knows_users(model),
        .needs_user = method->needs_user,
        .keeps_histories = model->users != NULL,
        .reads_histories = model->task->data == NLN_DATA_RATINGS && method->reads_history,
        .reads_grades = model->grading.n > 0,
        .reads_expressions = method->judge != NULL,
        .ranks_variables = (method->has & NLN_HAS_NETWORK) != 0,
        .has_vectors = nln_model_vector_length(model) > 0,
        .split = model->origin.split,
    };
}

/* ---- histories --------------------------------------------------------------------------- */

size_t nln_model_users(const nln_model *model)
{
    return model->users ? (size_t)nln_symbols_count(model->users->names) : 0;
}

const char *nln_model_user(const nln_model *model, size_t user)
{
    return user < nln_model_users(model) ? nln_symbols_name(model->users->names, (int32_t)user)
                                         : NULL;
}

static nln_status unknown_user(nln_error *err, const char *user, const char *where)
{
    return nln_error_set(err, NLN_UNKNOWN, "there is no user '%.80s' in %s: check the name", user,
                         where);
}

nln_status nln_model_history(nln_literal **history, size_t *n, const nln_model *model,
                             const char *user, nln_error *err)
{
    const nln_users *users = model->users;
    *history = NULL;
    if (!users)
        return nln_error_set(err, NLN_INVALID,
                             "the model has kept no users: give the ratings, or train on ratings "
                             "with keep-users = true");
    int32_t u = nln_symbols_find(users->names, user, strlen(user));
    if (u < 0)
        return unknown_user(err, user, "the model");
    *n = users->start[u + 1] - users->start[u];
    *history = nln_array_zeroed(*n, sizeof **history);
    for (size_t i = 0; *history && i < *n; i++)
        (*history)[i] = nln_users_literal(users, users->start[u] + i);
    return *history ? NLN_OK : nln_error_memory(err);
}

nln_status nln_ratings_history(nln_literal **history, size_t *n, const nln_model *model,
                               const nln_ratings *ratings, const char *user, nln_error *err)
{
    int32_t u = nln_symbols_find(ratings->users, user, strlen(user)), *map = NULL;
    *history = NULL;
    if (u < 0)
        return unknown_user(err, user, "the ratings");
    size_t most = ratings->start[u + 1] - ratings->start[u], *order = NULL;
    nln_rating_grades grading = nln_rating_grades_apply(ratings, &model->grading);
    nln_status status = nln_model_map(&map, model, ratings->items, err);
    if (status)
        return status;
    *history = nln_array_zeroed(most, sizeof **history);
    order = nln_array_zeroed(most, sizeof *order);
    if (*history && order)
        *n = nln_history_whole(*history, order, ratings, (size_t)u, map, &grading);
    else {
        status = nln_error_memory(err);
        nln_free(*history);
        *history = NULL;
    }
    nln_free(order);
    nln_free(map);
    return status;
}

nln_literal nln_model_rated(const nln_model *model, size_t item, double rating)
{
    char *end;
    const char *text = model->origin.like_from;
    double from = nln_number_parse(text, &end);
    if (end == text || *end) /* auto: labels of 0 and 1 have no rating above 1 */
        from = model->grading.n && model->grading.most <= 1 ? 1 : 4;
    return (nln_literal){item, rating >= from, nln_rating_grades_grade(&model->grading, rating)};
}

/* ---- one question ------------------------------------------------------------------------ */

/* There is only one question: its number says nothing. */
static nln_status without_line(nln_status status, nln_error *err)
{
    if (status && err)
        err->line = 0;
    return status;
}

nln_status nln_recommend_scores(double *score, const nln_model *model, const char *user,
                                const nln_literal *history, size_t n, nln_error *err)
{
    nln_scorer *scorer = NULL;
    nln_question question = {.user = user, .history = history, .n_history = n};
    nln_status status = nln_scorer_create_plain(&scorer, model, err);
    if (!status)
        status = without_line(nln_scorer_scores(score, scorer, &question, 1, 1, err), err);
    nln_scorer_free(scorer);
    return status;
}

nln_status nln_recommend(nln_recommendation *out, size_t *n, size_t k, const nln_model *model,
                         const char *user, const nln_literal *history, size_t n_history,
                         int with_seen, nln_error *err)
{
    nln_scorer *scorer = NULL;
    nln_question question = {
        .user = user, .history = history, .n_history = n_history, .k = k, .with_seen = with_seen};
    nln_answer answer = {.items = out};
    nln_status status = nln_scorer_create_plain(&scorer, model, err);
    if (!status)
        status = without_line(nln_scorer_recommend(&answer, scorer, &question, 1, 1, err), err);
    if (!status)
        *n = answer.n;
    nln_scorer_free(scorer);
    return status;
}

nln_status nln_explain(nln_explanation *out, const nln_model *model, const char *user,
                       const nln_literal *history, size_t n_history, size_t item, nln_error *err)
{
    nln_scorer *scorer = NULL;
    nln_question question = {.user = user, .history = history, .n_history = n_history};
    nln_status status = nln_scorer_create_plain(&scorer, model, err);
    if (!status)
        status = nln_scorer_explain(out, scorer, &question, &item, 1, err);
    nln_scorer_free(scorer);
    return status;
}

nln_status nln_rank(double *p, const nln_model *model, const char *expression, nln_error *err)
{
    nln_scorer *scorer = NULL;
    nln_status status = nln_model_need_network(model, "ranking after an expression", err);
    if (!status)
        status = nln_scorer_create_plain(&scorer, model, err);
    if (!status)
        status = nln_scorer_rank(p, scorer, expression, err);
    nln_scorer_free(scorer);
    return status;
}

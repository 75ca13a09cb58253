/* Recommending: scores of the whole catalogue after a history, the best of them, and what each
 * literal of the history adds to one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "base/thread_pool.h"
#include "data/history.h"
#include "math/scalar.h"
#include "models/method.h"
#include "models/model.h"

/* ---- histories --------------------------------------------------------------------------- */

size_t nln_model_users(const nln_model *model)
{
    return model->users ? (size_t)nln_symbols_count(model->users->names) : 0;
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
    nln_grade_scale grading = nln_history_grading_of(ratings, &model->grading);
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

/* The literals that the model takes: the last of them, checked. */
static nln_status take(const nln_literal **out, size_t *n_out, const nln_model *model,
                       const nln_literal *history, size_t n, nln_error *err)
{
    size_t most = (size_t)model->config.history;
    if (model->config.task == NLN_TASK_LOGIC)
        return nln_error_set(err, NLN_INVALID,
                             "this model was trained on expressions, not on ratings: train one "
                             "with --task topk or preference");
    *n_out = n < most ? n : most;
    *out = n ? history + (n - *n_out) : history;
    for (size_t i = 0; i < *n_out; i++) {
        int grade = (*out)[i].grade, grades = model->grading.n;
        if ((*out)[i].item >= nln_model_variables(model))
            return nln_error_set(
                err, NLN_INVALID,
                "item number %zu of the history is not below the %zu items of the model",
                (*out)[i].item, nln_model_variables(model));
        if (grades && (grade < 0 || grade > grades))
            return nln_error_set(err, NLN_INVALID,
                                 "grade %d in the history is not from 1 to %d, or 0 for unknown",
                                 grade, grades);
    }
    return NLN_OK;
}

/* The number of the user, -1 for nobody whom the model knows. */
static nln_status find_user(int32_t *out, const nln_model *model, const char *user, nln_error *err)
{
    *out = user && model->users ? nln_symbols_find(model->users->names, user, strlen(user)) : -1;
    if (*out >= 0 || !model->method->needs_user)
        return NLN_OK;
    return nln_error_set(err, NLN_UNKNOWN,
                         "a model of kind %s knows only the users that it was trained with%s: "
                         "name one of them, or train another model",
                         model->method->name, user ? ", and this is none" : "");
}

/* ---- recommend ---------------------------------------------------------------------------- */

nln_status nln_recommend_scores(double *score, const nln_model *model, const char *user,
                                const nln_literal *history, size_t n, nln_error *err)
{
    nln_queries queries = {0};
    nln_scorer *scorer = NULL;
    double carried = 0;
    int32_t number;
    nln_status status = take(&history, &n, model, history, n, err);
    if (!status)
        status = find_user(&number, model, user, err);
    if (!status)
        status = nln_queries_append(&queries, number, history, n, -1, err);
    if (!status)
        status = model->method->ask(&scorer, model, 1, err);
    if (!status)
        status = scorer->read(scorer, &queries, 0, 1, err);
    if (!status)
        status = nln_model_carried(&carried, model, &queries, 1, err);
    if (!status)
        scorer->scores(score, scorer, 0, NULL, 0);
    for (size_t i = 0; !status && i < nln_model_variables(model); i++)
        score[i] = model->temperature * score[i] + carried;
    if (!status)
        status = nln_model_check_scores(score, nln_model_variables(model), "item", err);
    if (scorer)
        scorer->free(scorer);
    nln_queries_free(&queries);
    return status;
}

/* Best first; of equal scores the item that comes first. */
static int better_first(const void *a, const void *b)
{
    const nln_recommendation *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

nln_status nln_recommend(nln_recommendation *out, size_t *n, size_t k, const nln_model *model,
                         const char *user, const nln_literal *history, size_t n_history,
                         int with_seen, nln_error *err)
{
    size_t n_items = nln_model_variables(model), left = 0;
    double *score = nln_array_zeroed(n_items, sizeof *score);
    nln_recommendation *all = nln_array_zeroed(n_items, sizeof *all);
    nln_status status = score && all
                            ? nln_recommend_scores(score, model, user, history, n_history, err)
                            : nln_error_memory(err);
    for (size_t i = 0; !status && !with_seen && i < n_history; i++)
        if (history[i].item < n_items)
            score[history[i].item] = NAN;
    for (size_t i = 0; !status && i < n_items; i++)
        if (!isnan(score[i]))
            all[left++] = (nln_recommendation){i, score[i], nln_sigmoid(score[i])};
    if (!status) {
        qsort(all, left, sizeof *all, better_first);
        *n = left < k ? left : k;
        memcpy(out, all, *n * sizeof *all);
    }
    nln_free(score);
    nln_free(all);
    return status;
}

/* ---- explain ------------------------------------------------------------------------------- */

/* Appends the history with literal i changed: 0 as it is, 1 left out, 2 negated. */
static nln_status append_changed(nln_queries *queries, nln_literal *room, const nln_query *whole,
                                 const nln_literal *history, size_t i, int change, nln_error *err)
{
    size_t kept = 0;
    for (size_t j = 0; j < whole->n; j++) {
        if (change == 1 && j == i)
            continue;
        room[kept] = history[j];
        if (change == 2 && j == i)
            room[kept] = (nln_literal){history[j].item, !history[j].liked, 0};
        kept++;
    }
    return nln_queries_append(queries, whole->user, room, kept, whole->target, err);
}

/* The history as it is, then with each literal left out, then with each negated. */
static nln_status append_all_changed(nln_queries *queries, const nln_query *whole,
                                     const nln_literal *history, nln_error *err)
{
    nln_literal *room = nln_array_zeroed(whole->n + 1, sizeof *room);
    nln_status status =
        room ? append_changed(queries, room, whole, history, 0, 0, err) : nln_error_memory(err);
    for (int change = 1; change <= 2; change++)
        for (size_t i = 0; !status && i < whole->n; i++)
            status = append_changed(queries, room, whole, history, i, change, err);
    nln_free(room);
    return status;
}

/* All the changed histories go through the model together, and share what they have in
 * common.  score[i] is that of the target, and lead[i] what it is above the mean of all. */
static nln_status changed_scores(double *score, double *lead, const nln_model *model,
                                 const nln_query *whole, const nln_literal *history, nln_error *err)
{
    size_t n_items = nln_model_variables(model);
    nln_queries queries = {0};
    nln_scorer *scorer = NULL;
    double *all = nln_array_zeroed(n_items, sizeof *all);
    nln_status status =
        all ? append_all_changed(&queries, whole, history, err) : nln_error_memory(err);
    if (!status)
        status = model->method->ask(&scorer, model, queries.n, err);
    if (!status)
        status = scorer->read(scorer, &queries, 0, queries.n, err);
    if (!status)
        status = nln_model_carried(score, model, &queries, 1, err);
    for (size_t i = 0; !status && i < queries.n; i++) {
        double sum = 0, carried = score[i]; /* to all items alike */
        scorer->scores(all, scorer, i, NULL, 0);
        for (size_t j = 0; j < n_items; j++)
            sum += all[j];
        double alone = model->temperature * all[whole->target];
        lead[i] = alone - model->temperature * sum / (double)n_items;
        score[i] = alone + carried;
    }
    if (scorer)
        scorer->free(scorer);
    nln_queries_free(&queries);
    nln_free(all);
    return status;
}

/* What is to be explained, as a query whose history is that of the caller. */
static nln_status pose(nln_query *out, const nln_literal **taken, const nln_model *model,
                       const char *user, const nln_literal *history, size_t n, size_t item,
                       nln_error *err)
{
    nln_status status = take(taken, &out->n, model, history, n, err);
    if (!status)
        status = find_user(&out->user, model, user, err);
    if (status)
        return status;
    if (!model->method->reads_history)
        return nln_error_set(err, NLN_INVALID,
                             "a model of kind %s does not look at histories: there is nothing to "
                             "explain",
                             model->method->name);
    if (item >= nln_model_variables(model))
        return nln_error_set(err, NLN_INVALID, "there is no item %zu in the model", item);
    out->target = (int32_t)item;
    return NLN_OK;
}

nln_status nln_explain(nln_reason *reasons, size_t *n, double *score, const nln_model *model,
                       const char *user, const nln_literal *history, size_t n_history, size_t item,
                       nln_error *err)
{
    const nln_literal *taken = NULL;
    nln_query whole = {0};
    nln_status status = pose(&whole, &taken, model, user, history, n_history, item, err);
    if (status)
        return status;
    *n = whole.n;
    size_t n_changed = 2 * *n + 1;
    double *scores = nln_array_zeroed(2 * n_changed, sizeof *scores);
    status = scores ? changed_scores(scores, scores + n_changed, model, &whole, taken, err)
                    : nln_error_memory(err);
    const double *by = scores;
    if (!status)
        status = nln_model_check_scores(scores, 2 * n_changed, "history", err);
    if (!status) {
        *score = scores[0];
        by += model->config.task == NLN_TASK_TOPK ? n_changed : 0;
    }
    for (size_t i = 0; !status && i < *n; i++)
        reasons[i] = (nln_reason){
            .literal = taken[i], .removed = by[0] - by[1 + i], .negated = by[0] - by[1 + *n + i]};
    nln_free(scores);
    return status;
}

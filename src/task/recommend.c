/* Recommending: scores of the whole catalogue after a history, the best of them, and what each
 * literal of the history adds to one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/team.h"
#include "data/history.h"
#include "math/scalar.h"
#include "task/judge.h"
#include "task/metrics.h"
#include "task/rank.h"

void nln_free(void *array)
{
    free(array);
}

/* ---- histories --------------------------------------------------------------------------- */

size_t nln_model_users(const nln_model *model)
{
    return model->users ? (size_t)nln_symbols_count(model->users->names) : 0;
}

static nln_status unknown_user(nln_error *err, const char *user, const char *where)
{
    return nln_error_set(err, NLN_UNKNOWN, "there is no user '%s' in %s: check the name", user,
                         where);
}

nln_status nln_model_history(nln_literal **history, size_t *n, const nln_model *model,
                             const char *user, nln_error *err)
{
    const nln_users *users = model->users;
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
    if (u < 0)
        return unknown_user(err, user, "the ratings");
    size_t first = ratings->start[u], last = ratings->start[u + 1];
    nln_status status = nln_model_map(&map, model, ratings->items, err);
    if (status)
        return status;
    *history = nln_array_zeroed(last - first, sizeof **history);
    if (*history)
        *n = nln_history_window(*history, ratings, first, last, last - first, map);
    free(map);
    return *history ? NLN_OK : nln_error_memory(err);
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
    for (size_t i = 0; i < *n_out; i++)
        if ((*out)[i].item >= nln_model_variables(model))
            return nln_error_set(
                err, NLN_INVALID,
                "item number %zu of the history is not below the %zu items of the model",
                (*out)[i].item, nln_model_variables(model));
    return NLN_OK;
}

/* ---- recommend ---------------------------------------------------------------------------- */

nln_status nln_recommend_scores(double *score, const nln_model *model, const nln_literal *history,
                                size_t n, nln_error *err)
{
    nln_exprs list = {0};
    nln_ranker *ranker = NULL;
    nln_rank_scorer scorer = {0};
    nln_status status = take(&history, &n, model, history, n, err);
    if (!status)
        status = nln_history_append(&list, history, n, err);
    if (!status)
        status = nln_ranker_create(&ranker, model->net, err);
    if (!status)
        status = nln_rank_scorer_create(&scorer, model, ranker, 1, err);
    if (!status)
        status = nln_rank_scorer_read(&scorer, model, &list, err);
    if (!status)
        nln_rank_scorer_scores(score, &scorer, ranker, model, 0, NULL, 0);
    for (size_t i = 0; !status && i < nln_model_variables(model); i++)
        score[i] *= model->temperature;
    nln_rank_scorer_free(&scorer);
    nln_ranker_free(ranker);
    nln_exprs_free(&list);
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
                         const nln_literal *history, size_t n_history, int with_seen,
                         nln_error *err)
{
    size_t n_items = nln_model_variables(model), left = 0;
    double *score = nln_array_zeroed(n_items, sizeof *score);
    nln_recommendation *all = nln_array_zeroed(n_items, sizeof *all);
    nln_status status = score && all ? nln_recommend_scores(score, model, history, n_history, err)
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
    free(score);
    free(all);
    return status;
}

/* ---- explain ------------------------------------------------------------------------------- */

/* Appends the history with literal i changed: 0 as it is, 1 left out, 2 negated. */
static nln_status append_changed(nln_exprs *list, nln_literal *room, const nln_literal *history,
                                 size_t n, size_t i, int change, nln_error *err)
{
    size_t kept = 0;
    for (size_t j = 0; j < n; j++) {
        if (change == 1 && j == i)
            continue;
        room[kept] = history[j];
        if (change == 2 && j == i)
            room[kept].liked = !room[kept].liked;
        kept++;
    }
    return nln_history_append(list, room, kept, err);
}

/* The history as it is, then with each literal left out, then with each negated. */
static nln_status append_all_changed(nln_exprs *list, const nln_literal *history, size_t n,
                                     nln_error *err)
{
    nln_literal *room = nln_array_zeroed(n + 1, sizeof *room);
    nln_status status =
        room ? append_changed(list, room, history, n, 0, 0, err) : nln_error_memory(err);
    for (int change = 1; change <= 2; change++)
        for (size_t i = 0; !status && i < n; i++)
            status = append_changed(list, room, history, n, i, change, err);
    free(room);
    return status;
}

/* All the changed histories go through the network together, and share what they have in
 * common.  score[i] is that of the item, and lead[i] what it is above the mean of all. */
static nln_status changed_scores(double *score, double *lead, const nln_model *model,
                                 const nln_literal *history, size_t n, size_t item, nln_error *err)
{
    size_t n_items = nln_model_variables(model);
    nln_exprs list = {0};
    nln_ranker *ranker = NULL;
    nln_rank_scorer scorer = {0};
    double *all = nln_array_zeroed(n_items, sizeof *all);
    nln_status status = all ? append_all_changed(&list, history, n, err) : nln_error_memory(err);
    if (!status)
        status = nln_ranker_create(&ranker, model->net, err);
    if (!status)
        status = nln_rank_scorer_create(&scorer, model, ranker, list.n, err);
    if (!status)
        status = nln_rank_scorer_read(&scorer, model, &list, err);
    for (size_t i = 0; !status && i < list.n; i++) {
        double sum = 0;
        nln_rank_scorer_scores(all, &scorer, ranker, model, i, NULL, 0);
        for (size_t j = 0; j < n_items; j++)
            sum += all[j];
        score[i] = model->temperature * all[item];
        lead[i] = score[i] - model->temperature * sum / (double)n_items;
    }
    nln_rank_scorer_free(&scorer);
    nln_ranker_free(ranker);
    nln_exprs_free(&list);
    free(all);
    return status;
}

nln_status nln_explain(nln_reason *reasons, size_t *n, double *score, const nln_model *model,
                       const nln_literal *history, size_t n_history, size_t item, nln_error *err)
{
    const nln_literal *taken;
    nln_status status = take(&taken, n, model, history, n_history, err);
    if (status)
        return status;
    if (item >= nln_model_variables(model))
        return nln_error_set(err, NLN_INVALID, "there is no item %zu in the model", item);
    size_t n_changed = 2 * *n + 1;
    double *scores = nln_array_zeroed(2 * n_changed, sizeof *scores);
    status = scores ? changed_scores(scores, scores + n_changed, model, taken, *n, item, err)
                    : nln_error_memory(err);
    const double *by = scores;
    if (!status) {
        *score = scores[0];
        by += model->config.task == NLN_TASK_TOPK ? n_changed : 0;
    }
    for (size_t i = 0; !status && i < *n; i++)
        reasons[i] = (nln_reason){
            .literal = taken[i], .removed = by[0] - by[1 + i], .negated = by[0] - by[1 + *n + i]};
    free(scores);
    return status;
}

/* ---- evaluate ------------------------------------------------------------------------------- */

/* The interactions of a split as rules with labels; those with unknown items are left out. */
static nln_status append_split(nln_exprs *list, uint8_t *labels, const nln_model *model,
                               const nln_ratings *r, nln_split split, const int32_t *map,
                               nln_literal *window, nln_error *err)
{
    nln_status status = NLN_OK;
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; !status && i < r->start[u + 1]; i++) {
            if (nln_ratings_split(r, i) != split || map[r->item[i]] < 0)
                continue;
            size_t k =
                nln_history_window(window, r, r->start[u], i, (size_t)model->config.history, map);
            labels[list->n] = (uint8_t)nln_ratings_liked(r, i);
            status = nln_history_append_rule(list, window, k, map[r->item[i]], err);
        }
    return status;
}

static nln_status preference(nln_metrics *out, const nln_model *model, const nln_ratings *r,
                             nln_split split, int threads, nln_error *err)
{
    size_t size = nln_ratings_size(r, split);
    nln_exprs list = {0};
    int32_t *map = NULL;
    double *p = nln_array_zeroed(size, sizeof *p);
    uint8_t *labels = nln_array_zeroed(size, sizeof *labels);
    nln_literal *window = nln_array_zeroed((size_t)model->config.history, sizeof *window);
    nln_status status =
        p && labels && window ? nln_model_map(&map, model, r->items, err) : nln_error_memory(err);
    if (!status)
        status = append_split(&list, labels, model, r, split, map, window, err);
    if (!status)
        status = nln_model_scores(p, model, &list, model->config.orders, threads, err);
    for (size_t i = 0; !status && i < list.n; i++)
        p[i] = nln_sigmoid(p[i]);
    if (!status) {
        *out = nln_metrics_binary(p, labels, list.n);
        status = nln_metrics_auc(&out->auc, p, labels, list.n, err);
    }
    nln_exprs_free(&list);
    free(map);
    free(p);
    free(labels);
    free(window);
    return status;
}

/* Where the model knows no item at all, the ratings are about something else. */
static nln_status check_items(const nln_model *model, const nln_ratings *ratings, nln_error *err)
{
    for (size_t i = 0; i < nln_ratings_items(ratings); i++) {
        const char *name = nln_ratings_item(ratings, i);
        if (nln_symbols_find(model->symbols, name, strlen(name)) >= 0)
            return NLN_OK;
    }
    return nln_error_set(err, NLN_UNKNOWN,
                         "the model knows none of the %zu items of the ratings: are they those of "
                         "its training?",
                         nln_ratings_items(ratings));
}

nln_status nln_evaluate_ratings(nln_metrics *out, nln_placing **placings, const nln_model *model,
                                const nln_ratings *ratings, nln_split split,
                                const nln_options *options, nln_error *err)
{
    int threads = options ? (int)nln_options_number(options, "threads") : model->config.threads;
    if (placings)
        *placings = NULL;
    nln_status status =
        model->config.task == NLN_TASK_LOGIC ? NLN_OK : check_items(model, ratings, err);
    if (status)
        return status;
    switch (model->config.task) {
    case NLN_TASK_TOPK:
        return nln_judge(out, placings, model, ratings, split, options, err);
    case NLN_TASK_PREFERENCE:
        return preference(out, model, ratings, split, threads ? threads : nln_team_processors(),
                          err);
    default:
        return nln_error_set(err, NLN_INVALID,
                             "this model was trained on expressions: evaluate it on a folder of "
                             "labelled expressions");
    }
}

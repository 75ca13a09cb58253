/* Measures a model on one split of some ratings. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "base/thread_pool.h"
#include "data/history.h"
#include "data/split_names.h"
#include "evaluation/metrics.h"
#include "evaluation/ranking_evaluation.h"
#include "evaluation/reliability.h"
#include "math/scalar.h"
#include "models/method.h"

/* The interactions of a split as queries with labels; those with unknown items are left out. */
static nln_status append_split(nln_queries *queries, uint8_t *labels, const nln_model *model,
                               const nln_ratings *r, nln_split split, nln_error *err)
{
    size_t most = model->method->reads_history ? (size_t)model->config.history : 0;
    int32_t *map = NULL, *user = NULL;
    nln_rating_grades grading = nln_rating_grades_apply(r, &model->grading);
    nln_literal *window = nln_array_zeroed(most, sizeof *window);
    nln_status status = window ? nln_model_map(&map, model, r->items, err) : nln_error_memory(err);
    if (!status)
        status = nln_model_map_users(&user, model, r->users, err);
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; !status && i < r->start[u + 1]; i++) {
            if (nln_ratings_split(r, i) != split || map[r->item[i]] < 0)
                continue;
            size_t k = nln_history_window(window, r, r->start[u], i, most, map, &grading);
            labels[queries->n] = (uint8_t)nln_ratings_liked(r, i);
            status = nln_queries_append(queries, user[u], window, k, map[r->item[i]], err);
        }
    nln_free(window);
    nln_free(map);
    nln_free(user);
    return status;
}

nln_status nln_evaluate_preference(double *p, uint8_t *labels, size_t *n, const nln_model *model,
                                   const nln_ratings *r, nln_split split, int threads,
                                   nln_error *err)
{
    nln_queries queries = {0};
    nln_status status = append_split(&queries, labels, model, r, split, err);
    if (!status)
        status = nln_model_answers(p, model, &queries, threads, err);
    for (size_t i = 0; !status && i < queries.n; i++)
        p[i] = nln_sigmoid(p[i]);
    *n = queries.n;
    nln_queries_free(&queries);
    return status;
}

static nln_status preference(nln_metrics *out, const nln_model *model, const nln_ratings *r,
                             nln_split split, int threads, nln_error *err)
{
    size_t n = nln_ratings_size(r, split);
    double *p = nln_array_zeroed(n, sizeof *p);
    uint8_t *labels = nln_array_zeroed(n, sizeof *labels);
    nln_status status = p && labels
                            ? nln_evaluate_preference(p, labels, &n, model, r, split, threads, err)
                            : nln_error_memory(err);
    if (!status) {
        *out = nln_metrics_binary(p, labels, n);
        status = nln_metrics_auc(&out->auc, p, labels, n, err);
    }
    nln_free(p);
    nln_free(labels);
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

/* The same of users, where the model has nothing to say to others. */
static nln_status check_users(const nln_model *model, const nln_ratings *ratings, nln_error *err)
{
    if (!model->method->needs_user)
        return NLN_OK;
    for (size_t u = 0; u < nln_ratings_users(ratings); u++) {
        const char *name = nln_ratings_user(ratings, u);
        if (nln_symbols_find(model->users->names, name, strlen(name)) >= 0)
            return NLN_OK;
    }
    return nln_error_set(err, NLN_UNKNOWN,
                         "the model knows none of the %zu users of the ratings: are they those of "
                         "its training?",
                         nln_ratings_users(ratings));
}

nln_status nln_evaluate_ratings(nln_metrics *out, nln_placing **placings, const nln_model *model,
                                const nln_ratings *ratings, nln_split split,
                                const nln_options *options, nln_error *err)
{
    int threads = options ? (int)nln_options_number(options, "threads") : model->config.threads;
    if (placings)
        *placings = NULL;
    nln_status status = nln_split_check(split, err);
    if (!status && options)
        status = nln_options_check(options, "ranking", err);
    if (!status && model->task->data != NLN_DATA_RATINGS)
        status = nln_error_set(err, NLN_INVALID,
                               "this model was trained on %s: evaluate it on such data",
                               nln_task_data_name(model->task->data));
    if (!status)
        status = check_items(model, ratings, err);
    if (!status)
        status = check_users(model, ratings, err);
    if (status)
        return status;
    if (model->task->measures == NLN_MEASURE_RANKS)
        return nln_evaluate_ranking(out, placings, model, ratings, split, options, err);
    return preference(out, model, ratings, split, threads ? threads : nln_thread_pool_processors(),
                      err);
}

#include "inference/scorer.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "inference/diversity.h"
#include "inference/similar_items.h"
#include "logic/parse.h"
#include "math/scalar.h"

/* Sessions that no thread uses. */
struct nln_idle_sessions {
    pthread_mutex_t lock;
    nln_scorer_session *first;
};

/* ---- scorers and sessions ------------------------------------------------------------------ */

nln_status nln_scorer_create_plain(nln_scorer **out, const nln_model *model, nln_error *err)
{
    *out = NULL;
    if (!model->method->ask)
        return nln_error_set(err, NLN_INVALID,
                             "a model of kind %s can neither rank nor recommend: it predicts "
                             "expressions",
                             model->method->name);
    nln_scorer *s = nln_memory_zeroed(1, sizeof *s);
    nln_idle_sessions *idle = nln_memory_zeroed(1, sizeof *idle);
    float **vectors = nln_memory_zeroed(1, sizeof *vectors);
    nln_status status = s && idle && vectors ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = model->method->ask(&s->items, model, NLN_SCORER_BLOCK, err);
    if (status) {
        nln_free(s);
        nln_free(idle);
        nln_free(vectors);
        return status;
    }
    s->model = model;
    s->vectors = vectors;
    s->idle = idle;
    pthread_mutex_init(&idle->lock, NULL);
    *out = s;
    return NLN_OK;
}

nln_status nln_scorer_create(nln_scorer **out, const nln_model *model, nln_error *err)
{
    nln_status status = nln_scorer_create_plain(out, model, err);
    if (!status && (*out)->items->prepare)
        status = (*out)->items->prepare((*out)->items, err);
    if (status) {
        nln_scorer_free(*out);
        *out = NULL;
    }
    return status;
}

static void session_free(nln_scorer_session *s)
{
    if (s->items)
        s->items->free(s->items);
    nln_queries_free(&s->queries);
    nln_free(s->score);
    nln_free(s->list);
    nln_free(s->excluded);
    nln_free(s->skip);
    nln_free(s->best);
    nln_free(s->nearest);
    nln_free(s);
}

void nln_scorer_free(nln_scorer *scorer)
{
    if (!scorer)
        return;
    for (nln_scorer_session *s = scorer->idle->first, *next; s; s = next) {
        next = s->next;
        session_free(s);
    }
    pthread_mutex_destroy(&scorer->idle->lock);
    scorer->items->free(scorer->items);
    nln_free(*scorer->vectors);
    nln_free(scorer->vectors);
    nln_free(scorer->idle);
    nln_free(scorer);
}

nln_status nln_scorer_borrow(nln_scorer_session **out, const nln_scorer *scorer, nln_error *err)
{
    size_t n = nln_model_variables(scorer->model);
    pthread_mutex_lock(&scorer->idle->lock);
    nln_scorer_session *s = scorer->idle->first;
    if (s)
        scorer->idle->first = s->next;
    pthread_mutex_unlock(&scorer->idle->lock);
    *out = s;
    if (s)
        return NLN_OK;
    if (!(s = nln_memory_zeroed(1, sizeof *s)))
        return nln_error_memory(err);
    s->score = nln_array_zeroed(n, sizeof *s->score);
    s->list = nln_array_zeroed(n, sizeof *s->list);
    s->excluded = nln_array_zeroed(n, 1);
    nln_status status = s->score && s->list && s->excluded
                            ? scorer->items->clone(&s->items, scorer->items, err)
                            : nln_error_memory(err);
    if (status)
        session_free(s);
    else
        *out = s;
    return status;
}

void nln_scorer_give_back(const nln_scorer *scorer, nln_scorer_session *session)
{
    if (!session)
        return;
    pthread_mutex_lock(&scorer->idle->lock);
    session->next = scorer->idle->first;
    scorer->idle->first = session;
    pthread_mutex_unlock(&scorer->idle->lock);
}

/* ---- reading questions --------------------------------------------------------------------- */

/* The literals that the model takes, which are the last ones, checked. */
static nln_status take_history(const nln_literal **out, size_t *n_out, const nln_model *model,
                               const nln_question *q, nln_error *err)
{
    size_t most = nln_model_reach(model), n_items = nln_model_variables(model);
    if (model->task->data != NLN_DATA_RATINGS)
        return nln_error_set(err, NLN_INVALID,
                             "this model was trained on expressions, not on ratings: train one "
                             "with --task topk or preference");
    *n_out = q->n_history < most ? q->n_history : most;
    *out = q->n_history ? q->history + (q->n_history - *n_out) : NULL;
    for (size_t i = 0; i < *n_out; i++) {
        int grade = (*out)[i].grade, grades = model->grading.n;
        if ((*out)[i].item >= n_items)
            return nln_error_set(
                err, NLN_INVALID,
                "item number %zu of the history is not below the %zu items of the model",
                (*out)[i].item, n_items);
        if (grades && (grade < 0 || grade > grades))
            return nln_error_set(err, NLN_INVALID,
                                 "grade %d in the history is not from 1 to %d, or 0 for unknown",
                                 grade, grades);
    }
    return NLN_OK;
}

/* The number of the user, or -1 for a user that the model does not know. */
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

nln_status nln_scorer_append_question(nln_queries *queries, const nln_scorer *scorer,
                                      const nln_question *q, nln_error *err)
{
    const nln_model *model = scorer->model;
    const nln_literal *history = NULL;
    size_t n = 0;
    int32_t user = -1;
    nln_status status = take_history(&history, &n, model, q, err);
    if (!status)
        status = find_user(&user, model, q->user, err);
    return status ? status : nln_queries_append(queries, user, history, n, -1, err);
}

/* ---- many questions on many threads --------------------------------------------------------- */

/* A call: blocks of questions, each read and answered by one thread. */
typedef struct asking {
    const nln_scorer *scorer;
    const nln_question *questions;
    size_t n;
    nln_answer *answers; /* of nln_scorer_recommend, or NULL ... */
    double *score;       /* ... and of nln_scorer_scores */
    size_t blocks;       /* of questions next to each other, nearly equal in size */
    pthread_mutex_t lock;
    size_t failed; /* the first question that failed, or n */
    nln_status status;
    nln_error err;
} asking;

/* score[i] in the model's own scale, checked, for all items or those of a list. */
static nln_status finish_scores(double *score, const int32_t *list, size_t n,
                                const nln_model *model, double carried, nln_error *err)
{
    for (size_t i = 0; i < n; i++) {
        size_t item = list ? (size_t)list[i] : i;
        score[item] = model->temperature * score[item] + carried;
        if (isnan(score[item]))
            return nln_model_check_scores(score + item, 1, "item", err);
    }
    return NLN_OK;
}

/* Best first; of equal scores the item that comes first. */
static int better_first(const void *a, const void *b)
{
    const nln_recommendation *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Adds a row to the `room` best so far, a heap whose root is the worst of them. */
static void add_to_best(nln_recommendation *heap, size_t *n, size_t room, nln_recommendation row)
{
    size_t at = 0;
    if (*n < room) {
        for (at = (*n)++; at && better_first(&heap[(at - 1) / 2], &row) < 0; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
    } else {
        if (better_first(&row, &heap[0]) > 0)
            return;
        for (size_t child = 1; child < *n; child = 2 * at + 1) {
            if (child + 1 < *n && better_first(&heap[child], &heap[child + 1]) < 0)
                child++;
            if (better_first(&heap[child], &row) <= 0)
                break;
            heap[at] = heap[child];
            at = child;
        }
    }
    heap[at] = row;
}

static nln_status skip_item(nln_scorer_session *s, size_t item, nln_error *err)
{
    if (s->excluded[item])
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(s->skip, s->skip_room, s->n_skip + 1))
        return nln_error_memory(err);
    s->excluded[item] = 1;
    s->skip[s->n_skip++] = (int32_t)item;
    return NLN_OK;
}

/* Marks the items that the question leaves out. */
static nln_status exclude_items(nln_scorer_session *s, const nln_question *q, size_t n_items,
                                nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && !q->with_seen && i < q->n_history; i++)
        if (q->history[i].item < n_items)
            status = skip_item(s, q->history[i].item, err);
    for (size_t i = 0; !status && i < q->n_exclude; i++)
        status = q->exclude[i] < n_items
                     ? skip_item(s, q->exclude[i], err)
                     : nln_error_set(err, NLN_INVALID,
                                     "item number %zu to exclude is not below the %zu items of the "
                                     "model",
                                     q->exclude[i], n_items);
    return status;
}

/* Lists the items to choose from, each once, and leaves out the excluded ones. */
static nln_status list_allowed(size_t *n, nln_scorer_session *s, const nln_question *q,
                               size_t n_items, nln_error *err)
{
    nln_status status = NLN_OK;
    *n = 0;
    for (size_t i = 0; !status && i < q->n_only; i++) {
        if (q->only[i] >= n_items)
            return nln_error_set(err, NLN_INVALID,
                                 "item number %zu to choose from is not below the %zu items of "
                                 "the model",
                                 q->only[i], n_items);
        if (s->excluded[q->only[i]])
            continue;
        s->list[(*n)++] = (int32_t)q->only[i];
        status = skip_item(s, q->only[i], err);
    }
    return status;
}

/* The scores that the answer is chosen from: those of the n items in s->list, or of all if
 * *is_all. */
static nln_status score_candidates(size_t *n, int *is_all, nln_scorer_session *s, size_t i,
                                   const nln_question *q, size_t need, const nln_model *model,
                                   double carried, nln_error *err)
{
    size_t n_items = nln_model_variables(model);
    double tie = fabs(carried) / model->temperature * 1e-9;
    nln_status status = NLN_OK;
    *is_all = 0;
    if (q->only) {
        status = list_allowed(n, s, q, n_items, err);
        if (!status && *n)
            s->items->scores(s->score, s->items, i, s->list, (int32_t)*n);
    } else {
        int32_t found = s->items->candidates && model->temperature > 0
                            ? s->items->candidates(s->list, s->score, s->items, i, need, s->skip,
                                                   (int32_t)s->n_skip, tie)
                            : -1;
        *is_all = found < 0;
        *n = *is_all ? n_items : (size_t)found;
        if (*is_all)
            s->items->scores(s->score, s->items, i, NULL, 0);
    }
    return status ? status
                  : finish_scores(s->score, *is_all ? NULL : s->list, *n, model, carried, err);
}

/* The vectors of the items, made when they are first needed. */
static nln_status find_vectors(const nln_scorer *scorer, nln_error *err)
{
    nln_status status = NLN_OK;
    pthread_mutex_lock(&scorer->idle->lock);
    if (!*scorer->vectors && !nln_model_vector_length(scorer->model))
        status =
            nln_error_set(err, NLN_INVALID,
                          "a model of kind %s has no vectors of items, which diverse lists need",
                          scorer->model->method->name);
    else if (!*scorer->vectors)
        status = nln_similar_vectors(scorer->vectors, scorer->model, err);
    pthread_mutex_unlock(&scorer->idle->lock);
    return status;
}

/* Puts the items of a diverse list first; best[found] is sorted. */
static nln_status diversify(nln_scorer_session *s, const nln_scorer *scorer, const nln_question *q,
                            size_t found, size_t k, nln_error *err)
{
    nln_status status = find_vectors(scorer, err);
    if (!status && !NLN_ARRAY_RESERVE(s->nearest, s->nearest_room, found + 1))
        status = nln_error_memory(err);
    if (!status)
        nln_diversity_choose(s->best, found, k, q->diversity, *scorer->vectors,
                             nln_model_vector_length(scorer->model), s->nearest);
    return status;
}

static nln_status answer_question(nln_answer *out, nln_scorer_session *s, size_t i,
                                  const nln_question *q, const nln_scorer *scorer, double carried,
                                  nln_error *err)
{
    const nln_model *model = scorer->model;
    size_t n_items = nln_model_variables(model), n = 0, found = 0;
    size_t offset = q->offset < n_items ? q->offset : n_items;
    size_t last = q->k < n_items - offset ? offset + q->k : n_items;
    size_t need = q->diversity > 0 ? nln_diversity_pool(last, n_items) : last;
    int is_all = 0, is_choice = model->task->measures == NLN_MEASURE_RANKS;
    nln_status status =
        q->diversity >= 0 && q->diversity <= 1
            ? exclude_items(s, q, n_items, err)
            : nln_error_set(err, NLN_INVALID, "diversity is %g; give a number from 0 to 1",
                            q->diversity);
    if (!status && !NLN_ARRAY_RESERVE(s->best, s->best_room, need + 1))
        status = nln_error_memory(err);
    if (!status)
        status = score_candidates(&n, &is_all, s, i, q, need, model, carried, err);
    for (size_t j = 0; !status && need && j < n; j++) {
        size_t item = is_all ? j : (size_t)s->list[j];
        if (!is_all || !s->excluded[item])
            add_to_best(s->best, &found, need, (nln_recommendation){item, s->score[item], 0});
    }
    if (found)
        qsort(s->best, found, sizeof *s->best, better_first);
    if (!status && found && q->diversity > 0)
        status = diversify(s, scorer, q, found, last, err);
    found = found < last ? found : last;
    out->n = found > offset ? found - offset : 0;
    for (size_t j = 0; j < out->n; j++) {
        out->items[j] = s->best[offset + j];
        out->items[j].probability = is_choice ? (double)NAN : nln_sigmoid(out->items[j].score);
    }
    while (s->n_skip)
        s->excluded[s->skip[--s->n_skip]] = 0;
    return status;
}

/* The answers or scores of the questions from `first` on; *at is the one that failed. */
static nln_status answer_block(size_t *at, nln_scorer_session *s, asking *a, size_t first, size_t n,
                               nln_error *err)
{
    const nln_model *model = a->scorer->model;
    size_t n_items = nln_model_variables(model);
    double carried[NLN_SCORER_BLOCK];
    nln_status status = NLN_OK;
    nln_queries_clear(&s->queries);
    for (*at = first; *at < first + n; ++*at)
        if ((status = nln_scorer_append_question(&s->queries, a->scorer, &a->questions[*at], err)))
            return status;
    *at = first;
    status = s->items->read(s->items, &s->queries, 0, n, err);
    if (!status)
        status = nln_model_carried(carried, model, &s->queries, 1, err);
    for (size_t i = 0; !status && i < n; i++) {
        *at = first + i;
        if (a->answers) {
            status = answer_question(&a->answers[*at], s, i, &a->questions[*at], a->scorer,
                                     carried[i], err);
        } else {
            double *score = a->score + *at * n_items;
            s->items->scores(score, s->items, i, NULL, 0);
            status = finish_scores(score, NULL, n_items, model, carried[i], err);
        }
    }
    return status;
}

static void run_block(void *context, int block)
{
    asking *a = context;
    nln_scorer_session *session = NULL;
    nln_error err = {0};
    size_t first = (size_t)block * a->n / a->blocks, at = first;
    size_t n = ((size_t)block + 1) * a->n / a->blocks - first;
    nln_status status = nln_scorer_borrow(&session, a->scorer, &err);
    if (!status)
        status = answer_block(&at, session, a, first, n, &err);
    nln_scorer_give_back(a->scorer, session);
    if (!status)
        return;
    pthread_mutex_lock(&a->lock);
    if (at < a->failed) {
        a->failed = at;
        a->status = status;
        a->err = err;
    }
    pthread_mutex_unlock(&a->lock);
}

static nln_status ask_all(asking *a, int threads, nln_error *err)
{
    size_t blocks = (a->n + NLN_SCORER_BLOCK - 1) / NLN_SCORER_BLOCK;
    nln_thread_pool *pool = NULL;
    if (!a->n)
        return NLN_OK;
    if (threads < 0 || a->n > INT32_MAX)
        return nln_error_set(err, NLN_LIMIT, "%zu questions on %d threads are out of range", a->n,
                             threads);
    size_t team = (size_t)(threads ? threads : nln_thread_pool_processors());
    team = team < blocks ? team : blocks;
    a->blocks = (blocks + team - 1) / team * team; /* as many for each thread */
    a->failed = a->n;
    nln_status status = nln_thread_pool_create(&pool, (int)team, err);
    if (status)
        return status;
    pthread_mutex_init(&a->lock, NULL);
    nln_thread_pool_run(pool, (int)a->blocks, run_block, a);
    pthread_mutex_destroy(&a->lock);
    nln_thread_pool_free(pool);
    if (a->status && err) {
        *err = a->err;
        err->line = (long)a->failed + 1;
    }
    return a->status;
}

nln_status nln_scorer_recommend(nln_answer *answers, const nln_scorer *scorer,
                                const nln_question *questions, size_t n, int threads,
                                nln_error *err)
{
    asking a = {.scorer = scorer, .questions = questions, .n = n, .answers = answers};
    for (size_t i = 0; i < n; i++)
        answers[i].n = 0;
    return ask_all(&a, threads, err);
}

nln_status nln_scorer_scores(double *score, const nln_scorer *scorer, const nln_question *questions,
                             size_t n, int threads, nln_error *err)
{
    asking a = {.scorer = scorer, .questions = questions, .n = n, .score = score};
    return ask_all(&a, threads, err);
}

/* ---- variables after an expression ------------------------------------------------------------
 */

nln_status nln_scorer_rank(double *p, const nln_scorer *scorer, const char *expression,
                           nln_error *err)
{
    const nln_model *model = scorer->model;
    nln_scorer_session *session = NULL;
    nln_exprs parsed = {0}, list = {0};
    nln_status status = nln_model_need_network(model, "ranking after an expression", err);
    if (!status)
        status = nln_parse(&parsed, &(nln_vocabulary){.variables = model->symbols}, 0, expression,
                           strlen(expression), NLN_DIALECT_TEXT, err);
    if (!status)
        status = nln_model_normalize(&list, model, nln_exprs_get(&parsed, 0), err);
    if (!status)
        status = nln_scorer_borrow(&session, scorer, err);
    if (!status)
        status = session->items->rank(p, session->items, &list, err);
    if (!status)
        status = nln_model_check_scores(p, nln_model_variables(model), "variable", err);
    nln_scorer_give_back(scorer, session);
    nln_exprs_free(&parsed);
    nln_exprs_free(&list);
    return status;
}

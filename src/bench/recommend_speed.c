/* Timing a scorer: lists of the best items of a random network, against the full ranking. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "models/model.h"
#include "net/profile.h"
#include "nln_lab.h"

enum { MOST_SINGLE = 100 }; /* questions that are timed one by one */

typedef struct bench {
    nln_recommend_report *out;
    nln_model *model;
    nln_scorer *scorer;
    nln_literal *literals;     /* [histories, history] */
    nln_question *questions;   /* [histories] */
    nln_recommendation *items; /* [histories, k] */
    nln_answer *answers;       /* [histories] */
    double *score;             /* [items] */
} bench;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, ascending);
    return values[n / 2];
}

/* A network with the defaults of task topk that has learned nothing. */
static nln_status create_model(nln_model **out, size_t n_items, uint64_t seed, nln_error *err)
{
    nln_options *options = NULL;
    nln_symbols *names = nln_symbols_create();
    nln_status status = names ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < n_items; i++) {
        char name[24];
        int length = snprintf(name, sizeof name, "i%zu", i + 1);
        if (nln_symbols_intern(names, name, (size_t)length) < 0)
            status = nln_error_memory(err);
    }
    if (!status)
        status = nln_options_create(&options, NLN_CONFIG_COMMAND, err);
    if (!status)
        status = nln_options_set(options, "task", "topk", err);
    if (!status)
        status = nln_model_create(out, names, options, err);
    if (!status) {
        nln_random random = nln_random_seed(seed, 0);
        nln_model_draw(*out, &random);
    }
    nln_options_free(options);
    nln_symbols_free(names);
    return status;
}

static nln_status create_questions(bench *b, uint64_t seed, nln_error *err)
{
    const nln_recommend_report *r = b->out;
    nln_random random = nln_random_seed(seed, 1);
    b->literals = nln_array_zeroed(r->histories * r->history, sizeof *b->literals);
    b->questions = nln_array_zeroed(r->histories, sizeof *b->questions);
    b->items = nln_array_zeroed(r->histories * r->k, sizeof *b->items);
    b->answers = nln_array_zeroed(r->histories, sizeof *b->answers);
    b->score = nln_array_zeroed(r->items, sizeof *b->score);
    if (!b->literals || !b->questions || !b->items || !b->answers || !b->score)
        return nln_error_memory(err);
    for (size_t i = 0; i < r->histories * r->history; i++)
        b->literals[i] = (nln_literal){(size_t)nln_random_below(&random, r->items),
                                       nln_random_below(&random, 5) > 0, 0};
    for (size_t i = 0; i < r->histories; i++) {
        b->questions[i] = (nln_question){
            .history = b->literals + i * r->history, .n_history = r->history, .k = r->k};
        b->answers[i] = (nln_answer){.items = b->items + i * r->k};
    }
    return NLN_OK;
}

/* Whether an answer is the beginning of the full ranking by b->score. */
static int is_same(const bench *b, const nln_question *q, const nln_answer *a)
{
    size_t last = a->n ? a->items[a->n - 1].item : 0, better = 0;
    for (size_t i = 0; i < a->n; i++) {
        const nln_recommendation *x = &a->items[i];
        if (x->score != b->score[x->item] ||
            (i && (x->score > x[-1].score || (x->score == x[-1].score && x->item <= x[-1].item))))
            return 0;
    }
    for (size_t i = 0; i < q->n_history; i++)
        b->score[q->history[i].item] = -INFINITY;
    for (size_t v = 0; a->n && v < b->out->items; v++)
        better += b->score[v] > b->score[last] || (v < last && b->score[v] == b->score[last]);
    return better + 1 == a->n;
}

/* Every question alone: its list against the full ranking, and the time of both. */
static nln_status compare(bench *b, nln_error *err)
{
    nln_recommend_report *r = b->out;
    double top[MOST_SINGLE] = {0}, full[MOST_SINGLE] = {0};
    nln_status status = NLN_OK;
    r->same_list = 1;
    for (size_t i = 0; !status && i < r->histories; i++) {
        double start = nln_profile_now(), middle;
        status = nln_scorer_recommend(&b->answers[i], b->scorer, &b->questions[i], 1, 1, err);
        middle = nln_profile_now();
        if (!status)
            status = nln_scorer_scores(b->score, b->scorer, &b->questions[i], 1, 1, err);
        if (i < MOST_SINGLE) {
            top[i] = middle - start;
            full[i] = nln_profile_now() - middle;
        }
        if (!status && !is_same(b, &b->questions[i], &b->answers[i]))
            r->same_list = 0;
    }
    size_t n = r->histories < MOST_SINGLE ? r->histories : MOST_SINGLE;
    r->top_seconds = median(top, n);
    r->full_seconds = median(full, n);
    return status;
}

/* All questions in one call, again and again. */
static nln_status time_many(bench *b, nln_error *err)
{
    const double enough = 0.5;
    nln_recommend_report *r = b->out;
    nln_status status = NLN_OK;
    double start = nln_profile_now(), seconds = 0;
    size_t rounds = 0;
    for (; !status && seconds < enough; rounds++) {
        status = nln_scorer_recommend(b->answers, b->scorer, b->questions, r->histories, r->threads,
                                      err);
        seconds = nln_profile_now() - start;
    }
    r->answers_per_second = (double)(rounds * r->histories) / seconds;
    return status;
}

nln_status nln_bench_recommend(nln_recommend_report *out, size_t items, size_t history, size_t k,
                               size_t histories, int threads, uint64_t seed, nln_error *err)
{
    bench b = {.out = out};
    *out = (nln_recommend_report){.items = items,
                                  .history = history,
                                  .k = k,
                                  .histories = histories,
                                  .threads = threads,
                                  .blas = nln_blas_name(),
                                  .kernels = nln_kernels_get()->name};
    if (items < 1 || histories < 1 || k < 1 || k > items)
        return nln_error_set(err, NLN_INVALID,
                             "a bench needs items, histories and a k of 1 to the number of items");
    nln_status status = create_model(&b.model, items, seed, err);
    if (!status)
        status = create_questions(&b, seed, err);
    size_t before = nln_memory_used();
    if (!status)
        status = nln_scorer_create(&b.scorer, b.model, err);
    if (!status)
        status = compare(&b, err);
    out->bytes_per_item = ((double)nln_memory_used() - (double)before) / (double)items;
    if (!status)
        status = time_many(&b, err);
    if (!status) {
        double d = b.model->config.dimension;
        out->sgemm_seconds = 2 * (double)items * d * d / nln_blas_speed();
    }
    nln_scorer_free(b.scorer);
    nln_model_free(b.model);
    nln_free(b.literals);
    nln_free(b.questions);
    nln_free(b.items);
    nln_free(b.answers);
    nln_free(b.score);
    return status;
}

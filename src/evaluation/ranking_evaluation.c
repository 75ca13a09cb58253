/* Ranking what users liked: one scoring pass over the whole catalogue for each liked item gives
 * its place among all items and among the sampled ones. */
#include "evaluation/ranking_evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/communicator.h"
#include "base/memory.h"
#include "base/thread_pool.h"
#include "data/history.h"
#include "evaluation/metrics.h"
#include "evaluation/rank_metrics.h"
#include "inference/scorer.h"

/* The likes to be ranked, and what the threads share. */
typedef struct ranking {
    const nln_model *model;
    const nln_ratings *ratings;
    nln_rating_grades grading; /* of the ratings */
    nln_scorer *scorer;
    const int32_t *map; /* [items of the ratings] the model's number, or -1 */
    int32_t *number;    /* [items of the model] the number that rivals are drawn by ... */
    int32_t *numbered;  /* ... and its inverse: see number_items() */
    size_t n_candidates;
    uint64_t seed;
    int with_seen;
    const int32_t *user; /* [users of the ratings] the model's number, or -1 */
    double *popularity;  /* [items of the model] to rank by instead of the model; or NULL */
    int full;            /* rank among all items too */
    size_t most;         /* rank at most this many; 0: all */
    size_t n;
    size_t *at;           /* [n] the interaction of each */
    nln_placing *placing; /* [n] */
    nln_share own;        /* of the placings: what this rank of a job ranks */
    int n_workers;
} ranking;

/* What one thread needs for itself. */
typedef struct worker {
    const ranking *ranking;
    nln_scorer_session *session;
    int32_t *liked, *rivals;
    nln_literal *window;
    nln_status status;
    nln_error err;
} worker;

enum { QUICK = 10000 };

/* ---- one liked item ------------------------------------------------------------------- */

static int ascending(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* What the user liked in any split, by the numbers of the draw, ascending; pairs are unique. */
static size_t list_liked(worker *h, size_t user)
{
    const ranking *b = h->ranking;
    const nln_ratings *r = b->ratings;
    size_t n = 0;
    for (size_t i = r->start[user]; i < r->start[user + 1]; i++)
        if (nln_ratings_liked(r, i) && b->map[r->item[i]] >= 0)
            h->liked[n++] = b->number[b->map[r->item[i]]];
    qsort(h->liked, n, sizeof *h->liked, ascending);
    return n;
}

/* Items that are no rivals in the full ranking: items that the user met before, and other items
 * that the user liked.  Returns their number. */
static size_t exclude(worker *h, size_t user, size_t at, uint8_t mark)
{
    const ranking *b = h->ranking;
    const nln_ratings *r = b->ratings;
    size_t n = 0;
    for (size_t i = r->start[user]; !b->with_seen && i < r->start[user + 1]; i++)
        if (b->map[r->item[i]] >= 0 && i != at && (i < at || nln_ratings_liked(r, i))) {
            h->session->excluded[b->map[r->item[i]]] = mark;
            n++;
        }
    return n;
}

/* Draws the rivals of placing `which` into h->rivals. */
static nln_status draw_rivals(size_t *n_rivals, worker *h, size_t which)
{
    const ranking *b = h->ranking;
    const nln_placing *p = &b->placing[which];
    size_t n_items = nln_model_variables(b->model), n_liked = list_liked(h, p->user);
    int32_t item = b->map[p->item];
    nln_rank_negatives draw = {.n_items = n_items,
                               .liked = h->liked,
                               .n_liked = n_liked,
                               .seed = b->seed,
                               .user = p->user,
                               .item = item < 0 ? n_items : (size_t)b->number[item]};
    nln_status status =
        nln_rank_metrics_sample(h->rivals, n_rivals, b->n_candidates, &draw, &h->err);
    for (size_t i = 0; !status && i < *n_rivals; i++)
        h->rivals[i] = b->numbered[h->rivals[i]];
    return status;
}

/* Scores everything that takes part after history i of the block. */
static void score_all(worker *h, size_t i, int32_t item, size_t n_rivals)
{
    const ranking *b = h->ranking;
    if (b->popularity) {
        memcpy(h->session->score, b->popularity,
               nln_model_variables(b->model) * sizeof *h->session->score);
        return;
    }
    if (b->full) {
        h->session->items->scores(h->session->score, h->session->items, i, NULL, 0);
        return;
    }
    size_t n = n_rivals;
    if (item >= 0)
        h->rivals[n++] = item;
    h->session->items->scores(h->session->score, h->session->items, i, h->rivals, (int32_t)n);
}

static nln_status place(worker *h, size_t i, size_t which)
{
    const ranking *b = h->ranking;
    nln_placing *p = &b->placing[which];
    size_t n_items = nln_model_variables(b->model), n_rivals = 0;
    int32_t item = b->map[p->item];
    nln_status status = draw_rivals(&n_rivals, h, which);
    if (status)
        return status;
    score_all(h, i, item, n_rivals);
    size_t n_excluded = exclude(h, p->user, b->at[which], 1);
    if (item < 0) { /* unknown to the model: behind all it knows */
        p->score = NAN;
        p->sampled = (double)n_rivals + 1;
        p->full = (double)(n_items - n_excluded) + 1;
    } else {
        p->score = h->session->score[item];
        p->sampled =
            nln_rank_metrics_place_among(h->session->score, (size_t)item, h->rivals, n_rivals);
        if (b->full)
            p->full = nln_rank_metrics_place(h->session->score, n_items, (size_t)item,
                                             h->session->excluded);
    }
    exclude(h, p->user, b->at[which], 0);
    return NLN_OK;
}

/* ---- blocks of them ---------------------------------------------------------------------- */

static nln_status place_block(worker *h, nln_queries *queries, size_t first, size_t n)
{
    const ranking *b = h->ranking;
    nln_status status = NLN_OK;
    size_t most = nln_model_reach(b->model);
    nln_queries_clear(queries);
    for (size_t i = first; !status && i < first + n; i++) {
        size_t k = nln_history_window(h->window, b->ratings, b->ratings->start[b->placing[i].user],
                                      b->at[i], most, b->map, &b->grading);
        status =
            nln_queries_append(queries, b->user[b->placing[i].user], h->window, k, -1, &h->err);
    }
    if (!status && !b->popularity)
        status = h->session->items->read(h->session->items, queries, 0, n, &h->err);
    for (size_t i = 0; !status && i < n; i++)
        status = place(h, i, first + i);
    return status;
}

static nln_status worker_create(worker *h, nln_error *err)
{
    const ranking *b = h->ranking;
    size_t most = 0;
    for (int32_t u = 0; u < nln_symbols_count(b->ratings->users); u++) {
        size_t n = b->ratings->start[u + 1] - b->ratings->start[u];
        most = n > most ? n : most;
    }
    h->liked = nln_array_zeroed(most, sizeof *h->liked);
    h->rivals = nln_array_zeroed(b->n_candidates + 1, sizeof *h->rivals);
    h->window = nln_array_zeroed(most, sizeof *h->window);
    if (!h->liked || !h->rivals || !h->window)
        return nln_error_memory(err);
    return nln_scorer_borrow(&h->session, b->scorer, err);
}

static void worker_free(worker *h)
{
    nln_scorer_give_back(h->ranking->scorer, h->session);
    nln_free(h->liked);
    nln_free(h->rivals);
    nln_free(h->window);
}

static void rank_blocks(void *context, int i)
{
    worker *h = (worker *)context + i;
    const ranking *b = h->ranking;
    nln_queries queries = {0};
    h->status = worker_create(h, &h->err);
    for (size_t at = b->own.first + (size_t)i * NLN_SCORER_BLOCK; !h->status && at < b->own.last;
         at += (size_t)b->n_workers * NLN_SCORER_BLOCK) {
        size_t left = b->own.last - at;
        h->status = place_block(h, &queries, at, left < NLN_SCORER_BLOCK ? left : NLN_SCORER_BLOCK);
    }
    nln_queries_free(&queries);
    worker_free(h);
}

static nln_status rank_split(ranking *b, int threads, nln_error *err)
{
    b->own = nln_communicator_share(b->n, NLN_SCORER_BLOCK);
    size_t blocks = (b->own.last - b->own.first + NLN_SCORER_BLOCK - 1) / NLN_SCORER_BLOCK;
    b->n_workers = blocks < (size_t)threads ? (int)blocks : threads;
    nln_thread_pool *pool = NULL;
    worker *workers = nln_memory_zeroed((size_t)b->n_workers + 1, sizeof *workers);
    nln_status status = workers ? NLN_OK : nln_error_memory(err);
    if (!status && b->n_workers)
        status = nln_thread_pool_create(&pool, b->n_workers, err);
    for (int i = 0; !status && i < b->n_workers; i++)
        workers[i].ranking = b;
    if (!status && b->n_workers)
        nln_thread_pool_run(pool, b->n_workers, rank_blocks, workers);
    for (int i = 0; !status && i < b->n_workers; i++)
        if ((status = workers[i].status) && err)
            *err = workers[i].err;
    nln_thread_pool_free(pool);
    nln_free(workers);
    if (!status)
        nln_communicator_join_shares(b->placing, b->n, NLN_SCORER_BLOCK, sizeof *b->placing);
    return status;
}

/* ---- the whole split ------------------------------------------------------------------------ */

static nln_status list_placings(ranking *b, nln_split split, nln_error *err)
{
    const nln_ratings *r = b->ratings;
    size_t n = nln_ratings_likes(r, split), seen = 0;
    size_t step = b->most && n > b->most ? (n + b->most - 1) / b->most : 1;
    b->at = nln_array_zeroed(n, sizeof *b->at);
    b->placing = nln_array_zeroed(n, sizeof *b->placing);
    if (!b->at || !b->placing)
        return nln_error_memory(err);
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
            if (nln_ratings_split(r, i) == split && nln_ratings_liked(r, i) && seen++ % step == 0) {
                b->at[b->n] = i;
                b->placing[b->n++] = (nln_placing){.user = (size_t)u, .item = (size_t)r->item[i]};
            }
    return NLN_OK;
}

static nln_status summarize(nln_metrics *out, const ranking *b, const char *cuts, nln_error *err)
{
    double *rank = nln_array_zeroed(b->n, sizeof *rank);
    size_t *user = nln_array_zeroed(b->n, sizeof *user);
    nln_status status = rank && user ? NLN_OK : nln_error_memory(err);
    *out = (nln_metrics){0};
    if (!status)
        status = nln_rank_metrics_cuts(&out->sampled, cuts, err);
    if (!status) {
        out->full = out->sampled;
        for (size_t i = 0; i < b->n; i++) {
            user[i] = b->placing[i].user;
            rank[i] = b->placing[i].sampled;
        }
        nln_rank_metrics_measure(&out->sampled, rank, user, b->n);
        for (size_t i = 0; i < b->n; i++)
            rank[i] = b->placing[i].full;
        nln_rank_metrics_measure(&out->full, rank, user, b->full ? b->n : 0);
    }
    nln_free(rank);
    nln_free(user);
    return status;
}

/* Numbers the items as the ratings do, with those that only the model has behind, so that all
 * models of the same items meet the same rivals, whatever data each has learned from. */
static nln_status number_items(ranking *b, nln_error *err)
{
    size_t n_items = nln_model_variables(b->model), n = 0;
    b->number = nln_array_zeroed(n_items, sizeof *b->number);
    b->numbered = nln_array_zeroed(n_items, sizeof *b->numbered);
    if (!b->number || !b->numbered)
        return nln_error_memory(err);
    for (size_t i = 0; i < n_items; i++)
        b->number[i] = -1;
    for (size_t i = 0; i < nln_ratings_items(b->ratings); i++)
        if (b->map[i] >= 0)
            b->number[b->map[i]] = (int32_t)n++;
    for (size_t i = 0; i < n_items; i++) {
        b->number[i] = b->number[i] < 0 ? (int32_t)n++ : b->number[i];
        b->numbered[b->number[i]] = (int32_t)i;
    }
    return NLN_OK;
}

/* How many users liked each item in training. */
static nln_status count_likes(ranking *b, nln_error *err)
{
    const nln_ratings *r = b->ratings;
    b->popularity = nln_array_zeroed(nln_model_variables(b->model), sizeof *b->popularity);
    if (!b->popularity)
        return nln_error_memory(err);
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN && nln_ratings_liked(r, i) &&
            b->map[r->item[i]] >= 0)
            b->popularity[b->map[r->item[i]]]++;
    return NLN_OK;
}

/* Ranks as `b` says, but for what depends on the model and the ratings. */
static nln_status measure(nln_metrics *out, ranking *b, nln_split split, int threads,
                          const char *cuts, int by_popularity, nln_error *err)
{
    int32_t *map = NULL, *user = NULL;
    nln_status status = nln_model_map(&map, b->model, b->ratings->items, err);
    if (!status)
        status = nln_model_map_users(&user, b->model, b->ratings->users, err);
    if (!status)
        status = nln_scorer_create_plain(&b->scorer, b->model, err);
    if (!status)
        status = list_placings(b, split, err);
    b->map = map;
    b->user = user;
    b->grading = nln_rating_grades_apply(b->ratings, &b->model->grading);
    if (!status)
        status = number_items(b, err);
    if (!status && by_popularity)
        status = count_likes(b, err);
    if (!status)
        status = rank_split(b, threads ? threads : nln_thread_pool_processors(), err);
    if (!status)
        status = summarize(out, b, cuts, err);
    nln_scorer_free(b->scorer);
    nln_free(map);
    nln_free(user);
    nln_free(b->at);
    nln_free(b->number);
    nln_free(b->numbered);
    nln_free(b->popularity);
    return status;
}

nln_status nln_evaluate_ranking(nln_metrics *out, nln_placing **placings, const nln_model *model,
                                const nln_ratings *ratings, nln_split split,
                                const nln_options *options, nln_error *err)
{
    nln_options *defaults = NULL;
    int threads = model->config.threads;
    nln_status status = options ? NLN_OK : nln_options_create(&defaults, "ranking", err);
    if (status)
        return status;
    if (options)
        threads = (int)nln_options_number(options, "threads");
    else
        options = defaults;
    ranking b = {.model = model,
                 .ratings = ratings,
                 .n_candidates = (size_t)nln_options_number(options, "negatives"),
                 .seed = (uint64_t)nln_options_number(options, "negatives-seed"),
                 .with_seen = (int)nln_options_number(options, "with-seen"),
                 .full = 1,
                 .most = (size_t)nln_options_number(options, "most")};
    status = measure(out, &b, split, threads, nln_options_text(options, "cuts"),
                     (int)nln_options_number(options, "popularity"), err);
    if (!status && placings)
        *placings = b.placing;
    else
        nln_free(b.placing);
    nln_options_free(defaults);
    return status;
}

nln_status nln_evaluate_ranking_quickly(nln_metrics *out, const nln_model *model,
                                        const nln_ratings *ratings, nln_split split, nln_error *err)
{
    ranking b = {.model = model, .ratings = ratings, .n_candidates = 100, .seed = 1, .most = QUICK};
    nln_status status = measure(out, &b, split, model->config.threads, "10", 0, err);
    nln_free(b.placing);
    return status;
}

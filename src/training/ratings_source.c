/* Training from ratings: a unit is an interaction with its history.
 *
 * Task preference takes every interaction with its label.  Task topk takes what was liked
 * against items drawn anew each time: in pairs, or one of many that share the drawn items. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "data/history.h"
#include "evaluation/ranking_evaluation.h"
#include "math/scalar.h"
#include "models/method.h"
#include "training/liked_items.h"
#include "training/source.h"

enum { MOST_TRAIN_MEASURED = 20000 };

typedef struct rating_source {
    nln_source base;
    const nln_ratings *ratings;
    const nln_config *config;
    const nln_method *method;
    const nln_grade_scale *grading;
    int32_t n_items;
    uint32_t *at;      /* [base.n] the interaction of each unit ... */
    int32_t *user;     /* ... and its user */
    int32_t *run;      /* [n] scratch: the first unit of each run */
    uint8_t *owned[3]; /* the labels of the base */
    nln_literal *met; /* [ratings] every interaction; the histories of the base are windows of it */
    nln_liked_items liked; /* only of topk */
    double line;           /* between dislikes and likes, and how far from it ratings are in ... */
    double doubt;          /* ... doubt: see --soften; 0: nowhere */

    /* Of the current batch. */
    nln_queries queries;
    real *truth;
    uint8_t *refused;
    int32_t *candidate;
    size_t truth_room, refused_room, candidate_room;
    nln_literal *window; /* [history] */
    int32_t *slot;       /* [items] 1 + the place of an item among the negatives, else 0 */
} rating_source;

/* ---- units -------------------------------------------------------------------------- */

static int is_topk(const rating_source *s)
{
    return s->config->task == NLN_TASK_TOPK;
}

static int is_unit(const rating_source *s, size_t i, size_t start, nln_split split)
{
    const nln_ratings *r = s->ratings;
    if (nln_ratings_split(r, i) != split || (is_topk(s) && !nln_ratings_liked(r, i)))
        return 0;
    return split != NLN_TRAIN || i - start >= (size_t)s->config->least_history;
}

static nln_status list_units(rating_source *s, nln_error *err)
{
    const nln_ratings *r = s->ratings;
    size_t n = 0, room = nln_ratings_size(r, NLN_TRAIN);
    s->at = nln_array_zeroed(room, sizeof *s->at);
    s->user = nln_array_zeroed(room, sizeof *s->user);
    if (!s->at || !s->user)
        return nln_error_memory(err);
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
            if (is_unit(s, i, r->start[u], NLN_TRAIN)) {
                s->at[n] = (uint32_t)i;
                s->user[n++] = u;
            }
    s->base.n = n;
    return NLN_OK;
}

/* Where the run of interactions begins that interaction i is trained together with. */
static size_t run_of(const rating_source *s, size_t start, size_t i)
{
    size_t length = (size_t)s->config->together;
    return start + (i - start) / length * length;
}

/* Whether a run begins with this unit. */
static int begins_run(const rating_source *s, size_t unit)
{
    size_t start = s->ratings->start[s->user[unit]];
    return unit == 0 || s->user[unit] != s->user[unit - 1] ||
           run_of(s, start, s->at[unit]) != run_of(s, start, s->at[unit - 1]);
}

/* Whole runs in random order.  What the order was before is read off it, so that it is all
 * that has to be known to go on. */
static void shuffle(int32_t *order, nln_source *base, nln_random *random)
{
    rating_source *s = (rating_source *)base;
    size_t n = 0;
    int32_t n_runs = 0;
    for (size_t i = 0; i < base->n; i++)
        if (begins_run(s, (size_t)order[i]))
            s->run[n_runs++] = order[i];
    nln_random_shuffle(random, s->run, n_runs);
    for (int32_t r = 0; r < n_runs; r++) {
        size_t unit = (size_t)s->run[r];
        do
            order[n++] = (int32_t)unit++;
        while (unit < base->n && !begins_run(s, unit));
    }
}

/* Where the history of interaction i begins.  The histories of a run begin with the same
 * interaction, so that they share rows as long as the order is kept; none is longer than
 * config->history. */
static size_t history_of(const rating_source *s, size_t start, size_t i)
{
    size_t most = (size_t)s->config->history, longest = (size_t)s->config->together - 1;
    size_t before = most > longest ? most - longest : 1, run = run_of(s, start, i);
    size_t first = run - start > before ? run - before : start;
    return i - first > most ? i - most : first;
}

static int is_dropped(const rating_source *s, uint64_t key, size_t at)
{
    double u = (double)(nln_random_mix(key ^ nln_random_mix(at)) >> 11) * 0x1p-53;
    return u < s->config->drop_history;
}

static nln_literal literal(const rating_source *s, size_t at)
{
    const nln_ratings *r = s->ratings;
    return (nln_literal){(size_t)r->item[at], nln_ratings_liked(r, at),
                         nln_grade_scale_grade(s->grading, (double)r->rating[at])};
}

/* Where the user's interactions of training end; they come before the others. */
static size_t end_of_training(const nln_ratings *r, int32_t user)
{
    size_t first = r->start[user], last = r->start[user + 1];
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (nln_ratings_split(r, middle) == NLN_TRAIN)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* The last of all that the user met in training but the target. */
static size_t all_else(rating_source *s, int32_t unit, uint64_t key)
{
    const nln_ratings *r = s->ratings;
    size_t start = r->start[s->user[unit]], end = end_of_training(r, s->user[unit]), n = 0;
    size_t most = (size_t)s->config->history;
    size_t first = end - start > most + 1 ? end - most - 1 : start;
    if (end - start > most + 1 && s->at[unit] < first)
        first++; /* the target takes no place in it */
    for (size_t at = first; at < end && n < most; at++)
        if (at != s->at[unit] && !is_dropped(s, key, at))
            s->window[n++] = literal(s, at);
    return n;
}

/* The history of a unit in s->window, as the batch of this key sees it, which leaves out the
 * same interactions for a whole run; returns its length. */
static size_t window(rating_source *s, int32_t unit, uint64_t key)
{
    const nln_ratings *r = s->ratings;
    size_t i = s->at[unit], kept = 0;
    if (!s->method->reads_history)
        return 0;
    if (s->config->context)
        return all_else(s, unit, key);
    for (size_t at = history_of(s, r->start[s->user[unit]], i); at < i; at++)
        if (!is_dropped(s, key, at))
            s->window[kept++] = literal(s, at);
    return kept;
}

/* ---- labels ------------------------------------------------------------------------ */

/* Halfway between the best of the dislikes and the worst of the likes, where there are both, they
 * do not mix, and ratings say more than like or dislike. */
static void draw_line(rating_source *s)
{
    const nln_ratings *r = s->ratings;
    nln_grade_scale range = nln_history_grading(r, 1);
    double best_dislike = -INFINITY, worst_like = INFINITY;
    for (size_t i = 0; i < r->n; i++) {
        double rating = (double)r->rating[i];
        if (nln_ratings_split(r, i) != NLN_TRAIN)
            continue;
        if (nln_ratings_liked(r, i))
            worst_like = fmin(worst_like, rating);
        else
            best_dislike = fmax(best_dislike, rating);
    }
    int parted = isfinite(best_dislike) && isfinite(worst_like) && best_dislike < worst_like;
    if (range.least < range.most && parted) {
        s->line = best_dislike + (worst_like - best_dislike) / 2;
        s->doubt = s->config->soften * (range.most - range.least);
    }
}

static real truth_of(const rating_source *s, size_t i)
{
    if (!(s->doubt > 0))
        return (real)nln_ratings_liked(s->ratings, i);
    return (real)nln_sigmoid(((double)s->ratings->rating[i] - s->line) / s->doubt);
}

/* ---- negatives ------------------------------------------------------------------------- */

/* Marks in row[0..k) those of the drawn negatives that the user likes.  Of very many likes not
 * each is looked at. */
static void refuse_liked(uint8_t *row, const rating_source *s, int32_t user, int32_t k)
{
    enum { STEPS = 16 }; /* of a search, about */
    size_t first = s->liked.start[user], last = s->liked.start[user + 1];
    if (last - first > STEPS * (size_t)k)
        for (int32_t j = 0; j < k; j++)
            row[j] = (uint8_t)nln_liked_items_has(&s->liked, user, s->candidate[j]);
    else
        for (size_t i = first; i < last; i++)
            if (s->slot[s->liked.item[i]])
                row[s->slot[s->liked.item[i]] - 1] = 1;
}

/* An item that the user has not liked in training; after many vain draws, any. */
static int32_t draw_negative(const rating_source *s, int32_t user, nln_random *random)
{
    int32_t item = 0;
    for (int tries = 0; tries < 100; tries++) {
        item = (int32_t)nln_random_below(random, (uint64_t)s->n_items);
        if (!nln_liked_items_has(&s->liked, user, item))
            break;
    }
    return item;
}

/* ---- drawing a batch --------------------------------------------------------------------- */

static nln_status append_case(rating_source *s, int32_t unit, uint64_t key, nln_error *err)
{
    size_t k = window(s, unit, key);
    return nln_queries_append(&s->queries, s->user[unit], s->window, k,
                              s->ratings->item[s->at[unit]], err);
}

static nln_status draw_labels(nln_request *out, rating_source *s, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(s->truth, s->truth_room, (size_t)out->n))
        return nln_error_memory(err);
    for (int32_t j = 0; j < out->n; j++)
        s->truth[j] = truth_of(s, s->at[out->unit[j]]);
    out->truth = s->truth;
    return NLN_OK;
}

/* Each unit makes as many pairs as there are negatives; all of them share the history. */
static nln_status draw_pairs(nln_request *out, rating_source *s, nln_error *err)
{
    int32_t each = s->config->negatives;
    nln_random random = nln_random_seed(out->key, 11);
    if (!each)
        return nln_error_set(
            err, NLN_INVALID,
            "--negatives 0, all items, is for --loss softmax: give --negatives 1 or "
            "more");
    if ((int64_t)out->n * each > INT32_MAX / 4)
        return nln_error_set(err, NLN_LIMIT,
                             "%d pairs of each of %d interactions are too many for a batch: choose "
                             "a smaller batch or fewer negatives",
                             each, out->n);
    if (!NLN_ARRAY_RESERVE(s->candidate, s->candidate_room, (size_t)out->n * (size_t)each))
        return nln_error_memory(err);
    for (int32_t j = 0; j < out->n * each; j++)
        s->candidate[j] = draw_negative(s, s->user[out->unit[j / each]], &random);
    out->candidate = s->candidate;
    out->n_candidates = each;
    return NLN_OK;
}

/* Distinct items, the same for all units of the request: half of them at most, or all. */
static void draw_shared(rating_source *s, int32_t k, nln_random *random)
{
    for (int32_t j = 0; j < k;) {
        int32_t item =
            k == s->n_items ? j : (int32_t)nln_random_below(random, (uint64_t)s->n_items);
        if (s->slot[item])
            continue;
        s->candidate[j] = item;
        s->slot[item] = ++j;
    }
}

static nln_status draw_choice(nln_request *out, rating_source *s, nln_error *err)
{
    int32_t half = s->n_items / 2, k = s->config->negatives < half ? s->config->negatives : half;
    nln_random random = nln_random_seed(out->key, 12);
    if (!s->config->negatives)
        k = s->n_items;
    if (!NLN_ARRAY_RESERVE(s->refused, s->refused_room, (size_t)out->n * (size_t)k) ||
        !NLN_ARRAY_RESERVE(s->candidate, s->candidate_room, (size_t)k))
        return nln_error_memory(err);
    memset(s->refused, 0, (size_t)out->n * (size_t)k);
    draw_shared(s, k, &random);
    for (int32_t j = 0; j < out->n; j++)
        refuse_liked(s->refused + (size_t)j * (size_t)k, s, s->user[out->unit[j]], k);
    for (int32_t j = 0; j < k; j++)
        s->slot[s->candidate[j]] = 0;
    out->candidate = s->candidate;
    out->n_candidates = k;
    out->refused = s->refused;
    return NLN_OK;
}

static nln_status draw(nln_request *out, nln_source *base, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err)
{
    rating_source *s = (rating_source *)base;
    nln_status status = NLN_OK;
    nln_queries_clear(&s->queries);
    *out = (nln_request){
        .loss_kind = base->loss_kind, .queries = &s->queries, .unit = units, .n = n, .key = key};
    for (int32_t j = 0; !status && j < n; j++)
        status = append_case(s, units[j], key, err);
    if (status)
        return status;
    if (base->loss_kind == NLN_LOSS_LABELS)
        return draw_labels(out, s, err);
    return base->loss_kind == NLN_LOSS_SOFTMAX ? draw_choice(out, s, err) : draw_pairs(out, s, err);
}

/* What each user met in training. */
static nln_status gather(nln_queries *out, const nln_source *base, nln_error *err)
{
    const nln_ratings *r = ((const rating_source *)base)->ratings;
    size_t most = 0;
    for (size_t u = 0; u < nln_ratings_users(r); u++)
        most = r->start[u + 1] - r->start[u] > most ? r->start[u + 1] - r->start[u] : most;
    nln_literal *met = nln_array_zeroed(most, sizeof *met);
    nln_status status = met ? NLN_OK : nln_error_memory(err);
    for (size_t u = 0; !status && u < nln_ratings_users(r); u++) {
        size_t n = 0;
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
            if (nln_ratings_split(r, i) == NLN_TRAIN)
                met[n++] = literal((const rating_source *)base, i);
        status = nln_queries_append(out, (int32_t)u, met, n, -1, err);
    }
    nln_free(met);
    return status;
}

/* ---- the rest ------------------------------------------------------------------------------ */

static void count(int32_t *frequency, const nln_source *base)
{
    const rating_source *s = (const rating_source *)base;
    const nln_ratings *r = s->ratings;
    if (s->method != &nln_method_nln)
        return; /* nobody else asks */
    for (size_t unit = 0; unit < base->n; unit++) {
        size_t i = s->at[unit];
        for (size_t at = history_of(s, r->start[s->user[unit]], i); at <= i; at++) {
            int grade = nln_grade_scale_grade(s->grading, (double)r->rating[at]);
            frequency[r->item[at]]++;
            if (grade && at < i)
                frequency[s->n_items + grade - 1]++;
        }
    }
}

/* Of very many likes in a large catalogue only some are ranked, evenly spread: ten thousand at
 * least, and as many as make some hundred million scores. */
static nln_status measure(nln_metrics *out, const nln_source *base, const nln_model *model,
                          nln_split split, int quickly, nln_error *err)
{
    const rating_source *s = (const rating_source *)base;
    nln_options *options = NULL;
    *out = (nln_metrics){0};
    if (split == NLN_TRAIN)
        return NLN_OK;
    if (quickly)
        return nln_evaluate_ranking_quickly(out, model, s->ratings, split, err);
    nln_status status = nln_options_create(&options, "ranking", err);
    char threads[16], most[16];
    snprintf(threads, sizeof threads, "%d", s->config->threads);
    snprintf(most, sizeof most, "%d", s->n_items < 63000 ? 630000000 / (s->n_items + 1) : 10000);
    if (!status)
        status = nln_options_set(options, "threads", threads, err);
    if (!status)
        status = nln_options_set(options, "most", most, err);
    if (!status)
        status = nln_evaluate_ranking(out, NULL, model, s->ratings, split, options, err);
    nln_options_free(options);
    return status;
}

static nln_status label_split(rating_source *s, nln_split split, nln_error *err)
{
    const nln_ratings *r = s->ratings;
    size_t seen = 0, size = nln_ratings_size(r, split);
    size_t step = split == NLN_TRAIN ? size / MOST_TRAIN_MEASURED + 1 : 1;
    size_t most = s->method->reads_history ? (size_t)s->config->history : 0;
    nln_queries *queries = &s->base.queries[split];
    s->owned[split] = nln_array_zeroed(size, 1);
    s->base.labels[split] = s->owned[split];
    queries->list = nln_array_zeroed(size, sizeof *queries->list);
    if (!s->owned[split] || !queries->list)
        return nln_error_memory(err);
    queries->literal = s->met;
    queries->n_literals = r->n;
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            if (nln_ratings_split(r, i) != split || seen++ % step)
                continue;
            size_t before = i - r->start[u], k = before < most ? before : most;
            queries->list[queries->n] = (nln_query){u, r->item[i], i - k, k};
            s->owned[split][queries->n++] = (uint8_t)nln_ratings_liked(r, i);
        }
    return NLN_OK;
}

static nln_status label(rating_source *s, nln_error *err)
{
    nln_status status = NLN_OK;
    s->met = nln_array_zeroed(s->ratings->n, sizeof *s->met);
    if (!s->met)
        return nln_error_memory(err);
    for (size_t i = 0; i < s->ratings->n; i++)
        s->met[i] = literal(s, i);
    for (int split = 0; !status && split < 3; split++)
        status = label_split(s, (nln_split)split, err);
    return status;
}

static void release(nln_source *base)
{
    rating_source *s = (rating_source *)base;
    for (int split = 0; split < 3; split++) {
        base->queries[split].literal = NULL; /* s->met */
        nln_queries_free(&base->queries[split]);
        nln_free(s->owned[split]);
    }
    nln_free(s->met);
    nln_queries_free(&s->queries);
    nln_free(s->at);
    nln_free(s->user);
    nln_free(s->run);
    nln_free(s->truth);
    nln_free(s->refused);
    nln_free(s->candidate);
    nln_free(s->window);
    nln_free(s->slot);
    nln_liked_items_free(&s->liked);
    nln_free(s);
}

static nln_loss_kind lesson_of(const nln_config *c)
{
    static const nln_loss_kind lessons[] = {NLN_LOSS_PAIRS, NLN_LOSS_PROBABILITY_PAIRS,
                                            NLN_LOSS_SOFTMAX};
    return c->task == NLN_TASK_TOPK ? lessons[c->loss] : NLN_LOSS_LABELS;
}

static nln_status set_up(rating_source *s, nln_error *err)
{
    s->window = nln_array_zeroed((size_t)s->config->history, sizeof *s->window);
    s->slot = nln_array_zeroed((size_t)s->n_items, sizeof *s->slot);
    if (!s->window || !s->slot)
        return nln_error_memory(err);
    nln_status status = list_units(s, err);
    if (!status)
        status =
            (s->run = nln_array_zeroed(s->base.n, sizeof *s->run)) ? NLN_OK : nln_error_memory(err);
    if (!status && is_topk(s))
        status = nln_liked_items_create(&s->liked, s->ratings, err);
    if (!is_topk(s))
        draw_line(s);
    if (!status && !is_topk(s))
        status = label(s, err);
    return status;
}

nln_status nln_source_from_ratings(nln_source **out, const nln_ratings *ratings,
                                   const nln_model *model, nln_error *err)
{
    rating_source *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_source){.loss_kind = lesson_of(&model->config),
                           .draw = draw,
                           .gather = gather,
                           .shuffle = model->config.together > 1 ? shuffle : NULL,
                           .count = count,
                           .measure = model->config.task == NLN_TASK_TOPK ? measure : NULL,
                           .free = release};
    s->ratings = ratings;
    s->config = &model->config;
    s->method = model->method;
    s->grading = &model->grading;
    s->n_items = nln_symbols_count(ratings->items);
    nln_status status = set_up(s, err);
    if (status) {
        release(&s->base);
        return status;
    }
    *out = &s->base;
    return NLN_OK;
}

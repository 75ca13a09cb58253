/* Training from ratings: a unit is an interaction with its history.
 *
 * A task of labels takes every interaction with its label.  A task of ranks takes every like, or
 * every item that was met, against items drawn anew each time: in pairs, or one of many that share
 * the drawn items. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "data/data_fingerprint.h"
#include "data/history.h"
#include "evaluation/ranking_evaluation.h"
#include "math/scalar.h"
#include "models/method.h"
#include "training/liked_items.h"
#include "training/ratings_refinement.h"
#include "training/rule_factors.h"
#include "training/simple_rivals.h"
#include "training/source.h"

enum { MOST_TRAIN_MEASURED = 20000 };

typedef struct ratings_source {
    nln_source base;
    const nln_ratings *ratings;
    const nln_model *model;
    const nln_config *config; /* of the model */
    int ranks;                /* the task is measured by ranks ... */
    int dislikes;             /* ... and disliked items are targets, too */
    int32_t n_items;
    uint32_t *at;            /* [base.n] the interaction of each unit ... */
    int32_t *user;           /* ... and its user */
    int32_t *run;            /* [base.n] scratch: the first unit of each run */
    uint8_t *labels[3];      /* memory of base.truths */
    nln_literal *literal;    /* [ratings] every interaction; the histories of base.queries are
                              * windows of it */
    nln_liked_items liked;   /* for ranks */
    double boundary, spread; /* of --soften: ratings within about `spread` of the boundary between
                              * dislikes and likes are labels in doubt; 0: none is */

    /* Of the current batch. */
    nln_queries queries;
    real *truth;
    uint8_t *refused;
    int32_t *candidate;
    size_t truth_room, refused_room, candidate_room;
    nln_literal *window; /* [history] */
    int32_t *slot;       /* [items] 1 + the place of an item among the candidates, else 0 */
} ratings_source;

static uint64_t fingerprint(const nln_source *base)
{
    return nln_data_fingerprint_ratings(((const ratings_source *)base)->ratings);
}

/* ---- units -------------------------------------------------------------------------- */

static nln_status list_units(ratings_source *s, nln_error *err)
{
    const nln_ratings *r = s->ratings;
    size_t n = 0, room = nln_ratings_size(r, NLN_TRAIN);
    size_t least = (size_t)s->config->least_history;
    s->at = nln_array_zeroed(room, sizeof *s->at);
    s->user = nln_array_zeroed(room, sizeof *s->user);
    s->run = nln_array_zeroed(room, sizeof *s->run);
    if (!s->at || !s->user || !s->run)
        return nln_error_memory(err);
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++)
            if (nln_ratings_split(r, i) == NLN_TRAIN &&
                (!s->ranks || s->dislikes || nln_ratings_liked(r, i)) && i - r->start[u] >= least) {
                s->at[n] = (uint32_t)i;
                s->user[n++] = u;
            }
    s->base.n = n;
    return NLN_OK;
}

/* Where the run of interactions begins that interaction i is trained together with. */
static size_t run_of(const ratings_source *s, size_t start, size_t i)
{
    size_t length = (size_t)s->config->together;
    return start + (i - start) / length * length;
}

static int begins_run(const ratings_source *s, size_t unit)
{
    size_t start = s->ratings->start[s->user[unit]];
    return unit == 0 || s->user[unit] != s->user[unit - 1] ||
           run_of(s, start, s->at[unit]) != run_of(s, start, s->at[unit - 1]);
}

/* Whole runs in random order.  The new order depends on the old one and on the random numbers
 * alone, so that a checkpoint needs nothing else. */
static void shuffle(int32_t *order, nln_source *base, nln_random *random)
{
    ratings_source *s = (ratings_source *)base;
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
static size_t history_of(const ratings_source *s, size_t start, size_t i)
{
    size_t most = (size_t)s->config->history, longest = (size_t)s->config->together - 1;
    size_t before = most > longest ? most - longest : 1, run = run_of(s, start, i);
    size_t first = run - start > before ? run - before : start;
    return i - first > most ? i - most : first;
}

static nln_literal literal(const ratings_source *s, size_t at)
{
    const nln_ratings *r = s->ratings;
    return (nln_literal){(size_t)r->item[at], nln_ratings_liked(r, at),
                         nln_rating_grades_grade(&s->model->grading, (double)r->rating[at])};
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

/* Writes the history of a unit to s->window and returns its length.  It is what came before the
 * target or, with --context all, the last of all that the user met in training but the target.
 * The key decides what --drop-history leaves out: the same interactions for a whole run. */
static size_t take_history(ratings_source *s, int32_t unit, uint64_t key)
{
    const nln_ratings *r = s->ratings;
    size_t i = s->at[unit], start = r->start[s->user[unit]], most = (size_t)s->config->history;
    size_t first = 0, end = i, n = 0;
    if (!s->model->method->reads_history)
        return 0;
    if (s->config->context) {
        end = end_of_training(r, s->user[unit]);
        first = end - start > most + 1 ? end - most - 1 : start;
        if (end - start > most + 1 && i < first)
            first++; /* the target takes no place in it */
    } else
        first = history_of(s, start, i);
    for (size_t at = first; at < end && n < most; at++) {
        double u = (double)(nln_random_mix(key ^ nln_random_mix(at)) >> 11) * 0x1p-53;
        if (at != i && !(u < s->config->drop_history))
            s->window[n++] = literal(s, at);
    }
    return n;
}

/* ---- labels ------------------------------------------------------------------------ */

/* The ranges of dislikes (0) and likes (1) in training. */
typedef struct label_range {
    size_t n;
    double least, most;
} label_range;

static void range_labels(label_range out[2], const nln_ratings *r)
{
    out[0] = (label_range){0, INFINITY, -INFINITY};
    out[1] = out[0];
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN) {
            label_range *range = &out[nln_ratings_liked(r, i) != 0];
            range->n++;
            range->least = fmin(range->least, (double)r->rating[i]);
            range->most = fmax(range->most, (double)r->rating[i]);
        }
}

/* A model that has met only likes, or only dislikes, cannot tell them apart, and would look
 * perfect.  Where validation or test alone lack one of them, training goes on. */
static nln_status check_labels(const nln_source *base, nln_error *err)
{
    const ratings_source *s = (const ratings_source *)base;
    label_range of[2];
    range_labels(of, s->ratings);
    if (s->ranks || (of[0].n && of[1].n))
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "all %zu training ratings are %s, and task %s learns to tell likes from "
                         "dislikes: they range from %g to %g; is --like-from too %s?",
                         of[0].n + of[1].n, of[1].n ? "likes" : "dislikes", s->model->task->name,
                         fmin(of[0].least, of[1].least), fmax(of[0].most, of[1].most),
                         of[1].n ? "low" : "high");
}

/* The boundary of --soften is halfway between the best of the dislikes and the worst of the likes,
 * if they do not mix and ratings say more than like or dislike. */
static void set_boundary(ratings_source *s)
{
    nln_rating_grades range = nln_rating_grades_fit(s->ratings, 1);
    label_range of[2];
    range_labels(of, s->ratings);
    double below = of[0].most, above = of[1].least;
    if (range.least < range.most && isfinite(below) && isfinite(above) && below < above) {
        s->boundary = below + (above - below) / 2;
        s->spread = s->config->soften * (range.most - range.least);
    }
}

static nln_status draw_labels(nln_request *out, ratings_source *s, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(s->truth, s->truth_room, (size_t)out->n))
        return nln_error_memory(err);
    for (int32_t j = 0; j < out->n; j++) {
        size_t i = s->at[out->unit[j]];
        double rating = (double)s->ratings->rating[i];
        s->truth[j] = s->spread > 0 ? (real)nln_sigmoid((rating - s->boundary) / s->spread)
                                    : (real)nln_ratings_liked(s->ratings, i);
    }
    out->truth = s->truth;
    return NLN_OK;
}

/* ---- candidates ------------------------------------------------------------------------ */

/* Each unit makes as many pairs as there are negatives; all of them share the history.  A negative
 * is an item that is no target of the user in training; after a hundred draws, any. */
static nln_status draw_pairs(nln_request *out, ratings_source *s, nln_error *err)
{
    int32_t each = s->config->negatives;
    nln_random random = nln_random_seed(out->key, 11);
    if (!each)
        return nln_error_set(err, NLN_INVALID,
                             "--negatives 0, all items, is for --loss softmax: give --negatives 1 "
                             "or more");
    if ((int64_t)out->n * each > INT32_MAX / 4)
        return nln_error_set(err, NLN_LIMIT,
                             "%d pairs of each of %d interactions are too many for a batch: choose "
                             "a smaller batch or fewer negatives",
                             each, out->n);
    if (!NLN_ARRAY_RESERVE(s->candidate, s->candidate_room, (size_t)out->n * (size_t)each))
        return nln_error_memory(err);
    for (int32_t j = 0; j < out->n * each; j++) {
        int tries = 0;
        do
            s->candidate[j] = (int32_t)nln_random_below(&random, (uint64_t)s->n_items);
        while (++tries < 100 &&
               nln_liked_items_has(&s->liked, s->user[out->unit[j / each]], s->candidate[j]));
    }
    out->candidate = s->candidate;
    out->n_candidates = each;
    return NLN_OK;
}

/* Marks in row[0..k) those of the k candidates that are targets of the user. */
static void refuse_liked(uint8_t *row, const ratings_source *s, int32_t user, int32_t k)
{
    enum { STEPS = 16 }; /* of a binary search, about */
    size_t first = s->liked.start[user], last = s->liked.start[user + 1];
    if (last - first > STEPS * (size_t)k)
        for (int32_t j = 0; j < k; j++)
            row[j] = (uint8_t)nln_liked_items_has(&s->liked, user, s->candidate[j]);
    else
        for (size_t i = first; i < last; i++)
            if (s->slot[s->liked.item[i]])
                row[s->slot[s->liked.item[i]] - 1] = 1;
}

/* Distinct items, the same for all units of the request: half of all items at most, or all. */
static nln_status draw_shared(nln_request *out, ratings_source *s, nln_error *err)
{
    int32_t half = s->n_items / 2, k = s->config->negatives < half ? s->config->negatives : half;
    nln_random random = nln_random_seed(out->key, 12);
    if (!s->config->negatives)
        k = s->n_items;
    if (!NLN_ARRAY_RESERVE(s->refused, s->refused_room, (size_t)out->n * (size_t)k) ||
        !NLN_ARRAY_RESERVE(s->candidate, s->candidate_room, (size_t)k))
        return nln_error_memory(err);
    for (int32_t j = 0; j < k;) {
        int32_t item =
            k == s->n_items ? j : (int32_t)nln_random_below(&random, (uint64_t)s->n_items);
        if (s->slot[item])
            continue;
        s->candidate[j] = item;
        s->slot[item] = ++j;
    }
    memset(s->refused, 0, (size_t)out->n * (size_t)k);
    for (int32_t j = 0; j < out->n; j++)
        refuse_liked(s->refused + (size_t)j * (size_t)k, s, s->user[out->unit[j]], k);
    for (int32_t j = 0; j < k; j++)
        s->slot[s->candidate[j]] = 0;
    out->candidate = s->candidate;
    out->n_candidates = k;
    out->refused = s->refused;
    return NLN_OK;
}

/* The user of a unit or, where the model is to learn to do without (--user-vectors), -1: the same
 * for a whole run, whose histories share rows. */
static int32_t take_user(const ratings_source *s, int32_t unit, uint64_t key)
{
    int32_t user = s->user[unit];
    uint64_t run = run_of(s, s->ratings->start[user], s->at[unit]);
    double u = (double)(nln_random_mix(key ^ nln_random_mix(~run)) >> 11) * 0x1p-53;
    return s->model->n_user_variables && !(u < s->config->user_vectors) ? -1 : user;
}

/* ---- requests ------------------------------------------------------------------------------ */

static nln_status draw(nln_request *out, nln_source *base, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err)
{
    ratings_source *s = (ratings_source *)base;
    nln_status status = NLN_OK;
    nln_queries_clear(&s->queries);
    *out = (nln_request){
        .loss_kind = base->loss_kind, .queries = &s->queries, .unit = units, .n = n, .key = key};
    for (int32_t j = 0; !status && j < n; j++) {
        size_t k = take_history(s, units[j], key);
        status = nln_queries_append(&s->queries, take_user(s, units[j], key), s->window, k,
                                    s->ratings->item[s->at[units[j]]], err);
    }
    if (status)
        return status;
    if (base->loss_kind == NLN_LOSS_LABELS)
        return draw_labels(out, s, err);
    return base->loss_kind == NLN_LOSS_SOFTMAX ? draw_shared(out, s, err) : draw_pairs(out, s, err);
}

static nln_status gather(nln_queries *out, const nln_source *base, nln_error *err)
{
    const ratings_source *s = (const ratings_source *)base;
    const nln_ratings *r = s->ratings;
    nln_literal *met = nln_array_zeroed(nln_ratings_longest(r), sizeof *met);
    nln_status status = met ? NLN_OK : nln_error_memory(err);
    for (int32_t u = 0; !status && u < nln_symbols_count(r->users); u++) {
        size_t first = r->start[u], n = end_of_training(r, u) - first;
        for (size_t i = 0; i < n; i++)
            met[i] = literal(s, first + i);
        status = nln_queries_append(out, u, met, n, -1, err);
    }
    nln_free(met);
    return status;
}

static void count(int32_t *frequency, const nln_source *base)
{
    const ratings_source *s = (const ratings_source *)base;
    const nln_ratings *r = s->ratings;
    for (size_t unit = 0; unit < base->n; unit++) {
        size_t i = s->at[unit];
        for (size_t at = history_of(s, r->start[s->user[unit]], i); at <= i; at++) {
            int grade = nln_rating_grades_grade(&s->model->grading, (double)r->rating[at]);
            frequency[r->item[at]]++;
            if (grade && at < i)
                frequency[s->n_items + grade - 1]++;
        }
        if (s->model->n_user_variables)
            frequency[s->n_items + s->model->grading.n + s->user[unit]]++;
    }
}

/* ---- measuring ----------------------------------------------------------------------------- */

/* Of many likes in a large catalogue a sample is ranked, evenly spread: ten thousand at least, and
 * as many as make some hundred million scores. */
static nln_status measure_ranks(nln_metrics *out, const nln_source *base, const nln_model *model,
                                nln_split split, int quickly, nln_error *err)
{
    const ratings_source *s = (const ratings_source *)base;
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

/* The interactions of a split with their labels; of training, an even sample. */
static nln_status label_split(ratings_source *s, nln_split split, nln_error *err)
{
    const nln_ratings *r = s->ratings;
    size_t seen = 0, size = nln_ratings_size(r, split);
    size_t step = split == NLN_TRAIN ? size / MOST_TRAIN_MEASURED + 1 : 1;
    size_t most = s->model->method->reads_history ? (size_t)s->config->history : 0;
    nln_queries *queries = &s->base.queries[split];
    s->labels[split] = nln_array_zeroed(size, 1);
    s->base.truths[split] = (nln_truths){.label = s->labels[split]};
    queries->list = nln_array_zeroed(size, sizeof *queries->list);
    if (!s->labels[split] || !queries->list)
        return nln_error_memory(err);
    queries->literal = s->literal;
    queries->n_literals = r->n;
    for (int32_t u = 0; u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; i < r->start[u + 1]; i++) {
            if (nln_ratings_split(r, i) != split || seen++ % step)
                continue;
            size_t before = i - r->start[u], k = before < most ? before : most;
            queries->list[queries->n] = (nln_query){u, r->item[i], i - k, k};
            s->labels[split][queries->n++] = (uint8_t)nln_ratings_liked(r, i);
        }
    return NLN_OK;
}

static nln_status label(ratings_source *s, nln_error *err)
{
    nln_status status = NLN_OK;
    set_boundary(s);
    s->literal = nln_array_zeroed(s->ratings->n, sizeof *s->literal);
    if (!s->literal)
        return nln_error_memory(err);
    for (size_t i = 0; i < s->ratings->n; i++)
        s->literal[i] = literal(s, i);
    for (int split = 0; !status && split < 3; split++)
        status = label_split(s, (nln_split)split, err);
    return status;
}

/* ---- opening and closing ------------------------------------------------------------------- */

/* What every user met goes into the model, unless its items have numbers that a model file could
 * not hold. */
static nln_status keep_users(nln_model *model, const nln_ratings *r, nln_error *err)
{
    int too_many = nln_model_variables(model) > 1 << 24;
    if (nln_model_knows_users(model) && too_many)
        return nln_error_set(err, NLN_LIMIT, "a model of kind %s can have 2^24 items at most",
                             model->method->name);
    if (nln_model_knows_users(model) && !model->config.keep_users)
        return nln_error_set(
            err, NLN_INVALID, "a model of kind %s%s must keep its users: leave --no-keep-users out",
            model->method->name, model->n_user_variables ? " with --user-vectors" : "");
    if (!model->config.keep_users || too_many)
        return NLN_OK;
    return nln_users_of_ratings(&model->users, r, &model->grading, err);
}

/* Whether dislikes are targets, too; by itself only where rules may be counted. */
static nln_status weigh_dislikes(ratings_source *s, nln_error *err)
{
    nln_queries users = {0};
    nln_thread_pool *pool = NULL;
    s->dislikes = s->config->dislikes == NLN_DISLIKES_YES;
    if (s->config->dislikes != NLN_DISLIKES_AUTO || !s->config->rules)
        return NLN_OK;
    nln_status status = gather(&users, &s->base, err);
    if (!status)
        status = nln_thread_pool_create(&pool, s->config->threads, err);
    if (!status)
        status =
            nln_rule_factors_try_dislikes(&s->dislikes, s->model, s->ratings, &users, pool, err);
    if (!status && s->dislikes)
        snprintf(s->base.note, sizeof s->base.note,
                 "items that were met and not liked are learned from as likes are: on validation, "
                 "rules that count them rank better (--dislikes)");
    nln_thread_pool_free(pool);
    nln_queries_free(&users);
    return status;
}

static nln_status refine(char note[NLN_NOTE_ROOM], const nln_source *base, nln_model *model,
                         double noise, nln_thread_pool *pool, nln_error *err)
{
    (void)noise;
    return nln_ratings_refinement_make(note, base, ((const ratings_source *)base)->ratings, model,
                                       pool, err);
}

static nln_status compare(char note[NLN_NOTE_ROOM], const nln_source *base, const nln_model *model,
                          const nln_metrics *valid, nln_error *err)
{
    return nln_simple_rivals_compare(note, model, ((const ratings_source *)base)->ratings, valid,
                                     err);
}

static nln_status open(nln_source *base, nln_model *model, nln_error *err)
{
    static const nln_loss_kind losses[] = {NLN_LOSS_PAIRS, NLN_LOSS_PROBABILITY_PAIRS,
                                           NLN_LOSS_SOFTMAX, NLN_LOSS_BINARY_PAIRS};
    ratings_source *s = (ratings_source *)base;
    s->model = model;
    s->config = &model->config;
    s->ranks = model->task->measures == NLN_MEASURE_RANKS;
    base->loss_kind = s->ranks ? losses[s->config->loss] : NLN_LOSS_LABELS;
    base->shuffle = s->config->together > 1 ? shuffle : NULL;
    base->refine =
        s->ranks && model->n_networks && (s->config->rules || s->ratings->facts) ? refine : NULL;
    base->measure = s->ranks ? measure_ranks : nln_source_measure_labels;
    if (s->ratings->facts && (!s->ranks || !model->n_networks))
        return nln_error_set(err, NLN_INVALID,
                             "facts about items are for --task topk and --model nln, and not for "
                             "--task %s --model %s: leave --facts out",
                             model->task->name, model->method->name);
    model->grading = nln_rating_grades_fit(s->ratings, model->grading.n);
    model->origin = s->ratings->origin;
    nln_status status = keep_users(model, s->ratings, err);
    if (status)
        return status;
    s->window = nln_array_zeroed((size_t)s->config->history, sizeof *s->window);
    s->slot = nln_array_zeroed((size_t)s->n_items, sizeof *s->slot);
    if (!s->window || !s->slot)
        return nln_error_memory(err);
    if (s->ranks)
        status = weigh_dislikes(s, err);
    if (!status)
        status = list_units(s, err);
    if (status)
        return status;
    return s->ranks ? nln_liked_items_create(&s->liked, s->ratings, s->dislikes, err)
                    : label(s, err);
}

static void release(nln_source *base)
{
    ratings_source *s = (ratings_source *)base;
    for (int split = 0; split < 3; split++) {
        base->queries[split].literal = NULL; /* s->literal */
        nln_queries_free(&base->queries[split]);
        nln_free(s->labels[split]);
    }
    nln_queries_free(&s->queries);
    nln_liked_items_free(&s->liked);
    void *memory[] = {s->literal, s->at,        s->user,   s->run, s->truth,
                      s->refused, s->candidate, s->window, s->slot};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        nln_free(memory[i]);
    nln_free(s);
}

static double newest_of(const nln_ratings *r)
{
    double newest = NAN;
    for (size_t i = 0; r->time && i < r->n; i++)
        if (nln_ratings_split(r, i) != NLN_TEST && !(r->time[i] <= newest))
            newest = r->time[i];
    return newest;
}

nln_status nln_source_of_ratings(nln_source **out, const nln_ratings *ratings, nln_error *err)
{
    ratings_source *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_source){.data = NLN_DATA_RATINGS,
                           .names = ratings->items,
                           .n_users = nln_ratings_users(ratings),
                           .fingerprint = fingerprint,
                           .data_name = ratings->name,
                           .newest = newest_of(ratings),
                           .open = open,
                           .check = check_labels,
                           .draw = draw,
                           .gather = gather,
                           .count = count,
                           .compare = compare,
                           .free = release};
    for (int i = NLN_TRAIN; i <= NLN_TEST; i++)
        s->base.rows[i] = nln_ratings_size(ratings, (nln_split)i);
    s->ratings = ratings;
    s->n_items = nln_symbols_count(ratings->items);
    *out = &s->base;
    return NLN_OK;
}

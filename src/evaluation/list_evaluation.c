/* nln_evaluate_lists of nln_lab.h: what lists are like, whether or not they hit. */
#include <math.h>

#include "base/array.h"
#include "base/memory.h"
#include "data/history.h"
#include "data/split_names.h"
#include "inference/diversity.h"
#include "inference/scorer.h"
#include "inference/similar_items.h"
#include "nln_lab.h"

enum { BLOCK = 256 };

typedef struct survey {
    const nln_model *model;
    const nln_ratings *ratings;
    nln_scorer *scorer;
    size_t k;
    double weight;
    int threads;
    int32_t *map;     /* [items of the ratings] the model's number, or -1 */
    double *novelty;  /* [items of the model] bits */
    uint8_t *listed;  /* [items of the model] whether a list has it */
    float *vectors;   /* of length 1; NULL if the model has none */
    double bits, far; /* sums over listed items, and over lists */
    size_t n_listed, n_far;
} survey;

/* -log2 of the share of users who met the item in training; one more user met each. */
static nln_status count_novelty(survey *s, nln_error *err)
{
    const nln_ratings *r = s->ratings;
    size_t n_items = nln_model_variables(s->model), n_users = nln_ratings_users(r);
    s->novelty = nln_array_zeroed(n_items, sizeof *s->novelty);
    if (!s->novelty)
        return nln_error_memory(err);
    for (size_t i = 0; i < r->n; i++)
        if (nln_ratings_split(r, i) == NLN_TRAIN && s->map[r->item[i]] >= 0)
            s->novelty[s->map[r->item[i]]]++;
    for (size_t v = 0; v < n_items; v++)
        s->novelty[v] = -log2((s->novelty[v] + 1) / ((double)n_users + 1));
    return NLN_OK;
}

static void add_list(nln_list_report *out, survey *s, const nln_answer *a)
{
    size_t length = nln_model_vector_length(s->model);
    out->n_lists++;
    for (size_t i = 0; i < a->n; i++) {
        s->bits += s->novelty[a->items[i].item];
        s->listed[a->items[i].item] = 1;
    }
    s->n_listed += a->n;
    double far = s->vectors ? nln_diversity_of(a->items, a->n, s->vectors, length) : (double)NAN;
    if (!isnan(far)) {
        s->far += far;
        s->n_far++;
    }
}

/* The first interaction of the split that is a like, or the end. */
static size_t first_like(const nln_ratings *r, size_t u, nln_split split)
{
    size_t i = r->start[u];
    while (i < r->start[u + 1] && !(nln_ratings_split(r, i) == split && nln_ratings_liked(r, i)))
        i++;
    return i;
}

/* Lists for up to BLOCK users from *user on, after what they met before the split. */
static nln_status survey_block(nln_list_report *out, survey *s, size_t *user, nln_split split,
                               nln_recommendation *rows, nln_error *err)
{
    const nln_ratings *r = s->ratings;
    nln_rating_grades grading = nln_rating_grades_apply(r, &s->model->grading);
    nln_question questions[BLOCK];
    nln_answer answers[BLOCK];
    nln_literal *windows[BLOCK];
    size_t n = 0;
    nln_status status = NLN_OK;
    for (; !status && n < BLOCK && *user < nln_ratings_users(r); ++*user) {
        size_t i = first_like(r, *user, split), met = i - r->start[*user];
        if (i == r->start[*user + 1])
            continue;
        windows[n] = nln_array_zeroed(met, sizeof **windows);
        if (!windows[n]) {
            status = nln_error_memory(err);
            break;
        }
        met = nln_history_window(windows[n], r, r->start[*user], i, met, s->map, &grading);
        questions[n] = (nln_question){.user = nln_ratings_user(r, *user),
                                      .history = windows[n],
                                      .n_history = met,
                                      .k = s->k,
                                      .diversity = s->weight};
        answers[n] = (nln_answer){.items = rows + n * s->k};
        n++;
    }
    if (!status)
        status = nln_scorer_recommend(answers, s->scorer, questions, n, s->threads, err);
    for (size_t i = 0; i < n; i++) {
        if (!status)
            add_list(out, s, &answers[i]);
        nln_free(windows[i]);
    }
    return status;
}

static nln_status prepare(survey *s, nln_error *err)
{
    s->listed = nln_array_zeroed(nln_model_variables(s->model), 1);
    nln_status status =
        s->listed ? nln_scorer_create(&s->scorer, s->model, err) : nln_error_memory(err);
    if (!status)
        status = nln_model_map(&s->map, s->model, s->ratings->items, err);
    if (!status)
        status = count_novelty(s, err);
    if (!status && nln_model_vector_length(s->model))
        status = nln_similar_vectors(&s->vectors, s->model, err);
    return status;
}

nln_status nln_evaluate_lists(nln_list_report *out, const nln_model *model,
                              const nln_ratings *ratings, nln_split split, size_t k,
                              double diversity, int threads, nln_error *err)
{
    survey s = {
        .model = model, .ratings = ratings, .k = k, .weight = diversity, .threads = threads};
    size_t n_items = nln_model_variables(model), user = 0, covered = 0;
    nln_recommendation *rows = NULL;
    nln_status status = nln_split_check(split, err);
    *out = (nln_list_report){.k = k, .novelty = NAN, .diversity = NAN};
    if (!status && !(rows = nln_array_zeroed(BLOCK * k, sizeof *rows)))
        status = nln_error_memory(err);
    if (!status)
        status = prepare(&s, err);
    while (!status && user < nln_ratings_users(ratings))
        status = survey_block(out, &s, &user, split, rows, err);
    for (size_t v = 0; !status && v < n_items; v++)
        covered += s.listed[v];
    if (!status && out->n_lists) {
        out->coverage = (double)covered / (double)n_items;
        out->novelty = s.bits / (double)s.n_listed;
        out->diversity = s.n_far ? s.far / (double)s.n_far : (double)NAN;
    }
    nln_scorer_free(s.scorer);
    nln_free(s.map);
    nln_free(s.novelty);
    nln_free(s.listed);
    nln_free(s.vectors);
    nln_free(rows);
    return status;
}

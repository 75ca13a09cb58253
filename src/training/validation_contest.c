#include "training/validation_contest.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/history.h"
#include "inference/scorer.h"

/* Likes times candidates that are looked at, and candidates of a like: all items of a catalogue
 * that is not larger. */
enum { MOST_SCORES = 4000000, MOST_CANDIDATES = 2000 };

/* ---- the likes and their candidates ------------------------------------------------------- */

static void list_candidates(nln_contest *c, size_t which, size_t user, size_t at)
{
    const nln_ratings *r = c->ratings;
    size_t n_items = nln_model_variables(c->model), n = 1, room = c->each;
    int32_t *out = c->candidate + which * c->each;
    nln_random random = nln_random_seed(at, 21);
    out[0] = r->item[at];
    for (size_t i = r->start[user]; i < r->start[user + 1]; i++)
        if (i <= at || nln_ratings_liked(r, i))
            c->excluded[r->item[i]] = 1;
    for (size_t i = 0; i < n_items && n < room && n_items <= MOST_CANDIDATES; i++)
        if (!c->excluded[i])
            out[n++] = (int32_t)i;
    for (size_t i = 0; i < 2 * room && n < room && n_items > MOST_CANDIDATES; i++) {
        int32_t item = (int32_t)nln_random_below(&random, n_items);
        if (!c->excluded[item])
            out[n++] = item;
    }
    for (size_t i = r->start[user]; i < r->start[user + 1]; i++)
        c->excluded[r->item[i]] = 0;
    c->n_candidates[which] = n;
}

static nln_status append_like(nln_contest *c, nln_literal *window, size_t user, size_t at,
                              nln_error *err)
{
    const nln_ratings *r = c->ratings;
    size_t n =
        nln_history_window(window, r, r->start[user], at, SIZE_MAX, NULL, &c->model->grading);
    list_candidates(c, c->n, user, at);
    c->n++;
    return nln_queries_append(&c->queries, (int32_t)user, window, n, r->item[at], err);
}

static nln_status list_likes(nln_contest *c, nln_error *err)
{
    const nln_ratings *r = c->ratings;
    size_t n_items = nln_model_variables(c->model), n_likes = nln_ratings_likes(r, NLN_VALID);
    size_t seen = 0, longest = nln_ratings_longest(r);
    c->each = n_items < MOST_CANDIDATES ? n_items : MOST_CANDIDATES;
    size_t most = MOST_SCORES / c->each, step = n_likes > most ? (n_likes + most - 1) / most : 1;
    size_t room = n_likes / step + 1;
    nln_literal *window = nln_array_zeroed(longest, sizeof *window);
    c->n_candidates = nln_array_zeroed(room, sizeof *c->n_candidates);
    c->candidate = nln_array_zeroed(room * c->each, sizeof *c->candidate);
    for (int k = 0; k < NLN_BY_FACTS; k++)
        c->score[k] = nln_array_zeroed(room * c->each, sizeof *c->score[k]);
    c->all = nln_array_zeroed(n_items, sizeof *c->all);
    c->seen = nln_array_zeroed(n_items, 1);
    c->excluded = nln_array_zeroed(n_items, 1);
    nln_status status = window && c->n_candidates && c->candidate && c->score[NLN_BY_NETWORK] &&
                                c->score[NLN_BY_WHOLE] && c->score[NLN_BY_RECENT] && c->all &&
                                c->seen && c->excluded
                            ? NLN_OK
                            : nln_error_memory(err);
    for (int32_t u = 0; !status && u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; !status && i < r->start[u + 1]; i++)
            if (nln_ratings_split(r, i) == NLN_VALID && nln_ratings_liked(r, i) &&
                seen++ % step == 0)
                status = append_like(c, window, (size_t)u, i, err);
    nln_free(window);
    return status;
}

void nln_contest_close(nln_contest *c)
{
    nln_queries_free(&c->queries);
    nln_free(c->n_candidates);
    nln_free(c->candidate);
    for (int k = 0; k < NLN_BY_KINDS; k++)
        nln_free(c->score[k]);
    nln_free(c->all);
    nln_free(c->seen);
    nln_free(c->excluded);
}

/* ---- scores --------------------------------------------------------------------------------- */

void nln_contest_keep(nln_contest *c, int kind, size_t which)
{
    const int32_t *item = c->candidate + which * c->each;
    for (size_t i = 0; i < c->n_candidates[which]; i++)
        c->score[kind][which * c->each + i] = (float)c->all[item[i]];
}

static nln_status score_by_network(nln_contest *c, nln_error *err)
{
    nln_scorer *scorer = NULL;
    nln_scorer_session *session = NULL;
    nln_status status = nln_scorer_create_plain(&scorer, c->model, err);
    if (!status)
        status = nln_scorer_borrow(&session, scorer, err);
    for (size_t at = 0; !status && at < c->n; at += NLN_SCORER_BLOCK) {
        size_t n = c->n - at < NLN_SCORER_BLOCK ? c->n - at : NLN_SCORER_BLOCK;
        nln_item_scorer *items = session->items;
        status = items->read(items, &c->queries, at, n, err);
        for (size_t i = 0; !status && i < n; i++) {
            items->scores(c->all, items, i, c->candidate + (at + i) * c->each,
                          (int32_t)c->n_candidates[at + i]);
            nln_contest_keep(c, NLN_BY_NETWORK, at + i);
        }
    }
    if (scorer)
        nln_scorer_give_back(scorer, session);
    nln_scorer_free(scorer);
    return status;
}

void nln_contest_score_rules(nln_contest *c, const nln_item_rules *rules)
{
    size_t n_items = rules->n_items;
    for (size_t i = 0; i < c->n; i++)
        for (int kind = NLN_BY_WHOLE; kind <= NLN_BY_RECENT; kind++) {
            const nln_query *q = &c->queries.list[i];
            memset(c->all, 0, n_items * sizeof *c->all);
            nln_item_rules_add(c->all, rules, c->queries.literal + q->first, q->n,
                               kind == NLN_BY_WHOLE, kind == NLN_BY_RECENT, c->seen);
            nln_contest_keep(c, kind, i);
        }
}

double nln_contest_spread(const nln_contest *c, int kind)
{
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        const float *x = c->score[kind] + i * c->each;
        double n = (double)c->n_candidates[i], of_x = 0, of_squares = 0;
        for (size_t j = 0; j < c->n_candidates[i]; j++) {
            of_x += (double)x[j];
            of_squares += (double)x[j] * (double)x[j];
        }
        sum += fmax(0, of_squares / n - of_x / n * (of_x / n));
    }
    return c->n ? sqrt(sum / (double)c->n) : 0;
}

double nln_contest_quality(const nln_contest *c, const double factor[NLN_BY_KINDS])
{
    float by[NLN_BY_KINDS] = {0};
    double sum = 0;
    for (int k = 0; k < NLN_BY_KINDS; k++)
        by[k] = c->score[k] ? (float)factor[k] : 0;
#define SCORE(j)                                                                     \
    by[NLN_BY_NETWORK] * x[j] + by[NLN_BY_WHOLE] * y[j] + by[NLN_BY_RECENT] * z[j] + \
        by[NLN_BY_FACTS] * f[j]
    for (size_t i = 0; i < c->n; i++) {
        const float *x = c->score[NLN_BY_NETWORK] + i * c->each;
        const float *y = c->score[NLN_BY_WHOLE] + i * c->each;
        const float *z = c->score[NLN_BY_RECENT] + i * c->each;
        const float *f = c->score[NLN_BY_FACTS] ? c->score[NLN_BY_FACTS] + i * c->each : x;
        float like = SCORE(0);
        int32_t above = 0, level = 0;
        for (size_t j = 1; j < c->n_candidates[i]; j++) {
            float other = SCORE(j);
            above += other > like;
            level += other == like;
        }
        sum += 1 / log2(2 + above + 0.5 * level);
    }
#undef SCORE
    return c->n ? sum / (double)c->n : 0;
}

nln_status nln_contest_list(nln_contest *c, const nln_model *model, const nln_ratings *ratings,
                            nln_error *err)
{
    *c = (nln_contest){.model = model, .ratings = ratings};
    return list_likes(c, err);
}

nln_status nln_contest_open(nln_contest *c, const nln_model *model, const nln_ratings *ratings,
                            nln_error *err)
{
    nln_status status = nln_contest_list(c, model, ratings, err);
    if (!status && c->n)
        status = score_by_network(c, err);
    return status;
}

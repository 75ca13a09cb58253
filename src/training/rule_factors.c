#include "training/rule_factors.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/history.h"
#include "inference/scorer.h"
#include "models/rule_weights.h"

/* Likes times candidates that are looked at, and candidates of a like: all items of a catalogue
 * that is not larger. */
enum { MOST_SCORES = 4000000, MOST_CANDIDATES = 2000 };

/* The priors to choose from, and the factors, relative to the spread of the network's scores over
 * that of the rules'. */
static const double priors[] = {10, 50, 150, 500};
static const double factors[] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32};
enum {
    N_PRIORS = sizeof priors / sizeof *priors,
    N_FACTORS = sizeof factors / sizeof *factors,
    NETWORK = 0,
    WHOLE,
    RECENT,
    N_SCORES
};

/* Some likes of validation, each with its history and candidates; the first of these is the like
 * itself. */
typedef struct contest {
    const nln_model *model;
    const nln_ratings *ratings;
    size_t n, each;           /* likes, and room for candidates of each */
    nln_queries queries;      /* the histories, whole; the target is the like */
    size_t *n_candidates;     /* [n] */
    int32_t *candidate;       /* [n, each] */
    float *score[N_SCORES];   /* [n, each] */
    double *all;              /* [items] scratch */
    uint8_t *seen, *excluded; /* [items] scratch, 0 between uses */
} contest;

/* ---- the likes and their candidates ------------------------------------------------------- */

static void list_candidates(contest *c, size_t which, size_t user, size_t at)
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

static nln_status append_like(contest *c, nln_literal *window, size_t user, size_t at,
                              nln_error *err)
{
    const nln_ratings *r = c->ratings;
    size_t n =
        nln_history_window(window, r, r->start[user], at, SIZE_MAX, NULL, &c->model->grading);
    list_candidates(c, c->n, user, at);
    c->n++;
    return nln_queries_append(&c->queries, (int32_t)user, window, n, r->item[at], err);
}

/* Likes that are spread evenly over validation. */
static nln_status list_likes(contest *c, nln_error *err)
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
    for (int k = 0; k < N_SCORES; k++)
        c->score[k] = nln_array_zeroed(room * c->each, sizeof *c->score[k]);
    c->all = nln_array_zeroed(n_items, sizeof *c->all);
    c->seen = nln_array_zeroed(n_items, 1);
    c->excluded = nln_array_zeroed(n_items, 1);
    nln_status status = window && c->n_candidates && c->candidate && c->score[NETWORK] &&
                                c->score[WHOLE] && c->score[RECENT] && c->all && c->seen &&
                                c->excluded
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

static void free_contest(contest *c)
{
    nln_queries_free(&c->queries);
    nln_free(c->n_candidates);
    nln_free(c->candidate);
    for (int k = 0; k < N_SCORES; k++)
        nln_free(c->score[k]);
    nln_free(c->all);
    nln_free(c->seen);
    nln_free(c->excluded);
}

/* ---- scores --------------------------------------------------------------------------------- */

static void keep_scores(contest *c, int kind, size_t which)
{
    const int32_t *item = c->candidate + which * c->each;
    for (size_t i = 0; i < c->n_candidates[which]; i++)
        c->score[kind][which * c->each + i] = (float)c->all[item[i]];
}

static nln_status score_by_network(contest *c, nln_error *err)
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
            keep_scores(c, NETWORK, at + i);
        }
    }
    if (scorer)
        nln_scorer_give_back(scorer, session);
    nln_scorer_free(scorer);
    return status;
}

static void score_by_rules(contest *c, const nln_item_rules *rules)
{
    size_t n_items = rules->n_items;
    for (size_t i = 0; i < c->n; i++)
        for (int kind = WHOLE; kind <= RECENT; kind++) {
            const nln_query *q = &c->queries.list[i];
            memset(c->all, 0, n_items * sizeof *c->all);
            nln_item_rules_add(c->all, rules, c->queries.literal + q->first, q->n, kind == WHOLE,
                               kind == RECENT, c->seen);
            keep_scores(c, kind, i);
        }
}

/* The spread of scores among the candidates of a like, on average. */
static double spread(const contest *c, int kind)
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

/* The mean of 1 / log2(1 + rank) over the likes, where a tie counts half. */
static double quality(const contest *c, double whole, double recent)
{
    float by[N_SCORES] = {1, (float)whole, (float)recent};
    double sum = 0;
    for (size_t i = 0; i < c->n; i++) {
        const float *x = c->score[NETWORK] + i * c->each, *y = c->score[WHOLE] + i * c->each;
        const float *z = c->score[RECENT] + i * c->each;
        float like = x[0] + by[WHOLE] * y[0] + by[RECENT] * z[0];
        int32_t above = 0, level = 0;
        for (size_t j = 1; j < c->n_candidates[i]; j++) {
            float other = x[j] + by[WHOLE] * y[j] + by[RECENT] * z[j];
            above += other > like;
            level += other == like;
        }
        sum += 1 / log2(2 + above + 0.5 * level);
    }
    return c->n ? sum / (double)c->n : 0;
}

/* ---- choosing ------------------------------------------------------------------------------- */

/* Sets the factors of the rules to the best of the grid and returns their quality.  All are scaled
 * so that scores spread as the network's alone. */
static double choose_factors(nln_item_rules *rules, const contest *c)
{
    double of_network = spread(c, NETWORK), best = -1;
    double of_whole = spread(c, WHOLE), of_recent = spread(c, RECENT);
    for (int i = 0; i < N_FACTORS; i++)
        for (int j = 0; j < N_FACTORS; j++) {
            double whole = of_whole > 0 ? factors[i] * of_network / of_whole : 0;
            double recent = of_recent > 0 ? factors[j] * of_network / of_recent : 0;
            double found = quality(c, whole, recent);
            if (found > best) {
                best = found;
                double share = 1 / (1 + factors[i] + factors[j]);
                rules->network = share;
                rules->whole = share * whole;
                rules->recent = share * recent;
            }
        }
    return best;
}

nln_status nln_rule_factors_choose(nln_rule_choice *out, nln_model *model,
                                   const nln_ratings *ratings, const nln_queries *users,
                                   nln_thread_pool *pool, nln_error *err)
{
    contest c = {.model = model, .ratings = ratings};
    size_t n_items = nln_model_variables(model), width = 0;
    nln_like_counts *counts = NULL;
    nln_item_rules *rules = NULL;
    nln_status status = list_likes(&c, err);
    *out = (nln_rule_choice){.n_likes = c.n};
    if (status || !c.n) {
        free_contest(&c);
        return status;
    }
    status = score_by_network(&c, err);
    if (!status)
        status = nln_like_counts_create(&counts, users, n_items, 1, err);
    out->with = out->without = status ? 0 : quality(&c, 0, 0);
    if (!status)
        width = nln_rule_weights_width(counts, (size_t)model->config.rules);
    for (int i = 0; !status && i < N_PRIORS; i++) {
        status = nln_item_rules_create(&rules, n_items, width, err);
        if (!status)
            status = nln_rule_weights_find(rules, counts, priors[i], pool, err);
        if (status)
            break;
        score_by_rules(&c, rules);
        double found = choose_factors(rules, &c);
        if (found > out->with) {
            nln_item_rules *worse = model->rules;
            model->rules = rules;
            rules = worse;
            out->with = found;
            out->l2 = priors[i];
        }
        nln_item_rules_free(rules);
        rules = NULL;
    }
    nln_item_rules_free(rules);
    nln_like_counts_free(counts);
    free_contest(&c);
    return status;
}

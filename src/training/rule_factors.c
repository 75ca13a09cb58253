#include "training/rule_factors.h"

#include <math.h>

#include "models/rule_weights.h"

/* The priors to choose from; the parts of a like that a dislike may be, of which the first is that
 * of the choice of a prior; and the factors, relative to the spread of the network's scores over
 * that of the rules'. */
static const double priors[] = {10, 40, 120, 300, 800};
static const double values[] = {0.5, -0.25, 0, 0.25, 0.75};
static const double factors[] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32};
enum {
    N_PRIORS = sizeof priors / sizeof *priors,
    N_VALUES = sizeof values / sizeof *values,
    N_FACTORS = sizeof factors / sizeof *factors
};

typedef struct choice {
    nln_rule_choice *out;
    nln_model *model;
    nln_contest *contest;
    const nln_queries *users;
    nln_thread_pool *pool;
    nln_cooccurrence *counts; /* with these dislikes */
    nln_dislikes dislikes;
} choice;

/* Sets the factors of the rules to the best of the grid and returns their quality.  All are scaled
 * so that scores spread as the network's alone. */
static double choose_factors(nln_item_rules *rules, const nln_contest *c)
{
    double of_network = nln_contest_spread(c, NLN_BY_NETWORK), best = -1;
    double of_whole = nln_contest_spread(c, NLN_BY_WHOLE);
    double of_recent = nln_contest_spread(c, NLN_BY_RECENT);
    for (int i = 0; i < N_FACTORS; i++)
        for (int j = 0; j < N_FACTORS; j++) {
            double whole = of_whole > 0 ? factors[i] * of_network / of_whole : 0;
            double recent = of_recent > 0 ? factors[j] * of_network / of_recent : 0;
            double found = nln_contest_quality(c, (const double[NLN_BY_KINDS]){1, whole, recent});
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

static nln_status count(choice *c, nln_dislikes dislikes, nln_error *err)
{
    nln_cooccurrence_free(c->counts);
    c->counts = NULL;
    c->dislikes = dislikes;
    return nln_cooccurrence_create(&c->counts, c->users, nln_model_variables(c->model), dislikes,
                                   err);
}

/* Finds the rules with a prior, and gives them to the model if they are the best so far. */
static nln_status try_prior(choice *c, double l2, nln_error *err)
{
    size_t width = nln_rule_weights_width(c->counts, (size_t)c->model->config.rules);
    nln_item_rules *rules = NULL;
    nln_status status = nln_item_rules_create(&rules, nln_model_variables(c->model), width, err);
    if (!status)
        status = nln_rule_weights_find(rules, c->counts, l2, c->pool, err);
    if (!status) {
        rules->dislike = c->dislikes.value;
        nln_contest_score_rules(c->contest, rules);
        double found = choose_factors(rules, c->contest);
        if (found > c->out->with) {
            nln_item_rules *worse = c->model->rules;
            c->model->rules = rules;
            rules = worse;
            c->out->with = found;
            c->out->l2 = l2;
        }
    }
    nln_item_rules_free(rules);
    return status;
}

static int has_dislikes(const nln_queries *users)
{
    for (size_t i = 0; i < users->n_literals; i++)
        if (!users->literal[i].liked)
            return 1;
    return 0;
}

nln_status nln_rule_factors_choose(nln_rule_choice *out, nln_model *model, nln_contest *contest,
                                   const nln_queries *users, nln_thread_pool *pool, nln_error *err)
{
    choice c = {.out = out, .model = model, .contest = contest, .users = users, .pool = pool};
    int has_any = has_dislikes(users);
    *out = (nln_rule_choice){.n_likes = contest->n};
    if (!contest->n)
        return NLN_OK;
    out->with = out->without = nln_contest_quality(contest, (const double[NLN_BY_KINDS]){1});
    nln_status status = count(&c, (nln_dislikes){.value = has_any ? values[0] : 0}, err);
    for (int i = 0; !status && i < N_PRIORS; i++)
        status = try_prior(&c, priors[i], err);
    double l2 = out->l2;
    for (int i = 1; !status && has_any && model->rules && i < N_VALUES; i++) {
        status = count(&c, (nln_dislikes){.value = values[i]}, err);
        if (!status)
            status = try_prior(&c, l2, err);
    }
    if (!status && has_any)
        status = count(&c, (nln_dislikes){.are_literals = 1}, err);
    for (int i = 0; !status && has_any && i < N_PRIORS; i++)
        status = try_prior(&c, priors[i], err);
    nln_cooccurrence_free(c.counts);
    return status;
}

/* How well rules rank the likes of the contest alone, by the whole history or its last part. */
static nln_status rank_by_rules(double *quality, nln_contest *c, const nln_queries *users,
                                double dislike, nln_thread_pool *pool, nln_error *err)
{
    enum { PRIOR = 120, WIDTH = 500 };
    nln_cooccurrence *counts = NULL;
    nln_item_rules *rules = NULL;
    size_t n_items = nln_model_variables(c->model);
    nln_status status =
        nln_cooccurrence_create(&counts, users, n_items, (nln_dislikes){.value = dislike}, err);
    if (!status)
        status = nln_item_rules_create(&rules, n_items, nln_rule_weights_width(counts, WIDTH), err);
    if (!status)
        status = nln_rule_weights_find(rules, counts, PRIOR, pool, err);
    if (!status) {
        rules->dislike = dislike;
        nln_contest_score_rules(c, rules);
        *quality = fmax(nln_contest_quality(c, (const double[NLN_BY_KINDS]){[NLN_BY_WHOLE] = 1}),
                        nln_contest_quality(c, (const double[NLN_BY_KINDS]){[NLN_BY_RECENT] = 1}));
    }
    nln_item_rules_free(rules);
    nln_cooccurrence_free(counts);
    return status;
}

nln_status nln_rule_factors_try_dislikes(int *better, const nln_model *model,
                                         const nln_ratings *ratings, const nln_queries *users,
                                         nln_thread_pool *pool, nln_error *err)
{
    nln_contest c = {0};
    double without = 0, with = 0;
    *better = 0;
    if (!has_dislikes(users))
        return NLN_OK;
    nln_status status = nln_contest_list(&c, model, ratings, err);
    if (!status && c.n)
        status = rank_by_rules(&without, &c, users, 0, pool, err);
    if (!status && c.n)
        status = rank_by_rules(&with, &c, users, values[0], pool, err);
    *better = !status && with > without;
    nln_contest_close(&c);
    return status;
}

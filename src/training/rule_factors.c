#include "training/rule_factors.h"

#include "models/rule_weights.h"

/* The priors to choose from, and the factors, relative to the spread of the network's scores over
 * that of the rules'. */
static const double priors[] = {10, 40, 120, 300, 800};
static const double factors[] = {0, 0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32};
enum { N_PRIORS = sizeof priors / sizeof *priors, N_FACTORS = sizeof factors / sizeof *factors };

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

nln_status nln_rule_factors_choose(nln_rule_choice *out, nln_model *model, nln_contest *c,
                                   const nln_queries *users, nln_thread_pool *pool, nln_error *err)
{
    size_t n_items = nln_model_variables(model), width = 0;
    nln_like_counts *counts = NULL;
    nln_item_rules *rules = NULL;
    *out = (nln_rule_choice){.n_likes = c->n};
    if (!c->n)
        return NLN_OK;
    nln_status status = nln_like_counts_create(&counts, users, n_items, 1, err);
    out->with = out->without = status ? 0 : nln_contest_quality(c, (const double[NLN_BY_KINDS]){1});
    if (!status)
        width = nln_rule_weights_width(counts, (size_t)model->config.rules);
    for (int i = 0; !status && i < N_PRIORS; i++) {
        status = nln_item_rules_create(&rules, n_items, width, err);
        if (!status)
            status = nln_rule_weights_find(rules, counts, priors[i], pool, err);
        if (status)
            break;
        nln_contest_score_rules(c, rules);
        double found = choose_factors(rules, c);
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
    return status;
}

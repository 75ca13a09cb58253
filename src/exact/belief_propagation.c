#include "exact/belief_propagation.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "logic/postfix.h"
#include "net/independent_probability.h"

#define LEAST_NOISE 1e-6
#define MOST_LOGIT  27.6 /* a probability of 1e-12 from 0 or 1 */

/* The leaves of all expressions, one after the other, and the messages along them. */
typedef struct graph {
    const nln_exprs *exprs;
    size_t n_variables, n_leaves;
    size_t *first;     /* [exprs->n + 1] first leaf of an expression */
    int32_t *owner;    /* [n_leaves] of nln_independent_probability_bind, within the expression */
    int32_t *variable; /* [n_leaves] */
    double *message;   /* [n_leaves] log-odds, from the expression to the variable */
    double *total;     /* [n_variables] sum of the messages to the variable */
    double *q;         /* [most_nodes] P(variable) without this expression, by leaf */
    double *if_true;   /* [most_nodes] P(expression | variable), by leaf */
    double *if_false;  /* [most_nodes] */
    nln_independent_probability chance;
} graph;

static void graph_free(graph *g)
{
    nln_free(g->first);
    nln_free(g->owner);
    nln_free(g->variable);
    nln_free(g->message);
    nln_free(g->total);
    nln_free(g->q);
    nln_free(g->if_true);
    nln_free(g->if_false);
    nln_independent_probability_free(&g->chance);
}

static nln_status graph_create(graph *g, const nln_exprs *exprs, size_t n_variables, nln_error *err)
{
    size_t most = nln_postfix_most_nodes(exprs), leaf = 0;
    *g = (graph){.exprs = exprs, .n_variables = n_variables};
    for (size_t i = 0; i < exprs->n_nodes; i++)
        g->n_leaves += exprs->nodes[i].op == NLN_OP_VAR;
    g->first = nln_array_zeroed(g->exprs->n + 1, sizeof(size_t));
    g->owner = nln_array_zeroed(g->n_leaves, sizeof(int32_t));
    g->variable = nln_array_zeroed(g->n_leaves, sizeof(int32_t));
    g->message = nln_array_zeroed(g->n_leaves, sizeof(double));
    g->total = nln_array_zeroed(g->n_variables, sizeof(double));
    g->q = nln_array_zeroed(most, sizeof(double));
    g->if_true = nln_array_zeroed(most, sizeof(double));
    g->if_false = nln_array_zeroed(most, sizeof(double));
    nln_status status = g->first && g->owner && g->variable && g->message && g->total && g->q &&
                                g->if_true && g->if_false
                            ? nln_independent_probability_create(&g->chance, most, n_variables, err)
                            : nln_error_memory(err);
    if (status) {
        graph_free(g);
        return status;
    }
    for (size_t i = 0; i < exprs->n; i++) {
        nln_expr e = nln_exprs_get(exprs, i);
        g->first[i] = leaf;
        nln_independent_probability_bind(g->owner + leaf, &g->chance, e);
        for (int32_t k = 0; k < e.n_nodes; k++)
            if (e.nodes[k].op == NLN_OP_VAR)
                g->variable[leaf++] = e.nodes[k].arg;
    }
    g->first[exprs->n] = leaf;
    return NLN_OK;
}

static double sigmoid(double logit)
{
    double held = logit < -MOST_LOGIT ? -MOST_LOGIT : logit > MOST_LOGIT ? MOST_LOGIT : logit;
    return 1 / (1 + exp(-held));
}

/* P(label), if the expression is true with probability p and labels are flipped at the noise
 * rate. */
static double likelihood(double p, int label, double noise)
{
    return noise + (1 - 2 * noise) * (label ? p : 1 - p);
}

/* Sends the messages of expression i.  The totals of its variables are updated at once, so that
 * later expressions of the sweep use them.  Returns the largest change before damping. */
static double update(graph *g, size_t i, int label, double noise, double damping)
{
    size_t first = g->first[i], n = g->first[i + 1] - first;
    const int32_t *owner = g->owner + first, *variable = g->variable + first;
    double *message = g->message + first, most = 0;
    for (size_t k = 0; k < n; k++)
        g->q[k] = sigmoid(g->total[variable[k]] - message[k]);
    nln_independent_probability_given(g->if_true, g->if_false, &g->chance,
                                      nln_exprs_get(g->exprs, i), owner, g->q, (int32_t)n);
    for (size_t k = 0; k < n; k++) {
        if ((size_t)owner[k] != k)
            continue;
        double wanted =
            log(likelihood(g->if_true[k], label, noise) / likelihood(g->if_false[k], label, noise));
        double change = wanted - message[k];
        most = fabs(change) > most ? fabs(change) : most;
        message[k] += (1 - damping) * change;
        g->total[variable[k]] += (1 - damping) * change;
    }
    return most;
}

nln_status nln_belief_propagation_fit(double *marginals, const nln_exprs *exprs,
                                      const uint8_t *labels, size_t n_variables,
                                      const nln_belief_propagation_settings *settings,
                                      nln_error *err)
{
    graph g;
    nln_status status = graph_create(&g, exprs, n_variables, err);
    if (status)
        return status;
    double noise = fmax(settings->noise, LEAST_NOISE), change = INFINITY;
    for (int sweep = 0; sweep < settings->sweeps && change > settings->tolerance; sweep++) {
        change = 0;
        for (size_t i = 0; i < exprs->n; i++)
            change = fmax(change, update(&g, i, labels[i], noise, settings->damping));
        /* The totals are summed afresh, so that rounding errors do not accumulate. */
        memset(g.total, 0, n_variables * sizeof *g.total);
        for (size_t k = 0; k < g.n_leaves; k++)
            g.total[g.variable[k]] += g.message[k];
    }
    for (size_t v = 0; v < n_variables; v++)
        marginals[v] = sigmoid(g.total[v]);
    graph_free(&g);
    return NLN_OK;
}

nln_status nln_belief_propagation_predict(double *p, const nln_exprs *exprs,
                                          const double *marginals, size_t n_variables,
                                          nln_error *err)
{
    nln_independent_probability chance = {0};
    size_t most = nln_postfix_most_nodes(exprs);
    int32_t *owner = nln_array_zeroed(most, sizeof(int32_t));
    double *q = nln_array_zeroed(most, sizeof(double));
    nln_status status = owner && q
                            ? nln_independent_probability_create(&chance, most, n_variables, err)
                            : nln_error_memory(err);
    for (size_t i = 0; !status && i < exprs->n; i++) {
        nln_expr e = nln_exprs_get(exprs, i);
        int32_t leaf = 0;
        int32_t n_leaves = nln_independent_probability_bind(owner, &chance, e);
        for (int32_t k = 0; k < e.n_nodes; k++)
            if (e.nodes[k].op == NLN_OP_VAR)
                q[leaf++] = marginals[e.nodes[k].arg];
        p[i] = nln_independent_probability_of(&chance, e, owner, q, n_leaves);
    }
    nln_independent_probability_free(&chance);
    nln_free(owner);
    nln_free(q);
    return status;
}

/* The product of marginals: a variable is T with probability sigmoid(logit), and the variables
 * of an expression are taken as independent, each occurrence of each. */
#include <math.h>

#include "base/array.h"
#include "base/memory.h"
#include "logic/postfix.h"
#include "math/scalar.h"
#include "models/data_parallel_learner.h"
#include "net/independent_probability.h"

enum { LOGIT };

/* Probabilities stay so far from 0 and 1. */
static const double least = 1e-12;

static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    if (index > LOGIT)
        return 0;
    *out = (nln_shape){"variables.logit", s->n_variables, 1, NLN_START_TABLE, 1, 1};
    return 1;
}

/* ---- one expression ---------------------------------------------------------------------- */

/* What the probability of an expression needs; by leaf, and leaves are in the order of nodes. */
typedef struct reader {
    nln_independent_probability chance;
    size_t most_nodes;
    double *q;                  /* [most_nodes] P(variable) */
    double *if_true, *if_false; /* [most_nodes] P(expression | variable) */
    int32_t *owner;             /* [most_nodes] itself: nothing is conditioned on */
} reader;

static void reader_free(reader *r)
{
    nln_independent_probability_free(&r->chance);
    nln_free(r->q);
    nln_free(r->if_true);
    nln_free(r->if_false);
    nln_free(r->owner);
    *r = (reader){0};
}

static nln_status reader_fit(reader *r, size_t most_nodes, size_t n_variables, nln_error *err)
{
    if (r->q && most_nodes <= r->most_nodes)
        return NLN_OK;
    reader_free(r);
    nln_status status =
        nln_independent_probability_create(&r->chance, most_nodes, n_variables, err);
    if (status)
        return status;
    r->q = nln_array_zeroed(most_nodes, sizeof *r->q);
    r->if_true = nln_array_zeroed(most_nodes, sizeof *r->if_true);
    r->if_false = nln_array_zeroed(most_nodes, sizeof *r->if_false);
    r->owner = nln_array_zeroed(most_nodes, sizeof *r->owner);
    if (!r->q || !r->if_true || !r->if_false || !r->owner)
        return nln_error_memory(err);
    r->most_nodes = most_nodes;
    for (size_t i = 0; i < most_nodes; i++)
        r->owner[i] = (int32_t)i;
    return NLN_OK;
}

static double probability(reader *r, const nln_model *m, nln_expr e)
{
    int32_t n = 0;
    for (int32_t i = 0; i < e.n_nodes; i++)
        if (e.nodes[i].op == NLN_OP_VAR)
            r->q[n++] = nln_sigmoid((double)m->weights.data[LOGIT][e.nodes[i].arg]);
    return nln_independent_probability_of(&r->chance, e, r->owner, r->q, n);
}

/* ---- learning ----------------------------------------------------------------------------- */

typedef struct learner {
    nln_table_learner shared;
    reader reader;
    const int32_t *frequency;
    int32_t *count; /* [variables] by place: occurrences in the request */
} learner;

static nln_expr expr_of(const nln_request *request, int32_t i)
{
    return nln_exprs_get(request->exprs, (size_t)request->index[i]);
}

static void touch(learner *l, nln_expr e)
{
    for (int32_t i = 0; i < e.n_nodes; i++) {
        if (e.nodes[i].op != NLN_OP_VAR)
            continue;
        int32_t before = l->shared.touched[LOGIT].n;
        int32_t place = nln_table_learner_touch(&l->shared, LOGIT, e.nodes[i].arg);
        l->count[place] = place == before ? 1 : l->count[place] + 1;
    }
}

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    learner *l = (learner *)base;
    size_t most = 1;
    nln_table_learner_begin(&l->shared, request);
    for (int32_t i = 0; i < request->n; i++) {
        size_t n = (size_t)expr_of(request, i).n_nodes;
        most = n > most ? n : most;
        touch(l, expr_of(request, i));
    }
    nln_status status = reader_fit(&l->reader, most, nln_model_variables(l->shared.model), err);
    return status ? status : nln_table_learner_end(&l->shared, err);
}

/* The gradient of each leaf, given that of the probability. */
static void add_slopes(learner *l, nln_expr e, double by)
{
    reader *r = &l->reader;
    int32_t n = 0, leaf = 0;
    for (int32_t i = 0; i < e.n_nodes; i++)
        n += e.nodes[i].op == NLN_OP_VAR;
    nln_independent_probability_given(r->if_true, r->if_false, &r->chance, e, r->owner, r->q, n);
    for (int32_t i = 0; i < e.n_nodes; i++) {
        if (e.nodes[i].op != NLN_OP_VAR)
            continue;
        int32_t place = l->shared.touched[LOGIT].place[e.nodes[i].arg] - 1;
        double slope = r->if_true[leaf] - r->if_false[leaf];
        *nln_table_learner_gradient(&l->shared, LOGIT, place) +=
            (real)(by * slope * r->q[leaf] * (1 - r->q[leaf]));
        leaf++;
    }
}

/* Cross-entropy under noise of a label that is true with probability `truth`; `share` of it
 * counts. */
static void learn_from(nln_loss *loss, learner *l, nln_expr e, double truth, double weight,
                       double share)
{
    double noise = l->shared.base.noise, p = probability(&l->reader, l->shared.model, e), by = 0;
    for (int label = 0; label < 2; label++) {
        double part = weight * (label ? truth : 1 - truth);
        double q = label ? p : 1 - p, likelihood = (1 - noise) * q + noise * (1 - q);
        double bounded = fmax(likelihood, least);
        if (part <= 0)
            continue;
        loss->data -= part * share * log(bounded);
        loss->flips += part * noise * (1 - q) / bounded;
        by += part * (label ? -1 : 1) * share * (1 - 2 * noise) / bounded;
    }
    add_slopes(l, e, by);
}

/* The prior of a variable counts once an epoch, spread over its occurrences. */
static void add_prior(nln_loss *loss, learner *l, double share)
{
    const nln_parameter *p = &l->shared.base.parameter[LOGIT];
    for (int32_t k = 0; k < p->n_rows; k++) {
        int32_t frequency = l->frequency ? l->frequency[p->row[k]] : 1;
        double weight = l->shared.model->config.l2_logit * share * l->count[k] / frequency;
        double t = (double)p->x[p->row[k]];
        loss->l2 += weight * t * t;
        p->gradient[k] += (real)(2 * weight * t);
    }
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    learner *l = (learner *)base;
    const nln_request *request = l->shared.request;
    double share = base->per_unit;
    nln_loss loss = {0};
    (void)key;
    nln_table_learner_clear(&l->shared);
    for (int32_t i = 0; i < request->n; i++)
        learn_from(&loss, l, expr_of(request, i), (double)request->truth[request->index[i]],
                   request->weight ? (double)request->weight[request->index[i]] : 1, share);
    add_prior(&loss, l, share);
    return loss;
}

static void close_shard(nln_learner *base)
{
    learner *l = (learner *)base;
    reader_free(&l->reader);
    nln_free(l->count);
}

static nln_status open_shard(nln_learner *base, nln_model *model, const int32_t *frequency,
                             nln_error *err)
{
    learner *l = (learner *)base;
    l->frequency = frequency;
    l->count = nln_array_zeroed(nln_model_variables(model), sizeof *l->count);
    base->parameter[LOGIT].rate = model->config.rate_logit;
    base->parameter[LOGIT].is_logit = 1;
    return l->count ? NLN_OK : nln_error_memory(err);
}

static nln_status learn(nln_learner **out, nln_model *model, nln_thread_pool *team,
                        const int32_t *frequency, nln_error *err)
{
    static const nln_shard_learner shard = {.size = sizeof(learner),
                                            .open = open_shard,
                                            .close = close_shard,
                                            .plan = plan,
                                            .gradient = gradient};
    return nln_data_parallel_learner_create(out, &shard, model, team, frequency, err);
}

/* ---- in use -------------------------------------------------------------------------------- */

static nln_status judge(double *score, const nln_model *model, const nln_exprs *list, int orders,
                        int n_threads, nln_error *err)
{
    reader r = {0};
    nln_status status =
        reader_fit(&r, nln_postfix_most_nodes(list), nln_model_variables(model), err);
    (void)orders, (void)n_threads;
    for (size_t i = 0; !status && i < list->n; i++) {
        double p = probability(&r, model, nln_exprs_get(list, i));
        score[i] = nln_log_odds(fmin(fmax(p, least), 1 - least));
    }
    reader_free(&r);
    return status;
}

const nln_method nln_method_marginals = {
    .name = "marginals",
    .has = NLN_HAS_LOGITS,
    .tasks = 1u << NLN_TASK_LOGIC,
    .needs_counts = 1,
    .tensor = tensor,
    .learn = learn,
    .judge = judge,
};

#include "models/network_learner.h"

#include "base/array.h"
#include "base/memory.h"
#include "models/implication.h"

/* ---- queries as expressions ------------------------------------------------------------ */

/* The request with its queries as expressions in l->list: see request.h.  Both expressions of a
 * pair are folded in the same random order. */
static nln_status express(nln_request *out, nln_network_learner *l, const nln_request *r,
                          nln_error *err)
{
    const nln_query *query = r->queries->list;
    const nln_literal *literal = r->queries->literal;
    int pairs = nln_loss_kind_is_pairs(r->loss_kind);
    size_t n = (size_t)r->n, each = pairs ? (size_t)r->n_candidates : 1;
    nln_status status = NLN_OK;
    l->list.n = l->list.n_nodes = 0;
    *out = *r;
    out->queries = NULL;
    out->exprs = &l->list;
    if (!NLN_ARRAY_RESERVE(l->keys, l->keys_room, 2 * n * each) ||
        !NLN_ARRAY_RESERVE(l->index, l->index_room, n))
        return nln_error_memory(err);
    if (r->loss_kind == NLN_LOSS_SOFTMAX) {
        for (size_t i = 0; !status && i < n; i++)
            status = nln_implication_append_history(&l->list, l->model, query[i].user,
                                                    literal + query[i].first, query[i].n, err);
        for (size_t i = 0; !status && i < n; i++)
            status = nln_implication_append_item(&l->list, query[i].target, err);
        for (int32_t i = 0; !status && i < r->n_candidates; i++)
            status = nln_implication_append_item(&l->list, r->candidate[i], err);
        return status;
    }
    for (size_t j = 0; !status && j < n * each; j++) {
        const nln_query *q = &query[j / each];
        const nln_literal *history = literal + q->first;
        status = nln_implication_append(&l->list, l->model, q->user, history, q->n, q->target, err);
        if (!status && pairs)
            status = nln_implication_append(&l->list, l->model, q->user, history, q->n,
                                            r->candidate[j], err);
        if (pairs)
            l->keys[2 * j] = l->keys[2 * j + 1] = (uint64_t)r->unit[j / each];
        else
            l->index[j] = (int32_t)j;
    }
    out->n = (int32_t)(n * each);
    out->keys = pairs ? l->keys : NULL;
    out->index = l->index;
    return status;
}

/* ---- learning ---------------------------------------------------------------------------- */

/* All that is random differs between the networks. */
static uint64_t key_of(uint64_t key, int network)
{
    return network ? nln_random_mix(key + (uint64_t)network) : key;
}

/* The modules of a network, then the tables of its variables. */
static nln_parameter *parameters_of(nln_network_learner *l, int network)
{
    return l->base.parameter + (size_t)network * (size_t)l->n_each;
}

/* The rows of a table of a network that its batch touches. */
static void list_rows(nln_parameter *p, const nln_net *net, const nln_batch *b)
{
    if (net->entity && p->x == net->atom_weights) {
        p->n_rows = 1;
        p->row = NULL;
    } else if (net->entity && (p->x == net->entity || p->x == net->predicate)) {
        const nln_shard_rows *rows = p->x == net->entity ? &b->entities : &b->predicates;
        p->n_rows = rows->n;
        p->row = rows->row;
    } else {
        p->n_rows = b->n_variables;
        p->row = b->variable;
    }
}

static real *gradient_of(const nln_parameter *p, const nln_net *net, const nln_batch *b)
{
    if (net->entity && p->x == net->atom_weights)
        return b->datoms;
    if (net->entity && (p->x == net->entity || p->x == net->predicate))
        return p->x == net->entity ? b->dentity : b->dpredicate;
    return p->is_logit ? b->dlogit : b->dvector;
}

static nln_status plan(nln_learner *base, const nln_request *request, nln_error *err)
{
    nln_network_learner *l = (nln_network_learner *)base;
    const nln_config *c = &l->model->config;
    nln_batch_settings settings = {.members = c->members,
                                   .stride = nln_model_rows(l->model),
                                   .entities = nln_model_entity_rows(l->model),
                                   .predicates = nln_model_predicate_rows(l->model),
                                   .association = (nln_association)c->association,
                                   .shuffled = c->shuffle,
                                   .sharing = nln_objective_shares(&l->objective)};
    nln_request own = *request;
    nln_status status = request->exprs ? NLN_OK : express(&own, l, request, err);
    l->objective.loss_kind = request->loss_kind;
    for (int i = 0; !status && i < l->model->n_networks; i++) {
        nln_parameter *parameter = parameters_of(l, i);
        own.key = key_of(request->key, i);
        status = nln_batch_plan(l->batch[i], &own, &settings, err);
        for (int k = 1; !status && k < l->n_each; k++)
            list_rows(&parameter[k], l->model->net[i], l->batch[i]);
    }
    return status;
}

double nln_network_row_flop(const nln_net *net, nln_module_id module)
{
    double inputs = net->modules.of[module].inputs;
    return 2.0 * net->dim * net->hidden * (inputs + 1);
}

/* Backward costs twice forward.  Under the laws a vector goes through 2 NOT, 4 AND and 4
 * OR by the book, 84 products there and back; as laws.c has it 42 of [d, h] and 7 of [h, h].  A
 * negation pair saves 18 of these, a shared projection 3. */
static void add_cost(nln_network_learner *l, const nln_plan *p, nln_law_counts law)
{
    const nln_net *net = l->model->net[0]; /* all are of one size */
    double n_vectors = (double)p->n_occurrences;
    for (int32_t i = 0; i < p->n_groups; i++) {
        nln_group g = p->groups[i];
        double occurrences = 0;
        for (int32_t r = g.first; r < g.first + g.count; r++)
            occurrences += p->count[r];
        l->cost.textbook_flop += 3 * occurrences * nln_network_row_flop(net, g.module);
        l->cost.executed_flop += 3.0 * g.count * nln_network_row_flop(net, g.module);
    }
    l->cost.executed_flop -= law.skipped_flop;
    l->cost.rows += n_vectors;
    l->cost.shared_rows += p->n_rows - NLN_ROW_LEAF;
    if (!nln_objective_has_laws(&l->objective))
        return;
    l->cost.textbook_flop += 3 * n_vectors *
                             (2 * nln_network_row_flop(net, NLN_MODULE_NOT) +
                              8 * nln_network_row_flop(net, NLN_MODULE_AND));
    l->cost.executed_flop += 2.0 * net->hidden *
                             ((42.0 * law.n - 18.0 * law.n_pairs - 3.0 * law.n_shared) * net->dim +
                              7.0 * law.n * net->hidden);
}

/* Members and networks see the same data: a sum over them is no larger loss. */
static nln_loss per_member(nln_loss loss, const nln_config *c)
{
    double networks = c->networks, members = c->members * networks;
    double terms = c->reduce ? networks : members;
    return (nln_loss){.data = loss.data / terms,
                      .laws = loss.laws / terms,
                      .length = loss.length / terms,
                      .l2 = loss.l2 / terms,
                      .flips = loss.flips / members};
}

/* Adds the loss of one network, whose gradient is not that of any mean: it learns as if it were
 * alone. */
static void add_network(nln_loss *sum, nln_network_learner *l, int network, uint64_t key)
{
    const nln_batch *batch = l->batch[network];
    nln_parameter *part = parameters_of(l, network);
    nln_loss loss = nln_batch_gradient(l->batch[network], &l->objective, key_of(key, network));
    part[0].gradient = batch->dmodules;
    for (int i = 1; i < l->n_each; i++)
        part[i].gradient = gradient_of(&part[i], l->model->net[network], batch);
    for (int i = batch->owners.first; i < batch->owners.last; i++)
        add_cost(l, batch->shard[i].plan, batch->shard[i].law);
    sum->data += loss.data;
    sum->laws += loss.laws;
    sum->length += loss.length;
    sum->l2 += loss.l2;
    sum->flips += loss.flips;
}

static nln_loss gradient(nln_learner *base, uint64_t key)
{
    nln_network_learner *l = (nln_network_learner *)base;
    nln_loss sum = {0};
    l->objective.noise = base->noise;
    for (int i = 0; i < l->model->n_networks; i++)
        add_network(&sum, l, i, key);
    return per_member(sum, &l->model->config);
}

static void changed(nln_learner *base)
{
    nln_network_storage.changed(((nln_network_learner *)base)->model);
}

/* ---- setting up --------------------------------------------------------------------------- */

static void release(nln_learner *base)
{
    nln_network_learner *l = (nln_network_learner *)base;
    for (int i = 0; i < l->model->n_networks; i++)
        nln_batch_free(l->batch[i]);
    nln_exprs_free(&l->list);
    nln_free(l->keys);
    nln_free(l->index);
    nln_free(l);
}

static nln_objective objective_of(const nln_model *m, const int32_t *frequency)
{
    const nln_config *c = &m->config;
    return (nln_objective){
        .law_weight = c->law_weight,
        .law_sample = c->law_sample,
        .laws = c->laws,
        .length_weight = c->length_weight,
        .l2 = c->l2,
        .l2_variables = c->l2_variables,
        .l2_logit = c->l2_logit,
        .frequency = frequency,
        .n_names = nln_model_rows(m),
        .mean = c->reduce,
        .dropout = c->dropout,
        .dropout_variables = c->dropout_variables,
        .logit_noise = c->logit_noise,
    };
}

/* The modules are one row, which every request touches. */
static void list_parameters(nln_learner *base, const nln_net *net, const nln_config *c)
{
    size_t n = (size_t)net->n_variables;
    base->parameter[base->n_parameters++] =
        (nln_parameter){.x = net->weights,
                        .n = 1,
                        .width = (int)nln_modules_size(net->dim, net->hidden),
                        .rate = c->rate,
                        .n_rows = 1};
    if (net->logit)
        base->parameter[base->n_parameters++] = (nln_parameter){
            .x = net->logit, .n = n, .width = 1, .rate = c->rate_logit, .is_logit = 1};
    if (net->vector)
        base->parameter[base->n_parameters++] =
            (nln_parameter){.x = net->vector, .n = n, .width = net->dim, .rate = c->rate};
    if (!net->entity)
        return;
    base->parameter[base->n_parameters++] = (nln_parameter){
        .x = net->entity, .n = (size_t)net->n_entities, .width = net->dim, .rate = c->rate};
    base->parameter[base->n_parameters++] = (nln_parameter){.x = net->predicate,
                                                            .n = (size_t)net->n_predicates,
                                                            .width = net->predicate_width,
                                                            .rate = c->rate};
    if (net->atom_block_size)
        base->parameter[base->n_parameters++] = (nln_parameter){
            .x = net->atom_weights, .n = 1, .width = (int)net->atom_block_size, .rate = c->rate};
}

static nln_status learn(nln_learner **out, nln_model *model, nln_thread_pool *team,
                        const int32_t *frequency, nln_error *err)
{
    nln_network_learner *l = nln_memory_zeroed(1, sizeof *l);
    if (!l)
        return nln_error_memory(err);
    l->base = (nln_learner){.noise = model->config.noise,
                            .plan = plan,
                            .gradient = gradient,
                            .changed = changed,
                            .free = release};
    l->model = model;
    l->objective = objective_of(model, frequency);
    nln_status status = NLN_OK;
    for (int i = 0; !status && i < model->n_networks; i++) {
        list_parameters(&l->base, model->net[i], &model->config);
        status = nln_batch_create(&l->batch[i], model->net[i], team, err);
    }
    l->n_each = l->base.n_parameters / model->n_networks;
    if (status)
        release(&l->base);
    else
        *out = &l->base;
    return status;
}

nln_network_learner *nln_network_of(nln_learner *learner)
{
    return learner && learner->gradient == gradient ? (nln_network_learner *)learner : NULL;
}

const nln_method nln_method_nln = {
    .name = "nln",
    .has = NLN_HAS_NETWORK | NLN_HAS_NETWORKS | NLN_HAS_VECTORS | NLN_HAS_HIDDEN | NLN_HAS_WEIGHTS |
           NLN_HAS_LOGITS,
    .tasks = 1u << NLN_TASK_LOGIC | 1u << NLN_TASK_PREFERENCE | 1u << NLN_TASK_TOPK |
             1u << NLN_TASK_LINK,
    .reads_history = 1,
    .reads_grades = 1,
    .needs_counts = 1,
    .tensor = nln_network_tensor,
    .storage = &nln_network_storage,
    .learn = learn,
    .judge = nln_network_scores,
    .ask = nln_network_ask,
    .answer = nln_network_answer,
    .for_links = &nln_method_nln_links,
};

/* The tensors of a model of the Neural Logic Network: those of all its networks. */
#include <stdio.h>

#include "base/array.h"
#include "models/network_learner.h"

void nln_model_name_tensor(char out[NLN_MODEL_NAME_ROOM], int network, const char *name)
{
    if (network)
        snprintf(out, NLN_MODEL_NAME_ROOM, "network%d.%s", network, name);
    else
        snprintf(out, NLN_MODEL_NAME_ROOM, "%s", name);
}

/* Of each network: all have the same, and none has none. */
static int count_tensors(const nln_model *m)
{
    nln_net_tensor t;
    int n = 1;
    while (nln_net_get_tensor(&t, m->net[0], n))
        n++;
    return n;
}

static nln_status name_tensors(nln_model *m, nln_error *err)
{
    int each = count_tensors(m), n = each * m->n_networks;
    if (n == each)
        return NLN_OK;
    m->tensor_name = nln_array_zeroed((size_t)(n - each), sizeof *m->tensor_name);
    for (int i = each; m->tensor_name && i < n; i++) {
        nln_net_tensor t;
        nln_net_get_tensor(&t, m->net[i / each], i % each);
        nln_model_name_tensor(m->tensor_name[i - each], i / each, t.name);
    }
    return m->tensor_name ? NLN_OK : nln_error_memory(err);
}

static nln_status create(nln_model *m, nln_error *err)
{
    const nln_config *c = &m->config;
    size_t n = (size_t)nln_model_rows(m);
    nln_status status = NLN_OK;
    if (n > (size_t)(INT32_MAX / 4 / c->members / c->networks))
        return nln_error_set(err, NLN_LIMIT,
                             "%zu variables of %d members in %d networks are more than %d vectors: "
                             "use fewer members, networks or variables",
                             n, c->members, c->networks, INT32_MAX / 4);
    while (!status && m->n_networks < c->networks) {
        nln_net **net = &m->net[m->n_networks++];
        status = nln_net_create(net, c->dimension, c->hidden, (int32_t)n * c->members,
                                (nln_embedding)c->embedding, (real)c->alpha, err);
        if (!status && m->relations)
            status = nln_net_add_relations(*net, (nln_atom_module)c->predicates,
                                           nln_symbols_count(m->relations->entities) * c->members,
                                           nln_symbols_count(m->relations->predicates) * c->members,
                                           nln_relations_most_arguments(m->relations), err);
    }
    return status ? status : name_tensors(m, err);
}

static void release(nln_model *m)
{
    for (int i = 0; i < m->n_networks; i++)
        nln_net_free(m->net[i]);
    nln_free(m->tensor_name);
}

static void draw(nln_model *m, nln_random *random)
{
    const nln_config *c = &m->config;
    nln_init init = {(real)c->init_scale, (real)c->init_variables, 1};
    for (int i = 0; i < m->n_networks; i++)
        nln_net_draw(m->net[i], init, random);
}

static int get(nln_net_tensor *out, const nln_model *m, int index)
{
    int each = count_tensors(m);
    if (index >= each * m->n_networks)
        return 0;
    nln_net_get_tensor(out, m->net[index / each], index % each);
    if (index >= each)
        out->name = m->tensor_name[index - each];
    return 1;
}

static void changed(nln_model *m)
{
    for (int i = 0; i < m->n_networks; i++)
        nln_net_transpose(m->net[i]);
}

const nln_storage nln_network_storage = {create, release, draw, get, changed};

/* Full names of these tensors in each network. */
enum { NOT_IN, AND_IN, LOGIT, VECTOR, N_SHAPES };
#define NAMES(network)                                                                            \
    {                                                                                             \
        network "not.in", network "and.in", network "variables.logit", network "variables.vector" \
    }
static const char *const names[NLN_MOST_NETWORKS][N_SHAPES] = {
    NAMES(""),          NAMES("network1."), NAMES("network2."), NAMES("network3."),
    NAMES("network4."), NAMES("network5."), NAMES("network6."), NAMES("network7."),
};

int nln_network_tensor(nln_shape *out, const nln_sizes *sizes, int index)
{
    const nln_config *c = sizes->config;
    size_t d = (size_t)c->dimension, h = (size_t)c->hidden;
    size_t n = (sizes->n_variables + (size_t)nln_model_grades(c) +
                nln_model_user_variables(c, sizes->n_users)) *
               (size_t)c->members;
    int has_logit = nln_embedding_has_logit((nln_embedding)c->embedding);
    int has_vector = nln_embedding_has_vector((nln_embedding)c->embedding);
    int which[N_SHAPES] = {NOT_IN, AND_IN}, n_shapes = 2;
    if (has_logit)
        which[n_shapes++] = LOGIT;
    if (has_vector)
        which[n_shapes++] = VECTOR;
    if (index >= n_shapes * c->networks)
        return 0;
    int shape = which[index % n_shapes];
    const size_t rows[N_SHAPES] = {d, 2 * d, 1, n}, columns[N_SHAPES] = {h, h, n, d};
    *out = (nln_shape){
        .name = names[index / n_shapes][shape], .rows = rows[shape], .columns = columns[shape]};
    return 1;
}

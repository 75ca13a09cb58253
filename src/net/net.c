#include "net/net.h"

#include <math.h>

#include "base/array.h"
#include "base/memory.h"
#include "net/atom_modules.h"

int nln_embedding_has_logit(nln_embedding e)
{
    return e != NLN_EMBED_FREE;
}

int nln_embedding_has_vector(nln_embedding e)
{
    return e == NLN_EMBED_FREE || e == NLN_EMBED_LINE_REST || e == NLN_EMBED_ARC_REST;
}

int nln_embedding_is_arc(nln_embedding e)
{
    return e == NLN_EMBED_ARC || e == NLN_EMBED_ARC_REST;
}

nln_status nln_net_create(nln_net **out, int dim, int hidden, int32_t n_variables,
                          nln_embedding embedding, real alpha, nln_error *err)
{
    nln_net *net = nln_memory_zeroed(1, sizeof *net);
    if (!net)
        return nln_error_memory(err);
    size_t n = (size_t)n_variables, d = (size_t)dim;
    net->dim = dim;
    net->hidden = hidden;
    net->n_variables = n_variables;
    net->embedding = embedding;
    net->alpha = alpha;
    net->truth = nln_array_zeroed(d, sizeof(real));
    net->axis = nln_array_zeroed(d, sizeof(real));
    net->weights = nln_array_zeroed(nln_modules_size(dim, hidden), sizeof(real));
    net->transposed_block = nln_array_zeroed(nln_modules_size(dim, hidden), sizeof(real));
    if (nln_embedding_has_logit(embedding))
        net->logit = nln_array_zeroed(n, sizeof(real));
    if (nln_embedding_has_vector(embedding))
        net->vector = nln_array_zeroed(n * d, sizeof(real));
    if (!net->truth || !net->axis || !net->weights || !net->transposed_block ||
        (nln_embedding_has_logit(embedding) && !net->logit) ||
        (nln_embedding_has_vector(embedding) && !net->vector)) {
        nln_net_free(net);
        return nln_error_memory(err);
    }
    net->modules = nln_modules_view(net->weights, dim, hidden);
    net->transposed = nln_modules_view(net->transposed_block, dim, hidden);
    *out = net;
    return NLN_OK;
}

nln_status nln_net_add_relations(nln_net *net, nln_atom_module module, int32_t n_entities,
                                 int32_t n_predicates, int n_positions, nln_error *err)
{
    net->atom_module = module;
    net->n_positions = n_positions;
    net->n_entities = n_entities;
    net->n_predicates = n_predicates;
    net->predicate_width = nln_atom_width(module, net->dim, net->hidden);
    net->atom_block_size = nln_atom_block_size(module, net->dim, net->hidden, n_positions);
    net->entity = nln_array_zeroed((size_t)n_entities * (size_t)net->dim, sizeof(real));
    net->predicate =
        nln_array_zeroed((size_t)n_predicates * (size_t)net->predicate_width, sizeof(real));
    net->atom_weights = nln_array_zeroed(net->atom_block_size, sizeof(real));
    net->atom_transposed = nln_array_zeroed(net->atom_block_size, sizeof(real));
    return net->entity && net->predicate && net->atom_weights && net->atom_transposed
               ? NLN_OK
               : nln_error_memory(err);
}

void nln_net_free(nln_net *net)
{
    if (!net)
        return;
    nln_free(net->truth);
    nln_free(net->axis);
    nln_free(net->weights);
    nln_free(net->transposed_block);
    nln_free(net->logit);
    nln_free(net->vector);
    nln_free(net->entity);
    nln_free(net->predicate);
    nln_free(net->atom_weights);
    nln_free(net->atom_transposed);
    nln_free(net);
}

static void draw_normal(real *out, size_t n, double scale, nln_random *random)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (real)(scale * nln_random_normal(random));
}

/* A random vector orthogonal to T and of its length; 0 in one dimension, which has
 * no room for it. */
static void draw_axis(real *axis, const real *truth, size_t d, nln_random *random)
{
    double along = 0, of_truth = 0, length = 0;
    draw_normal(axis, d, 1, random);
    for (size_t i = 0; i < d; i++) {
        along += (double)axis[i] * (double)truth[i];
        of_truth += (double)truth[i] * (double)truth[i];
    }
    for (size_t i = 0; i < d; i++) {
        axis[i] -= (real)(along / of_truth * (double)truth[i]);
        length += (double)axis[i] * (double)axis[i];
    }
    for (size_t i = 0; i < d; i++)
        axis[i] *= length > 1e-12 ? (real)sqrt(of_truth / length) : 0;
}

/* Entities and predicates are of about the length of T, and so is what comes out. */
static void draw_relations(nln_net *net, nln_random *random)
{
    size_t d = (size_t)net->dim, h = (size_t)net->hidden;
    size_t n_in = (size_t)net->n_positions * d * h;
    draw_normal(net->entity, (size_t)net->n_entities * d, 1, random);
    draw_normal(net->predicate, (size_t)net->n_predicates * (size_t)net->predicate_width, 1,
                random);
    if (!net->atom_block_size)
        return;
    draw_normal(net->atom_weights, n_in, sqrt(1.0 / (double)d), random);
    draw_normal(net->atom_weights + n_in, h * d, sqrt(1.0 / (double)h), random);
}

void nln_net_draw(nln_net *net, nln_init init, nln_random *random)
{
    size_t d = (size_t)net->dim, h = (size_t)net->hidden, n = (size_t)net->n_variables;
    for (int k = 0; k < NLN_N_MODULES; k++) {
        nln_module *m = &net->modules.of[k];
        size_t fan = (size_t)m->inputs * d;
        double fixed = (double)init.scale;
        draw_normal(m->in, fan * h, fixed > 0 ? fixed : sqrt(2.0 / (double)fan), random);
        draw_normal(m->bias, h, fixed, random);
        draw_normal(m->out, h * d, fixed > 0 ? fixed : sqrt(1.0 / (double)h), random);
    }
    for (size_t i = 0; i < d; i++)
        net->truth[i] =
            (real)(init.uniform_truth ? nln_random_uniform(random) : nln_random_normal(random));
    if (nln_embedding_is_arc(net->embedding))
        draw_axis(net->axis, net->truth, d, random);
    if (net->vector)
        draw_normal(net->vector, n * d, (double)init.variables, random);
    if (net->logit)
        draw_normal(net->logit, n, (double)init.variables, random);
    if (net->entity)
        draw_relations(net, random);
    nln_net_transpose(net);
}

static void transpose(real *out, const real *in, size_t rows, size_t columns)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            out[j * rows + i] = in[i * columns + j];
}

void nln_net_transpose(nln_net *net)
{
    size_t d = (size_t)net->dim, h = (size_t)net->hidden;
    for (int k = 0; k < NLN_N_MODULES; k++) {
        const nln_module *m = &net->modules.of[k];
        transpose(net->transposed.of[k].in, m->in, (size_t)m->inputs * d, h);
        transpose(net->transposed.of[k].out, m->out, h, d);
    }
    for (int at = 0; net->atom_block_size && at <= net->n_positions; at++) {
        size_t from = (size_t)at * d * h;
        int is_out = at == net->n_positions;
        transpose(net->atom_transposed + from, net->atom_weights + from, is_out ? h : d,
                  is_out ? d : h);
    }
}

int nln_net_get_tensor(nln_net_tensor *out, const nln_net *net, int index)
{
    size_t d = (size_t)net->dim, n = (size_t)net->n_variables;
    int n_of_modules = NLN_N_MODULES * NLN_N_MODULE_TENSORS;
    if (index < n_of_modules) {
        *out = nln_modules_tensor(&net->modules, net->dim, net->hidden, index);
        return 1;
    }
    nln_net_tensor rest[8];
    int n_rest = 0;
    rest[n_rest++] = (nln_net_tensor){"true", 1, d, net->truth};
    if (nln_embedding_is_arc(net->embedding))
        rest[n_rest++] = (nln_net_tensor){"axis", 1, d, net->axis};
    if (net->logit)
        rest[n_rest++] = (nln_net_tensor){"variables.logit", 1, n, net->logit};
    if (net->vector)
        rest[n_rest++] = (nln_net_tensor){"variables.vector", n, d, net->vector};
    if (net->entity) {
        size_t h = (size_t)net->hidden, n_in = (size_t)net->n_positions * d;
        rest[n_rest++] =
            (nln_net_tensor){"entities.vector", (size_t)net->n_entities, d, net->entity};
        rest[n_rest++] = (nln_net_tensor){"predicates.vector", (size_t)net->n_predicates,
                                          (size_t)net->predicate_width, net->predicate};
        if (net->atom_block_size) {
            rest[n_rest++] = (nln_net_tensor){"atoms.in", n_in, h, net->atom_weights};
            rest[n_rest++] = (nln_net_tensor){"atoms.out", h, d, net->atom_weights + n_in * h};
        }
    }
    if (index - n_of_modules >= n_rest)
        return 0;
    *out = rest[index - n_of_modules];
    return 1;
}

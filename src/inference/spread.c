#include "inference/spread.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "inference/label_information.h"
#include "logic/parse.h"
#include "math/scalar.h"

enum { BLOCK = 256, LEAST_ORDERS = 4 };

static double cosine(const real *a, const real *b, int32_t n)
{
    double product = 0, aa = 0, bb = 0;
    for (int32_t i = 0; i < n; i++) {
        product += (double)a[i] * (double)b[i];
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
    }
    return aa > 0 && bb > 0 ? product / sqrt(aa * bb) : 0;
}

/* Adds one order of a block: the vectors of its n expressions and, with duals, of their n duals. */
static void add_order(nln_spread *out, const nln_model *m, const real *vectors, size_t n)
{
    size_t d = (size_t)m->config.dimension, all = n << (m->config.duals != 0);
    for (int part = 0; part < m->n_networks * m->config.members; part++) {
        const nln_net *net = m->net[part / m->config.members];
        const real *own = vectors + (size_t)part * all * d;
        for (size_t i = 0; i < n; i++) {
            double score = (double)net->alpha * cosine(own + i * d, net->truth, net->dim);
            if (m->config.duals)
                score =
                    (score - (double)net->alpha * cosine(own + (n + i) * d, net->truth, net->dim)) /
                    2;
            double p = nln_sigmoid(m->temperature * score);
            out[i].mean += p;
            out[i].deviation += p * p;
            out[i].entropy += nln_label_information_entropy(p);
        }
    }
}

static void finish(nln_spread *s, double parts)
{
    double mean = s->mean / parts, of_parts = s->entropy / parts;
    s->deviation = sqrt(fmax(0, s->deviation / parts - mean * mean));
    s->mean = mean;
    s->entropy = nln_label_information_entropy(mean);
    s->doubt = fmax(0, s->entropy - of_parts);
}

static nln_status spread_block(nln_spread *out, const nln_model *m, const nln_exprs *list,
                               size_t at, size_t n, int orders, real *vectors, nln_error *err)
{
    nln_exprs block = {.atoms = list->atoms};
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < n; i++)
        status = nln_exprs_append(&block, nln_exprs_get(list, at + i), err);
    for (size_t i = 0; !status && m->config.duals && i < n; i++)
        status = nln_model_append_dual(&block, nln_exprs_get(list, at + i), err);
    for (int o = 0; !status && o < orders; o++) {
        status = nln_model_vectors(vectors, m, &block, orders > 1 ? o : -1, err);
        if (!status)
            add_order(out, m, vectors, n);
    }
    for (size_t i = 0; i < n; i++)
        finish(&out[i], (double)orders * m->n_networks * m->config.members);
    nln_exprs_free(&block);
    return status;
}

nln_status nln_spread_list(nln_spread *out, const nln_model *m, const nln_exprs *list, int orders,
                           nln_error *err)
{
    nln_status status = nln_model_need_network(m, "a spread", err);
    if (status)
        return status;
    orders = orders ? orders : m->config.orders > LEAST_ORDERS ? m->config.orders : LEAST_ORDERS;
    size_t parts = (size_t)m->n_networks * (size_t)m->config.members;
    real *vectors =
        nln_array_zeroed(2 * BLOCK * parts * (size_t)m->config.dimension, sizeof *vectors);
    status = vectors ? NLN_OK : nln_error_memory(err);
    memset(out, 0, list->n * sizeof *out);
    for (size_t at = 0; !status && at < list->n; at += BLOCK)
        status = spread_block(out + at, m, list, at, list->n - at < BLOCK ? list->n - at : BLOCK,
                              orders, vectors, err);
    nln_free(vectors);
    return status;
}

nln_status nln_spread_read(nln_exprs *list, size_t *index, const nln_model *model, nln_atoms *atoms,
                           const char *const *expressions, size_t n, nln_refused *refused,
                           void *context, nln_error *err)
{
    nln_exprs parsed = {0};
    nln_vocabulary names = nln_model_names(model, atoms);
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < n; i++) {
        nln_error reason = {0};
        parsed.n = parsed.n_nodes = 0;
        nln_status read = nln_parse(&parsed, &names, 0, expressions[i], strlen(expressions[i]),
                                    NLN_DIALECT_TEXT, &reason);
        if (!read)
            read = nln_model_ground(list, model, atoms, nln_exprs_get(&parsed, 0), &reason);
        if (read == NLN_MEMORY)
            status = nln_error_memory(err);
        else if (read && refused)
            refused(context, i, &reason);
        else if (!read)
            index[list->n - 1] = i;
    }
    nln_exprs_free(&parsed);
    return status;
}

nln_status nln_predict_spread(double *p, double *spread, const nln_model *model,
                              const char *const *expressions, size_t n, const nln_options *options,
                              nln_refused *refused, void *context, nln_error *err)
{
    nln_exprs list = {0};
    nln_atoms *atoms = NULL;
    size_t *index = nln_array_zeroed(n, sizeof *index);
    nln_spread *found = nln_array_zeroed(n, sizeof *found);
    nln_status status = index && found ? nln_atoms_create(&atoms, err) : nln_error_memory(err);
    if (!status)
        status = nln_predict_each(p, model, expressions, n, options, refused, context, err);
    if (!status)
        status = nln_spread_read(&list, index, model, atoms, expressions, n, NULL, NULL, err);
    if (!status)
        status = nln_spread_list(found, model, &list,
                                 options ? (int)nln_options_number(options, "orders") : 0, err);
    for (size_t i = 0; i < n; i++)
        spread[i] = NAN;
    for (size_t i = 0; !status && i < list.n; i++)
        spread[index[i]] = found[i].deviation;
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    nln_free(index);
    nln_free(found);
    return status;
}

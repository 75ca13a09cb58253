/* nln_query_choose of nln.h: which expressions to label next.
 *
 * The label of an expression tells something about each of its variables: how much, follows from
 * how sure the model is of each of them (label_information.h).  Or it is taken to tell the entropy
 * of the label, or that part of it which the members and orders disagree about, shared by its
 * leaves. Expressions that share variables tell partly the same, so they are chosen one by one, and
 * each leaves less to be told about its variables. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "inference/label_information.h"
#include "inference/spread.h"

enum { BY_VARIABLES, BY_ENTROPY, BY_DISAGREEMENT };

typedef struct search {
    const nln_exprs *list;
    const nln_spread *spread;
    int by;
    double variety;
    int32_t n_variables;
    size_t n_leaves; /* variables, then atoms */
    double *bits;    /* [list->n_nodes] what the label tells about the leaf at this node */
    double *unsure;  /* [n_leaves] by variables: the entropy of the leaf */
    double *left;    /* [n_leaves] the share of what can be told about it that is not told yet */
    int32_t *used;   /* [n_leaves] chosen expressions that have it */
    uint8_t *taken;  /* [list->n] */
} search;

/* Every leaf that the list has as an expression of its own; leaf[i] is its number. */
static nln_status list_leaves(nln_exprs *out, int32_t *leaf, const search *s, nln_error *err)
{
    uint8_t *seen = nln_array_zeroed(s->n_leaves, 1);
    nln_status status = seen ? NLN_OK : nln_error_memory(err);
    out->atoms = s->list->atoms;
    for (size_t k = 0; !status && k < s->list->n_nodes; k++) {
        int32_t own = nln_label_information_leaf(s->list->nodes[k], s->n_variables);
        if (own < 0 || seen[own])
            continue;
        seen[own] = 1;
        leaf[out->n] = own;
        status = nln_exprs_append(out, (nln_expr){&s->list->nodes[k], 1}, err);
    }
    nln_free(seen);
    return status;
}

/* What each label tells about each variable, by how sure the model is of these; it is no more than
 * the label has to tell, which the model knows of `v1 | !v1`, too. */
static nln_status weigh_variables(search *s, const nln_model *model, int orders, nln_error *err)
{
    nln_exprs leaves = {0};
    int32_t *leaf = nln_array_zeroed(s->n_leaves, sizeof *leaf);
    double *p = nln_array_zeroed(s->n_leaves, sizeof *p);
    nln_spread *spread = nln_array_zeroed(s->n_leaves, sizeof *spread);
    nln_status status =
        leaf && p && spread ? list_leaves(&leaves, leaf, s, err) : nln_error_memory(err);
    if (!status)
        status = nln_spread_list(spread, model, &leaves, orders, err);
    for (size_t i = 0; !status && i < leaves.n; i++) {
        p[leaf[i]] = spread[i].mean;
        s->unsure[leaf[i]] = nln_label_information_entropy(spread[i].mean);
    }
    if (!status)
        status = nln_label_information(s->bits, s->list, p, s->n_leaves, s->n_variables, err);
    for (size_t i = 0; !status && i < s->list->n; i++)
        for (size_t k = s->list->start[i]; k < s->list->start[i + 1]; k++)
            s->bits[k] = fmin(s->bits[k], s->spread[i].entropy);
    nln_exprs_free(&leaves);
    nln_free(leaf);
    nln_free(p);
    nln_free(spread);
    return status;
}

/* The bits of each label, shared by its leaves; of an expression without any, those of its root. */
static void share_bits(search *s)
{
    for (size_t i = 0; i < s->list->n; i++) {
        nln_expr e = nln_exprs_get(s->list, i);
        double bits = s->by == BY_ENTROPY ? s->spread[i].entropy : s->spread[i].doubt, n = 0;
        double *own = s->bits + s->list->start[i];
        for (int32_t k = 0; k < e.n_nodes; k++)
            n += nln_node_is_open(e.nodes[k]);
        for (int32_t k = 0; k < e.n_nodes; k++)
            own[k] = nln_node_is_open(e.nodes[k]) ? bits / n : 0;
        if (n == 0)
            own[e.n_nodes - 1] = bits;
    }
}

/* The worth of an expression: what its label tells about each leaf and is not told yet. */
static double worth(const search *s, size_t i)
{
    nln_expr e = nln_exprs_get(s->list, i);
    const double *bits = s->bits + s->list->start[i];
    double sum = 0;
    for (int32_t k = 0; k < e.n_nodes; k++) {
        int32_t leaf = nln_label_information_leaf(e.nodes[k], s->n_variables);
        sum += leaf < 0 ? bits[k] : bits[k] * s->left[leaf];
    }
    return sum;
}

/* Less is left to be told about the leaves of a chosen expression. */
static void take(search *s, size_t i)
{
    nln_expr e = nln_exprs_get(s->list, i);
    const double *bits = s->bits + s->list->start[i];
    for (int32_t k = 0; k < e.n_nodes; k++) {
        int32_t leaf = nln_label_information_leaf(e.nodes[k], s->n_variables);
        if (leaf < 0)
            continue;
        if (s->by != BY_VARIABLES)
            s->left[leaf] = 1 / (1 + s->variety * ++s->used[leaf]);
        else if (bits[k] > 0)
            s->left[leaf] *= pow(fmax(0, 1 - bits[k] / s->unsure[leaf]), s->variety);
    }
    s->taken[i] = 1;
}

/* Takes the best that is left.  Worths only fall, so the old ones are bounds: most expressions are
 * not weighed again. */
static size_t take_best(double *value, search *s, double *bound)
{
    size_t best = s->list->n;
    for (size_t i = 0; i < s->list->n; i++) {
        if (s->taken[i] || (best < s->list->n && bound[i] <= bound[best]))
            continue;
        bound[i] = worth(s, i);
        if (best == s->list->n || bound[i] > bound[best])
            best = i;
    }
    *value = bound[best];
    take(s, best);
    return best;
}

static nln_status choose(nln_query_row *rows, size_t *n_rows, search *s, const size_t *index,
                         size_t most, nln_error *err)
{
    double *bound = nln_array_zeroed(s->list->n, sizeof *bound);
    if (!bound)
        return nln_error_memory(err);
    for (size_t i = 0; i < s->list->n; i++)
        bound[i] = worth(s, i);
    for (*n_rows = 0; *n_rows < most && *n_rows < s->list->n; ++*n_rows) {
        double value = 0;
        size_t best = take_best(&value, s, bound);
        rows[*n_rows] =
            (nln_query_row){index[best], s->spread[best].mean, s->spread[best].deviation, value};
    }
    nln_free(bound);
    return NLN_OK;
}

/* What every label tells, and nothing of it told yet. */
static nln_status prepare(search *s, const nln_model *model, const nln_options *o, nln_error *err)
{
    s->by = (int)nln_options_number(o, "by");
    s->variety = nln_options_number(o, "variety");
    s->bits = nln_array_zeroed(s->list->n_nodes, sizeof *s->bits);
    s->unsure = nln_array_zeroed(s->n_leaves, sizeof *s->unsure);
    s->left = nln_array_zeroed(s->n_leaves, sizeof *s->left);
    s->used = nln_array_zeroed(s->n_leaves, sizeof *s->used);
    if (!s->bits || !s->unsure || !s->left || !s->used)
        return nln_error_memory(err);
    for (size_t i = 0; i < s->n_leaves; i++)
        s->left[i] = 1;
    if (s->by == BY_VARIABLES)
        return weigh_variables(s, model, (int)nln_options_number(o, "orders"), err);
    share_bits(s);
    return NLN_OK;
}

nln_status nln_query_choose(nln_query_row *rows, size_t *n_rows, const nln_model *model,
                            const char *const *expressions, size_t n, const nln_options *options,
                            nln_refused *refused, void *context, nln_error *err)
{
    nln_exprs list = {0};
    nln_atoms *atoms = NULL;
    nln_options *own = NULL;
    size_t *index = nln_array_zeroed(n, sizeof *index);
    nln_spread *spread = nln_array_zeroed(n, sizeof *spread);
    search s = {.list = &list, .spread = spread, .taken = nln_array_zeroed(n, 1)};
    nln_status status =
        index && spread && s.taken ? nln_atoms_create(&atoms, err) : nln_error_memory(err);
    *n_rows = 0;
    if (!status)
        status = options ? nln_options_check(options, "query", err)
                         : nln_options_create(&own, "query", err);
    const nln_options *o = options ? options : own;
    if (!status)
        status = nln_spread_read(&list, index, model, atoms, expressions, n, refused, context, err);
    if (!status)
        status = nln_spread_list(spread, model, &list, (int)nln_options_number(o, "orders"), err);
    if (!status) {
        s.n_variables = (int32_t)nln_model_variables(model);
        s.n_leaves = (size_t)s.n_variables + (size_t)atoms->n;
        status = prepare(&s, model, o, err);
    }
    if (!status)
        status = choose(rows, n_rows, &s, index, (size_t)nln_options_number(o, "top"), err);
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    nln_options_free(own);
    nln_free(index);
    nln_free(spread);
    nln_free(s.taken);
    nln_free(s.bits);
    nln_free(s.unsure);
    nln_free(s.left);
    nln_free(s.used);
    return status;
}

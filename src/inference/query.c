/* nln_query_choose of nln.h: which expressions to label next.
 *
 * A label tells as many bits as its entropy.  If the labels have no noise, all of them are about
 * the variables; those that the members and orders disagree about are about what the model has not
 * learned.  Expressions that share variables tell partly the same, so they are chosen one by one,
 * and each takes some worth from its variables. */
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "inference/spread.h"

enum { BY_ENTROPY, BY_DISAGREEMENT };

typedef struct search {
    const nln_exprs *list;
    const nln_spread *spread;
    int by;
    double variety;
    int32_t *used; /* [variables, then atoms] chosen expressions that have it */
    int32_t n_variables;
    uint8_t *taken; /* [list->n] */
} search;

/* The counter of a leaf, or NULL. */
static int32_t *used_of(const search *s, nln_node node)
{
    return node.op == NLN_OP_VAR    ? &s->used[node.arg]
           : node.op == NLN_OP_ATOM ? &s->used[s->n_variables + node.arg]
                                    : NULL;
}

/* The worth of an expression: its bits, shared by its leaves, each divided by how often it was
 * asked about. */
static double worth(const search *s, size_t i)
{
    nln_expr e = nln_exprs_get(s->list, i);
    double bits = s->by == BY_ENTROPY ? s->spread[i].entropy : s->spread[i].doubt;
    double sum = 0, n = 0;
    for (int32_t k = 0; k < e.n_nodes; k++) {
        const int32_t *used = used_of(s, e.nodes[k]);
        if (!used)
            continue;
        sum += 1 / (1 + s->variety * *used);
        n++;
    }
    return n > 0 ? bits * sum / n : bits;
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
    if (best == s->list->n)
        return best;
    nln_expr e = nln_exprs_get(s->list, best);
    for (int32_t k = 0; k < e.n_nodes; k++) {
        int32_t *used = used_of(s, e.nodes[k]);
        if (used)
            ++*used;
    }
    s->taken[best] = 1;
    *value = bound[best];
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
        s.by = (int)nln_options_number(o, "by");
        s.variety = nln_options_number(o, "variety");
        s.n_variables = (int32_t)nln_model_variables(model);
        s.used = nln_array_zeroed((size_t)s.n_variables + (size_t)atoms->n, sizeof *s.used);
        status = s.used ? choose(rows, n_rows, &s, index, (size_t)nln_options_number(o, "top"), err)
                        : nln_error_memory(err);
    }
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    nln_options_free(own);
    nln_free(index);
    nln_free(spread);
    nln_free(s.taken);
    nln_free(s.used);
    return status;
}

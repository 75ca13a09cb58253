#include "inference/label_information.h"

#include <math.h>

#include "base/array.h"

/* One expression at a time: arrays of its nodes. */
typedef struct scratch {
    double *value;   /* the probability that the node is true */
    double *slope;   /* how the probability of the root rises with that of the node */
    int32_t *size;   /* nodes of the subtree */
    int32_t *child;  /* of the node at hand, from the last on */
    double *of_leaf; /* [leaves] the sum of the slopes of its nodes; 0 between calls */
} scratch;

double nln_label_information_entropy(double p)
{
    return p > 0 && p < 1 ? -(p * log2(p) + (1 - p) * log2(1 - p)) : 0;
}

/* The children of node k: the last stands right before it, the others before each other. */
static int32_t find_children(const scratch *s, nln_expr e, int32_t k)
{
    int32_t n = nln_node_arity(e.nodes[k]), at = k - 1;
    for (int32_t i = 0; i < n; at -= s->size[s->child[i++]])
        s->child[i] = at;
    return n;
}

/* Of an AND of the children, or of their negations, the probability and, in `slope`, how it rises
 * with each: the product of the others. */
static double conjunction(const scratch *s, int32_t n, int negated)
{
    double product = 1;
    for (int32_t i = 0; i < n; i++) {
        s->slope[s->child[i]] = product;
        product *= negated ? 1 - s->value[s->child[i]] : s->value[s->child[i]];
    }
    double after = 1;
    for (int32_t i = n; i-- > 0;) {
        s->slope[s->child[i]] *= after;
        after *= negated ? 1 - s->value[s->child[i]] : s->value[s->child[i]];
    }
    return product;
}

/* The probability of node k, and the slopes of its children with respect to it. */
static double combine(const scratch *s, nln_expr e, int32_t k, const double *p, int32_t n_variables)
{
    int32_t n = find_children(s, e, k), leaf = nln_label_information_leaf(e.nodes[k], n_variables);
    if (leaf >= 0)
        return p[leaf];
    switch (e.nodes[k].op) {
    case NLN_OP_TRUE:
        return 1;
    case NLN_OP_NOT:
        s->slope[s->child[0]] = -1;
        return 1 - s->value[s->child[0]];
    case NLN_OP_AND:
        return conjunction(s, n, 0);
    case NLN_OP_OR: /* not the AND of the negations: the two signs of the slopes cancel */
        return 1 - conjunction(s, n, 1);
    case NLN_OP_IMPLIES:
    case NLN_OP_IFF:
    case NLN_OP_XOR: {
        int32_t left = s->child[1], right = s->child[0];
        double a = s->value[left], b = s->value[right];
        double sign = e.nodes[k].op == NLN_OP_XOR ? 1 : -1;
        int implies = e.nodes[k].op == NLN_OP_IMPLIES;
        s->slope[left] = implies ? b - 1 : sign * (1 - 2 * b);
        s->slope[right] = implies ? a : sign * (1 - 2 * a);
        return implies ? 1 - a * (1 - b) : (sign < 0) + sign * (a + b - 2 * a * b);
    }
    default:
        return 0;
    }
}

/* The information that a label, true with probability q, has about a variable of probability p
 * with which q rises by `slope`. */
static double information(double q, double p, double slope)
{
    double if_true = fmin(1, fmax(0, q + (1 - p) * slope));
    double if_false = fmin(1, fmax(0, q - p * slope));
    return fmax(0, nln_label_information_entropy(q) - p * nln_label_information_entropy(if_true) -
                       (1 - p) * nln_label_information_entropy(if_false));
}

static void find_bits(double *bits, const scratch *s, nln_expr e, const double *p,
                      int32_t n_variables)
{
    int32_t root = e.n_nodes - 1;
    for (int32_t k = 0; k <= root; k++) {
        s->value[k] = combine(s, e, k, p, n_variables);
        s->size[k] = 1;
        for (int32_t i = nln_node_arity(e.nodes[k]); i-- > 0;)
            s->size[k] += s->size[s->child[i]];
    }
    s->slope[root] = 1;
    for (int32_t k = root; k >= 0; k--)
        for (int32_t i = find_children(s, e, k); i-- > 0;)
            s->slope[s->child[i]] *= s->slope[k];
    for (int32_t k = 0; k <= root; k++) {
        int32_t leaf = nln_label_information_leaf(e.nodes[k], n_variables);
        if (leaf >= 0)
            s->of_leaf[leaf] += s->slope[k];
    }
    for (int32_t k = 0; k <= root; k++) {
        int32_t leaf = nln_label_information_leaf(e.nodes[k], n_variables);
        bits[k] = leaf < 0 ? 0 : information(s->value[root], p[leaf], s->of_leaf[leaf]);
        if (leaf >= 0)
            s->of_leaf[leaf] = 0; /* a second leaf of it adds nothing */
    }
}

nln_status nln_label_information(double *bits, const nln_exprs *list, const double *p,
                                 size_t n_leaves, int32_t n_variables, nln_error *err)
{
    size_t most = 0;
    for (size_t i = 0; i < list->n; i++) {
        size_t n = (size_t)nln_exprs_get(list, i).n_nodes;
        most = n > most ? n : most;
    }
    scratch s = {.value = nln_array_zeroed(most, sizeof *s.value),
                 .slope = nln_array_zeroed(most, sizeof *s.slope),
                 .size = nln_array_zeroed(most, sizeof *s.size),
                 .child = nln_array_zeroed(most, sizeof *s.child),
                 .of_leaf = nln_array_zeroed(n_leaves, sizeof *s.of_leaf)};
    int made = s.value && s.slope && s.size && s.child && s.of_leaf;
    for (size_t i = 0; made && i < list->n; i++)
        find_bits(bits + list->start[i], &s, nln_exprs_get(list, i), p, n_variables);
    nln_free(s.value);
    nln_free(s.slope);
    nln_free(s.size);
    nln_free(s.child);
    nln_free(s.of_leaf);
    return made ? NLN_OK : nln_error_memory(err);
}

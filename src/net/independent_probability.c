#include "net/independent_probability.h"

#include "base/array.h"
#include "logic/postfix.h"

nln_status nln_independent_probability_create(nln_independent_probability *c, size_t most_nodes,
                                              size_t n_variables, nln_error *err)
{
    *c = (nln_independent_probability){
        .value = nln_array_zeroed(most_nodes, sizeof(double)),
        .slope = nln_array_zeroed(most_nodes, sizeof(double)),
        .leaf_value = nln_array_zeroed(most_nodes, sizeof(double)),
        .leaf_slope = nln_array_zeroed(most_nodes, sizeof(double)),
        .size = nln_array_zeroed(most_nodes, sizeof(int32_t)),
        .operand = nln_array_zeroed(most_nodes, sizeof(int32_t)),
        .seen = nln_array_zeroed(n_variables, sizeof(int32_t)),
    };
    if (c->value && c->slope && c->leaf_value && c->leaf_slope && c->size && c->operand && c->seen)
        return NLN_OK;
    nln_independent_probability_free(c);
    return nln_error_memory(err);
}

void nln_independent_probability_free(nln_independent_probability *c)
{
    nln_free(c->value);
    nln_free(c->slope);
    nln_free(c->leaf_value);
    nln_free(c->leaf_slope);
    nln_free(c->size);
    nln_free(c->operand);
    nln_free(c->seen);
    *c = (nln_independent_probability){0};
}

int32_t nln_independent_probability_bind(int32_t *owner, nln_independent_probability *c, nln_expr e)
{
    int32_t n_leaves = 0, n_shared = 0;
    for (int32_t i = 0; i < e.n_nodes; i++) {
        if (e.nodes[i].op != NLN_OP_VAR)
            continue;
        int32_t *seen = &c->seen[e.nodes[i].arg];
        /* Negative: a variable that is already conditioned on. */
        if (*seen > 0 && n_shared < NLN_CHANCE_SHARED) {
            *seen = -*seen;
            n_shared++;
        }
        owner[n_leaves] = *seen < 0 ? -*seen - 1 : n_leaves;
        if (*seen == 0)
            *seen = n_leaves + 1;
        n_leaves++;
    }
    for (int32_t i = 0; i < e.n_nodes; i++)
        if (e.nodes[i].op == NLN_OP_VAR)
            c->seen[e.nodes[i].arg] = 0;
    return n_leaves;
}

/* ---- one pass up, one pass down ----------------------------------------- */

/* The probability of operand k, or of its complement. */
static double factor(const double *value, const int32_t *operand, int32_t k, int complement)
{
    return complement ? 1 - value[operand[k]] : value[operand[k]];
}

static double product(const double *value, const int32_t *operand, int32_t n, int complement)
{
    double result = 1;
    for (int32_t k = 0; k < n; k++)
        result *= factor(value, operand, k, complement);
    return result;
}

static double combine(nln_op op, const double *value, const int32_t *operand, int32_t n)
{
    double right = n > 0 ? value[operand[0]] : 0, left = n > 1 ? value[operand[1]] : 0;
    switch (op) {
    case NLN_OP_TRUE:
        return 1;
    case NLN_OP_NOT:
        return 1 - right;
    case NLN_OP_AND:
        return product(value, operand, n, 0);
    case NLN_OP_OR:
        return 1 - product(value, operand, n, 1);
    case NLN_OP_IMPLIES:
        return 1 - left * (1 - right);
    case NLN_OP_IFF:
        return left * right + (1 - left) * (1 - right);
    case NLN_OP_XOR:
        return left * (1 - right) + (1 - left) * right;
    default:
        return 0;
    }
}

/* P(e) from leaf_value; leaves value and size behind for `downward`. */
static double upward(nln_independent_probability *c, nln_expr e)
{
    int32_t leaf = 0;
    for (int32_t i = 0; i < e.n_nodes; i++) {
        if (e.nodes[i].op == NLN_OP_VAR) {
            c->value[i] = c->leaf_value[leaf++];
            c->size[i] = 1;
        } else {
            int32_t n = nln_postfix_operands(c->operand, c->size, e.nodes, i);
            c->value[i] = combine((nln_op)e.nodes[i].op, c->value, c->operand, n);
        }
    }
    return c->value[e.n_nodes - 1];
}

/* Each operand's slope is `slope` times the product of the others.  No division:
 * factors may be 0. */
static void leave_one_out(double *out, const double *value, const int32_t *operand, int32_t n,
                          int complement, double slope)
{
    double before = slope, after = 1;
    for (int32_t k = 0; k < n; k++) {
        out[operand[k]] = before;
        before *= factor(value, operand, k, complement);
    }
    for (int32_t k = n - 1; k >= 0; k--) {
        out[operand[k]] *= after;
        after *= factor(value, operand, k, complement);
    }
}

static void share_slope(double *out, nln_op op, const double *value, const int32_t *operand,
                        int32_t n, double slope)
{
    int32_t right = n > 0 ? operand[0] : 0, left = n > 1 ? operand[1] : 0;
    switch (op) {
    case NLN_OP_NOT:
        out[right] = -slope;
        break;
    case NLN_OP_AND:
        leave_one_out(out, value, operand, n, 0, slope);
        break;
    case NLN_OP_OR:
        leave_one_out(out, value, operand, n, 1, slope);
        break;
    case NLN_OP_IMPLIES:
        out[left] = slope * (value[right] - 1);
        out[right] = slope * value[left];
        break;
    case NLN_OP_IFF:
        out[left] = slope * (2 * value[right] - 1);
        out[right] = slope * (2 * value[left] - 1);
        break;
    case NLN_OP_XOR:
        out[left] = slope * (1 - 2 * value[right]);
        out[right] = slope * (1 - 2 * value[left]);
        break;
    default:
        break;
    }
}

/* leaf_slope of every leaf, after `upward`. */
static void downward(nln_independent_probability *c, nln_expr e, int32_t n_leaves)
{
    int32_t leaf = n_leaves;
    c->slope[e.n_nodes - 1] = 1;
    for (int32_t i = e.n_nodes - 1; i >= 0; i--) {
        if (e.nodes[i].op == NLN_OP_VAR) {
            c->leaf_slope[--leaf] = c->slope[i];
        } else {
            int32_t n = nln_postfix_operands(c->operand, c->size, e.nodes, i);
            share_slope(c->slope, (nln_op)e.nodes[i].op, c->value, c->operand, n, c->slope[i]);
        }
    }
}

/* ---- conditioning on shared variables ----------------------------------- */

typedef struct shared {
    int32_t n_leaves, n;
    int32_t leaf[NLN_CHANCE_SHARED]; /* the owners of other leaves */
} shared;

static int shared_index(const shared *s, int32_t leaf)
{
    for (int32_t i = 0; i < s->n; i++)
        if (s->leaf[i] == leaf)
            return i;
    return -1;
}

static shared find_shared(const int32_t *owner, int32_t n_leaves)
{
    shared s = {.n_leaves = n_leaves};
    for (int32_t k = 0; k < n_leaves; k++)
        if (owner[k] != k && shared_index(&s, owner[k]) < 0)
            s.leaf[s.n++] = owner[k];
    return s;
}

/* Fills leaf_value for the case in which shared variable i has the value of bit i
 * of `bits`, and returns the probability of the case. */
static double set_case(nln_independent_probability *c, const shared *s, const int32_t *owner,
                       const double *q, unsigned bits)
{
    double weight = 1;
    for (int32_t k = 0; k < s->n_leaves; k++) {
        int i = s->n ? shared_index(s, owner[k]) : -1;
        c->leaf_value[k] = i < 0 ? q[k] : bits >> i & 1;
    }
    for (int32_t i = 0; i < s->n; i++)
        weight *= bits >> i & 1 ? q[s->leaf[i]] : 1 - q[s->leaf[i]];
    return weight;
}

double nln_independent_probability_of(nln_independent_probability *c, nln_expr e,
                                      const int32_t *owner, const double *q, int32_t n_leaves)
{
    shared s = find_shared(owner, n_leaves);
    double sum = 0;
    for (unsigned bits = 0; bits < 1u << s.n; bits++) {
        double weight = set_case(c, &s, owner, q, bits);
        sum += weight * upward(c, e);
    }
    return sum;
}

void nln_independent_probability_given(double *if_true, double *if_false,
                                       nln_independent_probability *c, nln_expr e,
                                       const int32_t *owner, const double *q, int32_t n_leaves)
{
    shared s = find_shared(owner, n_leaves);
    for (int32_t k = 0; k < s.n_leaves; k++)
        if (owner[k] == k)
            if_true[k] = if_false[k] = 0;
    for (unsigned bits = 0; bits < 1u << s.n; bits++) {
        double weight = set_case(c, &s, owner, q, bits);
        double p = upward(c, e);
        downward(c, e, s.n_leaves);
        for (int32_t k = 0; k < s.n_leaves; k++) {
            int i = shared_index(&s, k);
            if (owner[k] != k)
                continue;
            if (i < 0) {
                if_true[k] += weight * (p + c->leaf_slope[k] * (1 - q[k]));
                if_false[k] += weight * (p - c->leaf_slope[k] * q[k]);
            } else if (bits >> i & 1) { /* a case says nothing of the other value */
                if_true[k] += weight / q[k] * p;
            } else {
                if_false[k] += weight / (1 - q[k]) * p;
            }
        }
    }
}

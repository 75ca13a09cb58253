/* The modules of the network, one row each: which operation of logic a module computes, the sorts
 * of its operands and of its result, and its tensors.
 *
 *     AND(a, b) = relu([a|b] and.in + and.bias) and.out     (OR in the same way)
 *     NOT(a)    = relu(a not.in + not.bias) not.out
 *
 * Rows are vectors, so matrices are stored [inputs, outputs].  The weights of all modules are one
 * block; gradients and moments are blocks of the same shape. */
#ifndef NLN_NET_MODULE_WEIGHTS_H
#define NLN_NET_MODULE_WEIGHTS_H

#include "logic/expr.h"
#include "math/real.h"

/* What a vector stands for. */
typedef enum nln_sort { NLN_SORT_TRUTH } nln_sort;

/* operation, name of its tensors, sort of the result, sorts of the operands */
#define NLN_MODULES(X)                                            \
    X(NOT, "not", NLN_SORT_TRUTH, NLN_SORT_TRUTH)                 \
    X(AND, "and", NLN_SORT_TRUTH, NLN_SORT_TRUTH, NLN_SORT_TRUTH) \
    X(OR, "or", NLN_SORT_TRUTH, NLN_SORT_TRUTH, NLN_SORT_TRUTH)

/* Also the order of groups within a level of a plan. */
typedef enum nln_module_id {
#define X(op, ...) NLN_MODULE_##op,
    NLN_MODULES(X)
#undef X
        NLN_N_MODULES,
    /* Joins the vector of a history with that of a candidate: the history implies the candidate,
     * !(h1 & h2 ...) | v. */
    NLN_MODULE_CANDIDATE = NLN_MODULE_OR
} nln_module_id;

enum { NLN_MOST_OPERANDS = 2 };

/* The tensors of a module. */
enum { NLN_MODULE_IN, NLN_MODULE_BIAS, NLN_MODULE_OUT, NLN_N_MODULE_TENSORS };

typedef struct nln_module_row {
    nln_op op;
    const char *tensor[NLN_N_MODULE_TENSORS]; /* names in the model file */
    nln_sort result, operand[NLN_MOST_OPERANDS];
    int arity;
} nln_module_row;
extern const nln_module_row nln_module_table[NLN_N_MODULES];

/* The module that computes an operation; NLN_N_MODULES if there is none. */
nln_module_id nln_module_of(nln_op op);

/* Views of the weights of a module. */
typedef struct nln_module {
    int inputs; /* operands */
    real *in;   /* [inputs * dim, hidden] */
    real *bias; /* [hidden] */
    real *out;  /* [hidden, dim] */
} nln_module;

typedef struct nln_modules {
    nln_module of[NLN_N_MODULES];
} nln_modules;

size_t nln_modules_size(int dim, int hidden); /* numbers in a block */
nln_modules nln_modules_view(real *block, int dim, int hidden);

/* A tensor of the network.  A vector has one row. */
typedef struct nln_net_tensor {
    const char *name;
    size_t rows, columns;
    real *data;
} nln_net_tensor;

/* One tensor after the other, module by module; index < NLN_N_MODULES * NLN_N_MODULE_TENSORS. */
nln_net_tensor nln_modules_tensor(const nln_modules *m, int dim, int hidden, int index);

#endif

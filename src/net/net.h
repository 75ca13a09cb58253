/* The network: T, the modules and the vectors of the variables. */
#ifndef NLN_NET_NET_H
#define NLN_NET_NET_H

#include "base/random.h"
#include "net/module_weights.h"

/* How a variable becomes a vector: a free vector, as in the paper, or a point on a
 * curve that ends in T, given by one number t, or that point plus a free rest. */
typedef enum nln_embedding {
    NLN_EMBED_FREE,
    NLN_EMBED_LINE, /* v = s T + (1 - s) F, s = sigmoid(t) */
    NLN_EMBED_ARC,  /* v = c T + sqrt(1 - c^2) U, c = tanh(t / 3), U orthogonal to T and as
                     * long: the half circle through T on which Sim(v, T) = sigmoid(alpha c) */
    NLN_EMBED_LINE_REST,
    NLN_EMBED_ARC_REST
} nln_embedding;

int nln_embedding_has_logit(nln_embedding e);  /* all but FREE */
int nln_embedding_has_vector(nln_embedding e); /* FREE and the two with a rest */
int nln_embedding_is_arc(nln_embedding e);

/* How a predicate makes a truth of its arguments: see atom_modules.h. */
typedef enum nln_atom_module { NLN_ATOM_MLP, NLN_ATOM_PRODUCT } nln_atom_module;

typedef struct nln_net {
    int dim, hidden;
    int32_t n_variables; /* rows of the tables below: the names, once for each member */
    nln_embedding embedding;
    real alpha;
    real *truth;            /* [dim] the vector of T, never trained */
    real *axis;             /* [dim] U of the arc, never trained */
    real *weights;          /* the block of the modules */
    nln_modules modules;    /* views into it */
    real *transposed_block; /* every matrix transposed, kept by nln_net_transpose */
    nln_modules transposed; /* in: [hidden, inputs * dim]; out: [dim, hidden] */
    real *logit;            /* [n_variables] the numbers t; NULL if there are none */
    real *vector;           /* [n_variables, dim] free vectors or rests; NULL if there are none */

    /* Of predicate logic; all 0 and NULL without. */
    nln_atom_module atom_module;
    int n_positions;                  /* the largest arity */
    int predicate_width;              /* of the vector of a predicate */
    int32_t n_entities, n_predicates; /* rows of the tables, once for each member */
    real *entity;                     /* [n_entities, dim] */
    real *predicate;                  /* [n_predicates, predicate_width] */
    real *atom_weights; /* [atom_block_size] mlp: U1, U2, ..., [dim, hidden] each, and W, [hidden,
                           dim] */
    real *atom_transposed; /* the same, every matrix transposed */
    size_t atom_block_size;
} nln_net;

/* How a fresh network is drawn. */
typedef struct nln_init {
    real scale;        /* > 0: weights are N(0, scale); 0: He's fan-in scaling, biases 0 */
    real variables;    /* vectors of variables are N(0, variables) */
    int uniform_truth; /* T uniform in (0, 1)^d; else standard normal */
} nln_init;

nln_status nln_net_create(nln_net **out, int dim, int hidden, int32_t n_variables,
                          nln_embedding embedding, real alpha, nln_error *err);
/* Gives a network the tables of predicate logic, before it is drawn. */
nln_status nln_net_add_relations(nln_net *net, nln_atom_module module, int32_t n_entities,
                                 int32_t n_predicates, int n_positions, nln_error *err);
void nln_net_free(nln_net *net);
void nln_net_draw(nln_net *net, nln_init init, nln_random *random);
/* After the weights have changed. */
void nln_net_transpose(nln_net *net);

/* One tensor of the network after the other, for files and reports; 0 after the last. */
int nln_net_get_tensor(nln_net_tensor *out, const nln_net *net, int index);

#endif

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
} nln_net;

/* How a fresh network is drawn. */
typedef struct nln_init {
    real scale;        /* > 0: weights are N(0, scale); 0: He's fan-in scaling, biases 0 */
    real variables;    /* vectors of variables are N(0, variables) */
    int uniform_truth; /* T uniform in (0, 1)^d; else standard normal */
} nln_init;

nln_status nln_net_create(nln_net **out, int dim, int hidden, int32_t n_variables,
                          nln_embedding embedding, real alpha, nln_error *err);
void nln_net_free(nln_net *net);
void nln_net_draw(nln_net *net, nln_init init, nln_random *random);
/* After the weights have changed. */
void nln_net_transpose(nln_net *net);

/* One tensor of the network after the other, for files and reports; 0 after the last. */
int nln_net_get_tensor(nln_net_tensor *out, const nln_net *net, int index);

#endif

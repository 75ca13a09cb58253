/* The cosine of a module's result y = z W with one vector E, without computing y: for a hidden
 * layer z, y . E / |E| = z . a with a = W E / |E|, and y . y = z . (z S) with S = W W'. */
#ifndef NLN_NET_HIDDEN_COSINE_H
#define NLN_NET_HIDDEN_COSINE_H

#include "net/net.h"

/* What belongs to one module and one E; or its gradient. */
typedef struct nln_hidden_cosine {
    real *square; /* [hidden, hidden] S */
    real *toward; /* [hidden] a */
} nln_hidden_cosine;

/* Sets S and a of a module of the network; `inverse` is 1 / |E|. */
void nln_hidden_cosine_set(nln_hidden_cosine out, const nln_net *net, nln_module_id module,
                           const real *E, real inverse);

/* The cosines of n hidden layers and their 1 / |y|, from a and z S. */
void nln_hidden_cosine_cosines(real *cosine, real *inverse, const real *toward, const real *z,
                               const real *zS, int n, int hidden);

/* Adds the gradient of W: G W for a symmetric G, which is half the gradient of S, and that of a. */
void nln_hidden_cosine_back(real *dW, nln_hidden_cosine gradient, const nln_net *net,
                            nln_module_id module, const real *E, real inverse);

#endif

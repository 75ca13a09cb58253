/* How near the result y = z W of a module comes to one vector E, without making y: of hidden
 * layers z, y . E / |E| = z . a with a = W E / |E|, and y . y = z . (z S) with S = W W'. */
#ifndef NLN_NET_TARGET_COSINE_H
#define NLN_NET_TARGET_COSINE_H

#include "net/net.h"

/* Of one module and one E; or the gradient of that. */
typedef struct nln_target_cosine {
    real *square; /* [hidden, hidden] S */
    real *toward; /* [hidden] a */
} nln_target_cosine;

/* Of a module of the network and E times `inverse`, which is 1 / |E|. */
void nln_target_cosine_set(nln_target_cosine aim, const nln_net *net, nln_module_id module,
                           const real *E, real inverse);

/* The cosines of n hidden layers, given a and z S, and 1 / |y|. */
void nln_target_cosine_cosines(real *cosine, real *inverse, const real *toward, const real *z,
                               const real *zS, int n, int hidden);

/* dW += what W is owed: G W for a symmetric G, which is half the gradient of S, and that of a. */
void nln_target_cosine_back(real *dW, nln_target_cosine gradient, const nln_net *net,
                            nln_module_id module, const real *E, real inverse);

#endif

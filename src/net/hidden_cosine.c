#include "net/hidden_cosine.h"

#include "math/blas.h"
#include "math/kernels.h"
#include "math/scalar.h"

void nln_hidden_cosine_set(nln_hidden_cosine out, const nln_net *net, nln_module_id module,
                           const real *E, real inverse)
{
    const real *W = net->modules.of[module].out, *transposed = net->transposed.of[module].out;
    int d = net->dim, h = net->hidden;
    nln_blas_nn(out.square, h, W, d, transposed, h, h, h, d);
    nln_blas_nn(out.toward, h, E, d, transposed, h, 1, h, d);
    for (int i = 0; i < h; i++)
        out.toward[i] *= inverse;
}

void nln_hidden_cosine_cosines(real *cosine, real *inverse, const real *toward, const real *z,
                               const real *zS, int n, int hidden)
{
    nln_kernels_get()->form(cosine, inverse, z, zS, toward, n, hidden);
    for (int i = 0; i < n; i++) {
        inverse[i] = nln_inverse_length(inverse[i]);
        cosine[i] *= inverse[i];
    }
}

void nln_hidden_cosine_back(real *dW, nln_hidden_cosine gradient, const nln_net *net,
                            nln_module_id module, const real *E, real inverse)
{
    const nln_kernels *k = nln_kernels_get();
    int d = net->dim, h = net->hidden;
    nln_blas_nn_add(dW, d, gradient.square, h, net->modules.of[module].out, d, h, d, h);
    for (int i = 0; i < h; i++)
        k->axpy(dW + (size_t)i * (size_t)d, gradient.toward[i] * inverse, E, (size_t)d);
}

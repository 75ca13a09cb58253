/* An aim against the vectors that it spares: the cosine of z W and E, and its way back to W. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "math/blas.h"
#include "net/hidden_cosine.h"

enum { DIM = 7, HIDDEN = 5, N = 9 };

static nln_net *drawn(void)
{
    nln_net *net = NULL;
    nln_random random = nln_random_seed(4, 0);
    assert_int_equal(nln_net_create(&net, DIM, HIDDEN, 1, NLN_EMBED_FREE, 10, NULL), NLN_OK);
    nln_net_draw(net, (nln_init){.variables = 1}, &random);
    return net;
}

static double dot(const real *a, const real *b)
{
    double sum = 0;
    for (int i = 0; i < DIM; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* y = z W of the module. */
static void result(real *y, const nln_net *net, nln_module_id module, const real *z)
{
    nln_blas_plain_nn(y, DIM, z, HIDDEN, net->modules.of[module].out, DIM, 1, DIM, HIDDEN, 0);
}

static real inverse_of(const real *x)
{
    return (real)(1 / sqrt(dot(x, x)));
}

static void cosines_are_those_of_the_vectors(void **state)
{
    (void)state;
    nln_net *net = drawn();
    nln_random random = nln_random_seed(5, 0);
    for (int module = 0; module < NLN_N_MODULES; module++) {
        real square[HIDDEN * HIDDEN], toward[HIDDEN], z[N * HIDDEN], zS[N * HIDDEN];
        real cosine[N], inverse[N], y[DIM];
        nln_hidden_cosine aim = {square, toward};
        for (int i = 0; i < N * HIDDEN; i++) /* the last is 0, without a direction */
            z[i] = i < (N - 1) * HIDDEN ? (real)nln_random_normal(&random) : 0;
        nln_hidden_cosine_set(aim, net, (nln_module_id)module, net->truth, inverse_of(net->truth));
        nln_blas_plain_nn(zS, HIDDEN, z, HIDDEN, square, HIDDEN, N, HIDDEN, HIDDEN, 0);
        nln_hidden_cosine_cosines(cosine, inverse, aim.toward, z, zS, N, HIDDEN);
        for (int i = 0; i < N - 1; i++) {
            result(y, net, (nln_module_id)module, z + (size_t)i * HIDDEN);
            double length = sqrt(dot(y, y)), wanted = dot(y, net->truth) / length;
            assert_true(fabs((double)cosine[i] - wanted * (double)inverse_of(net->truth)) < 1e-4);
            assert_true(fabs((double)inverse[i] * length - 1) < 1e-4);
        }
        assert_true(cosine[N - 1] == 0 && inverse[N - 1] == 0);
    }
    nln_net_free(net);
}

/* Of the sum of G S and g a, element by element, for a symmetric G. */
static double linear(const nln_net *net, const real *G, const real *g)
{
    real square[HIDDEN * HIDDEN], toward[HIDDEN];
    double sum = 0;
    nln_hidden_cosine_set((nln_hidden_cosine){square, toward}, net, NLN_MODULE_OR, net->truth,
                          inverse_of(net->truth));
    for (int i = 0; i < HIDDEN * HIDDEN; i++)
        sum += (double)G[i] * (double)square[i] / 2;
    for (int i = 0; i < HIDDEN; i++)
        sum += (double)g[i] * (double)toward[i];
    return sum;
}

static void the_way_back_is_the_slope(void **state)
{
    (void)state;
    nln_net *net = drawn();
    nln_random random = nln_random_seed(6, 0);
    real G[HIDDEN * HIDDEN], g[HIDDEN], dW[HIDDEN * DIM] = {0};
    real *W = net->modules.of[NLN_MODULE_OR].out;
    for (int i = 0; i < HIDDEN; i++) {
        g[i] = (real)nln_random_normal(&random);
        for (int j = 0; j <= i; j++)
            G[i * HIDDEN + j] = G[j * HIDDEN + i] = (real)nln_random_normal(&random);
    }
    nln_hidden_cosine_back(dW, (nln_hidden_cosine){G, g}, net, NLN_MODULE_OR, net->truth,
                           inverse_of(net->truth));
    for (int i = 0; i < HIDDEN * DIM; i++) {
        real kept = W[i];
        double side[2];
        for (int up = 0; up < 2; up++) {
            W[i] = kept + (real)(up ? 0.01 : -0.01);
            nln_net_transpose(net);
            side[up] = linear(net, G, g);
        }
        W[i] = kept;
        assert_true(fabs((side[1] - side[0]) / 0.02 - (double)dW[i]) < 1e-3);
    }
    nln_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cosines_are_those_of_the_vectors),
        cmocka_unit_test(the_way_back_is_the_slope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "net/net.h"

enum { DIM = 7, HIDDEN = 5, N_VARIABLES = 9, N_EMBEDDINGS = 5 };

static nln_net *create(int dim, nln_embedding embedding)
{
    nln_net *net = NULL;
    assert_int_equal(nln_net_create(&net, dim, HIDDEN, N_VARIABLES, embedding, 10, NULL), NLN_OK);
    return net;
}

static nln_net *drawn(nln_embedding embedding, nln_init init, uint64_t seed)
{
    nln_net *net = create(DIM, embedding);
    nln_random random = nln_random_seed(seed, 0);
    nln_net_draw(net, init, &random);
    return net;
}

/* All numbers of the network, counted from its description. */
static size_t numbers(nln_embedding e)
{
    size_t modules = 5 * DIM * HIDDEN + 3 * HIDDEN + 3 * HIDDEN * DIM;
    return modules + DIM + (nln_embedding_is_arc(e) ? DIM : 0) +
           (nln_embedding_has_logit(e) ? N_VARIABLES : 0) +
           (nln_embedding_has_vector(e) ? N_VARIABLES * DIM : 0);
}

static void the_tensors_are_the_network(void **state)
{
    (void)state;
    for (int e = 0; e < N_EMBEDDINGS; e++) {
        nln_net *net = create(DIM, (nln_embedding)e);
        nln_net_tensor a, b;
        size_t sum = 0;
        int n = 0;
        for (; nln_net_get_tensor(&a, net, n); n++) {
            sum += a.rows * a.columns;
            for (int j = 0; j < n; j++) {
                assert_int_equal(nln_net_get_tensor(&b, net, j), 1);
                assert_string_not_equal(a.name, b.name);
                assert_true(a.data + a.rows * a.columns <= b.data ||
                            b.data + b.rows * b.columns <= a.data);
            }
        }
        assert_int_equal(sum, numbers((nln_embedding)e));
        assert_int_equal(nln_net_get_tensor(&a, net, n + 1), 0);
        nln_net_free(net);
    }
    nln_net_free(NULL);
}

/* The names and shapes that model files have. */
static void tensors_have_their_names_and_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t rows, columns;
    } all[] = {
        {"not.in", DIM, HIDDEN},
        {"not.bias", 1, HIDDEN},
        {"not.out", HIDDEN, DIM},
        {"and.in", 2 * DIM, HIDDEN},
        {"and.bias", 1, HIDDEN},
        {"and.out", HIDDEN, DIM},
        {"or.in", 2 * DIM, HIDDEN},
        {"or.bias", 1, HIDDEN},
        {"or.out", HIDDEN, DIM},
        {"true", 1, DIM},
        {"axis", 1, DIM},
        {"variables.logit", 1, N_VARIABLES},
        {"variables.vector", N_VARIABLES, DIM},
    };
    nln_net *net = create(DIM, NLN_EMBED_ARC_REST);
    for (int i = 0; i < (int)(sizeof all / sizeof *all); i++) {
        nln_net_tensor t;
        assert_int_equal(nln_net_get_tensor(&t, net, i), 1);
        assert_string_equal(t.name, all[i].name);
        assert_int_equal(t.rows, all[i].rows);
        assert_int_equal(t.columns, all[i].columns);
    }
    nln_net_free(net);
}

static void expect_transposed(const real *out, const real *in, int rows, int columns)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++)
            assert_true(out[j * rows + i] == in[i * columns + j]);
}

static void transposed_matrices_follow(void **state)
{
    (void)state;
    nln_net *net = drawn(NLN_EMBED_FREE, (nln_init){1, 1, 0}, 5);
    for (int changed = 0; changed < 2; changed++) {
        for (size_t i = 0; changed && i < nln_modules_size(DIM, HIDDEN); i++)
            net->weights[i] += (real)i;
        if (changed)
            nln_net_transpose(net);
        for (int k = 0; k < NLN_N_MODULES; k++) {
            const nln_module *m = &net->modules.of[k], *t = &net->transposed.of[k];
            expect_transposed(t->in, m->in, m->inputs * DIM, HIDDEN);
            expect_transposed(t->out, m->out, HIDDEN, DIM);
        }
    }
    nln_net_free(net);
}

static int same_tensors(const nln_net *a, const nln_net *b)
{
    nln_net_tensor x, y;
    for (int i = 0; nln_net_get_tensor(&x, a, i) && nln_net_get_tensor(&y, b, i); i++)
        if (memcmp(x.data, y.data, x.rows * x.columns * sizeof(real)) != 0)
            return 0;
    return 1;
}

static void the_same_seed_draws_the_same_bits(void **state)
{
    (void)state;
    static const nln_init inits[] = {{0, 1, 0}, {NLN_REAL(0.01), 1, 1}};
    for (int e = 0; e < N_EMBEDDINGS; e++)
        for (int i = 0; i < 2; i++) {
            nln_net *a = drawn((nln_embedding)e, inits[i], 7);
            nln_net *b = drawn((nln_embedding)e, inits[i], 7);
            nln_net *other = drawn((nln_embedding)e, inits[i], 8);
            assert_true(same_tensors(a, b));
            assert_false(same_tensors(a, other));
            nln_net_free(a);
            nln_net_free(b);
            nln_net_free(other);
        }
}

static double dot(const real *x, const real *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)y[i];
    return sum;
}

static void the_axis_is_orthogonal_to_truth_and_as_long(void **state)
{
    (void)state;
    for (int dim = 2; dim <= 66; dim += 8)
        for (int uniform = 0; uniform < 2; uniform++) {
            nln_net *net = create(dim, uniform ? NLN_EMBED_ARC : NLN_EMBED_ARC_REST);
            nln_random random = nln_random_seed(9, (uint64_t)dim);
            nln_net_draw(net, (nln_init){0, 1, uniform}, &random);
            double squared = dot(net->truth, net->truth, dim);
            assert_true(squared > 0);
            assert_true(fabs(dot(net->axis, net->truth, dim)) < 1e-5 * squared);
            assert_true(fabs(dot(net->axis, net->axis, dim) / squared - 1) < 1e-5);
            nln_net_free(net);
        }
}

/* One dimension has no second axis; whatever is drawn must be a number. */
static void a_single_dimension_is_finite(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        nln_net *net = create(1, NLN_EMBED_ARC);
        nln_random random = nln_random_seed(seed, 0);
        nln_net_draw(net, (nln_init){0, 1, 1}, &random);
        assert_true(isfinite(net->axis[0]));
        nln_net_free(net);
    }
}

/* The standard deviation of n numbers around 0. */
static double deviation(const real *x, int n)
{
    return sqrt(dot(x, x, n) / n);
}

static void scales_are_what_was_asked_for(void **state)
{
    (void)state;
    enum { D = 60, H = 50 };
    nln_net *net = NULL;
    for (int fixed = 0; fixed < 2; fixed++) {
        nln_random random = nln_random_seed(2, 0);
        double scale = fixed ? 0.03 : 0;
        assert_int_equal(nln_net_create(&net, D, H, 100, NLN_EMBED_FREE, 10, NULL), NLN_OK);
        nln_net_draw(net, (nln_init){(real)scale, NLN_REAL(0.2), 1}, &random);
        for (int k = 0; k < NLN_N_MODULES; k++) {
            const nln_module *m = &net->modules.of[k];
            double in = fixed ? scale : sqrt(2.0 / (m->inputs * D));
            double out = fixed ? scale : sqrt(1.0 / H);
            assert_true(fabs(deviation(m->in, m->inputs * D * H) / in - 1) < 0.1);
            assert_true(fabs(deviation(m->out, H * D) / out - 1) < 0.1);
            assert_true(fabs(deviation(m->bias, H) - scale) <= 0.4 * scale);
        }
        assert_true(fabs(deviation(net->vector, 100 * D) / 0.2 - 1) < 0.1);
        for (int i = 0; i < D; i++)
            assert_true(net->truth[i] >= 0 && net->truth[i] < 1);
        nln_net_free(net);
    }
}

static void embeddings_have_what_they_say(void **state)
{
    (void)state;
    for (int e = 0; e < N_EMBEDDINGS; e++) {
        nln_net *net = create(DIM, (nln_embedding)e);
        assert_int_equal(net->logit != NULL, e != NLN_EMBED_FREE);
        assert_int_equal(net->vector != NULL, e != NLN_EMBED_LINE && e != NLN_EMBED_ARC);
        assert_int_equal(nln_embedding_is_arc((nln_embedding)e),
                         e == NLN_EMBED_ARC || e == NLN_EMBED_ARC_REST);
        nln_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tensors_are_the_network),
        cmocka_unit_test(tensors_have_their_names_and_shapes),
        cmocka_unit_test(transposed_matrices_follow),
        cmocka_unit_test(the_same_seed_draws_the_same_bits),
        cmocka_unit_test(the_axis_is_orthogonal_to_truth_and_as_long),
        cmocka_unit_test(a_single_dimension_is_finite),
        cmocka_unit_test(scales_are_what_was_asked_for),
        cmocka_unit_test(embeddings_have_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

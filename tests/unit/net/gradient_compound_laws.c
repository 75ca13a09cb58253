/* The laws of two or three vectors: partners, terms and gradients against formulas, central
 * differences and PyTorch's values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden_compound_laws.h"
#include "naive_net.h"
#include "net/compound_laws.h"

enum { DIM = GOLDEN_DIM, HIDDEN = GOLDEN_HIDDEN, ROWS = GOLDEN_ROWS };

typedef struct fixture {
    nln_net *net;
    nln_workspace *work;
    nln_shard_gradient gradient;
    size_t n_block;
} fixture;

static real weight_of(int row)
{
    return (real)(1 + row % 3);
}

/* The input of make_compound_laws.py. */
static void set_up(fixture *f)
{
    int number = 1;
    *f = (fixture){.n_block = nln_modules_size(DIM, HIDDEN)};
    assert_int_equal(nln_net_create(&f->net, DIM, HIDDEN, 1, NLN_EMBED_FREE, GOLDEN_ALPHA, NULL),
                     NLN_OK);
    assert_int_equal(nln_workspace_create(&f->work, f->net, 1, NULL), NLN_OK);
    assert_int_equal(nln_workspace_fit(f->work, ROWS, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_create(&f->gradient, f->net, NULL), NLN_OK);
    f->work->gradient = &f->gradient;
    for (int i = 0; i < ROWS * DIM; i++)
        f->work->H[i] = golden_scale * sin(number++);
    for (size_t i = 0; i < f->n_block; i++)
        f->net->weights[i] = golden_scale * sin(number++);
    for (int32_t r = NLN_ROW_LEAF; r < ROWS; r++) {
        f->work->law.row[f->work->law.n] = r;
        f->work->law.weight[f->work->law.n++] = weight_of(r);
    }
}

static void tear_down(fixture *f)
{
    nln_shard_gradient_free(&f->gradient);
    nln_workspace_free(f->work);
    nln_net_free(f->net);
}

static double gradient_of(fixture *f, unsigned laws)
{
    memset(f->work->dH, 0, sizeof(real) * ROWS * DIM);
    memset(f->gradient.block, 0, f->n_block * sizeof(real));
    nln_net_transpose(f->net);
    return nln_compound_laws_gradient(f->work, f->net, ROWS, laws, GOLDEN_KEY);
}

/* A side of a law for row r, one vector at a time. */
static void naive_side(real *out, const fixture *f, const char *side, int32_t r)
{
    real stack[4][DIM], y[DIM];
    int n = 0;
    for (; *side; side++) {
        int32_t row = r;
        if (*side == 'b' || *side == 'c')
            row = nln_compound_laws_partner(GOLDEN_KEY, r, *side - 'b', ROWS);
        if (*side >= 'a' && *side <= 'c') {
            memcpy(stack[n++], f->work->H + row * DIM, sizeof y);
            continue;
        }
        nln_module_id module = *side == '!'   ? NLN_MODULE_NOT
                               : *side == '&' ? NLN_MODULE_AND
                                              : NLN_MODULE_OR;
        n -= nln_module_table[module].arity;
        naive_module(y, f->net, module, stack[n], stack[n + 1]);
        memcpy(stack[n++], y, sizeof y);
    }
    assert_int_equal(n, 1);
    memcpy(out, stack[0], sizeof stack[0]);
}

static double naive_loss(const fixture *f, unsigned laws)
{
    double loss = 0;
    for (int law = 0; law < NLN_N_COMPOUND_LAWS; law++)
        for (int32_t r = NLN_ROW_LEAF; laws >> (NLN_N_LAWS + law) & 1 && r < ROWS; r++) {
            real left[DIM], right[DIM];
            naive_side(left, f, nln_compound_law_table[law].left, r);
            naive_side(right, f, nln_compound_law_table[law].right, r);
            double cosine = naive_cosine(left, right, DIM);
            loss += (double)weight_of(r) / (1 + exp((double)f->net->alpha * cosine));
        }
    return loss;
}

static void expect_difference(const fixture *f, unsigned laws, real *x, double gradient)
{
    const double step = 1e-6;
    real before = *x;
    *x = before + step;
    double up = naive_loss(f, laws);
    *x = before - step;
    double wanted = (up - naive_loss(f, laws)) / (2 * step);
    *x = before;
    if (!(fabs(gradient - wanted) < 1e-6 * (1 + fabs(wanted))))
        fail_msg("laws %x: %g, not %g", laws, gradient, wanted);
}

/* Each law alone, and all together. */
static void gradients_are_central_differences(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    for (int law = 0; law <= NLN_N_COMPOUND_LAWS; law++) {
        unsigned laws =
            law < NLN_N_COMPOUND_LAWS ? 1u << (NLN_N_LAWS + law) : NLN_ALL_COMPOUND_LAWS;
        double loss = gradient_of(&f, laws);
        assert_true(fabs(loss - naive_loss(&f, laws)) < 1e-9);
        for (int i = 0; i < ROWS * DIM; i++)
            expect_difference(&f, laws, &f.work->H[i], f.work->dH[i]);
        for (size_t i = 0; i < f.n_block; i++)
            expect_difference(&f, laws, &f.net->weights[i], f.gradient.block[i]);
    }
    tear_down(&f);
}

static void compare(const char *what, const real *found, const double *golden, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs(found[i] - golden[i]) < 1e-9))
            fail_msg("%s[%zu] is %.12g instead of %.12g", what, i, found[i], golden[i]);
}

static void values_are_those_of_pytorch(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    for (int law = 0; law < NLN_N_COMPOUND_LAWS; law++) {
        real loss = gradient_of(&f, 1u << (NLN_N_LAWS + law));
        compare(nln_compound_law_table[law].name, &loss, &golden_loss_of_law[law], 1);
    }
    real loss = gradient_of(&f, NLN_ALL_LAWS | NLN_ALL_COMPOUND_LAWS);
    compare("loss", &loss, &golden_loss, 1);
    assert_int_equal(sizeof golden_dH / sizeof *golden_dH, ROWS * DIM);
    assert_int_equal(sizeof golden_dmodules / sizeof *golden_dmodules, f.n_block);
    compare("dH", f.work->dH, golden_dH, ROWS * DIM);
    compare("dmodules", f.gradient.block, golden_dmodules, f.n_block);
    assert_true(gradient_of(&f, NLN_ALL_LAWS) == 0); /* which are no compound ones */
    tear_down(&f);
}

/* All rows but T and F, about equally often, and others for another key, row or place. */
static void partners_are_any_rows(void **state)
{
    (void)state;
    enum { N = 10, DRAWS = 20000 };
    int seen[N] = {0}, same = 0;
    for (int32_t i = 0; i < DRAWS; i++) {
        int32_t b = nln_compound_laws_partner(7, i, 0, N),
                c = nln_compound_laws_partner(7, i, 1, N);
        assert_true(b >= NLN_ROW_LEAF && b < N && c >= NLN_ROW_LEAF && c < N);
        seen[b]++;
        same += (b == c) + (b == nln_compound_laws_partner(8, i, 0, N));
    }
    for (int r = NLN_ROW_LEAF; r < N; r++)
        assert_true(abs(seen[r] - DRAWS / (N - NLN_ROW_LEAF)) < DRAWS / 50);
    assert_true(abs(same - 2 * DRAWS / (N - NLN_ROW_LEAF)) < DRAWS / 25);
    assert_int_equal(nln_compound_laws_partner(7, 2, 1, NLN_ROW_LEAF + 1), NLN_ROW_LEAF);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_central_differences),
        cmocka_unit_test(values_are_those_of_pytorch),
        cmocka_unit_test(partners_are_any_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

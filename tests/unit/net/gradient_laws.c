/* The terms of the laws and all their gradients, against formulas and central differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "laws_fixture.h"

static double laws_gradient(fixture *f, unsigned laws)
{
    nln_law_list *l = &f->work->law;
    *l = (nln_law_list){.count = l->count,
                        .row = l->row,
                        .weight = l->weight,
                        .shared = l->shared,
                        .negation = l->negation,
                        .degree = l->degree,
                        .room = l->room};
    for (int32_t r = NLN_ROW_LEAF; r < ROWS; r++) {
        l->row[l->n] = r;
        l->weight[l->n++] = weight_of(r);
    }
    clear_gradients(f);
    return nln_laws_gradient(f->work, f->net, laws);
}

static void expect_difference(const fixture *f, unsigned laws, real *x, double gradient)
{
    const double step = 1e-6;
    real before = *x;
    *x = before + (real)step;
    double up = naive_loss(f, laws);
    *x = before - (real)step;
    double down = naive_loss(f, laws), wanted = (up - down) / (2 * step);
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
    for (int law = 0; law <= NLN_N_LAWS; law++) {
        unsigned laws = law < NLN_N_LAWS ? 1u << law : (1u << NLN_N_LAWS) - 1;
        double loss = laws_gradient(&f, laws);
        assert_true(fabs(loss - naive_loss(&f, laws)) < 1e-9);
        for (int i = DIM; i < ROWS * DIM; i++) /* T is a constant */
            expect_difference(&f, laws, &f.work->H[i], (double)f.work->dH[i]);
        for (int i = 0; i < N_BLOCK; i++)
            expect_difference(&f, laws, &f.net->weights[i], (double)f.gradient.block[i]);
    }
    tear_down(&f);
}

static void cosines_are_those_of_the_formulas(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    static real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED];
    int32_t rows[ROWS] = {0};
    for (int32_t i = 0; i < ROWS; i++)
        rows[i] = ROWS - 1 - i;
    nln_laws_begin(&f.work->laws, f.work, f.net);
    nln_laws_cosines(cosine, &f.work->laws, f.work, f.net, rows, ROWS);
    for (int law = 0; law < NLN_N_LAWS; law++)
        for (int i = 0; i < ROWS; i++) {
            const real *H = f.work->H;
            double wanted = naive_law(f.net, law, H + rows[i] * DIM, H, H + DIM);
            assert_true(fabs((double)cosine[law][i] - wanted) < 1e-9);
        }
    tear_down(&f);
}

/* AND has T as its identity element and F as its annihilator, OR the other way round. */
static void modules_have_their_laws(void **state)
{
    (void)state;
    int seen[NLN_N_LAWS] = {0};
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        const nln_law_module *m = &nln_law_modules[i];
        assert_int_equal(m->identity, m->module == NLN_MODULE_AND ? NLN_ROW_TRUE : NLN_ROW_FALSE);
        assert_int_equal(m->annihilator,
                         m->module == NLN_MODULE_AND ? NLN_ROW_FALSE : NLN_ROW_TRUE);
        for (int j = 0; j < NLN_N_LAW_OPERANDS; j++)
            seen[m->law[j]]++;
    }
    for (int law = 0; law < NLN_N_LAWS; law++)
        assert_int_equal(seen[law], law > NLN_LAW_double_negation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_central_differences),
        cmocka_unit_test(cosines_are_those_of_the_formulas),
        cmocka_unit_test(modules_have_their_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

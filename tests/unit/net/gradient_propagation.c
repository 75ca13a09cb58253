/* Forward against the modules one row at a time, and backward against central differences, for
 * every embedding, with and without noise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "naive_net.h"
#include "net/propagation.h"
#include "plans.h"

enum { DIM = 4, HIDDEN = 5 };

typedef struct fixture {
    nln_net *net;
    nln_planner *planner;
    nln_exprs list;
    const nln_plan *plan;
    nln_workspace *work;
    nln_shard_gradient gradient;
    double slope[DIM]; /* the objective is the sum over the roots of root . slope */
} fixture;

static const nln_embedding embeddings[] = {NLN_EMBED_FREE, NLN_EMBED_LINE, NLN_EMBED_ARC,
                                           NLN_EMBED_LINE_REST, NLN_EMBED_ARC_REST};
enum { N_EMBEDDINGS = 5 };

static void set_up(fixture *f, nln_embedding embedding)
{
    nln_random random = nln_random_seed(23, (uint64_t)embedding);
    memset(f, 0, sizeof *f);
    f->list = plans_random_list(&random);
    f->planner = plans_create();
    f->plan = plans_of(f->planner, &f->list, NULL, N_EXPRESSIONS, NLN_ASSOCIATE_PAIRS, &random);
    assert_int_equal(nln_net_create(&f->net, DIM, HIDDEN, N_VARIABLES, embedding, 10, NULL),
                     NLN_OK);
    nln_net_draw(f->net, (nln_init){.scale = NLN_REAL(0.7), .variables = 1}, &random);
    assert_int_equal(nln_workspace_create(&f->work, f->net, 1, NULL), NLN_OK);
    assert_int_equal(nln_workspace_fit(f->work, f->plan->n_rows, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_create(&f->gradient, f->net, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_fit(&f->gradient, f->net, f->plan, NULL), NLN_OK);
    for (int i = 0; i < DIM; i++)
        f->slope[i] = nln_random_normal(&random);
}

static void tear_down(fixture *f)
{
    nln_shard_gradient_free(&f->gradient);
    nln_workspace_free(f->work);
    nln_net_free(f->net);
    nln_planner_free(f->planner);
    nln_exprs_free(&f->list);
}

static double objective(fixture *f, nln_noise noise)
{
    double sum = 0;
    nln_net_transpose(f->net);
    nln_propagation_forward(f->work, f->net, f->plan, noise);
    for (int32_t i = 0; i < f->plan->n_roots; i++)
        for (int j = 0; j < DIM; j++)
            sum += (double)f->work->H[f->plan->root[i] * DIM + j] * f->slope[j];
    return sum;
}

static void expect_vector(const real *got, const real *wanted)
{
    for (int i = 0; i < DIM; i++)
        assert_true(fabs((double)got[i] - (double)wanted[i]) < 1e-9);
}

static void rows_are_those_of_the_formulas(void **state)
{
    (void)state;
    for (int e = 0; e < N_EMBEDDINGS; e++) {
        fixture f;
        real F[DIM], y[DIM], variables[N_VARIABLES * DIM], scratch[DIM + HIDDEN];
        set_up(&f, embeddings[e]);
        objective(&f, (nln_noise){0});
        const real *H = f.work->H;
        naive_module(F, f.net, NLN_MODULE_NOT, f.net->truth, NULL);
        expect_vector(H, f.net->truth);
        expect_vector(H + DIM, F);
        nln_propagation_variables(variables, f.net, 0, NULL, N_VARIABLES, scratch);
        for (int32_t r = NLN_ROW_LEAF; r < plans_first_operation(f.plan); r++)
            expect_vector(H + r * DIM, variables + f.plan->operand[0][r] * DIM);
        for (int32_t g = 0; g < f.plan->n_groups; g++)
            for (int32_t i = 0; i < f.plan->groups[g].count; i++) {
                int32_t r = f.plan->groups[g].first + i, second = f.plan->operand[1][r];
                naive_module(y, f.net, f.plan->groups[g].module, H + f.plan->operand[0][r] * DIM,
                             second < 0 ? NULL : H + second * DIM);
                expect_vector(H + r * DIM, y);
            }
        tear_down(&f);
    }
}

/* A free variable is its vector; on the line and the arc t = 0 is half way to T. */
static void variables_are_embedded(void **state)
{
    (void)state;
    for (int e = 0; e < N_EMBEDDINGS; e++) {
        fixture f;
        real v[DIM], F[DIM], wanted[DIM], scratch[DIM + HIDDEN];
        set_up(&f, embeddings[e]);
        nln_net *net = f.net;
        naive_module(F, net, NLN_MODULE_NOT, net->truth, NULL);
        if (net->logit)
            net->logit[2] = 0;
        nln_propagation_variables(v, net, 1, &(int32_t){1}, 1, scratch);
        for (int i = 0; i < DIM; i++) {
            wanted[i] = net->vector ? net->vector[2 * DIM + i] : 0;
            if (net->logit)
                wanted[i] += nln_embedding_is_arc(net->embedding) ? net->axis[i]
                                                                  : (net->truth[i] + F[i]) / 2;
        }
        expect_vector(v, wanted);
        tear_down(&f);
    }
}

static void expect_difference(fixture *f, nln_noise noise, real *x, double gradient)
{
    const double step = 1e-6;
    real before = *x;
    *x = before + (real)step;
    double up = objective(f, noise);
    *x = before - (real)step;
    double wanted = (up - objective(f, noise)) / (2 * step);
    *x = before;
    if (!(fabs(gradient - wanted) < 1e-4 * (1 + fabs(wanted))))
        fail_msg("%g, not %g", gradient, wanted);
}

static void check_gradient(nln_embedding embedding, nln_noise noise)
{
    fixture f;
    set_up(&f, embedding);
    objective(&f, noise);
    memset(f.work->dH, 0, (size_t)f.plan->n_rows * DIM * sizeof(real));
    for (int32_t i = 0; i < f.plan->n_roots; i++)
        for (int j = 0; j < DIM; j++)
            f.work->dH[f.plan->root[i] * DIM + j] += (real)f.slope[j];
    f.work->gradient = &f.gradient;
    nln_propagation_backward(f.work, f.net, f.plan, noise);
    for (size_t i = 0; i < nln_modules_size(DIM, HIDDEN); i++)
        expect_difference(&f, noise, &f.net->weights[i], (double)f.gradient.block[i]);
    for (int32_t leaf = 0; leaf < f.plan->n_leaves; leaf++) {
        int32_t v = f.plan->operand[0][NLN_ROW_LEAF + leaf];
        if (f.net->logit)
            expect_difference(&f, noise, &f.net->logit[v], (double)f.gradient.dlogit[leaf]);
        for (int i = 0; f.net->vector && i < DIM; i++)
            expect_difference(&f, noise, &f.net->vector[v * DIM + i],
                              (double)f.gradient.dvector[leaf * DIM + i]);
    }
    tear_down(&f);
}

static void gradients_are_central_differences(void **state)
{
    (void)state;
    nln_noise noise = {
        .hidden = NLN_REAL(0.2), .variables = NLN_REAL(0.2), .logit = NLN_REAL(0.3), .key = 99};
    for (int e = 0; e < N_EMBEDDINGS; e++) {
        check_gradient(embeddings[e], (nln_noise){0});
        check_gradient(embeddings[e], noise);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_formulas),
        cmocka_unit_test(variables_are_embedded),
        cmocka_unit_test(gradients_are_central_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

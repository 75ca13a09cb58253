/* The law of probabilities: its gradient against central differences, its terms against the
 * formulas of probability, and modules that learn it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <cmocka.h>

#include "naive_net.h"
#include "net/probability_law.h"

enum { VARIABLES = 5, DIM = 6, HIDDEN = 9, MOST_ROWS = 32 };
static const double alpha = 10;

typedef struct fixture {
    nln_net *net;
    nln_workspace *work;
    nln_shard_gradient gradient;
    nln_planner *planner;
    nln_exprs list;
    const nln_plan *plan;
    double log_odds[MOST_ROWS];
} fixture;

static void push(fixture *f, nln_op op, int32_t arg)
{
    assert_int_equal(nln_exprs_push(&f->list, op, arg, NULL), NLN_OK);
}

static nln_net *draw_net(int dim, int hidden, int32_t n)
{
    nln_net *net = NULL;
    nln_random random = nln_random_seed(5, 1);
    assert_int_equal(nln_net_create(&net, dim, hidden, n, NLN_EMBED_ARC, (real)alpha, NULL),
                     NLN_OK);
    nln_net_draw(net, (nln_init){.variables = 1, .uniform_truth = 1}, &random);
    nln_net_transpose(net);
    return net;
}

/* !(v0 & !v1) | (v2 & v3), and v4 */
static void set_up(fixture *f)
{
    *f = (fixture){.net = draw_net(DIM, HIDDEN, VARIABLES)};
    push(f, NLN_OP_VAR, 0);
    push(f, NLN_OP_VAR, 1);
    push(f, NLN_OP_NOT, 0);
    push(f, NLN_OP_AND, 2);
    push(f, NLN_OP_NOT, 0);
    push(f, NLN_OP_VAR, 2);
    push(f, NLN_OP_VAR, 3);
    push(f, NLN_OP_AND, 2);
    push(f, NLN_OP_OR, 2);
    assert_int_equal(nln_exprs_finish(&f->list, NULL), NLN_OK);
    push(f, NLN_OP_VAR, 4);
    assert_int_equal(nln_exprs_finish(&f->list, NULL), NLN_OK);
    assert_int_equal(nln_planner_create(&f->planner, NULL), NLN_OK);
    assert_int_equal(
        nln_planner_plan(&f->plan, f->planner, &f->list, NULL, 2, NLN_ASSOCIATE_FOLD, NULL, NULL),
        NLN_OK);
    assert_true(f->plan->n_rows <= MOST_ROWS);
    assert_int_equal(nln_workspace_create(&f->work, f->net, 1, NULL), NLN_OK);
    assert_int_equal(nln_workspace_fit(f->work, f->plan->n_rows, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_create(&f->gradient, f->net, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_fit(&f->gradient, f->net, f->plan, NULL), NLN_OK);
}

static void tear_down(fixture *f)
{
    nln_exprs_free(&f->list);
    nln_planner_free(f->planner);
    nln_workspace_free(f->work);
    nln_shard_gradient_free(&f->gradient);
    nln_net_free(f->net);
}

static double loss_of(fixture *f)
{
    nln_net_transpose(f->net);
    return nln_probability_law_gradient(&f->gradient, f->work, f->log_odds, f->net, f->plan);
}

static void the_gradient_is_that_of_central_differences(void **state)
{
    (void)state;
    const double step = 1e-6;
    fixture f;
    set_up(&f);
    size_t n = nln_modules_size(DIM, HIDDEN);
    for (size_t i = 0; i < n; i++) {
        real before = f.net->weights[i];
        f.net->weights[i] = before + step;
        double up = loss_of(&f);
        f.net->weights[i] = before - step;
        double wanted = (up - loss_of(&f)) / (2 * step);
        f.net->weights[i] = before;
        loss_of(&f);
        double found = (double)f.gradient.block[i];
        if (!(fabs(found - wanted) < 1e-6 * (1 + fabs(wanted))))
            fail_msg("weight %zu: %g, not %g", i, found, wanted);
    }
    tear_down(&f);
}

static double probability(double log_odds)
{
    return 1 / (1 + exp(-log_odds));
}

static double squared_distance(const fixture *f, const real *w, double c)
{
    double sum = 0, length = 0;
    for (int i = 0; i < DIM; i++) {
        double wanted = c * (double)f->net->truth[i] + sqrt(1 - c * c) * (double)f->net->axis[i];
        sum += ((double)w[i] - wanted) * ((double)w[i] - wanted);
        length += (double)f->net->truth[i] * (double)f->net->truth[i];
    }
    return sum / length;
}

/* Row by row with modules of the test's own. */
static void the_loss_is_the_distance_from_what_probability_says(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    real v[VARIABLES][DIM], n1[DIM], a[DIM], na[DIM], b[DIM], o[DIM], F[DIM];
    double p[VARIABLES];
    for (int i = 0; i < VARIABLES; i++) {
        double c = tanh((double)f.net->logit[i] / 3);
        p[i] = probability(alpha * c);
        for (int k = 0; k < DIM; k++)
            v[i][k] = c * f.net->truth[k] + sqrt(1 - c * c) * f.net->axis[k];
    }
    naive_module(F, f.net, NLN_MODULE_NOT, f.net->truth, NULL);
    naive_module(n1, f.net, NLN_MODULE_NOT, v[1], NULL);
    naive_module(a, f.net, NLN_MODULE_AND, v[0], n1);
    naive_module(na, f.net, NLN_MODULE_NOT, a, NULL);
    naive_module(b, f.net, NLN_MODULE_AND, v[2], v[3]);
    naive_module(o, f.net, NLN_MODULE_OR, na, b);
    double pa = p[0] * (1 - p[1]), pb = p[2] * p[3], po = 1 - pa * (1 - pb);
    const struct {
        const real *w;
        double p;
    } row[] = {{n1, 1 - p[1]}, {a, pa}, {na, 1 - pa}, {b, pb}, {o, po}};
    double sum = squared_distance(&f, F, -1);
    for (int i = 0; i < 5; i++)
        sum += squared_distance(&f, row[i].w, log(row[i].p / (1 - row[i].p)) / alpha);
    double found = loss_of(&f);
    assert_true(fabs(found - sum / 6) < 1e-9 * (1 + found));
    tear_down(&f);
}

static void points_and_log_odds_are_each_others_inverse(void **state)
{
    (void)state;
    for (double x = -9.5; x <= 9.5; x += 0.5)
        assert_true(fabs(nln_arc_log_odds(nln_arc_number(x, alpha), alpha) - x) < 1e-9);
    assert_true(nln_arc_number(1e6, alpha) == nln_arc_number(9.5, alpha));
    assert_true(nln_arc_number(-1e6, alpha) == -nln_arc_number(9.5, alpha));
    assert_true(nln_arc_number(0, alpha) == 0);
}

/* The largest mistake in p of AND and OR over a grid of points. */
static double worst(const nln_net *net)
{
    enum { WIDTH = 16 };
    double most = 0;
    for (double x = -6; x <= 6; x += 1.5)
        for (double y = -6; y <= 6; y += 1.5) {
            real a[WIDTH], b[WIDTH], r[WIDTH];
            for (int k = 0; k < WIDTH; k++) {
                a[k] = x / alpha * net->truth[k] + sqrt(1 - x * x / 100) * net->axis[k];
                b[k] = y / alpha * net->truth[k] + sqrt(1 - y * y / 100) * net->axis[k];
            }
            double p = probability(x), q = probability(y);
            naive_module(r, net, NLN_MODULE_AND, a, b);
            most =
                fmax(most, fabs(probability(alpha * naive_cosine(r, net->truth, WIDTH)) - p * q));
            naive_module(r, net, NLN_MODULE_OR, a, b);
            most = fmax(most, fabs(probability(alpha * naive_cosine(r, net->truth, WIDTH)) -
                                   (1 - (1 - p) * (1 - q))));
        }
    return most;
}

static void modules_learn_to_compute_with_probabilities(void **state)
{
    (void)state;
    nln_net *net = draw_net(16, 32, 4);
    real logit[4];
    for (int i = 0; i < 4; i++)
        logit[i] = net->logit[i];
    double before = worst(net), loss = 0;
    assert_int_equal(nln_probability_law_learn(&loss, net, 1500, 3, NULL), NLN_OK);
    double after = worst(net);
    assert_true(loss > 0 && loss < 0.01);
    if (!(after < 0.06 && after < before / 5))
        fail_msg("mistakes of up to %g, before %g", after, before);
    for (int i = 0; i < 4; i++)
        assert_true(net->logit[i] == logit[i]);
    nln_net_free(net);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_central_differences),
        cmocka_unit_test(the_loss_is_the_distance_from_what_probability_says),
        cmocka_unit_test(points_and_log_odds_are_each_others_inverse),
        cmocka_unit_test(modules_learn_to_compute_with_probabilities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

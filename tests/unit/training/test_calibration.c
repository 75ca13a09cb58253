#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/net.h"
#include "training/calibration.h"

enum { N = 20000, DIM = 4, HIDDEN = 3, N_VARIABLES = 5 };

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* ---- the fits ---------------------------------------------------------------------- */

/* Scores, and labels that are true with probability sigmoid(factor * score), a
 * share `noise` of them flipped. */
static void simulate(double *score, uint8_t *labels, double factor, double noise, uint64_t seed)
{
    nln_random r = nln_random_seed(seed, 0);
    for (int i = 0; i < N; i++) {
        score[i] = 3 * nln_random_normal(&r);
        labels[i] = nln_random_uniform(&r) < sigmoid(factor * score[i]);
        if (nln_random_uniform(&r) < noise)
            labels[i] ^= 1;
    }
}

static void planted_temperatures_are_recovered(void **state)
{
    (void)state;
    static const double planted[] = {0.2, 0.7, 1, 2, 6}, noise[] = {0, 0.1};
    static double score[N];
    static uint8_t labels[N];
    for (size_t i = 0; i < 10; i++) {
        simulate(score, labels, planted[i / 2], noise[i % 2], i);
        double found =
            nln_calibration_temperature(score, (nln_truths){.label = labels}, N, noise[i % 2]);
        if (!(fabs(found / planted[i / 2] - 1) < 0.1))
            fail_msg("temperature %g at noise %g found as %g", planted[i / 2], noise[i % 2], found);
    }
}

/* One label that contradicts a certain score does not outweigh all others. */
static void one_surprise_is_only_one(void **state)
{
    (void)state;
    static double score[N];
    static uint8_t labels[N];
    simulate(score, labels, 2, 0, 3);
    score[7] = INFINITY;
    labels[7] = 0;
    assert_true(fabs(nln_calibration_temperature(score, (nln_truths){.label = labels}, N, 0) / 2 -
                     1) < 0.1);
}

/* Labels that the scores know for certain, and labels against all that they say. */
static void temperatures_stay_within_bounds(void **state)
{
    (void)state;
    static double score[N], certain[N];
    static uint8_t labels[N], flipped[N];
    for (int i = 0; i < N; i++) {
        labels[i] = i & 1;
        flipped[i] = !labels[i];
        score[i] = labels[i] ? 1 : -1;
        certain[i] = labels[i] ? INFINITY : -INFINITY;
    }
    assert_true(nln_calibration_temperature(score, (nln_truths){.label = labels}, N, 0) > 5);
    assert_true(nln_calibration_temperature(score, (nln_truths){.label = flipped}, N, 0) < 0.2);
    for (int i = 0; i < 4; i++) {
        double found = nln_calibration_temperature(
            certain, (nln_truths){.label = i % 2 ? labels : flipped}, N, i / 2 * 0.1);
        assert_true(found > 0.01 && found < 100);
    }
}

/* Labels that are true with probability sigmoid(score + carry * surprise). */
static void planted_carries_are_recovered(void **state)
{
    (void)state;
    static const double planted[] = {0, 0.5, 2, 6};
    static double score[N], surprise[N];
    static uint8_t labels[N];
    nln_random r = nln_random_seed(4, 4);
    for (size_t k = 0; k < 4; k++) {
        for (int i = 0; i < N; i++) {
            score[i] = nln_random_normal(&r);
            surprise[i] = 0.5 * nln_random_normal(&r);
            labels[i] = nln_random_uniform(&r) < sigmoid(score[i] + planted[k] * surprise[i]);
        }
        double found = nln_calibration_carry(score, surprise, (nln_truths){.label = labels}, N, 0);
        if (!(fabs(found - planted[k]) < 0.1 * (1 + planted[k])))
            fail_msg("carry %g found as %g", planted[k], found);
        for (int i = 0; i < N; i++)
            surprise[i] = -surprise[i];
        if (k > 0)
            assert_true(
                nln_calibration_carry(score, surprise, (nln_truths){.label = labels}, N, 0) == 0);
    }
}

static void nothing_to_fit_changes_nothing(void **state)
{
    (void)state;
    assert_true(nln_calibration_carry(NULL, NULL, (nln_truths){.label = NULL}, 0, 0) == 0);
    assert_true(nln_calibration_temperature(NULL, (nln_truths){0}, 0, 0) == 1);
}

/* ---- snapshots ---------------------------------------------------------------------- */

/* A network and a learner that knows its parts and nothing else. */
typedef struct fixture {
    nln_learner base;
    nln_net *net;
} fixture;

static void transpose(nln_learner *l)
{
    nln_net_transpose(((fixture *)l)->net);
}

static void add_part(nln_learner *l, real *x, size_t n, int width)
{
    if (x)
        l->parameter[l->n_parameters++] = (nln_parameter){.x = x, .n = n, .width = width};
}

static fixture make(nln_embedding embedding)
{
    fixture f = {.base.changed = transpose};
    assert_int_equal(nln_net_create(&f.net, DIM, HIDDEN, N_VARIABLES, embedding, 10, NULL), NLN_OK);
    add_part(&f.base, f.net->weights, 1, (int)nln_modules_size(DIM, HIDDEN));
    add_part(&f.base, f.net->logit, N_VARIABLES, 1);
    add_part(&f.base, f.net->vector, N_VARIABLES, DIM);
    return f;
}

static void draw(nln_net *net, uint64_t seed)
{
    nln_random random = nln_random_seed(seed, 0);
    nln_net_draw(net, (nln_init){1, 1, 0}, &random);
}

static nln_snapshot snapshot(const nln_learner *l)
{
    nln_snapshot s;
    assert_int_equal(nln_snapshot_create(&s, l, NULL), NLN_OK);
    return s;
}

/* T and U are not trained, so a snapshot has no part in them. */
static int is_trained(const nln_net *net, const nln_net_tensor *t)
{
    return t->data != net->truth && t->data != net->axis;
}

static void expect_same(const nln_net *a, const nln_net *b)
{
    nln_net_tensor x, y;
    for (int i = 0; nln_net_get_tensor(&x, a, i); i++) {
        nln_net_get_tensor(&y, b, i);
        if (is_trained(a, &x))
            assert_memory_equal(x.data, y.data, x.rows * x.columns * sizeof(real));
    }
    for (int k = 0; k < NLN_N_MODULES; k++) {
        const nln_module *m = &a->transposed.of[k], *n = &b->transposed.of[k];
        assert_memory_equal(m->in, n->in, (size_t)(m->inputs * DIM * HIDDEN) * sizeof(real));
        assert_memory_equal(m->out, n->out, HIDDEN * DIM * sizeof(real));
    }
}

static void snapshots_restore_bits(void **state)
{
    (void)state;
    for (int e = NLN_EMBED_FREE; e <= NLN_EMBED_ARC_REST; e++) {
        fixture f = make((nln_embedding)e), original = make((nln_embedding)e);
        nln_snapshot s = snapshot(&f.base);
        draw(original.net, 1);
        draw(f.net, 1);
        nln_snapshot_take(&s, &f.base);
        draw(f.net, 2);
        nln_snapshot_restore(&f.base, &s);
        expect_same(f.net, original.net);
        nln_snapshot_free(&s);
        nln_snapshot_free(&s);
        nln_net_free(f.net);
        nln_net_free(original.net);
    }
}

static void snapshots_mix(void **state)
{
    (void)state;
    real x[] = {1, 2, 3}, y[] = {10, 20};
    nln_learner l = {.n_parameters = 2,
                     .parameter = {{.x = x, .n = 3, .width = 1}, {.x = y, .n = 1, .width = 2}}};
    nln_snapshot s = snapshot(&l);
    nln_snapshot_take(&s, &l);
    for (int i = 0; i < 3; i++)
        x[i] = 5;
    y[1] = 0;
    nln_snapshot_mix(&s, &l, 0.75);
    nln_snapshot_restore(&l, &s);
    static const real wanted[] = {2, 2.75, 3.5, 10, 15};
    for (int i = 0; i < 5; i++)
        assert_true(fabs((double)(i < 3 ? x[i] : y[i - 3]) - (double)wanted[i]) < 1e-6);
    nln_snapshot_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_temperatures_are_recovered),
        cmocka_unit_test(one_surprise_is_only_one),
        cmocka_unit_test(temperatures_stay_within_bounds),
        cmocka_unit_test(planted_carries_are_recovered),
        cmocka_unit_test(nothing_to_fit_changes_nothing),
        cmocka_unit_test(snapshots_restore_bits),
        cmocka_unit_test(snapshots_mix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

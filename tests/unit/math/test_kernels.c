/* The element-wise kernels, in every instruction set, against their formulas in double. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checks.h"

/* ---- rows and sums --------------------------------------------------------- */

static void check_relu_of(const nln_kernels *k, int n, int width, const real *a, const real *b)
{
    const real *bias = draw(width);
    real *out = draw(n * width), *in_place = copy(a, n * width);
    k->relu(out, a, b, bias, n, width);
    k->relu(in_place, in_place, b, bias, n, width);
    for (int i = 0; i < n * width; i++) {
        double sum = (double)a[i] + (double)bias[i % width] + (b ? (double)b[i] : 0);
        near(k, width, i, out[i], sum > 0 ? sum : 0, 10);
        assert_true(out[i] >= 0);
    }
    assert_memory_equal(out, in_place, (size_t)(n * width) * sizeof *out);
}

static void check_relu(const nln_kernels *k, int n, int width)
{
    const real *a = draw(n * width);
    check_relu_of(k, n, width, a, draw(n * width));
    check_relu_of(k, n, width, a, NULL);
}

static void check_relu_back(const nln_kernels *k, int n, int width)
{
    real *dz = draw(n * width), *dbias = draw(width), scale = NLN_REAL(1.25);
    const real *before = copy(dz, n * width), *z = draw(n * width), *old = copy(dbias, width);
    k->relu_back(dz, dbias, z, scale, n, width);
    for (int j = 0; j < width; j++) {
        double sum = (double)old[j];
        for (int i = j; i < n * width; i += width) {
            double wanted = z[i] > 0 ? 1.25 * (double)before[i] : 0;
            near(k, width, i, dz[i], wanted, fabs(wanted));
            sum += wanted;
        }
        near(k, width, j, dbias[j], sum, 10);
    }
}

static void check_axpy(const nln_kernels *k, int n, int width)
{
    real *y = draw(n * width), a = (real)nln_random_normal(&random_stream);
    const real *old = copy(y, n * width), *x = draw(n * width);
    k->axpy(y, a, x, (size_t)(n * width));
    for (int i = 0; i < n * width; i++)
        near(k, width, i, y[i], (double)old[i] + (double)a * (double)x[i], 10);
}

/* ---- cosines ------------------------------------------------------------------ */

static double naive_dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static double naive_cosine(const double *x, const double *y, int n)
{
    double of_x = naive_dot(x, x, n), of_y = naive_dot(y, y, n);
    return of_x > 0 && of_y > 0 ? naive_dot(x, y, n) / sqrt(of_x * of_y) : 0;
}

static void widen(double *out, const real *x, int n)
{
    for (int i = 0; i < n; i++)
        out[i] = (double)x[i];
}

static void check_dot(const nln_kernels *k, int n, int width)
{
    const real *x = draw(width), *y = draw(width);
    double a[70], b[70];
    (void)n;
    widen(a, x, width);
    widen(b, y, width);
    near(k, width, 0, k->dot(x, y, width), naive_dot(a, b, width), width);
    near(k, width, 0, k->dot(x, y, 0), 0, 0);
}

/* A vector that is not close to 0, where the gradient has no bound. */
static real *draw_long(int n, int width)
{
    real *x = draw(n * width);
    for (int r = 0; r < n; r++)
        x[r * width] += x[r * width] < 0 ? -1 : 1;
    return x;
}

static void check_inverse_length(const nln_kernels *k, int n, int width)
{
    const real *x = draw_long(n, width);
    real *out = draw(n);
    double a[70];
    k->inverse_length(out, x, n, width);
    for (int r = 0; r < n; r++) {
        widen(a, x + r * width, width);
        near(k, width, r, out[r], 1 / sqrt(naive_dot(a, a, width)), 1);
    }
}

/* Rows, targets and what the kernels say of them. */
typedef struct pairs {
    int n, width, stride, n_target;
    real *y, *target, *cosine, *inverse, *target_inverse;
} pairs;

static pairs make_pairs(const nln_kernels *k, int n, int width, int stride)
{
    pairs p = {.n = n, .width = width, .stride = stride, .n_target = stride ? n : 1};
    p.y = draw_long(n, width);
    p.target = draw_long(p.n_target, width);
    p.cosine = draw(n);
    p.inverse = draw(n);
    p.target_inverse = draw(p.n_target);
    k->inverse_length(p.target_inverse, p.target, p.n_target, width);
    k->cosine(p.cosine, p.inverse, p.y, p.target, p.target_inverse, stride, n, width);
    return p;
}

static void back(const nln_kernels *k, const pairs *p, real *y, real *dtarget, const real *dcos)
{
    k->cosine_back(y, dtarget, dcos, p->cosine, p->inverse, p->target, p->target_inverse, p->stride,
                   p->n, p->width);
}

static void check_cosine_of(const nln_kernels *k, int n, int width, int stride)
{
    pairs p = make_pairs(k, n, width, stride);
    double a[70], b[70];
    for (int r = 0; r < n; r++) {
        widen(a, p.y + r * width, width);
        widen(b, p.target + r * stride, width);
        near(k, width, r, p.cosine[r], naive_cosine(a, b, width), 1);
        near(k, width, r, p.inverse[r], 1 / sqrt(naive_dot(a, a, width)), 1);
    }
}

static void check_cosine(const nln_kernels *k, int n, int width)
{
    check_cosine_of(k, n, width, 0);
    check_cosine_of(k, n, width, width);
}

/* d cos(x, y) / d x[i]; the other half by calling it with x and y exchanged. */
static double central_difference(double *x, const double *y, int i, int n)
{
    double old = x[i], step = 1e-6 * sqrt(naive_dot(x, x, n));
    x[i] = old + step;
    double above = naive_cosine(x, y, n);
    x[i] = old - step;
    double below = naive_cosine(x, y, n);
    x[i] = old;
    return (above - below) / (2 * step);
}

static void check_cosine_back_of(const nln_kernels *k, int n, int width, int stride)
{
    pairs p = make_pairs(k, n, width, stride);
    const real *dcos = draw(n);
    real *dy = copy(p.y, n * width), *alone = copy(p.y, n * width);
    real *dtarget = draw(p.n_target * width);
    double wanted[9 * 70], a[70], b[70];
    widen(wanted, dtarget, p.n_target * width);
    back(k, &p, dy, dtarget, dcos);
    back(k, &p, alone, NULL, dcos);
    for (int r = 0; r < n; r++) {
        widen(a, p.y + r * width, width);
        widen(b, p.target + r * stride, width);
        for (int i = 0; i < width; i++) {
            double slope = (double)dcos[r] * central_difference(a, b, i, width);
            near(k, width, i, dy[r * width + i], slope, fabs((double)dcos[r]));
            wanted[r * stride + i] += (double)dcos[r] * central_difference(b, a, i, width);
        }
    }
    for (int i = 0; i < p.n_target * width; i++)
        near(k, width, i, dtarget[i], wanted[i], 10);
    assert_memory_equal(dy, alone, (size_t)(n * width) * sizeof *dy);
}

static void check_cosine_back(const nln_kernels *k, int n, int width)
{
    check_cosine_back_of(k, n, width, 0);
    check_cosine_back_of(k, n, width, width);
}

static int are_zero(const real *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!(x[i] == 0))
            return 0;
    return 1;
}

/* A vector of length 0 has no direction: its cosine is 0, and no gradient passes. */
static void check_zeros(const nln_kernels *k, int n, int width, int zero_y, int zero_target)
{
    pairs p = make_pairs(k, n, width, 0);
    real *dtarget = draw(width);
    const real *dcos = draw(n), *old = copy(dtarget, width);
    if (zero_y)
        memset(p.y, 0, (size_t)(n * width) * sizeof *p.y);
    if (zero_target)
        memset(p.target, 0, (size_t)width * sizeof *p.target);
    k->inverse_length(p.target_inverse, p.target, 1, width);
    k->cosine(p.cosine, p.inverse, p.y, p.target, p.target_inverse, 0, n, width);
    assert_true(are_zero(p.cosine, n));
    assert_int_equal(are_zero(p.inverse, n), n == 0 || zero_y);
    assert_int_equal(are_zero(p.target_inverse, 1), zero_target);
    back(k, &p, p.y, dtarget, dcos);
    assert_true(are_zero(p.y, n * width));
    assert_memory_equal(dtarget, old, (size_t)width * sizeof *old);
}

static void check_zero_vectors(const nln_kernels *k, int n, int width)
{
    check_zeros(k, n, width, 1, 0);
    check_zeros(k, n, width, 0, 1);
    check_zeros(k, n, width, 1, 1);
}

/* ---- both sides of a sigmoid ------------------------------------------------------------ */

/* Right in proportion to itself, however small: v = alpha x is rounded before. */
static void near_share(const nln_kernels *k, int at, real got, double v)
{
    double wanted = 1 / (1 + exp(-v));
    if (!(fabs((double)got - wanted) <= (1e-6 + 2e-7 * fabs(v)) * wanted))
        fail_msg("%s, number %d: sigmoid(%g) is not %.9g", k->name, at, v, (double)got);
}

static void check_odds(const nln_kernels *k, int n, int width)
{
    static const real alphas[] = {1, -10, 15};
    const real *x = draw(n * width);
    real *yes = draw(n * width), *no = draw(n * width);
    for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++) {
        k->odds(yes, no, x, alphas[a], n * width);
        for (int i = 0; i < n * width; i++) {
            double v = fmax(-80, fmin(80, (double)alphas[a] * (double)x[i]));
            near_share(k, i, yes[i], v);
            near_share(k, i, no[i], -v);
        }
    }
}

static void check_odds_of_nan(const nln_kernels *k, int n, int width)
{
    real x = (real)NAN, yes = 0, no = 0;
    (void)n;
    (void)width;
    k->odds(&yes, &no, &x, 10, 1);
    assert_true(isnan(yes) && isnan(no));
}

/* ---- forms ----------------------------------------------------------------------- */

static void check_form(const nln_kernels *k, int n, int width)
{
    const real *z = draw(n * width), *s = draw(n * width), *a = draw(width);
    real *linear = draw(n), *square = draw(n);
    double row[70], of_s[70], of_a[70];
    k->form(linear, square, z, s, a, n, width);
    widen(of_a, a, width);
    for (int r = 0; r < n; r++) {
        widen(row, z + r * width, width);
        widen(of_s, s + r * width, width);
        near(k, width, r, linear[r], naive_dot(row, of_a, width), width);
        near(k, width, r, square[r], naive_dot(row, of_s, width), width);
    }
}

static void check_form_back(const nln_kernels *k, int n, int width)
{
    real *s = draw(n * width), *dq = draw(n * width), *dp = draw(width), *da = draw(width);
    const real *by = draw(n), *less = draw(n), *z = draw(n * width), *a = draw(width);
    const real *s0 = copy(s, n * width), *dq0 = copy(dq, n * width);
    const real *dp0 = copy(dp, width), *da0 = copy(da, width);
    k->form_back(s, dq, dp, da, by, less, z, a, n, width);
    for (int i = 0; i < width; i++) {
        double of_p = (double)dp0[i], of_a = (double)da0[i];
        for (int r = 0; r < n; r++) {
            int at = r * width + i;
            double x = (double)z[at], u = (double)by[r], w = (double)less[r];
            double dz = x > 0 ? u * (double)a[i] - w * (double)s0[at] : 0;
            near(k, width, at, dq[at], (double)dq0[at] + dz, 10);
            near(k, width, at, s[at], -w * x, 10);
            of_p += dz;
            of_a += u * x;
        }
        near(k, width, i, dp[i], of_p, 10);
        near(k, width, i, da[i], of_a, 10);
    }
}

/* ---- Adam ------------------------------------------------------------------------ */

static void check_adam_of(const nln_kernels *k, int n, const real *g)
{
    const nln_adam_step s = {NLN_REAL(0.9), NLN_REAL(0.999), NLN_REAL(0.02), NLN_REAL(1.5),
                             NLN_REAL(1e-8)};
    real *x = draw(n), *m = draw(n), *v = draw(n);
    for (int i = 0; i < n; i++)
        v[i] = v[i] * v[i] + NLN_REAL(0.01);
    const real *x0 = copy(x, n), *m0 = copy(m, n), *v0 = copy(v, n);
    k->adam(x, m, v, g, s, (size_t)n);
    for (int i = 0; i < n; i++) {
        double slope = g ? (double)g[i] : 0;
        double m1 = (double)s.beta1 * (double)m0[i] + (1 - (double)s.beta1) * slope;
        double v1 = (double)s.beta2 * (double)v0[i] + (1 - (double)s.beta2) * slope * slope;
        near(k, n, i, m[i], m1, fabs(m1) + 0.1 * fabs(slope));
        near(k, n, i, v[i], v1, v1);
        double move = (double)s.rate * m1 / (sqrt(v1) * (double)s.root + (double)s.epsilon);
        near(k, n, i, x[i], (double)x0[i] - move, 1);
    }
}

static void check_adam(const nln_kernels *k, int n, int width)
{
    check_adam_of(k, n * width, draw(n * width));
    check_adam_of(k, n * width, NULL);
}

/* A number that has never had a gradient stays where it is. */
static void check_adam_at_rest(const nln_kernels *k, int n, int width)
{
    const nln_adam_step s = {NLN_REAL(0.9), NLN_REAL(0.999), 1, 1, NLN_REAL(1e-8)};
    real *x = draw(width), *m = draw(width), *v = draw(width);
    const real *old = copy(x, width);
    (void)n;
    memset(m, 0, (size_t)width * sizeof *m);
    memset(v, 0, (size_t)width * sizeof *v);
    k->adam(x, m, v, NULL, s, (size_t)width);
    assert_memory_equal(x, old, (size_t)width * sizeof *x);
}

/* Bit by bit what so many steps by themselves do: until nothing moves any more, and after. */
static void check_adam_rest_of(const nln_kernels *k, int n, int width, real beta1, real beta2)
{
    enum { STEPS = 700 };
    static nln_adam_step steps[STEPS];
    real *x = draw(width), *m = draw(width), *v = draw(width);
    for (int i = 0; i < STEPS; i++)
        steps[i] = (nln_adam_step){beta1, beta2, 1 - (real)i / 1000, 1, NLN_REAL(1e-8)};
    for (int i = 0; i < width; i++) { /* some beside epsilon, some far above it */
        m[i] *= NLN_REAL(1e-6);
        v[i] = v[i] * v[i] * (i % 2 ? NLN_REAL(1e-14) : 1);
    }
    real *x1 = copy(x, width), *m1 = copy(m, width), *v1 = copy(v, width);
    int32_t n_steps = (int32_t)n * STEPS / 9;
    n_steps = n_steps < STEPS ? n_steps : STEPS;
    for (int32_t i = 0; i < n_steps; i++) {
        nln_adam_step s = steps[i];
        s.rate *= NLN_REAL(0.01);
        k->adam(x1, m1, v1, NULL, s, (size_t)width);
    }
    k->adam_rest(x, m, v, steps, n_steps, NLN_REAL(0.01), (size_t)width);
    assert_memory_equal(x, x1, (size_t)width * sizeof *x);
    assert_memory_equal(m, m1, (size_t)width * sizeof *m);
    assert_memory_equal(v, v1, (size_t)width * sizeof *v);
}

/* In the second case a step may move nothing, and one that comes after it something. */
static void check_adam_rest(const nln_kernels *k, int n, int width)
{
    check_adam_rest_of(k, n, width, NLN_REAL(0.9), NLN_REAL(0.999));
    check_adam_rest_of(k, n, width, NLN_REAL(0.99), NLN_REAL(0.9));
}

/* ---- the tests ---------------------------------------------------------------------- */

TEST(relu)
TEST(relu_back)
TEST(axpy)
TEST(dot)
TEST(inverse_length)
TEST(cosine)
TEST(cosine_back)
TEST(zero_vectors)
TEST(form)
TEST(odds)
TEST(odds_of_nan)
TEST(form_back)
TEST(adam)
TEST(adam_at_rest)
TEST(adam_rest)

static void the_best_is_the_last_and_plain_the_first(void **state)
{
    (void)state;
    const nln_kernels *all[3];
    int n = nln_kernels_all(all);
    assert_in_range(n, 1, 3);
    assert_string_equal(all[0]->name, "plain");
    assert_ptr_equal(nln_kernels_get(), all[n - 1]);
    for (int i = 1; i < n; i++)
        assert_string_not_equal(all[i]->name, all[i - 1]->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relu),
        cmocka_unit_test(relu_back),
        cmocka_unit_test(axpy),
        cmocka_unit_test(dot),
        cmocka_unit_test(inverse_length),
        cmocka_unit_test(cosine),
        cmocka_unit_test(cosine_back),
        cmocka_unit_test(zero_vectors),
        cmocka_unit_test(form),
        cmocka_unit_test(odds),
        cmocka_unit_test(odds_of_nan),
        cmocka_unit_test(form_back),
        cmocka_unit_test(adam),
        cmocka_unit_test(adam_at_rest),
        cmocka_unit_test(adam_rest),
        cmocka_unit_test(the_best_is_the_last_and_plain_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

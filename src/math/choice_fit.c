#include "math/choice_fit.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 50, MOST_HALVINGS = 30 };

static double dot(const float *x, const double *w, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * w[i];
    return sum;
}

/* The share of one case: its loss; its derivatives are added. */
static double one_case(double *gradient, double *curvature, const nln_choices *c, size_t at,
                       const double *weight)
{
    const float *x = c->feature + at * c->each * (size_t)c->width;
    double mean[NLN_CHOICE_MOST] = {0}, most = -INFINITY, sum = 0;
    double chosen = dot(x, weight, c->width);
    int n = c->width;
    for (size_t i = 0; i < c->n_of[at]; i++)
        most = fmax(most, dot(x + i * (size_t)n, weight, n));
    for (size_t i = 0; i < c->n_of[at]; i++)
        sum += exp(dot(x + i * (size_t)n, weight, n) - most);
    for (size_t i = 0; gradient && i < c->n_of[at]; i++) {
        const float *f = x + i * (size_t)n;
        double p = exp(dot(f, weight, n) - most) / sum;
        for (int j = 0; j < n; j++) {
            mean[j] += p * (double)f[j];
            for (int k = 0; curvature && k <= j; k++)
                curvature[j * n + k] += p * (double)f[j] * (double)f[k];
        }
    }
    for (int j = 0; gradient && j < n; j++) {
        gradient[j] += mean[j] - (double)x[j];
        for (int k = 0; curvature && k <= j; k++)
            curvature[j * n + k] -= mean[j] * mean[k];
    }
    return log(sum) + most - chosen;
}

double nln_choice_loss(double *gradient, double *curvature, const nln_choices *c,
                       const double *weight, double l2)
{
    int n = c->width;
    double loss = 0, share = c->n ? 1 / (double)c->n : 0;
    if (gradient)
        memset(gradient, 0, (size_t)n * sizeof *gradient);
    if (curvature)
        memset(curvature, 0, (size_t)(n * n) * sizeof *curvature);
    for (size_t i = 0; i < c->n; i++)
        loss += one_case(gradient, curvature, c, i, weight);
    loss *= share;
    for (int j = 0; j < n; j++) {
        loss += l2 * weight[j] * weight[j];
        if (gradient)
            gradient[j] = share * gradient[j] + 2 * l2 * weight[j];
        for (int k = 0; curvature && k <= j; k++)
            curvature[k * n + j] = curvature[j * n + k] =
                share * curvature[j * n + k] + (j == k ? 2 * l2 : 0);
    }
    return loss;
}

/* x = A^-1 x by Cholesky's factors, in the lower half of A, which is positive definite. */
static void solve(double *x, double *A, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            double sum = A[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= A[i * n + k] * A[j * n + k];
            A[i * n + j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / A[j * n + j];
        }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            x[i] -= A[i * n + k] * x[k];
        x[i] /= A[i * n + i];
    }
    for (int i = n; i-- > 0;) {
        for (int k = i + 1; k < n; k++)
            x[i] -= A[k * n + i] * x[k];
        x[i] /= A[i * n + i];
    }
}

void nln_choice_fit(double *weight, const nln_choices *c, double l2)
{
    double gradient[NLN_CHOICE_MOST], curvature[NLN_CHOICE_MOST * NLN_CHOICE_MOST];
    double tried[NLN_CHOICE_MOST];
    int n = c->width, moved = 1;
    for (int step = 0; moved && step < MOST_STEPS; step++) {
        double loss = nln_choice_loss(gradient, curvature, c, weight, l2), slope = 0, size = 1;
        memcpy(tried, gradient, (size_t)n * sizeof *tried);
        solve(tried, curvature, n);
        for (int j = 0; j < n; j++)
            slope += gradient[j] * tried[j];
        moved = slope > 1e-10;
        for (int halved = 0; moved && halved < MOST_HALVINGS; halved++, size /= 2) {
            double next[NLN_CHOICE_MOST];
            for (int j = 0; j < n; j++)
                next[j] = weight[j] - size * tried[j];
            if (nln_choice_loss(NULL, NULL, c, next, l2) > loss - 0.25 * size * slope)
                continue;
            memcpy(weight, next, (size_t)n * sizeof *weight);
            break;
        }
    }
}

#include "models/link_family.h"

#include <math.h>
#include <stddef.h>

/* ---- complex pairs ------------------------------------------------------------------------ */

static void complex_query(real *q, const real *h, const real *r, int dim)
{
    int n = dim / 2;
    for (int i = 0; i < n; i++) {
        q[i] = h[i] * r[i] - h[n + i] * r[n + i];
        q[n + i] = h[i] * r[n + i] + h[n + i] * r[i];
    }
}

static void complex_query_back(real *dh, real *dr, const real *dq, const real *h, const real *r,
                               int dim)
{
    int n = dim / 2;
    for (int i = 0; i < n; i++) {
        dh[i] += dq[i] * r[i] + dq[n + i] * r[n + i];
        dh[n + i] += dq[n + i] * r[i] - dq[i] * r[n + i];
        dr[i] += dq[i] * h[i] + dq[n + i] * h[n + i];
        dr[n + i] += dq[n + i] * h[i] - dq[i] * h[n + i];
    }
}

/* conj h times t. */
static void complex_between(real *v, const real *h, const real *t, int dim)
{
    int n = dim / 2;
    for (int i = 0; i < n; i++) {
        v[i] = h[i] * t[i] + h[n + i] * t[n + i];
        v[n + i] = h[i] * t[n + i] - h[n + i] * t[i];
    }
}

static void complex_between_back(real *dh, real *dt, const real *dv, const real *h, const real *t,
                                 int dim)
{
    int n = dim / 2;
    for (int i = 0; i < n; i++) {
        dh[i] += dv[i] * t[i] + dv[n + i] * t[n + i];
        dh[n + i] += dv[i] * t[n + i] - dv[n + i] * t[i];
        dt[i] += dv[i] * h[i] - dv[n + i] * h[n + i];
        dt[n + i] += dv[i] * h[n + i] + dv[n + i] * h[i];
    }
}

/* Re <t, s, conj h> = Re <h, conj s, conj t>. */
static void complex_add_inverse(real *r, const real *inverse, real weight, int dim)
{
    for (int i = 0; i < dim; i++)
        r[i] += (i < dim / 2 ? weight : -weight) * inverse[i];
}

/* ---- element by element ------------------------------------------------------------------- */

static void real_product(real *q, const real *h, const real *r, int dim)
{
    for (int i = 0; i < dim; i++)
        q[i] = h[i] * r[i];
}

static void real_product_back(real *dh, real *dr, const real *dq, const real *h, const real *r,
                              int dim)
{
    for (int i = 0; i < dim; i++) {
        dh[i] += dq[i] * r[i];
        dr[i] += dq[i] * h[i];
    }
}

static void real_add_inverse(real *r, const real *inverse, real weight, int dim)
{
    for (int i = 0; i < dim; i++)
        r[i] += weight * inverse[i];
}

/* ---- shifts -------------------------------------------------------------------------------- */

static void shift_query(real *q, const real *h, const real *r, int dim)
{
    for (int i = 0; i < dim; i++)
        q[i] = h[i] + r[i];
}

static void shift_query_back(real *dh, real *dr, const real *dq, const real *h, const real *r,
                             int dim)
{
    (void)h, (void)r;
    for (int i = 0; i < dim; i++) {
        dh[i] += dq[i];
        dr[i] += dq[i];
    }
}

static void shift_between(real *v, const real *h, const real *t, int dim)
{
    for (int i = 0; i < dim; i++)
        v[i] = t[i] - h[i];
}

static void shift_between_back(real *dh, real *dt, const real *dv, const real *h, const real *t,
                               int dim)
{
    (void)h, (void)t;
    for (int i = 0; i < dim; i++) {
        dh[i] -= dv[i];
        dt[i] += dv[i];
    }
}

/* ---- the rows -------------------------------------------------------------------------------- */

const nln_link_family nln_link_complex = {1,
                                          0,
                                          complex_query,
                                          complex_query_back,
                                          complex_between,
                                          complex_between_back,
                                          complex_add_inverse};
const nln_link_family nln_link_real = {
    0, 0, real_product, real_product_back, real_product, real_product_back, real_add_inverse};
const nln_link_family nln_link_shift = {
    0, 1, shift_query, shift_query_back, shift_between, shift_between_back, NULL};

int nln_link_family_width(const nln_link_family *f, int dimension)
{
    return f->in_pairs ? dimension + dimension % 2 : dimension;
}

double nln_link_family_cubes(real *dx, const nln_link_family *f, const real *x, double weight,
                             int dim)
{
    double sum = 0;
    int n = f->in_pairs ? dim / 2 : dim;
    real by = (real)(3 * weight);
    for (int i = 0; i < n; i++) {
        real square = x[i] * x[i] + (f->in_pairs ? x[n + i] * x[n + i] : 0);
        real length = (real)sqrt(square);
        sum += (double)(square * length);
        dx[i] += by * length * x[i];
        if (f->in_pairs)
            dx[n + i] += by * length * x[n + i];
    }
    return weight * sum;
}

#include "net/cosine_bounds.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/quantized_bounds.h"
#include "net/propagation.h"

enum {
    FIXED = NLN_QUANTIZED_VALUES - 2, /* directions that all h share */
    SAMPLE = 256,                     /* variables that the fixed directions are made from ... */
    OPERANDS = 8,                     /* ... each after this many h ... */
    MEAN = 64, /* ... and those that the mean hidden layer after an h is made from */
    ROUNDS = 30,
    MOST_HIDDEN = 1024,
    CENTRE = NLN_QUANTIZED_MOST / 2
};

struct nln_cosine_bounds {
    const nln_ranker *ranker;
    int hidden, n_groups;
    int32_t n;
    uint8_t *blocks;       /* [n_blocks, n_groups, 16, 4]: q ~ centre + step (number - 127) */
    float *slack;          /* [n_blocks, 16] what 8 bits may take from the numerator */
    double *centre, *step; /* [hidden] */
    double *error;         /* [hidden] of q in 8 bits, the largest of all variables */
    double *S;             /* [hidden, hidden] W W' */
    double *length;        /* [hidden] |W_j|, the root of the diagonal of S */
    double *m, *u;         /* [FIXED, hidden] m_k and S m_k */
    real *sample;          /* [n_sample, hidden] projections of some variables */
    int n_sample;
};

/* ---- directions ------------------------------------------------------------------------------ */

static double dot(const double *x, const double *y, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void times_symmetric(double *out, const double *A, const double *x, int n)
{
    memset(out, 0, (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            out[j] += x[i] * A[(size_t)i * (size_t)n + (size_t)j];
}

/* Makes m, u = S m orthonormal to the first `before` directions.  They become 0 if little is
 * left. */
static void orthonormalize(double *m, double *u, const nln_cosine_bounds *b, int before)
{
    int n = b->hidden;
    times_symmetric(u, b->S, m, n);
    double whole = dot(m, u, n);
    for (int k = 0; k < 2 * before; k++) { /* twice, for the rounding of the first time */
        size_t at = (size_t)(k % before) * (size_t)n;
        double part = dot(b->u + at, m, n);
        for (int i = 0; i < n; i++)
            m[i] -= part * b->m[at + (size_t)i];
    }
    times_symmetric(u, b->S, m, n);
    double rest = dot(m, u, n);
    double scale = rest > 1e-6 * whole && rest > 0 ? 1 / sqrt(rest) : 0;
    for (int i = 0; i < n; i++) {
        m[i] *= scale;
        u[i] *= scale;
    }
}

/* E [hidden, hidden] = sum of z' z over the sample after some h: no history, and single
 * variables. */
static void second_moments(double *E, const nln_cosine_bounds *b, int32_t first, real *vector,
                           real *constant, real *scratch)
{
    const nln_net *net = b->ranker->net;
    int h = b->hidden;
    for (int o = 0; o < OPERANDS; o++) {
        memset(vector, 0, (size_t)net->dim * sizeof *vector);
        if (o)
            nln_propagation_variables(vector, net, first + (int32_t)((int64_t)o * b->n / OPERANDS),
                                      NULL, 1, scratch);
        nln_ranker_first_operand(constant, b->ranker, vector);
        for (int r = 0; r < b->n_sample; r++) {
            double z[MOST_HIDDEN];
            for (int i = 0; i < h; i++)
                z[i] = fmax(0, (double)(b->sample[r * h + i] + constant[i]));
            for (int i = 0; i < h; i++)
                for (int j = 0; z[i] > 0 && j < h; j++)
                    E[i * h + j] += z[i] * z[j];
        }
    }
}

/* The top eigenvectors of E S, which is self-adjoint in the product of S, by subspace iteration. */
static nln_status find_directions(nln_cosine_bounds *b, int32_t first, real *scratch,
                                  nln_error *err)
{
    size_t h = (size_t)b->hidden, d = (size_t)b->ranker->net->dim;
    double *E = nln_array_zeroed(h * h, sizeof *E);
    real *vector = nln_array_zeroed(d + h, sizeof *vector);
    if (E && vector) {
        second_moments(E, b, first, vector, vector + d, scratch);
        for (int k = 0; k < FIXED; k++)
            for (size_t i = 0; i < h; i++)
                b->m[(size_t)k * h + i] = k == 0 || i % FIXED == (size_t)k;
        for (int round = 0; round < ROUNDS; round++)
            for (int k = 0; k < FIXED; k++) {
                double *m = b->m + (size_t)k * h, *u = b->u + (size_t)k * h;
                if (round)
                    times_symmetric(m, E, u, b->hidden);
                orthonormalize(m, u, b, k);
            }
    }
    nln_free(vector);
    nln_free(E);
    return E && vector ? NLN_OK : nln_error_memory(err);
}

/* ---- projections in 8 bits ---------------------------------------------------------------------
 */

/* Sets centre and step from the range of each unit; returns 0 if a number is not finite. */
static int find_ranges(nln_cosine_bounds *b, int32_t first, real *scratch)
{
    int h = b->hidden;
    for (int i = 0; i < h; i++) {
        b->centre[i] = INFINITY; /* the least and ... */
        b->step[i] = -INFINITY;  /* ... the largest so far */
    }
    double sum = 0;
    for (int32_t at = 0; at < b->n; at += NLN_RANKER_TILE) {
        int32_t n = b->n - at < NLN_RANKER_TILE ? b->n - at : NLN_RANKER_TILE;
        const real *q = nln_ranker_projections(b->ranker, first + at, n, scratch);
        for (int32_t r = 0; r < n; r++, q += h)
            for (int i = 0; i < h; i++) {
                double x = (double)q[i];
                b->centre[i] = x < b->centre[i] ? x : b->centre[i];
                b->step[i] = x > b->step[i] ? x : b->step[i];
                sum += x * 0; /* NaN if one is not finite */
            }
    }
    for (int i = 0; i < h; i++) {
        double least = b->centre[i], most = b->step[i];
        b->centre[i] = (least + most) / 2;
        b->step[i] = fmax((most - least) / NLN_QUANTIZED_MOST, 1e-20);
    }
    return sum == 0;
}

static void quantize(nln_cosine_bounds *b, int32_t first, real *scratch)
{
    int h = b->hidden;
    for (int32_t at = 0; at < b->n; at += NLN_RANKER_TILE) {
        int32_t n = b->n - at < NLN_RANKER_TILE ? b->n - at : NLN_RANKER_TILE;
        const real *q = nln_ranker_projections(b->ranker, first + at, n, scratch);
        for (int32_t v = at; v < at + n; v++, q += h) {
            uint8_t *row = b->blocks + (size_t)(v / NLN_QUANTIZED_ROWS) * (size_t)b->n_groups * 64 +
                           (size_t)(v % NLN_QUANTIZED_ROWS) * NLN_QUANTIZED_GROUP;
            double slack = 0;
            for (int i = 0; i < h; i++) {
                double x = ((double)q[i] - b->centre[i]) / b->step[i];
                int number = (int)(x + CENTRE + 0.5);
                number = number < 0 ? 0 : number > NLN_QUANTIZED_MOST ? NLN_QUANTIZED_MOST : number;
                double error = (x - (number - CENTRE)) * b->step[i];
                double by = error * (double)b->ranker->cosine.toward[i];
                slack += by > 0 ? by * (double)b->ranker->inverse : 0;
                error = fabs(error);
                b->error[i] = error > b->error[i] ? error : b->error[i];
                row[i / NLN_QUANTIZED_GROUP * 64 + i % NLN_QUANTIZED_GROUP] = (uint8_t)number;
            }
            b->slack[v] = (float)(slack * 1.000001);
        }
    }
}

/* ---- creating
 * ------------------------------------------------------------------------------------ */

static int32_t block_count(int32_t n)
{
    int32_t blocks = (n + NLN_QUANTIZED_ROWS - 1) / NLN_QUANTIZED_ROWS;
    return blocks + blocks % 2;
}

size_t nln_cosine_bounds_room(int32_t n)
{
    return (size_t)block_count(n) * NLN_QUANTIZED_ROWS;
}

static void fill_products(nln_cosine_bounds *b)
{
    const nln_net *net = b->ranker->net;
    int h = b->hidden, d = net->dim;
    const real *W = net->modules.of[NLN_MODULE_CANDIDATE].out;
    for (int i = 0; i < h; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int k = 0; k < d; k++)
                sum += (double)W[i * d + k] * (double)W[j * d + k];
            b->S[i * h + j] = b->S[j * h + i] = sum;
        }
    for (int i = 0; i < h; i++)
        b->length[i] = sqrt(b->S[i * h + i]);
}

static nln_status fill(nln_cosine_bounds *b, int *is_finite, int32_t first, nln_error *err)
{
    real *scratch = nln_array_zeroed(
        nln_ranker_scratch(b->ranker) + (size_t)(b->ranker->net->dim + b->hidden), sizeof *scratch);
    if (!scratch)
        return nln_error_memory(err);
    nln_status status = NLN_OK;
    *is_finite = find_ranges(b, first, scratch);
    for (int i = 0; *is_finite && i < b->n_sample; i++) {
        int32_t row = (int32_t)((int64_t)i * b->n / b->n_sample);
        memcpy(b->sample + (size_t)i * (size_t)b->hidden,
               nln_ranker_projections(b->ranker, first + row, 1, scratch),
               (size_t)b->hidden * sizeof(real));
    }
    if (*is_finite) {
        quantize(b, first, scratch);
        fill_products(b);
        status = find_directions(b, first, scratch, err);
    }
    nln_free(scratch);
    return status;
}

nln_status nln_cosine_bounds_create(nln_cosine_bounds **out, const nln_ranker *ranker,
                                    int32_t first, int32_t n, nln_error *err)
{
    size_t h = (size_t)ranker->net->hidden;
    int is_finite = 0;
    *out = NULL;
    if (h > MOST_HIDDEN || n < 1)
        return NLN_OK;
    nln_cosine_bounds *b = nln_memory_zeroed(1, sizeof *b);
    if (!b)
        return nln_error_memory(err);
    b->ranker = ranker;
    b->hidden = (int)h;
    b->n = n;
    b->n_groups = (int)((h + NLN_QUANTIZED_GROUP - 1) / NLN_QUANTIZED_GROUP);
    b->n_sample = n < SAMPLE ? n : SAMPLE;
    b->blocks = nln_array_zeroed((size_t)block_count(n), (size_t)b->n_groups * 64);
    b->slack = nln_array_zeroed(nln_cosine_bounds_room(n), sizeof *b->slack);
    b->centre = nln_array_zeroed((4 + 2 * FIXED) * h, sizeof *b->centre);
    b->S = nln_array_zeroed(h * h, sizeof *b->S);
    b->sample = nln_array_zeroed((size_t)b->n_sample * h, sizeof *b->sample);
    nln_status status =
        b->blocks && b->slack && b->centre && b->S && b->sample ? NLN_OK : nln_error_memory(err);
    if (!status) {
        b->step = b->centre + h;
        b->error = b->step + h;
        b->length = b->error + h;
        b->m = b->length + h;
        b->u = b->m + FIXED * h;
        status = fill(b, &is_finite, first, err);
    }
    if (status || !is_finite)
        nln_cosine_bounds_free(b);
    else
        *out = b;
    return status;
}

void nln_cosine_bounds_free(nln_cosine_bounds *b)
{
    if (!b)
        return;
    nln_free(b->blocks);
    nln_free(b->slack);
    nln_free(b->centre);
    nln_free(b->S);
    nln_free(b->sample);
    nln_free(b);
}

/* ---- one question
 * ---------------------------------------------------------------------------------- */

/* What one question needs of every unit. */
typedef struct unit {
    double above;    /* z = step number + above on average, where the unit is active */
    double error;    /* of that, without the error of 8 bits */
    double rounding; /* how far its weights are at most from the numbers they stand for */
} unit;

size_t nln_cosine_bounds_scratch(const nln_cosine_bounds *b)
{
    size_t h = (size_t)b->hidden, groups = (size_t)b->n_groups * NLN_QUANTIZED_GROUP;
    return h * (sizeof(unit) + 2 * sizeof(double) + sizeof(real)) +
           groups * (1 + NLN_QUANTIZED_SUMS);
}

/* z_j = relu(q_j + c_j) with q_j = centre + step (number - 127) up to its error.  Numbers are taken
 * relative to the whole number `less` where the argument is about 0; the fraction that this leaves
 * moves z by a part of itself. */
static void place_units(unit *units, uint8_t *less, const nln_cosine_bounds *b, const real *c)
{
    for (int i = 0; i < b->hidden; i++) {
        double step = b->step[i], at = (double)c[i] + b->centre[i], ratio = at / step, rest = 0;
        double rounding = 1e-6 * (fabs((double)c[i]) + fabs(b->centre[i]) + 128 * step);
        int whole = ratio >= CENTRE ? CENTRE : ratio <= -CENTRE ? -CENTRE : (int)rint(ratio);
        units[i].above = ratio >= CENTRE ? at - CENTRE * step : 0;
        if (fabs(ratio) < CENTRE)
            rest = at - whole * step;
        less[i] = (uint8_t)(CENTRE - whole);
        units[i].above += rest / 2;
        units[i].error = fabs(rest) / 2 + rounding;
        units[i].rounding = 0;
    }
}

static int8_t *weight_of(const nln_quantized_query *q, int sum, int i)
{
    int at = (i / NLN_QUANTIZED_GROUP * NLN_QUANTIZED_SUMS + sum) * NLN_QUANTIZED_GROUP;
    return q->weights + at + i % NLN_QUANTIZED_GROUP;
}

/* The weights of value k from its coefficients of z. */
static void set_value(nln_quantized_query *q, int k, const double *coefficient, unit *units,
                      const nln_cosine_bounds *b)
{
    double most = 0, shift = 0, error = 0;
    for (int i = 0; i < b->hidden; i++)
        most = fmax(most, fabs(coefficient[i]) * b->step[i]);
    double scale = most > 0 ? most / 127 : 1;
    for (int i = 0; i < b->hidden; i++) {
        double weight = coefficient[i] * b->step[i] / scale, whole = rint(weight);
        *weight_of(q, k, i) = (int8_t)whole;
        units[i].rounding = fmax(units[i].rounding, fabs(weight - whole));
        shift += coefficient[i] * units[i].above;
        error += fabs(coefficient[i]) * (units[i].error + (k ? b->error[i] : 0));
    }
    q->scale[k] = (float)scale;
    q->shift[k] = (float)shift;
    q->error[k] = (float)(error * 1.000001);
}

/* The weights of the length, rounded up. */
static void set_length(nln_quantized_query *q, const unit *units, const nln_cosine_bounds *b)
{
    double most = 0, shift = 0;
    for (int i = 0; i < b->hidden; i++)
        most = fmax(most, b->length[i] * b->step[i]);
    double scale = most > 0 ? most / 127 : 1;
    for (int i = 0; i < b->hidden; i++) {
        *weight_of(q, NLN_QUANTIZED_LENGTH, i) = (int8_t)ceil(b->length[i] * b->step[i] / scale);
        shift += b->length[i] * (units[i].above + units[i].error + b->error[i]);
    }
    q->length_scale = (float)(scale * 1.000001);
    q->length_shift = (float)(shift + fabs(shift) * 1e-6);
}

static void set_rounding(nln_quantized_query *q, const unit *units, int n)
{
    for (int i = 0; i < n; i++)
        *weight_of(q, NLN_QUANTIZED_ROUNDING, i) = (int8_t)ceil(254 * units[i].rounding);
}

int nln_cosine_bounds_add(float *bound, const nln_cosine_bounds *b, const real *h, double factor,
                          int add, void *scratch)
{
    const nln_ranker *r = b->ranker;
    int width = b->hidden, n_mean = b->n_sample < MEAN ? b->n_sample : MEAN;
    size_t groups = (size_t)b->n_groups * NLN_QUANTIZED_GROUP;
    unit *units = scratch;
    double *m = (double *)(units + width), *u = m + width, longest = 0;
    real *c = (void *)(u + width);
    const double bit = 1.1 / (1 << 24);
    nln_quantized_query q = {.n_groups = b->n_groups,
                             .less = (uint8_t *)(c + width),
                             .weights = (int8_t *)(c + width) + groups,
                             .numerator_rounding = (float)(bit * (width + 16) + 1e-6),
                             .square_rounding =
                                 (float)(bit * (2 * width + r->net->dim + 16) + 1e-5),
                             .factor = (float)(factor * 1.00001)};
    nln_ranker_first_operand(c, r, h);
    for (int i = 0; i < width; i++)
        longest += b->length[i] * (fabs((double)c[i]) + fabs(b->centre[i]) + 128 * b->step[i]);
    if (!(longest < 1e18) || !(factor > 0)) /* its square must be finite for every variable */
        return 0;
    memset(q.less, 0, groups * (1 + NLN_QUANTIZED_SUMS));
    place_units(units, q.less, b, c);
    memset(m, 0, (size_t)width * sizeof *m);
    for (int s = 0; s < n_mean; s++) {
        const real *z = b->sample + (size_t)(s * (b->n_sample / n_mean)) * (size_t)width;
        for (int i = 0; i < width; i++) {
            double x = (double)(z[i] + c[i]);
            m[i] += x > 0 ? x : 0;
        }
    }
    orthonormalize(m, u, b, FIXED);
    set_length(&q, units, b);
    set_value(&q, 1, u, units, b);
    for (int k = 0; k < FIXED; k++)
        set_value(&q, 2 + k, b->u + (size_t)k * (size_t)width, units, b);
    for (int i = 0; i < width; i++)
        u[i] = (double)r->cosine.toward[i] * (double)r->inverse;
    set_value(&q, 0, u, units, b);
    set_rounding(&q, units, width);
    nln_quantized_bounds(bound, &q, b->blocks, b->slack, block_count(b->n), add);
    return 1;
}

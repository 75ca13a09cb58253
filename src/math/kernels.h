/* The element-wise loops of the network, over rows of `width` numbers.
 *
 * One source (kernels.inc) is compiled for several instruction sets; the best
 * one that the processor runs is chosen once.  The plain one runs everywhere. */
#ifndef NLN_MATH_KERNELS_H
#define NLN_MATH_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#include "math/real.h"

/* Adam, as Kingma and Ba define it, with its bias corrections folded into two
 * numbers a step: x -= rate * m / (sqrt(v) * root + epsilon). */
typedef struct nln_adam_step {
    real beta1, beta2, rate, root, epsilon;
} nln_adam_step;

/* The columns of a block of rows that are not 0 in all of them; see active_units.h. */
typedef struct nln_active_units {
    int width, n;    /* columns in all, and active ones */
    int stride;      /* of packed rows: n and some zeros, so that registers are filled */
    int32_t *unit;   /* [width + 16] the first n: active ones, ascending */
    uint16_t *lanes; /* [width / 16, rounded up] the same as bits, 16 columns a number */
} nln_active_units;

/* A stride is a multiple of this, or the width. */
enum { NLN_PACKED_LANES = 16 };
/* Numbers behind the last packed row that may be read, and written by packing. */
enum { NLN_PACKED_SLACK = 16 };

typedef struct nln_kernels {
    const char *name;
    int wide; /* registers of 32 bytes or more: our own products are as fast as a library's */

    /* out[r] = relu(a[r] + b[r] + bias), r < n; b may be NULL. */
    void (*relu)(real *out, const real *a, const real *b, const real *bias, int n, int width);

    /* dz[r] = z[r] > 0 ? scale dz[r] : 0, and dbias += the sum of the rows. */
    void (*relu_back)(real *dz, real *dbias, const real *z, real scale, int n, int width);

    /* Dropout: x[i] becomes 0 where the i-th 16 bits of the stream are below threshold, else
     * x[i] * scale.  Four numbers share the bits of nln_random_mix(stream + i), i = 0, 4, ... */
    void (*drop)(real *x, uint64_t stream, uint32_t threshold, real scale, int width);

    /* y += a x */
    void (*axpy)(real *y, real a, const real *x, size_t n);

    real (*dot)(const real *x, const real *y, int n);

    /* inverse[r] = 1 / |x[r]|, or 0 for a vector too short to have a direction. */
    void (*inverse_length)(real *inverse, const real *x, int n, int width);

    /* cosine[r] = cos(y[r], t) and inverse[r] = 1 / |y[r]|, where t = target[r] or, for
     * target_stride 0, one vector for all rows; its inverse length in the same way. */
    void (*cosine)(real *cosine, real *inverse, const real *y, const real *target,
                   const real *target_inverse, int target_stride, int n, int width);

    /* Given these and dcos[r], the gradient of the objective by cosine[r]: y[r] is
     * replaced by its own gradient, and that of the target is added to dtarget (stride as
     * target's; NULL for a constant). */
    void (*cosine_back)(real *y, real *dtarget, const real *dcos, const real *cosine,
                        const real *inverse, const real *target, const real *target_inverse,
                        int target_stride, int n, int width);

    /* yes[i] = sigmoid(alpha x[i]) and no[i] = sigmoid(-alpha x[i]): both within 1e-6 of
     * themselves, but for the rounding of alpha x[i], unless they are below 1e-34. */
    void (*odds)(real *yes, real *no, const real *x, real alpha, int n);

    /* For rows z[r] and s[r] = z[r] S: linear[r] = z[r] . a and square[r] = z[r] . s[r]. */
    void (*form)(real *linear, real *square, const real *z, const real *s, const real *a, int n,
                 int width);

    /* Given by[r] and less[r], with dz = by[r] a - less[r] s[r] where z[r] > 0, else 0: adds dz to
     * dq[r] and to dp, adds by[r] z[r] to da, and replaces s[r] by -less[r] z[r]. */
    void (*form_back)(real *s, real *dq, real *dp, real *da, const real *by, const real *less,
                      const real *z, const real *a, int n, int width);

    /* Products that skip zeros of A, which is a hidden layer after relu or its gradient.  They
     * return the number of elements of A that were multiplied.
     *
     * C[m,n] = A[m,k] B[k,n], or C += that; a few rows at a time, without the columns of A
     * that are 0 in all of these. */
    size_t (*nn_skip)(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                      int n, int k, int add);
    /* C[m,n] += A[k,m]' B[k,n]; without the columns of A that are 0 in all rows. */
    size_t (*tn_skip)(real *C, int ldc, const real *A, int lda, const real *B, int ldb, int m,
                      int n, int k);

    /* Sets n, stride, unit and lanes of a list, whose width is set, for n rows of x. */
    void (*find_active)(nln_active_units *a, const real *x, int n);

    /* packed[r, i] = x[r, unit[i]] for n rows, and 0 behind. */
    void (*pack)(real *packed, const nln_active_units *a, const real *x, int n);

    /* The inverse: x[r, unit[i]] = packed[r, i], and the rest of x[r] is 0 ... */
    void (*unpack)(real *x, const nln_active_units *a, const real *packed, int n);
    /* ... or x[r, unit[i]] += packed[r, i]. */
    void (*unpack_add)(real *x, const nln_active_units *a, const real *packed, int n);

    /* x, m, v after one step with gradient g (NULL for a gradient of zero). */
    void (*adam)(real *x, real *m, real *v, const real *g, nln_adam_step step, size_t n);

    /* The same for n_steps steps without gradient, one after the other; rates are times `rate`.
     * Once a step moves no x any more, the smaller ones after it are not computed; all are where
     * beta1^2 > beta2, since they grow there. */
    void (*adam_rest)(real *x, real *m, real *v, const nln_adam_step *steps, int32_t n_steps,
                      real rate, size_t n);

    /* Many steps without gradient at once: x -= m (first - second / sqrt(v)) / sqrt(v), then m
     * and v decay. */
    void (*adam_skip)(real *x, real *m, real *v, real first, real second, real decay_m,
                      real decay_v, size_t n);

    /* One step of a recurrent cell for n sequences, and its gradient.  x[token[r]] is the part of
     * the gates that comes from the token of row r, biases included, and s[r] the part that comes
     * from the state before.  The gradient is added to dx[token[r]].  tanh and sigmoid are within
     * 1e-7 of the true ones.
     *
     * The plain cell: h = tanh(s + x). */
    void (*rnn)(real *h, const real *s, const real *x, const int32_t *token, int n, int width);
    void (*rnn_back)(real *ds, real *dx, const real *dh, const real *h, const int32_t *token, int n,
                     int width);

    /* LSTM: gate [n, 4 width] has s before and the gates i, f, g, o after the call; the
     * memory c = f before + i g, and h = o tanh(c).  Back: gate becomes ds, and dc, the gradient
     * of c from later steps, that of before. */
    void (*lstm)(real *h, real *c, real *gate, const real *before, const real *x,
                 const int32_t *token, int n, int width);
    void (*lstm_back)(real *gate, real *dc, real *dx, const real *dh, const real *c,
                      const real *before, const int32_t *token, int n, int width);

    /* GRU: the first three blocks of gate [n, 4 width] have s before the call; after it gate
     * has r, z, q = s + inner, and the candidate m = tanh(x + r q); h = (1 - z) m + z before.
     * Back: the first three blocks become ds, and dh the gradient of before past the gates.  x
     * has three blocks a token. */
    void (*gru)(real *h, real *gate, const real *before, const real *x, const real *inner,
                const int32_t *token, int n, int width);
    void (*gru_back)(real *gate, real *dh, real *dx, real *dinner, const real *before,
                     const int32_t *token, int n, int width);
} nln_kernels;

/* The kernels for this processor. */
const nln_kernels *nln_kernels_get(void);

/* All that this processor can run, plain first; for tests.  Returns how many. */
int nln_kernels_all(const nln_kernels *out[3]);

#endif

/* Upper bounds of cos(OR(h, v), T) for one vector h and every variable v, at a small part of the
 * price of the cosines.
 *
 * With the names of ranker.h, cos = z . a / |z W|.  For vectors u_k = S m_k with m_k' S m_l = 1 for
 * k = l and 0 otherwise, S = W W', Bessel's inequality says |z W|^2 >= sum_k (z . u_k)^2.  Four m_k
 * span most of what hidden layers are made of; a fifth is the mean hidden layer after h itself.
 * The projections of the variables are kept in 8 bits, and what that may change is added to the
 * bound: relu moves no number by more than its argument moves.  A rough bound has the fifth
 * direction alone, with coefficients of 8 bits that are rounded in its favour. */
#ifndef NLN_NET_COSINE_BOUNDS_H
#define NLN_NET_COSINE_BOUNDS_H

#include "math/quantized_bounds.h"
#include "net/ranker.h"

typedef struct nln_cosine_bounds nln_cosine_bounds;

/* For the rows first .. first + n - 1 of the variables' tables.  *out is NULL where no bound can be
 * given, since numbers leave the finite range or the hidden layer is too wide. */
nln_status nln_cosine_bounds_create(nln_cosine_bounds **out, const nln_ranker *ranker,
                                    int32_t first, int32_t n, nln_error *err);
void nln_cosine_bounds_free(nln_cosine_bounds *bounds);

/* Numbers that `bound` below needs: n, and some more. */
size_t nln_cosine_bounds_room(int32_t n);

/* Prepares the question after h in `scratch`, which is nln_cosine_bounds_scratch bytes and must
 * outlive it.  Returns 0 where no bound can be promised. */
int nln_cosine_bounds_ask(nln_quantized_query *out, const nln_cosine_bounds *bounds, const real *h,
                          double factor, void *scratch);
size_t nln_cosine_bounds_scratch(const nln_cosine_bounds *bounds);

/* Adds to bound[i], i = begin .. end - 1, at least factor times the cosine of row i as
 * nln_ranker_cosines computes it, rounding included.  Where that cannot bring bound[i] above
 * `least`, it may be much more than needed, which is quicker.  `begin` and `end` are multiples of
 * NLN_COSINE_BOUNDS_STEP, or end is n; some numbers behind n are written, too. */
enum { NLN_COSINE_BOUNDS_STEP = 2 * NLN_QUANTIZED_ROWS };
void nln_cosine_bounds_add(float *bound, const nln_cosine_bounds *bounds,
                           const nln_quantized_query *question, int32_t begin, int32_t end,
                           float least);

#endif

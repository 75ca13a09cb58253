/* Upper bounds of cos(OR(h, v), T) for one vector h and every variable v, at a small part of the
 * price of the cosines.
 *
 * With the names of ranker.h, cos = z . a / |z W|.  For vectors u_k = S m_k with m_k' S m_l = 1 for
 * k = l and 0 otherwise, S = W W', Bessel's inequality says |z W|^2 >= sum_k (z . u_k)^2.  Six m_k
 * span most of the hidden layers; a seventh is the mean hidden layer after h itself.
 * The projections of the variables are kept in 8 bits, and the largest effect of that rounding is
 * added to the bound: relu moves no number by more than its argument moves. */
#ifndef NLN_NET_COSINE_BOUNDS_H
#define NLN_NET_COSINE_BOUNDS_H

#include "net/ranker.h"

typedef struct nln_cosine_bounds nln_cosine_bounds;

/* For the rows first .. first + n - 1 of the variables' tables.  *out is NULL where no bound can be
 * given, since numbers leave the finite range or the hidden layer is too wide. */
nln_status nln_cosine_bounds_create(nln_cosine_bounds **out, const nln_ranker *ranker,
                                    int32_t first, int32_t n, nln_error *err);
void nln_cosine_bounds_free(nln_cosine_bounds *bounds);

/* Numbers that `bound` below needs: n, and some more. */
size_t nln_cosine_bounds_room(int32_t n);

/* bound[i] >= factor times the cosine of row i as nln_ranker_cosines computes it, rounding
 * included, or is added to what is there.  `scratch` is nln_cosine_bounds_scratch bytes.  Returns 0
 * where that cannot be promised. */
int nln_cosine_bounds_add(float *bound, const nln_cosine_bounds *bounds, const real *h,
                          double factor, int add, void *scratch);
size_t nln_cosine_bounds_scratch(const nln_cosine_bounds *bounds);

#endif

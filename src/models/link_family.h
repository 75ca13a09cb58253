/* How an entity, a relation and another entity make a score: one row for each family.
 *
 * All score r(h, t) as the inner product of a query q(h, r) and t or, with `distance`, as minus
 * their distance.  Which relation holds between two entities is asked in the same way: r is
 * compared with v(h, t).
 *
 *     complex    q = h r in complex pairs: Re <h, r, conj t>     Trouillon et al., 2016
 *     real       q = h r element by element                      DistMult: Yang et al., 2015
 *     shift      q = h + r, minus the distance to t              TransE: Bordes et al., 2013
 *
 * The first is the atom r(h, t) of the module `product`, h o r o conj t, by its inner product with
 * a vector T of ones. */
#ifndef NLN_MODELS_LINK_FAMILY_H
#define NLN_MODELS_LINK_FAMILY_H

#include "math/real.h"

typedef struct nln_link_family {
    int in_pairs; /* vectors are pairs: the first half real, the second half imaginary */
    int distance;
    void (*query)(real *q, const real *h, const real *r, int dim);
    void (*query_back)(real *dh, real *dr, const real *dq, const real *h, const real *r, int dim);
    void (*between)(real *v, const real *h, const real *t, int dim);
    void (*between_back)(real *dh, real *dt, const real *dv, const real *h, const real *t, int dim);
    /* r += weight times the relation that says of (h, t) what `inverse` says of (t, h); NULL where
     * no single relation does. */
    void (*add_inverse)(real *r, const real *inverse, real weight, int dim);
} nln_link_family;

extern const nln_link_family nln_link_complex, nln_link_real, nln_link_shift;

/* The length of vectors when option dimension says `dimension`: even for pairs. */
int nln_link_family_width(const nln_link_family *f, int dimension);
/* N3: weight times the sum of the cubed absolute values, whose gradient is added to dx (Lacroix et
 * al., 2018). */
double nln_link_family_cubes(real *dx, const nln_link_family *f, const real *x, double weight,
                             int dim);

#endif

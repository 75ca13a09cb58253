/* OR(h, v) for one vector h and every variable v at once.
 *
 * The first layer is a sum of two projections; that of the variables is made once.
 * With z the hidden layer and W = or.out, cos(z W, T) needs only z . (W T) and
 * |z W|^2 = z (W W') z: one product of [variables, hidden] with [hidden, hidden], and no
 * variable goes through the network. */
#ifndef NLN_NET_RANKER_H
#define NLN_NET_RANKER_H

#include "net/net.h"
#include "net/profile.h"

typedef struct nln_ranker nln_ranker;

/* Borrows the network, which must not change meanwhile. */
nln_status nln_ranker_create(nln_ranker **out, const nln_net *net, nln_error *err);
void nln_ranker_free(nln_ranker *r);

/* cosine[i] = cos(OR(h, v), T) for the rows first .. first + n - 1 of the variables' tables.
 * `scratch` is nln_ranker_scratch numbers, one's own in each thread.  What it costs is added to the
 * toll, unless that is NULL. */
void nln_ranker_cosines(real *cosine, const nln_ranker *r, const real *h, int32_t first, int32_t n,
                        real *scratch, nln_running_cost *toll);
/* The same for the rows first + item[i], i < n; NULL: for first + i. */
void nln_ranker_cosines_of(real *cosine, const nln_ranker *r, const real *h, int32_t first,
                           const int32_t *item, int32_t n, real *scratch, nln_running_cost *toll);
size_t nln_ranker_scratch(const nln_ranker *r);

#endif

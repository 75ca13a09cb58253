/* OR(h, v) for one vector h and every variable v at once.
 *
 * The first layer is a sum of two projections; that of the variables is computed once.  With z the
 * hidden layer and W = or.out, cos(z W, T) needs only z . (W T) and |z W|^2 = z S z', S = W W': one
 * product of [variables, hidden] with [hidden, hidden], and no variable goes through the
 * network.  The cosine of a variable has the same bits whichever others are asked for with it. */
#ifndef NLN_NET_RANKER_H
#define NLN_NET_RANKER_H

#include "net/hidden_cosine.h"
#include "net/net.h"
#include "net/profile.h"

/* Up to this many bytes the projections are kept; larger ones are computed again when they are
 * needed, which makes scoring the whole catalogue half as fast. */
enum { NLN_RANKER_MOST_BYTES = 1 << 26 };

typedef struct nln_ranker {
    const nln_net *net;
    real *projection; /* [n_variables, hidden] of each variable as second operand; or NULL */
    nln_hidden_cosine cosine; /* of OR to T, but for ... */
    real inverse;             /* ... 1 / |T| */
} nln_ranker;

/* Borrows the network, which must not change meanwhile. */
nln_status nln_ranker_create(nln_ranker **out, const nln_net *net, nln_error *err);
/* The same with another limit than NLN_RANKER_MOST_BYTES. */
nln_status nln_ranker_create_within(nln_ranker **out, const nln_net *net, size_t most_bytes,
                                    nln_error *err);
void nln_ranker_free(nln_ranker *r);

/* cosine[i] = cos(OR(h, v), T) for the rows first + item[i], i < n, of the variables' tables; for
 * first + i if item is NULL.  `scratch` is nln_ranker_scratch numbers, one's own in each thread.
 * The cost is added to `cost`, unless that is NULL. */
void nln_ranker_cosines(real *cosine, const nln_ranker *r, const real *h, int32_t first,
                        const int32_t *item, int32_t n, real *scratch, nln_running_cost *cost);
size_t nln_ranker_scratch(const nln_ranker *r);

/* What h adds to the hidden layer, the bias included: out is [hidden]. */
void nln_ranker_first_operand(real *out, const nln_ranker *r, const real *h);
/* The projections of the rows first .. first + n - 1, at most NLN_RANKER_TILE of them; scratch as
 * above. */
enum { NLN_RANKER_TILE = 128 };
const real *nln_ranker_projections(const nln_ranker *r, int32_t first, int32_t n, real *scratch);

#endif

/* Neural collaborative filtering, NeuMF (He et al., 2017): out . [p_u * q_i | tower(p'_u, q'_i)]
 * + bias, where * is by elements and the tower (see ncf_tower.h) has vectors of its own.
 *
 * The product is an inner product: (out * p_u) . q_i.  It and the first layer of the tower are
 * prepared once for each user and item; then pairs of them pass the tower, a tile at a time. */
#ifndef NLN_MODELS_NCF_H
#define NLN_MODELS_NCF_H

#include "models/ncf_tower.h"

/* The tensors. */
enum {
    NLN_NCF_USER_PRODUCT,
    NLN_NCF_ITEM_PRODUCT,
    NLN_NCF_USER_TOWER,
    NLN_NCF_ITEM_TOWER,
    NLN_NCF_IN, /* the first layer: the rows of users, then those of items */
    NLN_NCF_IN_BIAS,
    NLN_NCF_MIDDLE,
    NLN_NCF_MIDDLE_BIAS,
    NLN_NCF_LAST,
    NLN_NCF_LAST_BIAS,
    NLN_NCF_OUT, /* of the product, then of the tower */
    NLN_NCF_OUT_BIAS
};

/* The weight of the first layer for users or for items, as the table of their vectors says. */
real *nln_ncf_in_weight(const nln_model *m, int table);
/* What the first layer makes of n vectors of that table: out is [n, width of the layer]. */
void nln_ncf_project(real *out, const real *vectors, const nln_model *m, int table, size_t n);

/* query = out * p_u */
void nln_ncf_weigh(real *query, const nln_model *m, int32_t user);
/* Its inner product with q_i, and the bias: all of the score but what the tower gives. */
real nln_ncf_product(const nln_model *m, const real *query, int32_t item);

/* The part of the weights out of it all that is the tower's. */
const real *nln_ncf_tower_out(const nln_model *m);

/* A scorer: see method.h. */
nln_status nln_ncf_ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err);

#endif

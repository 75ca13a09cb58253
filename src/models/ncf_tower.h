/* The layers of NCF over pairs of a user and an item, one pair a row: three of relu, each half
 * as wide as the one before, and one number out of them.
 *
 * What the first layer makes of a user and of an item is added up, so it is computed once for
 * each of them and not for each pair: the caller does that. */
#ifndef NLN_MODELS_NCF_TOWER_H
#define NLN_MODELS_NCF_TOWER_H

#include "models/table_learner.h"

enum { NLN_TOWER_LAYERS = 3 };

/* Layer k has the width max(1, dim / 2^k). */
int nln_ncf_tower_width(int dim, int layer);

typedef struct nln_ncf_tower {
    const nln_model *model;
    int first;       /* tensor first + 2 k is the weight of layer k, the next one its bias */
    const real *out; /* [width of the last layer] */
    size_t most;     /* rows */
    int width[NLN_TOWER_LAYERS];
    real *z[NLN_TOWER_LAYERS];      /* [most, width] */
    real *dz[NLN_TOWER_LAYERS];     /* the same; in training alone, like ... */
    real *turned[NLN_TOWER_LAYERS]; /* ... the weights transposed, but for the first layer's */
} nln_ncf_tower;

/* nln_ncf_tower_free releases it, also after a failure. */
nln_status nln_ncf_tower_create(nln_ncf_tower *t, const nln_model *model, int first,
                                const real *out, size_t most, int learns, nln_error *err);
void nln_ncf_tower_free(nln_ncf_tower *t);

/* Row r of the first layer, from what it makes of the user and of the item. */
void nln_ncf_tower_enter(nln_ncf_tower *t, size_t r, const real *user, const real *item);
/* The scores of the n rows entered.  In training, b is given and the key says what is dropped;
 * else b is NULL. */
void nln_ncf_tower_forward(real *score, nln_ncf_tower *t, size_t n, const nln_table_learner *b,
                           uint64_t key);

/* Once after the weights have changed, before going back. */
void nln_ncf_tower_turn(nln_ncf_tower *t);
/* After the forward way of the same rows and key, given the gradient of their scores: adds to
 * the gradients of all tensors but the first weight, and to dout; dz[0] becomes the gradient of
 * the sums entered. */
void nln_ncf_tower_back(real *dout, nln_ncf_tower *t, const real *dscore, size_t n,
                        nln_table_learner *b, uint64_t key);

#endif

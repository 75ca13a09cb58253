/* How far the parts of a model, its networks, members and orders, disagree about an expression. */
#ifndef NLN_INFERENCE_SPREAD_H
#define NLN_INFERENCE_SPREAD_H

#include "models/model.h"

typedef struct nln_spread {
    double mean, deviation; /* of the probability */
    double entropy;         /* in bits, of the mean ... */
    double doubt;           /* ... less the mean of those of the parts: what they disagree about */
} nln_spread;

/* Of expressions in the model's normal form. */
nln_status nln_spread_list(nln_spread *out, const nln_model *model, const nln_exprs *list,
                           int orders, nln_error *err);
/* The expressions that can be read, in normal form; index[i] is the number of the i-th of them, and
 * what cannot be read is told to `refused`. */
nln_status nln_spread_read(nln_exprs *list, size_t *index, const nln_model *model, nln_atoms *atoms,
                           const char *const *expressions, size_t n, nln_refused *refused,
                           void *context, nln_error *err);

#endif

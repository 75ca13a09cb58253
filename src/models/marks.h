/* The scores that a model gives the candidates of a lot; the loss replaces them by its
 * gradient. */
#ifndef NLN_MODELS_MARKS_H
#define NLN_MODELS_MARKS_H

#include "models/config.h"
#include "models/lot.h"

/* Each unit has candidates of its own, the target first and then what it is paired with; and
 * in a CHOICE all units share the negatives. */
typedef struct nln_marks {
    int32_t n, n_own, n_shared;
    real *own;    /* [n, n_own] */
    real *shared; /* [n, n_shared] */
    size_t own_room, shared_room;
} nln_marks;

void nln_marks_free(nln_marks *m);
nln_status nln_marks_fit(nln_marks *m, const nln_lot *lot, nln_error *err);

/* Item j of unit i's own. */
int32_t nln_marks_item(const nln_marks *m, const nln_lot *lot, int32_t i, int32_t j);

/* The loss of the data, with the noise that the labels are taken to have. */
nln_loss nln_marks_loss(nln_marks *m, const nln_lot *lot, const nln_config *c, double noise);

#endif

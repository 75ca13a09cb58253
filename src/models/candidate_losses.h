/* The scores that a model gives the candidates of a request; the loss replaces them by its
 * gradient. */
#ifndef NLN_MODELS_CANDIDATE_LOSSES_H
#define NLN_MODELS_CANDIDATE_LOSSES_H

#include "models/learner.h"

/* Each unit has candidates of its own, the target first and then its pairs;
 * for the loss SOFTMAX all units share the candidates. */
typedef struct nln_candidate_losses {
    int32_t n, n_own, n_shared;
    real *own;    /* [n, n_own] */
    real *shared; /* [n, n_shared] */
    size_t own_room, shared_room;
} nln_candidate_losses;

void nln_candidate_losses_free(nln_candidate_losses *m);
nln_status nln_candidate_losses_fit(nln_candidate_losses *m, const nln_request *request,
                                    nln_error *err);

/* Item j of unit i's own. */
int32_t nln_candidate_losses_item(const nln_candidate_losses *m, const nln_request *request,
                                  int32_t i, int32_t j);

/* The loss of the data, with the noise and the factor that the learner says. */
nln_loss nln_candidate_losses_loss(nln_candidate_losses *m, const nln_request *request,
                                   const nln_learner *learner);

#endif

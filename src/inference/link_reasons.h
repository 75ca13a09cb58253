/* Why a model of links answers relation(entity, ?) with an entity.
 *
 * Three kinds of reasons, each only where the model has it:
 *
 *     rule      an instance of a rule whose body holds among the facts of the training; its
 *               contribution is what it adds to the score
 *     premise   a fact about the known entity that the network reads; its contribution is what the
 *               score loses without it
 *     fact      a fact about the known entity that its vector has learned from; its contribution is
 *               the cosine, from -1 to 1, of the direction in which this fact pulls the vector and
 *               the direction in which the answer gains.  It says which facts speak for the answer,
 *               not how much of the score is theirs.
 */
#ifndef NLN_INFERENCE_LINK_REASONS_H
#define NLN_INFERENCE_LINK_REASONS_H

#include "models/link_scorer.h"

typedef struct nln_link_reasons {
    nln_link_reason *list; /* rules, premises, facts; each kind with the largest first */
    size_t n, room;
} nln_link_reasons;

/* Appends the reasons for one answer. */
nln_status nln_link_reasons_find(nln_link_reasons *out, const nln_model *model, int32_t entity,
                                 int32_t relation, int32_t answer, nln_error *err);

#endif

/* How much facts about items are believed: the weights of item_knowledge.h, of the network and of
 * the rules found by counting, learned together from the likes of validation.
 *
 * A like is a choice among candidates with probabilities proportional to exp(score), and the score
 * is a weighted sum (math/choice_fit).  Of several decays the one that ranks best is kept. */
#ifndef NLN_TRAINING_KNOWLEDGE_WEIGHTS_H
#define NLN_TRAINING_KNOWLEDGE_WEIGHTS_H

#include "training/validation_contest.h"

/* For a report. */
typedef struct nln_knowledge_choice {
    double without, with; /* mean 1 / log2(1 + rank) */
} nln_knowledge_choice;

/* Learns the weights of *knowledge, and gives it to the model unless that ranks better without.
 * *knowledge is NULL afterwards if the model has it. */
nln_status nln_knowledge_weights_learn(nln_knowledge_choice *out, nln_model *model,
                                       nln_item_knowledge **knowledge, nln_contest *contest,
                                       nln_error *err);

#endif

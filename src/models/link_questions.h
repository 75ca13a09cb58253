/* Questions to a knowledge graph: which entities complete relation(entity, ?)
 *
 * Relations are those of data/fact_index.h: with R of them, R + r is the inverse of r, so that r(?,
 * t) is the question of t and R + r.  A question may have targets, which are known answers, and
 * premises, which are other facts about its entity. */
#ifndef NLN_MODELS_LINK_QUESTIONS_H
#define NLN_MODELS_LINK_QUESTIONS_H

#include "data/fact_index.h"

typedef struct nln_link_question {
    int32_t entity, relation;
    size_t target, n_targets;   /* target[target .. target + n_targets) of the list */
    size_t premise, n_premises; /* premise[...] of the list; drawn out of n_facts */
    size_t n_facts;
} nln_link_question;

typedef struct nln_link_questions {
    nln_link_question *list;
    int32_t *target;   /* entities */
    nln_edge *premise; /* facts about the question's entity */
    size_t n, n_targets, n_premises;
    size_t room, target_room, premise_room;
} nln_link_questions;

void nln_link_questions_free(nln_link_questions *q);
void nln_link_questions_clear(nln_link_questions *q); /* keeps the memory */
nln_status nln_link_questions_add(nln_link_questions *q, int32_t entity, int32_t relation,
                                  const int32_t *target, size_t n_targets, nln_error *err);
/* Gives the last question its premises: up to `most` facts about its entity, or all for most 0,
 * drawn with `key`.  Facts of the same relation are left out, and so are facts between the entity
 * and itself: neither the fact in question nor its inverse is among its own premises. */
nln_status nln_link_questions_premises(nln_link_questions *q, const nln_fact_index *facts, int most,
                                       uint64_t key, nln_error *err);

#endif

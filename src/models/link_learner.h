/* The methods that learn links from vectors of entities and relations: ComplEx, DistMult, TransE,
 * and the Neural Logic Network for links.
 *
 * A request has questions with all their known answers.  Each answer competes with all entities or,
 * with option negatives, with entities drawn for the whole batch.  A second term, of weight
 * relation-weight, asks which relation holds between the two ends; n3 is the weight of the cubes.
 *
 * The network reads r(h, ?) as !(f1 & f2 & ...) | r(h, ?), where f1, f2, ... are facts about h.
 * A fact is an atom of the module `product`, seen from its other end: what e and r' say of h in
 * r'(h, e).  The AND of the set is one module, W2 relu(sum_i W1 f_i / sqrt(n) + b); what it implies
 * is added to h.  Scores are inner products with T, without cosine, so that lengths count; without
 * premises they are those of ComplEx. */
#ifndef NLN_MODELS_LINK_LEARNER_H
#define NLN_MODELS_LINK_LEARNER_H

#include "models/link_family.h"
#include "models/link_questions.h"
#include "models/method.h"
#include "models/model.h"

/* Memory to make query vectors in; zero-initialise it. */
typedef struct nln_link_queries {
    real *query;  /* [n, dim] */
    real *known;  /* [n, dim] the entities, with what their premises imply */
    real *facts;  /* [n, dim] the sums of the premises */
    real *hidden; /* [n, hidden] of the AND */
    size_t query_room, known_room, facts_room, hidden_room;
} nln_link_queries;

void nln_link_queries_free(nln_link_queries *q);
/* The query vectors of n questions from `first` on. */
nln_status nln_link_queries_make(nln_link_queries *q, const nln_model *model,
                                 const nln_link_questions *questions, size_t first, size_t n,
                                 nln_error *err);
/* The length of the model's vectors. */
int nln_link_width(const nln_model *model);

/* The relations' vectors, inverses after them, and how many numbers they are. */
const real *nln_link_relations(const nln_model *model);
size_t nln_link_relation_numbers(const nln_model *model);
/* Makes each relation's vector that in `learned` plus `weight` times what its inverse says of the
 * same pair: the score of r(h, t) becomes the sum of both.  For families of inner products. */
void nln_link_mix_inverses(nln_model *model, const real *learned, double weight);

#endif

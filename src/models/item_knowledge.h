/* What facts about items add to their scores: rules such as
 *
 *     liked(a) & complement(a, v) -> likes(v)
 *     liked(a) & linked(a, b) & linked(b, v) -> likes(v)
 *
 * which the network weighs beside its own score and the rules found by counting.
 *
 * Items and things are the nodes of a graph; a fact links its two ends, in either direction.  One
 * step from a to v adds the weight of its relation, times s(a, v) = (d_a d_v)^-1/4, where d is the
 * number of neighbours.  Two steps add their weight, times the root of the sum over the b between
 * of 1 / (d_b (d_a d_v)^1/2): the fewer neighbours the three have, the more a link says.  What a
 * like adds falls by `decay` with each later one.  After a history v has
 *
 *     network * the score of the network + what item_rules.h adds
 *         + sum over the likes a, of age t, of decay^t * (one step + two steps).
 *
 * The weights are learned on validation (training/rule_factors). */
#ifndef NLN_MODELS_ITEM_KNOWLEDGE_H
#define NLN_MODELS_ITEM_KNOWLEDGE_H

#include "data/fact_index.h"
#include "data/item_facts.h"
#include "nln.h"

enum {
    NLN_KNOWLEDGE_WEIGHTS = 32, /* of relations, the most frequent first, and of two steps; further
                                 * relations share the last of theirs */
    NLN_KNOWLEDGE_REACH = 32    /* likes of a history that count, the last ones */
};

typedef struct nln_item_knowledge {
    nln_symbols *relations, *things;
    size_t n_items;
    nln_fact_index *facts;                /* nodes: the items, then the things */
    int n_weights;                        /* of relations, and the last of two steps */
    double weight[NLN_KNOWLEDGE_WEIGHTS]; /* 0 until they are learned */
    double network, decay;

    /* Made from the facts. */
    int32_t *weight_of; /* [relations] */
    size_t *start;      /* [nodes + 1] */
    int32_t *near_node; /* [start[nodes]] the neighbours of a node, each once, ascending */
    float *root;        /* [nodes] d^-1/4 */
} nln_item_knowledge;

/* Takes copies; the nodes of the facts are items, then things. */
nln_status nln_item_knowledge_create(nln_item_knowledge **out, size_t n_items,
                                     const nln_symbols *relations, const nln_symbols *things,
                                     const nln_triple *facts, size_t n, nln_error *err);
/* The same from facts as they were read. */
nln_status nln_item_knowledge_of_facts(nln_item_knowledge **out, size_t n_items,
                                       const nln_item_facts *facts, nln_error *err);
void nln_item_knowledge_free(nln_item_knowledge *k);

/* Memory to walk in; zero-initialise it. */
typedef struct nln_knowledge_walk {
    double *path;     /* [items] 0 between uses */
    int32_t *reached; /* [items] */
    uint8_t *is_seen; /* [items] 0 between uses */
} nln_knowledge_walk;
nln_status nln_knowledge_walk_open(nln_knowledge_walk *w, size_t n_items, nln_error *err);
void nln_knowledge_walk_close(nln_knowledge_walk *w);

/* score[v] += what the likes of a history add to every item v, with these weights and decay; those
 * that are 0 cost nothing.  An item that is there several times counts once, at its last place. */
void nln_item_knowledge_add(double *score, const nln_item_knowledge *k, const nln_literal *history,
                            size_t n, const double *weight, double decay, nln_knowledge_walk *w);

/* The facts by which item `from` leads to item `to`: one, or the two about the node between them
 * that has the fewest neighbours.  Returns how many; 0 where nothing links them. */
typedef struct nln_known_step {
    int32_t relation; /* of the relations and, from there on, their inverses */
    int32_t from, to; /* nodes */
} nln_known_step;
int nln_item_knowledge_steps(nln_known_step steps[2], const nln_item_knowledge *k, int32_t from,
                             int32_t to);
/* A step as the fact that it follows, in either direction; the names are borrowed. */
nln_item_fact nln_item_knowledge_fact(const nln_item_knowledge *k, const nln_symbols *items,
                                      nln_known_step step);

#endif

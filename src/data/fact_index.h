/* The facts of a knowledge graph by entity: the index behind filtered rankings, premises and
 * rules.
 *
 * With R relations a fact r(h, t) is seen from h as the edge (r, t) and from t as the edge
 * (R + r, h): a relation and its inverse.  So every question has one form, an entity and a
 * relation of 2 R, and the answers to it are a range of sorted edges. */
#ifndef NLN_DATA_FACT_INDEX_H
#define NLN_DATA_FACT_INDEX_H

#include "data/triples.h"

typedef struct nln_edge {
    int32_t relation, entity; /* the relation in 0 .. 2 R - 1, and the other end */
} nln_edge;

typedef struct nln_fact_index {
    size_t n_entities, n_relations; /* R */
    size_t *start;                  /* [n_entities + 1] */
    nln_edge *edge;                 /* [start[n_entities]] by entity, relation, other end */
} nln_fact_index;

/* Of the triples of n_lists lists; a repeated fact is there once. */
nln_status nln_fact_index_create(nln_fact_index **out, size_t n_entities, size_t n_relations,
                                 const nln_triple *const *list, const size_t *n, int n_lists,
                                 nln_error *err);
void nln_fact_index_free(nln_fact_index *g);

static inline int32_t nln_fact_index_inverse(const nln_fact_index *g, int32_t relation)
{
    int32_t n = (int32_t)g->n_relations;
    return relation < n ? relation + n : relation - n;
}

/* The edges of `entity` with this relation: edge[*first .. *first + result). */
size_t nln_fact_index_find(size_t *first, const nln_fact_index *g, int32_t entity,
                           int32_t relation);
/* Whether the fact is known. */
int nln_fact_index_has(const nln_fact_index *g, int32_t entity, int32_t relation, int32_t other);

#endif

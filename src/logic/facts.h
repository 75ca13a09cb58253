/* Known facts: ground atoms that are true, found by their predicate and one argument. */
#ifndef NLN_LOGIC_FACTS_H
#define NLN_LOGIC_FACTS_H

#include "logic/atom_table.h"

typedef struct nln_facts {
    const nln_atoms *atoms; /* borrowed: facts are numbers of its atoms */
    int32_t n;
    int32_t n_orders;
    int32_t **order; /* [n_orders][n] order[i] is sorted by predicate and argument i; facts with
                      * fewer arguments come first there */
    uint8_t *known;  /* [n_known] whether an atom is a fact */
    int32_t n_known;
} nln_facts;

/* Facts from a list of n atoms without variables or holes. */
nln_status nln_facts_create(nln_facts **out, const nln_atoms *atoms, const int32_t *list, int32_t n,
                            nln_error *err);
void nln_facts_free(nln_facts *facts);

/* The facts order[position][*first .. *first + n) with this predicate and the entity as argument
 * `position`, or any entity if it is negative; returns n. */
int32_t nln_facts_find(int32_t *first, const nln_facts *facts, int32_t predicate, int32_t position,
                       int32_t entity);
int nln_facts_has(const nln_facts *facts, int32_t atom);

#endif

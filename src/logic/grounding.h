/* Grounding: quantifiers become ANDs and ORs over entities.
 *
 * forall x: e is the AND of e with each entity for x, exists x: e the OR.  Neighbouring quantifiers
 * of one kind are a block, whose variables take all pairs, triples, ... of entities together.
 * Where there are more instances than wanted, some are drawn: half of them at random, and half
 * where the body holds, since !body | head says little elsewhere.  The body of a forall is its
 * negated atoms, that of an exists its other ones; it holds where these are known facts. */
#ifndef NLN_LOGIC_GROUNDING_H
#define NLN_LOGIC_GROUNDING_H

#include "base/random.h"
#include "logic/expr.h"
#include "logic/facts.h"
#include "logic/multiply_out.h"

typedef struct nln_grounding {
    nln_atoms *atoms; /* of the expressions; ground atoms are added */
    int32_t n_entities;
    const nln_facts *facts; /* NULL: none is known */
    size_t most;            /* instances of an expression, > 0 */
} nln_grounding;

/* The number of instances that all entities make, and of those that nln_ground makes. */
typedef struct nln_instances {
    uint64_t all; /* NLN_COUNT_MOST if there are more */
    size_t made;
} nln_instances;
nln_instances nln_ground_count(const nln_grounding *g, nln_expr e);

/* Appends `e`, which is in prenex form (prenex.h) and then in a normal form (normal_form.h),
 * without its quantifiers to `out`, simplified. `random` decides what is drawn.  `e` must not lie
 * in `out`. */
nln_status nln_ground(nln_exprs *out, const nln_grounding *g, nln_expr e, nln_random *random,
                      nln_error *err);

/* An expression that begins with a block of forall is true if all its parts are, one for each
 * binding of that block.  Their number, at most g->most; 1 for any other expression. */
size_t nln_ground_parts(const nln_grounding *g, nln_expr e);
/* Appends one of the parts: number `part` where all are made, else one that is drawn, at random for
 * an even part and where the body holds for an odd one. */
nln_status nln_ground_part(nln_exprs *out, const nln_grounding *g, nln_expr e, size_t part,
                           nln_random *random, nln_error *err);

#endif

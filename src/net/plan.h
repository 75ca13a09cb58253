/* The plan of some expressions: every sub-expression is one row of a matrix.
 *
 * Row 0 is T and row 1 is F = NOT(T).  The rows of the variables follow, then those of the atoms,
 * then the rows of the operations, sorted by (level, operation): every input precedes
 * its user, and each group of equal operations at one level is one slice of rows.
 * Equal sub-expressions of a plan share a row, which counts its occurrences, so
 * that sums over all vectors can count repetitions.
 *
 * An AND or OR of many operands becomes a tree of pairs.  In training the pairs
 * are drawn at random (association and commutation); otherwise they follow the
 * given order. */
#ifndef NLN_NET_PLAN_H
#define NLN_NET_PLAN_H

#include "base/random.h"
#include "net/module_weights.h"

enum { NLN_ROW_TRUE = 0, NLN_ROW_FALSE = 1, NLN_ROW_LEAF = 2 };

typedef enum nln_association {
    NLN_ASSOCIATE_PAIRS, /* level by level in pairs: the shallowest tree */
    NLN_ASSOCIATE_FOLD   /* ((a b) c) d */
} nln_association;

typedef struct nln_group {
    nln_module_id module;
    int32_t first, count; /* rows first .. first + count - 1 */
    int32_t level;        /* operations on the way to a variable, at most; from 1 */
} nln_group;

/* The atoms of a plan, with the distinct entities and predicates that they mention: rows of the
 * network's tables. */
typedef struct nln_plan_atoms {
    int32_t n_entities, n_predicates;
    int32_t *entity, *predicate; /* [n_entities], [n_predicates] */
    int32_t *predicate_of;       /* [n_atoms] a place in `predicate` */
    int32_t *start;              /* [n_atoms + 1] where the arguments begin in ... */
    int32_t *argument;           /* ... places in `entity` */
    size_t entity_room, predicate_room, of_room, start_room, argument_room;
} nln_plan_atoms;

typedef struct nln_plan {
    int32_t n_rows;
    int32_t n_leaves; /* rows NLN_ROW_LEAF .. NLN_ROW_LEAF + n_leaves - 1 */
    int32_t n_atoms;  /* the rows after these */
    nln_plan_atoms atoms;
    int32_t n_groups;
    int32_t n_roots;
    int64_t n_occurrences; /* vectors with repetitions: the sum of count but for T and F */
    nln_group *groups;     /* [n_groups] */
    int32_t *operand[NLN_MOST_OPERANDS]; /* [n_rows] input rows, -1 where there is none; operand[0]
                                          * of a leaf is its variable */
    int32_t *count;                      /* [n_rows] occurrences in the plan */
    int32_t *root;                       /* [n_roots] the row of each expression */
    int32_t *user_start;                 /* [n_rows + 1] */
    int32_t *user; /* NLN_MOST_OPERANDS u + i: this row is operand i of row u */
} nln_plan;

typedef struct nln_planner nln_planner;

/* A planner keeps the memory of its plans; the plan is valid until the next one. */
nln_status nln_planner_create(nln_planner **out, nln_error *err);
void nln_planner_free(nln_planner *p);

/* From now on every expression is planned `members` times, member by member: root
 * m * n + i is expression i with its variables moved up by m * stride.  That is how
 * several vectors of one variable are trained and averaged side by side. */
void nln_planner_set_members(nln_planner *p, int32_t members, int32_t stride);

/* The same strides for the entities and predicates of the atoms. */
void nln_planner_set_relations(nln_planner *p, int32_t entities, int32_t predicates);

/* From now on the random order of list[i] is drawn from keys[i] instead of its content, so that
 * expressions which begin alike, as two targets after one history do, also share that beginning
 * in random order; NULL ends it. */
void nln_planner_set_keys(nln_planner *p, const uint64_t *keys);

/* Plans expressions list[index[0]], ..., list[index[n-1]] (index NULL: the first
 * n).  `random` is NULL for the given order; else one number is drawn from it, and
 * the order of an expression depends on that number, its content and its member, but
 * not on its neighbours.  The expressions may hold variables, ground atoms of list->atoms,
 * constants, NOT, AND and OR only. */
nln_status nln_planner_plan(const nln_plan **out, nln_planner *p, const nln_exprs *list,
                            const int32_t *index, int32_t n, nln_association association,
                            nln_random *random, nln_error *err);

#endif

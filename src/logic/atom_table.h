/* The atoms of predicate logic: p(a, b), with their predicates and entities.
 *
 * A plain variable is an atom without arguments and stays a node of its own, NLN_OP_VAR.  An atom
 * with arguments is a node NLN_OP_ATOM, whose number is its place in a table of atoms.  Equal atoms
 * are one entry, so that comparing atoms is comparing numbers. */
#ifndef NLN_LOGIC_ATOM_TABLE_H
#define NLN_LOGIC_ATOM_TABLE_H

#include "base/error.h"
#include "base/symbols.h"

enum { NLN_MOST_ARGUMENTS = 255 };

/* Predicates with their arities, and entities.  The numbers of both are those of first use. */
typedef struct nln_relations {
    nln_symbols *predicates, *entities;
    int32_t *arity; /* [predicates] */
    size_t arity_room;
} nln_relations;

nln_status nln_relations_create(nln_relations **out, nln_error *err);
nln_status nln_relations_copy(nln_relations **out, const nln_relations *from, nln_error *err);
void nln_relations_free(nln_relations *r);
/* The number of a predicate with this arity, which is new or known; -1 when out of memory, -2 where
 * it is known with another arity. */
int32_t nln_relations_predicate(nln_relations *r, const char *name, size_t length, int32_t arity);
/* The largest arity; 0 without predicates. */
int32_t nln_relations_most_arguments(const nln_relations *r);

/* An argument is the number of an entity (>= 0), the hole `?` of a question, or a variable that a
 * quantifier binds. */
enum { NLN_ARGUMENT_HOLE = -1 };
static inline int32_t nln_argument_bound(int32_t variable)
{
    return -2 - variable;
}
/* The variable of such an argument; negative for any other. */
static inline int32_t nln_argument_variable(int32_t argument)
{
    return -2 - argument;
}

/* A borrowed view of one atom. */
typedef struct nln_atom {
    int32_t predicate, n_arguments;
    const int32_t *argument;
} nln_atom;

/* The atoms of some expressions, and the names of the variables that their quantifiers bind. */
typedef struct nln_atoms {
    int32_t n;
    int32_t *predicate; /* [n] */
    size_t *start;      /* [n + 1] of the arguments */
    int32_t *argument;
    size_t predicate_room, start_room, argument_room;
    int32_t *slots; /* hash table with open addressing: atom + 1, 0 is free */
    size_t n_slots;
    nln_symbols *bound;
} nln_atoms;

nln_status nln_atoms_create(nln_atoms **out, nln_error *err);
nln_status nln_atoms_copy(nln_atoms **out, const nln_atoms *from, nln_error *err);
void nln_atoms_free(nln_atoms *atoms);
nln_atom nln_atoms_get(const nln_atoms *atoms, int32_t i);
/* The number of an atom, which is new or known; -1 when out of memory.  `argument` must not lie in
 * the table itself. */
int32_t nln_atoms_intern(nln_atoms *atoms, int32_t predicate, const int32_t *argument,
                         int32_t n_arguments);
/* The same; -1 where it is not known. */
int32_t nln_atoms_find(const nln_atoms *atoms, int32_t predicate, const int32_t *argument,
                       int32_t n_arguments);
/* Forgets every atom but the first n. */
void nln_atoms_truncate(nln_atoms *atoms, int32_t n);

/* All names of some expressions.  Without relations there are only plain variables. */
typedef struct nln_vocabulary {
    nln_symbols *variables;
    nln_relations *relations; /* NULL together with atoms */
    nln_atoms *atoms;
    int holes; /* the hole `?` may be an argument, once in an expression */
} nln_vocabulary;

#endif

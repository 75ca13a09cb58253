/* Triples of a knowledge graph: head, relation, tail, in three splits.
 *
 * A file has one triple on a line, in columns of any stated order, separated by tabs, commas or
 * spaces, whichever its first line has.  A folder has train, valid and test files; one file is
 * divided at random.  A triple that a split has twice counts once. */
#ifndef NLN_DATA_TRIPLES_H
#define NLN_DATA_TRIPLES_H

#include "base/error.h"
#include "base/symbols.h"
#include "data/data_name.h"

typedef struct nln_triple {
    int32_t head, relation, tail;
} nln_triple;

struct nln_triples {
    nln_symbols *entities, *relations; /* those of training come first */
    nln_triple *list[3];               /* by split */
    size_t n[3], room[3];
    char name[NLN_DATA_NAME_ROOM]; /* what it was read from; "": from memory */
};

/* Appends a triple to a split; names get numbers in the order of first use. */
nln_status nln_triples_add(nln_triples *t, nln_split split, const char *head, const char *relation,
                           const char *tail, nln_error *err);
/* An empty set. */
nln_status nln_triples_create(nln_triples **out, nln_error *err);

#endif

/* Facts about items: complement(tea, biscuits), category(tea, drinks).
 *
 * A file has one fact on a line, as head, relation and tail, or is a table with a line for each
 * item: its first column is the item, a list in brackets is a relation to items, and any other
 * value is a property.  The names of the columns are those of the relations, without a leading r_
 * or i_.
 *
 * Heads are items.  A tail is an item if ratings or heads know it; all else is a thing, which can
 * link items but is none itself.  Among lines of three fields the tails of a relation are things
 * when fewer than half of them are items: a category may be called 31 beside an item 31. */
#ifndef NLN_DATA_ITEM_FACTS_H
#define NLN_DATA_ITEM_FACTS_H

#include "base/input.h"
#include "base/symbols.h"
#include "data/triples.h"

typedef struct nln_item_facts {
    nln_symbols *relations, *things;
    nln_triple *list; /* the head is an item; the tail an item, or -1 - a thing */
    size_t n;
} nln_item_facts;

/* Reads all facts of `in`; items that only facts know are added to `items`.  A file without a fact
 * is an error. */
nln_status nln_item_facts_read(nln_item_facts **out, nln_symbols *items, nln_input *in,
                               nln_error *err);
void nln_item_facts_free(nln_item_facts *facts);

#endif

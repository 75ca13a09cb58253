/* Items by the words of their titles and ids, without regard to case (of ASCII letters). */
#ifndef NLN_SERVE_ITEM_SEARCH_H
#define NLN_SERVE_ITEM_SEARCH_H

#include "base/error.h"

typedef struct nln_item_search nln_item_search;

/* Borrows neither; `titles` may be NULL. */
nln_status nln_item_search_create(nln_item_search **out, const nln_model *model,
                                  const nln_titles *titles, nln_error *err);
void nln_item_search_free(nln_item_search *search);

/* The first `room` items that contain every word of the query, best first: the id itself, then
 * titles that begin with the query, then those in which all words begin a word, then the others;
 * within these in the order of the model.  Returns how many items match in all; an empty query
 * matches every item. */
size_t nln_item_search_find(size_t *items, size_t room, const nln_item_search *search,
                            const char *query);

#endif

/* How often two things are true of the same user: that an item is liked, or that it is disliked.
 *
 * Literal i says that item i is liked, and literal n_items + i that it is disliked.  An item that a
 * user met several times counts as it was met last. */
#ifndef NLN_MODELS_LIKE_COUNTS_H
#define NLN_MODELS_LIKE_COUNTS_H

#include "models/queries.h"

/* Of an item with very many companions the most frequent ones are kept. */
enum { NLN_MOST_COMPANIONS = 1024 };

typedef struct nln_companion {
    int32_t literal;
    int32_t count; /* users of whom both are true */
} nln_companion;

typedef struct nln_like_counts {
    size_t n_items, n_literals; /* n_items without dislikes, else twice as many */
    size_t n_users;
    size_t *first;     /* [n_users + 1] */
    int32_t *literals; /* [first[n_users]] those of each user */
    int32_t *n_times;  /* [n_literals] users of whom a literal is true */
    size_t *start;     /* [n_literals + 1] */
    nln_companion *of; /* [start[n_literals]] the companions of each literal, itself among them */
    size_t room;
} nln_like_counts;

/* Of a user with very many interactions the last thousand are counted. */
nln_status nln_like_counts_create(nln_like_counts **out, const nln_queries *users, size_t n_items,
                                  int dislikes, nln_error *err);
void nln_like_counts_free(nln_like_counts *counts);

#endif

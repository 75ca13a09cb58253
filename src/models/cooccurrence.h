/* How often two things are true of the same user: that an item is liked, or that it is disliked.
 *
 * Literal i says that item i is liked, and literal n_items + i that it is disliked.  Or a dislike
 * counts as a part of a like: who met an item chose it, liked or not.  The count of two literals is
 * the sum over the users of the products of their values, 1 or that part.  An item that a user met
 * several times counts as it was met last. */
#ifndef NLN_MODELS_COOCCURRENCE_H
#define NLN_MODELS_COOCCURRENCE_H

#include "models/queries.h"

/* Of an item with very many companions the most frequent ones are kept. */
enum { NLN_MOST_COMPANIONS = 1024 };

typedef struct nln_companion {
    int32_t literal;
    float count;
} nln_companion;

typedef struct nln_cooccurrence {
    size_t n_items, n_literals; /* n_items, or twice as many where dislikes are literals */
    size_t n_users;
    size_t *first;     /* [n_users + 1] */
    int32_t *literals; /* [first[n_users]] those of each user ... */
    float *value;      /* [first[n_users]] ... and their values */
    float *with_self;  /* [n_literals] the count of a literal and itself */
    size_t *start;     /* [n_literals + 1] */
    nln_companion *of; /* [start[n_literals]] the companions of each literal, itself among them */
    size_t room;
} nln_cooccurrence;

/* What a dislike is: a literal of its own, or a part of a like; {0} is neither. */
typedef struct nln_dislikes {
    int are_literals;
    double value; /* where they are none */
} nln_dislikes;

/* Of a user with very many interactions the last thousand are counted. */
nln_status nln_cooccurrence_create(nln_cooccurrence **out, const nln_queries *users, size_t n_items,
                                   nln_dislikes dislikes, nln_error *err);
void nln_cooccurrence_free(nln_cooccurrence *counts);

#endif

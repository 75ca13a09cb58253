/* What each user liked, or met, in training, as sorted lists of items, so that one of a million
 * likes is found in twenty steps. */
#ifndef NLN_TRAINING_LIKED_ITEMS_H
#define NLN_TRAINING_LIKED_ITEMS_H

#include "data/ratings.h"

/* Zero-initialise it. */
typedef struct nln_liked_items {
    size_t *start; /* [users + 1] */
    int32_t *item; /* item[start[u] .. start[u + 1]) are those of user u */
} nln_liked_items;

/* With `dislikes` they are all items that the user met. */
nln_status nln_liked_items_create(nln_liked_items *out, const nln_ratings *ratings, int dislikes,
                                  nln_error *err);
void nln_liked_items_free(nln_liked_items *liked);
int nln_liked_items_has(const nln_liked_items *liked, int32_t user, int32_t item);

#endif

/* What each user liked in training, as sorted lists of items, so that one of a million likes is
 * found in twenty steps. */
#ifndef NLN_TASK_LIKED_H
#define NLN_TASK_LIKED_H

#include "data/ratings.h"

/* Zero-initialise it. */
typedef struct nln_liked {
    size_t *start; /* [users + 1] */
    int32_t *item; /* item[start[u] .. start[u + 1]) are those of user u */
} nln_liked;

nln_status nln_liked_create(nln_liked *out, const nln_ratings *ratings, nln_error *err);
void nln_liked_free(nln_liked *liked);
int nln_liked_has(const nln_liked *liked, int32_t user, int32_t item);

#endif

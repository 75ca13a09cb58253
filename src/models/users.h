/* What the users that a model was trained on liked and disliked, kept for recommending. */
#ifndef NLN_MODELS_USERS_H
#define NLN_MODELS_USERS_H

#include "base/error.h"
#include "base/symbols.h"
#include "data/rating_grades.h"
#include "data/ratings.h"

typedef struct nln_users {
    nln_symbols *names;
    size_t *start;    /* [users + 1] */
    int32_t *literal; /* [start[users]] in time order: item + 1, or -(item + 1) if disliked */
    uint8_t *grade;   /* [start[users]] 0 for none */
} nln_users;

/* Room for n_literals of users who are named already. */
nln_status nln_users_create(nln_users **out, const nln_symbols *names, size_t n_literals,
                            nln_error *err);
/* All that the users of the ratings met, in time order whatever the splits. */
nln_status nln_users_of_ratings(nln_users **out, const nln_ratings *r,
                                const nln_rating_grades *grading, nln_error *err);
void nln_users_free(nln_users *users);
/* A literal of one as nln.h has it. */
nln_literal nln_users_literal(const nln_users *users, size_t i);

#endif

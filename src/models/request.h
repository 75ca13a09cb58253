/* What a model learns from at a time, and what it is asked: labelled expressions, or what a
 * user met and what comes next.  No model is named here. */
#ifndef NLN_MODELS_REQUEST_H
#define NLN_MODELS_REQUEST_H

#include "logic/expr.h"
#include "net/objective.h"

/* One question to a recommender: after this history, how about this item? */
typedef struct nln_case {
    int32_t user;   /* of the model, or -1 for somebody else */
    int32_t target; /* an item, or -1 where all of them are in question */
    size_t first;   /* the history is literal[first .. first + n) of the list, in time order */
    size_t n;
} nln_case;

/* A list of cases, histories end to end.  Zero-initialise it; nln_cases_free releases it. */
typedef struct nln_cases {
    nln_case *list;
    size_t n, room;
    nln_literal *literal;
    size_t n_literals, literal_room;
} nln_cases;

void nln_cases_free(nln_cases *cases);
void nln_cases_clear(nln_cases *cases); /* keeps the memory */
/* Appends a case; its history is copied. */
nln_status nln_cases_append(nln_cases *cases, int32_t user, const nln_literal *history, size_t n,
                            int32_t target, nln_error *err);

/* Some units of training.  Unit i is
 *
 *     LABELS          expression index[i] of exprs with truth[index[i]]; or, where exprs is
 *                     NULL, case i with truth[i]
 *     PAIRS, CHANCES  case i, whose target is liked, against the n_negatives items from
 *                     negative[i * n_negatives] on, one by one
 *     CHOICE          case i, whose target is liked, against all items of negative
 *                     [n_negatives] at once, but for those with refused[i * n_negatives + j] */
typedef struct nln_request {
    nln_loss_kind lesson;
    int32_t n;
    const nln_exprs *exprs;
    const int32_t *index;
    const nln_cases *cases;
    const real *truth; /* what the labels say: 1 or 0, or between them where they are in doubt */
    int32_t n_negatives;
    const int32_t *negative;
    const uint8_t *refused;
    const int32_t *unit; /* [n] the number of each unit in the epoch */
    uint64_t key;        /* of everything random in this lot */
} nln_request;

#endif

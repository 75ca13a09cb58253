/* The inside of nln_scorer: sessions, one for each thread that asks.
 *
 * A session holds everything that one thread changes while it scores.  Idle sessions wait in the
 * scorer, so that asking again allocates nothing. */
#ifndef NLN_INFERENCE_SCORER_H
#define NLN_INFERENCE_SCORER_H

#include "models/method.h"
#include "models/model.h"

/* Questions that a session reads together. */
enum { NLN_SCORER_BLOCK = 32 };

typedef struct nln_scorer_session nln_scorer_session;
struct nln_scorer_session {
    nln_item_scorer *items; /* reads up to NLN_SCORER_BLOCK queries */
    nln_queries queries;
    double *score;     /* [items of the model] */
    int32_t *list;     /* [items of the model] the items that are scored */
    uint8_t *excluded; /* [items of the model] 0 between questions */
    int32_t *skip;     /* [n_skip] the items that are excluded */
    nln_recommendation *best;
    double *nearest; /* scratch of a diverse list */
    size_t n_skip, skip_room, best_room, nearest_room;
    nln_scorer_session *next; /* of the idle ones */
};

typedef struct nln_idle_sessions nln_idle_sessions;
struct nln_scorer {
    const nln_model *model;
    nln_item_scorer *items; /* the original; sessions have clones of it */
    nln_idle_sessions *idle;
    float **vectors; /* of the items, of length 1, once a list was to be diverse */
};

/* A scorer that always scores every item: without the bounds that only nln_scorer_recommend
 * needs. */
nln_status nln_scorer_create_plain(nln_scorer **out, const nln_model *model, nln_error *err);

/* A session for the calling thread, which gives it back when it is done. */
nln_status nln_scorer_borrow(nln_scorer_session **out, const nln_scorer *scorer, nln_error *err);
void nln_scorer_give_back(const nln_scorer *scorer, nln_scorer_session *session);

/* Appends the user and the literals that the model takes, which are the last ones, checked. */
nln_status nln_scorer_append_question(nln_queries *queries, const nln_scorer *scorer,
                                      const nln_question *question, nln_error *err);

#endif

/* Where training comes from: the units of an epoch, and what the result is measured on. */
#ifndef NLN_TRAINING_SOURCE_H
#define NLN_TRAINING_SOURCE_H

#include "data/logic_data.h"
#include "data/ratings.h"
#include "models/model.h"

typedef struct nln_source nln_source;
struct nln_source {
    size_t n; /* units of an epoch */
    nln_loss_kind loss_kind;
    /* What metrics are computed from, by split: labelled expressions in normal form, or
     * labelled queries; both are empty where `measure` does it. */
    nln_exprs exprs[3];
    nln_queries queries[3];
    const uint8_t *labels[3];

    /* The request of the given units.  What it points to is valid until the next draw. */
    nln_status (*draw)(nln_request *out, nln_source *s, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err);
    /* What each user met in training, for methods that learn at once: query u is user u.  NULL
     * for labelled expressions. */
    nln_status (*gather)(nln_queries *out, const nln_source *s, nln_error *err);
    /* Puts the units in the random order of an epoch; NULL: any order will do. */
    void (*shuffle)(int32_t *order, nln_source *s, nln_random *random);
    /* How often each variable occurs in an epoch. */
    void (*count)(int32_t *frequency, const nln_source *s);
    /* Measures what has no labels, `quickly` for the choice of an epoch; NULL where the labelled
     * expressions say all. */
    nln_status (*measure)(nln_metrics *out, const nln_source *s, const nln_model *model,
                          nln_split split, int quickly, nln_error *err);
    void (*free)(nln_source *s);
};

/* Labelled expressions; `data` is borrowed. */
nln_status nln_source_from_data(nln_source **out, const nln_data *data, const nln_model *model,
                                nln_error *err);
/* Histories and targets, for the model's task; `ratings` is borrowed. */
nln_status nln_source_from_ratings(nln_source **out, const nln_ratings *ratings,
                                   const nln_model *model, nln_error *err);

/* How many labelled examples a split has, and their log-odds. */
size_t nln_source_size(const nln_source *s, nln_split split);
nln_status nln_source_scores(double *score, const nln_source *s, const nln_model *model,
                             nln_split split, nln_error *err);

#endif

/* The model in service: loaded, checked and prepared to answer.
 *
 * A request holds a reference to the model that it began with.  A new model is prepared beside the
 * old one and put in its place; the old one is freed when its last request ends. */
#ifndef NLN_SERVE_SERVED_MODEL_H
#define NLN_SERVE_SERVED_MODEL_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "serve/item_search.h"

/* A text that is computed once, by a worker, and then given to everyone. */
typedef struct nln_computed {
    pthread_mutex_t lock;
    char *text; /* NULL until it is there */
    size_t n;
    int begun;         /* somebody computes it */
    double progress;   /* in [0, 1] */
    char failure[512]; /* why it will not come, or "" */
} nln_computed;

typedef struct nln_served {
    atomic_size_t references;
    nln_model *model;
    nln_scorer *scorer; /* NULL if the model does not recommend */
    nln_titles *titles; /* NULL without a file of them */
    nln_item_search *search;
    nln_abilities abilities;
    char version[24]; /* 16 hexadecimal digits of the file's content */
    double modified;  /* when the file was written, seconds since 1970 */
    nln_computed laws, map, vectors, exact;
} nln_served;

/* Loads a model and, unless `titles` is "", the titles of its items.  One reference. */
nln_status nln_served_load(nln_served **out, const char *path, const char *titles, nln_error *err);
void nln_served_release(nln_served *served); /* NULL is allowed */

/* The place that holds the model in service. */
typedef struct nln_model_slot {
    pthread_mutex_t lock;
    nln_served *served;
    atomic_ulong swaps;
} nln_model_slot;

/* A reference for the caller, who releases it; NULL if there is no model yet. */
nln_served *nln_model_slot_take(nln_model_slot *slot);
/* Takes over the caller's reference. */
void nln_model_slot_put(nln_model_slot *slot, nln_served *served);

/* The title of an item, or NULL. */
const char *nln_served_title(const nln_served *served, size_t item);

#endif

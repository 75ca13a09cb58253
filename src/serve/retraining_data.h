/* What a server learns from again: its store, together with a ratings file if there is one, less
 * the newest events, on which the new model and the one in service are compared.
 *
 * Held out are events of the store that are newer than everything that the model in service has
 * learned, a fifth of them, the newest by time over all users.  The new model does not see them,
 * and the old one cannot have. */
#ifndef NLN_SERVE_RETRAINING_DATA_H
#define NLN_SERVE_RETRAINING_DATA_H

#include "serve/served_model.h"
#include "store/store.h"

/* The fewest new events that two models are compared on. */
enum { NLN_RETRAINING_LEAST = 10 };

typedef struct nln_retraining_data {
    nln_ratings *learned;  /* train and valid */
    nln_ratings *compared; /* the same, and as its test those held out that the model in service
                            * knows the items of */
    size_t n_held_out;     /* events; those of other items, too */
    size_t n_compared;
    char account[400]; /* a sentence: what is learned, and what is held out */
} nln_retraining_data;

/* `base` is a ratings file, or "".  `now` is in seconds since 1970: events of the future are not
 * held out.  NLN_LIMIT with a sentence where there are too few new events. */
nln_status nln_retraining_data_read(nln_retraining_data *out, nln_store *store, const char *base,
                                    const nln_served *served, double now, nln_error *err);
void nln_retraining_data_free(nln_retraining_data *data);

/* The time of the newest interaction that the model in service learned from.  Where its file does
 * not tell, it is when the file was written. */
double nln_retraining_data_since(const nln_served *served);

#endif

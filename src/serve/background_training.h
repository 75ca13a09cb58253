/* Training beside the answers: one at a time, on threads of low priority, from the store or from
 * data that were sent.  A model that learned from the store is measured against the one in service
 * on the newest events, which neither has learned (serve/retraining_data), and put in its place
 * only if it is not worse.  What happens is kept as a list of numbered events, which streams
 * follow. */
#ifndef NLN_SERVE_BACKGROUND_TRAINING_H
#define NLN_SERVE_BACKGROUND_TRAINING_H

#include "base/error.h"
#include "serve/http_request.h"

typedef struct nln_trainer_service nln_trainer_service;

/* What to learn from.  All texts are copied. */
typedef struct nln_training_job {
    const char *data; /* the text of a data file, or NULL: the store */
    const char *task; /* of data that were sent; NULL: that of the model in service */
    size_t epochs;    /* 0: as the options say */
} nln_training_job;

/* Starts the thread that trains, and that begins again and again where the settings say so. */
nln_status nln_trainer_service_create(nln_trainer_service **out, struct nln_serve *server,
                                      nln_error *err);
/* Stops a training and the thread. */
void nln_trainer_service_free(nln_trainer_service *t);

/* NLN_LIMIT: one is running. */
nln_status nln_trainer_service_begin(nln_trainer_service *t, const nln_training_job *job,
                                     nln_error *err);
/* 0: none is running. */
int nln_trainer_service_stop(nln_trainer_service *t);

/* Writes the members of the state: state (idle, running, done, kept, stopped or failed), epoch,
 * ..., epochs, log. */
void nln_trainer_service_print(nln_text *out, nln_trainer_service *t);
/* A stream of server-sent events after number `after` (-1: all); 0 if there is nothing to come. */
int nln_trainer_service_follow(nln_stream *out, nln_trainer_service *t, int64_t after);

#endif

/* What a training tells: a list of numbered notes, which streams of server-sent events follow.  Any
 * thread may call any of these. */
#ifndef NLN_SERVE_TRAINING_NOTES_H
#define NLN_SERVE_TRAINING_NOTES_H

#include "serve/http_request.h"

typedef struct nln_training_notes nln_training_notes;

/* NULL when out of memory. */
nln_training_notes *nln_training_notes_create(void);
void nln_training_notes_free(nln_training_notes *notes);

/* Forgets the notes of the last training; numbers go on. */
void nln_training_notes_begin(nln_training_notes *notes);
/* Adds a JSON object, whose text it takes over.  `kind` is constant: state, progress, epoch, log or
 * end.  After many notes the oldest are forgotten. */
void nln_training_notes_add(nln_training_notes *notes, const char *kind, nln_text *object);
/* There are no more to come. */
void nln_training_notes_end(nln_training_notes *notes);

/* Writes the notes of a kind as an array. */
void nln_training_notes_print(nln_text *out, nln_training_notes *notes, const char *key,
                              const char *kind);
/* A stream of the notes after number `after` (-1: all), with a ping where it is quiet for so many
 * seconds; 0 if there is nothing to come. */
int nln_training_notes_follow(nln_stream *out, nln_training_notes *notes, int64_t after,
                              double ping);

#endif

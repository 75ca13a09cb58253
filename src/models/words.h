/* Sequences of words, to be read by a recurrent layer: each distinct word has a place. */
#ifndef NLN_MODELS_WORDS_H
#define NLN_MODELS_WORDS_H

#include "net/recurrent.h"

typedef struct nln_words {
    int32_t n_words;    /* of the vocabulary */
    int32_t n_distinct; /* of them in the sequences */
    int32_t *word;      /* [n_distinct] the word at each place */
    int32_t *place;     /* [n_words] 1 + the place of a word, or 0 */

    int32_t n;
    int32_t *start; /* [n + 1], not to be read while n is 0 */
    int32_t *token; /* [start[n]] places */
    size_t start_room, token_room;
} nln_words;

/* nln_words_free releases it, also after a failure. */
nln_status nln_words_create(nln_words *w, size_t n_words, nln_error *err);
void nln_words_free(nln_words *w);

void nln_words_clear(nln_words *w); /* keeps the memory */
/* Appends a sequence, which may be empty. */
nln_status nln_words_append(nln_words *w, const int32_t *word, size_t n, nln_error *err);

/* Borrowed until the next append. */
nln_sequences nln_words_sequences(const nln_words *w);

#endif

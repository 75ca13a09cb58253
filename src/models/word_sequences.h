/* Sequences of words, to be read by a recurrent layer: each distinct word has a place. */
#ifndef NLN_MODELS_WORD_SEQUENCES_H
#define NLN_MODELS_WORD_SEQUENCES_H

#include "net/recurrent_layer.h"

typedef struct nln_word_sequences {
    int32_t n_words;    /* of the vocabulary */
    int32_t n_distinct; /* of them in the sequences */
    int32_t *word;      /* [n_distinct] the word at each place */
    int32_t *place;     /* [n_words] 1 + the place of a word, or 0 */

    int32_t n;
    int32_t *start; /* [n + 1], not to be read while n is 0 */
    int32_t *token; /* [start[n]] places */
    size_t start_room, token_room;
} nln_word_sequences;

/* nln_word_sequences_free releases it, also after a failure. */
nln_status nln_word_sequences_create(nln_word_sequences *w, size_t n_words, nln_error *err);
void nln_word_sequences_free(nln_word_sequences *w);

void nln_word_sequences_clear(nln_word_sequences *w); /* keeps the memory */
/* Appends a sequence, which may be empty. */
nln_status nln_word_sequences_append(nln_word_sequences *w, const int32_t *word, size_t n,
                                     nln_error *err);

/* Borrowed until the next append. */
nln_sequences nln_word_sequences_sequences(const nln_word_sequences *w);

#endif

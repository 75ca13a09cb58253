/* The vectors of a model's variables in the formats of other programs. */
#ifndef CLI_SHOW_VECTOR_FILES_H
#define CLI_SHOW_VECTOR_FILES_H

#include <stdio.h>

#include "nln.h"

typedef struct cli_vectors {
    const nln_model *model; /* has the names */
    size_t n, length;
    float *data; /* [n, length] */
} cli_vectors;

/* Each writes all of them to a stream; errors stay in the stream.  Numbers in text have nine
 * digits, from which the same float can be read. */

/* An array [n, length] of NumPy, without the names. */
void cli_vectors_npy(FILE *out, const cli_vectors *vectors);
/* name<TAB>number<TAB>...; with `header` a line name, x1, x2, ... comes first. */
void cli_vectors_tsv(FILE *out, const cli_vectors *vectors, int header);
/* The text format of word2vec.  Spaces end a name there, so those inside a name become _;
 * returns how many names were changed. */
size_t cli_vectors_word2vec(FILE *out, const cli_vectors *vectors);
/* The names alone, one on each line. */
void cli_vectors_names(FILE *out, const cli_vectors *vectors);

#endif

/* How ratings, or one file of expressions, were read: a model keeps it so that other ratings are
 * read in the same way, and the same file is split in the same way. */
#ifndef NLN_DATA_DATA_PROVENANCE_H
#define NLN_DATA_DATA_PROVENANCE_H

#include "base/number.h"

enum {
    NLN_ORIGIN_WORD = NLN_NUMBER_ROOM,
    NLN_ORIGIN_COLUMNS = 256,
    NLN_ORIGIN_ROOM = 6 * NLN_ORIGIN_WORD + 16 + NLN_ORIGIN_COLUMNS
};

/* The values of the options of "ratings", for ratings read from files; of one file of expressions
 * what NLN_ORIGIN_FILE says; else all empty. */
typedef struct nln_data_provenance {
    char split[NLN_ORIGIN_WORD];      /* how one file was split, or NLN_ORIGIN_FOLDER */
    char split_seed[NLN_ORIGIN_WORD]; /* of a random split */
    char like_from[NLN_ORIGIN_WORD];
    char core[NLN_ORIGIN_WORD];    /* the least interactions of a user and an item; "" without */
    char holdout[NLN_ORIGIN_WORD]; /* expressions: the share held out, or FOLD/FOLDS ... */
    char fingerprint[NLN_ORIGIN_WORD]; /* ... and that of the whole file */
    char columns[NLN_ORIGIN_COLUMNS];  /* ratings: which columns were read, if this was said */
} nln_data_provenance;

/* The value of `split` for three files that were split before. */
#define NLN_ORIGIN_FOLDER "folder"
/* ... and for one file of expressions: `split_seed`, `holdout` and `fingerprint` count, and of the
 * others each is "-". */
#define NLN_ORIGIN_FILE "file"

/* As one line of text, and back; parsing returns 0 for any other text.  Words that are empty before
 * others that are not are written as "-". */
void nln_data_provenance_print(char out[NLN_ORIGIN_ROOM], const nln_data_provenance *origin);
int nln_data_provenance_parse(nln_data_provenance *out, const char *text);

#endif

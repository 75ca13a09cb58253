/* How ratings were read: what a model must know of its own to have others read alike. */
#ifndef NLN_BASE_ORIGIN_H
#define NLN_BASE_ORIGIN_H

#include "base/number.h"

enum { NLN_ORIGIN_WORD = NLN_NUMBER_ROOM, NLN_ORIGIN_ROOM = 3 * NLN_ORIGIN_WORD };

/* As the options of "ratings" have it, for ratings that were read from files; else all empty. */
typedef struct nln_origin {
    char split[NLN_ORIGIN_WORD];      /* how one file was dealt, or NLN_ORIGIN_FOLDER */
    char split_seed[NLN_ORIGIN_WORD]; /* of a random split */
    char like_from[NLN_ORIGIN_WORD];
} nln_origin;

/* Three files, which were split before. */
#define NLN_ORIGIN_FOLDER "folder"

/* As one line of text, and back; parsing returns 0 where the text makes no sense. */
void nln_origin_print(char out[NLN_ORIGIN_ROOM], const nln_origin *origin);
int nln_origin_parse(nln_origin *out, const char *text);

#endif

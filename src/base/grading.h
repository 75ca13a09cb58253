/* How much an item was liked or disliked: ratings as grades 1, ..., n, from the worst to the
 * best, which cut their range into equal pieces. */
#ifndef NLN_BASE_GRADING_H
#define NLN_BASE_GRADING_H

#include "nln.h"

enum { NLN_MOST_GRADES = 16 };

typedef struct nln_grading {
    int n;              /* grades; 0: there are none */
    double least, most; /* of the ratings; equal where these say no more than like or dislike */
    int usual[2];       /* the commonest grade of what is disliked, and of what is liked */
} nln_grading;

/* The grade of a rating; 0 where there are none. */
int nln_grading_grade(const nln_grading *g, double rating);

/* The grade of a literal or, where it has none, the usual one. */
int nln_grading_known(const nln_grading *g, nln_literal literal);

#endif

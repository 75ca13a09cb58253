/* How much an item was liked or disliked: ratings as grades 1, ..., n, from the worst to the
 * best, which cut their range into equal pieces. */
#ifndef NLN_DATA_GRADE_SCALE_H
#define NLN_DATA_GRADE_SCALE_H

#include "nln.h"

enum { NLN_MOST_GRADES = 16 };

typedef struct nln_grade_scale {
    int n;              /* grades; 0: there are none */
    double least, most; /* of the ratings; equal where these say no more than like or dislike */
    int usual[2];       /* the commonest grade of what is disliked, and of what is liked */
} nln_grade_scale;

/* The grade of a rating; 0 where there are none. */
int nln_grade_scale_grade(const nln_grade_scale *g, double rating);

/* The grade of a literal or, where it has none, the usual one. */
int nln_grade_scale_known(const nln_grade_scale *g, nln_literal literal);

#endif

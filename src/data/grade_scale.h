/* How much an item was liked or disliked: ratings as grades 1, ..., n, from the worst to the
 * best, which divide their range into equal parts. */
#ifndef NLN_DATA_GRADE_SCALE_H
#define NLN_DATA_GRADE_SCALE_H

#include "nln.h"

enum { NLN_MOST_GRADES = 16 };

typedef struct nln_grade_scale {
    int n;              /* grades; 0: there are none */
    double least, most; /* of the ratings; equal where these are only likes and dislikes */
    int usual[2];       /* the commonest grade of disliked and of liked items */
} nln_grade_scale;

/* n grades for the ratings of the training split; none where these have one or two values. */
nln_grade_scale nln_grade_scale_fit(const nln_ratings *r, int n);
/* The grades of a training for other ratings.  Where these are labels, 0 and 1, and those of the
 * training were not, a 1 is a like of unknown grade, and not the least rating. */
nln_grade_scale nln_grade_scale_apply(const nln_ratings *r, const nln_grade_scale *trained);

/* The grade of a rating; 0 where there are none. */
int nln_grade_scale_grade(const nln_grade_scale *g, double rating);
/* The grade of a literal or, where it has none, the usual one. */
int nln_grade_scale_known(const nln_grade_scale *g, nln_literal literal);

#endif

/* How much an item was liked or disliked: ratings as grades 1, ..., n, from the worst to the
 * best, which divide their range into equal parts. */
#ifndef NLN_DATA_RATING_GRADES_H
#define NLN_DATA_RATING_GRADES_H

#include "nln.h"

enum { NLN_MOST_GRADES = 16 };

typedef struct nln_rating_grades {
    int n;              /* grades; 0: there are none */
    double least, most; /* of the ratings; equal where these are only likes and dislikes */
    int usual[2];       /* the commonest grade of disliked and of liked items */
} nln_rating_grades;

/* n grades for the ratings of the training split; none where these have one or two values. */
nln_rating_grades nln_rating_grades_fit(const nln_ratings *r, int n);
/* The grades of a training for other ratings.  Where these are labels, 0 and 1, and those of the
 * training were not, a 1 is a like of unknown grade, and not the least rating. */
nln_rating_grades nln_rating_grades_apply(const nln_ratings *r, const nln_rating_grades *trained);

/* The grade of a rating; 0 where there are none. */
int nln_rating_grades_grade(const nln_rating_grades *g, double rating);
/* The grade of a literal or, where it has none, the usual one. */
int nln_rating_grades_known(const nln_rating_grades *g, nln_literal literal);

#endif

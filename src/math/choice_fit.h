/* How much each of some features counts in a choice: the conditional logit (McFadden, 1974).
 *
 * In each case one of several candidates was chosen, with a probability that is proportional to
 * exp(w . x).  The weights w minimise the mean of -log of these probabilities plus l2 |w|^2, which
 * is convex; Newton's method finds them. */
#ifndef NLN_MATH_CHOICE_FIT_H
#define NLN_MATH_CHOICE_FIT_H

#include "base/error.h"

enum { NLN_CHOICE_MOST = 64 }; /* features */

typedef struct nln_choices {
    size_t n, each;       /* cases, and room for candidates of each */
    const size_t *n_of;   /* [n] candidates; the first was chosen */
    int width;            /* features */
    const float *feature; /* [n, each, width] */
} nln_choices;

/* The objective and, unless NULL, its gradient [width] and second derivatives [width, width]. */
double nln_choice_loss(double *gradient, double *curvature, const nln_choices *c,
                       const double *weight, double l2);
/* weight [width] is where it starts, and the result. */
void nln_choice_fit(double *weight, const nln_choices *c, double l2);

#endif

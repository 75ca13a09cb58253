/* What the data say, as losses of scores: every formula once, for the network and for all other
 * methods.  Scores go in; the loss and its derivatives by the scores come out. */
#ifndef NLN_NET_LOSSES_H
#define NLN_NET_LOSSES_H

#include <stdint.h>

#include "net/request.h"

/* The objective in its parts. */
typedef struct nln_loss {
    double data, laws, length, l2;
    double flips; /* expected number of flipped labels, given the noise and the predictions */
} nln_loss;

/* Cross-entropy of a label that is true with probability `truth`: 1, 0 or, in doubt, between.  A
 * share `noise` of labels is taken to be flipped: the likelihood of a label is
 * (1 - noise) p + noise (1 - p) with p = sigmoid(score).  *flipped is the probability that this
 * one is. */
double nln_losses_label(double *slope, double *flipped, double score, double truth, double noise);

/* The loss of a pair, a target and a candidate, of one of the kinds of pairs (net/request.h). */
double nln_losses_pair(double slope[2], const double score[2], nln_loss_kind kind);

/* One of many: -log of the target's share in the softmax of `factor` times the scores of the target
 * and of n candidates, but for those with refused[j].  In the place of each score comes its
 * exponential, 0 where refused; divided by *sum, less 1 for the target, it is the derivative by
 * factor times the score.  `single` takes the exponentials of the candidates in the precision of
 * real, in half the time, for methods whose other work is small. */
double nln_losses_softmax(double *sum, real *target, real *score, const uint8_t *refused, int32_t n,
                          double factor, int single);

#endif

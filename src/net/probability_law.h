/* The law of probabilities: modules that compute with doubt.
 *
 * A point v of the arc stands for the probability p = Sim(v, T).  Under this law the modules do
 * with points what probability does with independent events, NOT(p) = 1 - p, AND(p, q) = p q and
 * OR(p, q) = 1 - (1 - p)(1 - q), and every result is a point of the arc again.  No label is
 * needed: the law is learned from small random expressions over random points. */
#ifndef NLN_NET_PROBABILITY_LAW_H
#define NLN_NET_PROBABILITY_LAW_H

#include "net/propagation.h"

/* The largest log-odds that a point of the arc stands for, as a share of alpha. */
#define NLN_ARC_MOST 0.95

/* The number t of the point with these log-odds, which are cut to what the arc can say; and back.
 */
double nln_arc_number(double log_odds, double alpha);
double nln_arc_log_odds(double number, double alpha);

/* The mean over the plan's operations, and F, of the squared distance between the result and the
 * point where probability puts it, in units of |T|^2.  The gradient of the modules is in
 * `gradient`. log_odds is [plan->n_rows], for use inside.  Networks of variables on the arc only.
 */
double nln_probability_law_gradient(nln_shard_gradient *gradient, nln_workspace *work,
                                    double *log_odds, const nln_net *net, const nln_plan *plan);

/* Trains the modules by Adam for so many steps; variables stay.  *loss is the mean of the last
 * tenth of them, infinite without any. */
nln_status nln_probability_law_learn(double *loss, nln_net *net, int steps, uint64_t seed,
                                     nln_error *err);

#endif

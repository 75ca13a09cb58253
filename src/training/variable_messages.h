/* The values of variables by messages through the network: belief propagation whose factors are
 * the network's own modules.
 *
 * Every labelled expression tells each of its variables how much more probable its label is if the
 * variable is true, in log-odds, given what all other expressions say of the others.  For that
 * a variable stands in the expression as the point of the arc of those other messages alone, the
 * network computes p(e), and its derivative by the variable gives p(e) with the variable true and
 * false, since p(e) is linear in the probability of each variable.  The modules must compute
 * with probabilities: see net/probability_law.h. */
#ifndef NLN_TRAINING_VARIABLE_MESSAGES_H
#define NLN_TRAINING_VARIABLE_MESSAGES_H

#include "base/thread_pool.h"
#include "data/labelled.h"
#include "models/model.h"

typedef struct nln_message_settings {
    int network; /* of the model's */
    int sweeps;
    double noise;  /* share of labels taken to be flipped */
    int fit_noise; /* after each sweep, set it to what the labels suggest */
} nln_message_settings;

/* log_odds[v] for the nln_model_rows variables of the model, 0 for one that occurs nowhere.  The
 * expressions hold variables, constants, NOT, AND and OR.  The same bits on any number of threads.
 */
nln_status nln_variable_messages_solve(double *log_odds, const nln_model *model,
                                       const nln_exprs *list, const nln_truths *truths,
                                       const nln_message_settings *settings, nln_thread_pool *pool,
                                       nln_error *err);

#endif

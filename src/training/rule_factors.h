/* How much a network's scores should believe rules found by counting: the prior of the counts,
 * what a dislike is and the factors of item_rules.h, chosen by the likes of validation. */
#ifndef NLN_TRAINING_RULE_FACTORS_H
#define NLN_TRAINING_RULE_FACTORS_H

#include "base/thread_pool.h"
#include "training/validation_contest.h"

/* The choice, for a report. */
typedef struct nln_rule_choice {
    size_t n_likes;       /* of validation that were looked at */
    double without, with; /* mean 1 / log2(1 + rank) of these, by the network and with rules */
    double l2;
} nln_rule_choice;

/* Finds rules from `users`, what each user met in training, and gives them to the model unless it
 * ranks better without any.  Without likes in the contest it gets none. */
nln_status nln_rule_factors_choose(nln_rule_choice *out, nln_model *model, nln_contest *contest,
                                   const nln_queries *users, nln_thread_pool *pool, nln_error *err);

/* Whether likes of validation rank better by rules that count a dislike as half a like than by
 * rules of likes alone; 0 without dislikes or without validation. */
nln_status nln_rule_factors_try_dislikes(int *better, const nln_model *model,
                                         const nln_ratings *ratings, const nln_queries *users,
                                         nln_thread_pool *pool, nln_error *err);

#endif

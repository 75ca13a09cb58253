/* The weights of rules found by counting, in closed form: see item_rules.h.
 *
 * Up to NLN_MOST_DENSE literals all of them are premises of every item at first, in one large
 * system, and then the strongest are kept.  In a larger catalogue each item has a small system of
 * its most telling companions. */
#ifndef NLN_MODELS_RULE_WEIGHTS_H
#define NLN_MODELS_RULE_WEIGHTS_H

#include "base/thread_pool.h"
#include "models/cooccurrence.h"
#include "models/item_rules.h"

enum { NLN_MOST_DENSE = 5000, NLN_MOST_FEW = 200 };

/* How many premises an item can have of the `most` that are wanted: with small systems
 * NLN_MOST_FEW. */
size_t nln_rule_weights_width(const nln_cooccurrence *counts, size_t most);

/* Finds the premises and weights of every item, on the threads of the pool, and indexes them. */
nln_status nln_rule_weights_find(nln_item_rules *rules, const nln_cooccurrence *counts, double l2,
                                 nln_thread_pool *pool, nln_error *err);

#endif

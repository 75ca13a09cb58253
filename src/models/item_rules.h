/* Rules found by counting: "who likes a likes v", each with a weight.
 *
 * For every item v the weights b of its premises, the items S that are liked together with it,
 * minimise |x_v - X_S b|^2 + l2 |b|^2 over the users, where x_i says who likes item i.  With all
 * other items as premises that is EASE (Steck, 2019), column by column; with the `width` most
 * telling ones it costs a small system for each item, in any catalogue.
 *
 * With rules the score of v after a history is
 *
 *     network * the score that the network gives it
 *         + whole * sum of b over the likes of the history
 *         + recent * sum of b * DECAY^age over them,
 *
 * where the age of the last like is 0, and of the one before it 1.  The factors say how much the
 * model believes the rules, and how much the order of a history counts. */
#ifndef NLN_MODELS_ITEM_RULES_H
#define NLN_MODELS_ITEM_RULES_H

#include "base/thread_pool.h"
#include "models/queries.h"

#define NLN_ITEM_RULES_DECAY 0.9
enum { NLN_ITEM_RULES_MOST = 1000 }; /* premises of an item */

typedef struct nln_item_rules {
    size_t n_items, width;
    int32_t *premise;              /* [n_items, width] of each item, or -1 where it has fewer */
    float *weight;                 /* [n_items, width] */
    double network, whole, recent; /* the factors */

    /* The same by premise; made by nln_item_rules_index. */
    size_t *start;       /* [n_items + 1] */
    int32_t *conclusion; /* [start[n_items]] */
    float *strength;     /* [start[n_items]] */
} nln_item_rules;

/* Without premises; the factors are 1, 0 and 0. */
nln_status nln_item_rules_create(nln_item_rules **out, size_t n_items, size_t width,
                                 nln_error *err);
void nln_item_rules_free(nln_item_rules *rules);

/* The likes of all users, and how often two items are liked together; made once for several l2. */
typedef struct nln_like_counts nln_like_counts;
nln_status nln_like_counts_create(nln_like_counts **out, const nln_queries *users, size_t n_items,
                                  nln_error *err);
void nln_like_counts_free(nln_like_counts *counts);

/* Finds the premises and weights of every item, on the threads of the pool, and indexes them. */
nln_status nln_item_rules_find(nln_item_rules *rules, const nln_like_counts *counts, double l2,
                               nln_thread_pool *pool, nln_error *err);
/* The same with similarities as weights: how many like both, over the root of how many like each,
 * and l2 more. */
nln_status nln_item_rules_compare(nln_item_rules *rules, const nln_like_counts *counts, double l2,
                                  nln_error *err);
/* After premises or weights have changed. */
nln_status nln_item_rules_index(nln_item_rules *rules, nln_error *err);

/* score[v] += what the likes of a history add to every item v, by the given factors.  An item that
 * is there several times counts once, at its last place.  `seen` is [n_items], all 0 before and
 * after. */
void nln_item_rules_add(double *score, const nln_item_rules *rules, const nln_literal *history,
                        size_t n, double whole, double recent, uint8_t *seen);

#endif

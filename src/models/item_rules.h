/* Rules found by counting: "who likes a likes v" and "who dislikes a likes v", each with a weight.
 *
 * For every item v the weights b of its premises, the literals S that are true of the users who
 * like it, minimise |x_v - X_S b|^2 + l2 |b|^2 over the users, where x_v says who likes item v, and
 * column s of X_S of whom s is true; the prior of a dislike is twice that of a like.  With the
 * likes of all other items as premises that is EASE (Steck, 2019), column by column.  Or a dislike
 * is no premise but a part of a like, `dislike`, in both x and X: who met an item chose it, and so
 * tells what else is chosen.  See rule_weights.h.
 *
 * With rules the score of v after a history is
 *
 *     network * the score that the network gives it
 *         + whole * sum of b over the literals of the history
 *         + recent * sum of b * DECAY^age over them,
 *
 * where the age of a literal is the number of likes after it, and a dislike that is
 * part of a like counts so much of it.  The factors say how much the model
 * believes the rules, and how much the order of a history counts. */
#ifndef NLN_MODELS_ITEM_RULES_H
#define NLN_MODELS_ITEM_RULES_H

#include "models/cooccurrence.h"

#define NLN_ITEM_RULES_DECAY 0.9
enum { NLN_ITEM_RULES_MOST = 1000 }; /* premises of an item */

typedef struct nln_item_rules {
    size_t n_items, width;
    int32_t *premise; /* [n_items, width] literals (cooccurrence.h), or -1 where there are fewer */
    float *weight;    /* [n_items, width] */
    double network, whole, recent; /* the factors */
    double dislike;                /* the part of a like that a dislike is */

    /* The same by premise; made by nln_item_rules_index. */
    size_t *start;       /* [2 n_items + 1] */
    int32_t *conclusion; /* [start[2 n_items]] */
    float *strength;     /* [start[2 n_items]] */
} nln_item_rules;

/* Without premises; the factors are 1, 0 and 0, and a dislike is no part of a like. */
nln_status nln_item_rules_create(nln_item_rules **out, size_t n_items, size_t width,
                                 nln_error *err);
void nln_item_rules_free(nln_item_rules *rules);

/* Takes similarities as weights, of the nearest items: how many like both, over the root of how
 * many like each, and l2 more. */
nln_status nln_item_rules_compare(nln_item_rules *rules, const nln_cooccurrence *counts, double l2,
                                  nln_error *err);
/* After premises or weights have changed. */
nln_status nln_item_rules_index(nln_item_rules *rules, nln_error *err);

/* Calls `add` with every premise that is true of a history and its factor, the last first.  An item
 * that is there several times counts once, at its last place.  `seen` is [n_items], all 0 before
 * and after. */
typedef void nln_add_premise(void *context, size_t premise, double factor);
void nln_item_rules_each(nln_add_premise *add, void *context, const nln_item_rules *rules,
                         const nln_literal *history, size_t n, double whole, double recent,
                         uint8_t *seen);
/* score[v] += what these add to every item v, by the given factors. */
void nln_item_rules_add(double *score, const nln_item_rules *rules, const nln_literal *history,
                        size_t n, double whole, double recent, uint8_t *seen);

#endif

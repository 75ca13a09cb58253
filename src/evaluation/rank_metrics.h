/* Ranks of liked items, and the metrics of a ranking.
 *
 * The rank of an item is 1 + the number of rivals with a higher score + half the number of rivals
 * with the same score: the expected rank if ties are broken at random.  So a model that gives every
 * item the same score ranks all of them in the middle.  A rival with the score NaN counts as
 * higher, and an item with the score NaN is last. */
#ifndef NLN_EVALUATION_RANK_METRICS_H
#define NLN_EVALUATION_RANK_METRICS_H

#include "nln.h"

/* The rank of `item` among all n items without those with excluded[i] != 0 (NULL: none).  The item
 * is never its own rival, and excluded[item] does not matter. */
double nln_rank_metrics_place(const double *score, size_t n, size_t item, const uint8_t *excluded);

/* The rank of `item` among the rivals; the item itself is skipped. */
double nln_rank_metrics_place_among(const double *score, size_t item, const int32_t *rivals,
                                    size_t n_rivals);

/* Reads the option --cuts: up to NLN_MOST_CUTS different whole numbers >= 1, separated by
 * commas.  Sets n_cuts and cut, ascending; on failure `out` stays as it was. */
nln_status nln_rank_metrics_cuts(nln_ranking *out, const char *text, nln_error *err);

/* Fills everything except the cuts, which must be set, from the ranks of n liked items and the
 * users who liked them.  The items of one user must be adjacent.  All 0 for n = 0. */
void nln_rank_metrics_measure(nln_ranking *out, const double *ranks, const size_t *users, size_t n);

/* The liked item that negatives are sampled for, and the items that its user likes in all splits:
 * distinct and ascending, each in 0 .. n_items-1. */
typedef struct nln_rank_negatives {
    size_t n_items;
    const int32_t *liked; /* [n_liked] */
    size_t n_liked;
    uint64_t seed;
    size_t user, item; /* the item to be ranked */
} nln_rank_negatives;

/* Samples k distinct items that the user never liked, uniformly, in no particular order; all of
 * them if there are fewer.  *n is the number sampled.  The sample depends only on `draw` and k.
 * Takes time k log n_liked, whatever the number of items. */
nln_status nln_rank_metrics_sample(int32_t *out, size_t *n, size_t k,
                                   const nln_rank_negatives *draw, nln_error *err);

#endif

/* Where a liked item stands among others, and what that is worth.
 *
 * The rank of an item is 1 + the number of rivals with a higher score + half the number of
 * rivals with the same score: its expected place when ties are broken by chance.  So a model
 * that gives every item one score ranks all of them in the middle, and none on top.  A rival
 * whose score is NaN counts as higher, and an item whose score is NaN is the last. */
#ifndef NLN_EVALUATION_RANK_METRICS_H
#define NLN_EVALUATION_RANK_METRICS_H

#include "nln.h"

/* The rank of `item` among all n items but those with excluded[i] != 0 (NULL: none).  The item
 * is never its own rival, and its own mark is not read. */
double nln_rank_metrics_place(const double *score, size_t n, size_t item, const uint8_t *excluded);

/* The rank of `item` among the rivals, given by their numbers; itself among them is skipped. */
double nln_rank_metrics_place_among(const double *score, size_t item, const int32_t *rivals,
                                    size_t n_rivals);

/* Reads the option --cuts: up to NLN_MOST_CUTS different whole numbers >= 1, separated by
 * commas.  Sets n_cuts and cut, ascending; on failure `out` stays as it was. */
nln_status nln_rank_metrics_cuts(nln_ranking *out, const char *text, nln_error *err);

/* Fills everything but the cuts, which are there already, from the ranks of n liked items and
 * the users who liked them; the items of a user lie side by side.  All 0 for n = 0. */
void nln_rank_metrics_measure(nln_ranking *out, const double *ranks, const size_t *users, size_t n);

/* Whom to draw negatives for.  The liked items are those of the user in all splits, distinct
 * and ascending, each in 0 .. n_items-1. */
typedef struct nln_rank_negatives {
    size_t n_items;
    const int32_t *liked; /* [n_liked] */
    size_t n_liked;
    uint64_t seed;
    size_t user, item; /* the liked item that is to be ranked */
} nln_rank_negatives;

/* Draws k distinct items that the user never liked, each set of k as probable as any other,
 * in no particular order; when there are fewer, all of them.  *n is how many were drawn.  They
 * depend on nothing but the draw and k.  Takes time k log n_liked, however many items exist. */
nln_status nln_rank_metrics_sample(int32_t *out, size_t *n, size_t k,
                                   const nln_rank_negatives *draw, nln_error *err);

#endif

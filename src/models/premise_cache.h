/* What single premises of rules found by counting add to a few items, kept while the items stay the
 * same: to explain a list hundreds of parts of one history are scored for the same items. */
#ifndef NLN_MODELS_PREMISE_CACHE_H
#define NLN_MODELS_PREMISE_CACHE_H

#include "models/item_rules.h"

enum { NLN_PREMISE_CACHE_ITEMS = 128, NLN_PREMISE_CACHE_PREMISES = 256 };

typedef struct nln_premise_cache {
    const nln_item_rules *rules;
    int32_t item[NLN_PREMISE_CACHE_ITEMS]; /* [n] */
    int32_t n;
    int32_t n_rows;
    int32_t premise[NLN_PREMISE_CACHE_PREMISES]; /* [n_rows] */
    int32_t *row;    /* [2 items of the rules] 1 + that of a premise, or 0 */
    int32_t *place;  /* [items of the rules] 1 + that in `item`, or 0 */
    float *strength; /* [NLN_PREMISE_CACHE_PREMISES, NLN_PREMISE_CACHE_ITEMS] */
} nln_premise_cache;

nln_status nln_premise_cache_open(nln_premise_cache *rows, const nln_item_rules *rules,
                                  nln_error *err);
void nln_premise_cache_close(nln_premise_cache *rows);

/* Whether these are the items that were asked for last; they are from now on.  Never for more than
 * NLN_PREMISE_CACHE_ITEMS. */
int nln_premise_cache_know(nln_premise_cache *rows, const int32_t *item, int32_t n);
/* For these items the same as nln_item_rules_add: score[item[i]] += what the history adds. */
void nln_premise_cache_add(double *score, nln_premise_cache *rows, const nln_literal *history,
                           size_t n, double whole, double recent, uint8_t *seen);

#endif

/* What single premises of rules found by counting add to a few items, kept while the items stay the
 * same: to explain a list hundreds of parts of one history are scored for the same items. */
#ifndef NLN_MODELS_RULE_ROWS_H
#define NLN_MODELS_RULE_ROWS_H

#include "models/item_rules.h"

enum { NLN_RULE_ROWS_ITEMS = 128, NLN_RULE_ROWS_PREMISES = 256 };

typedef struct nln_rule_rows {
    const nln_item_rules *rules;
    int32_t item[NLN_RULE_ROWS_ITEMS]; /* [n] */
    int32_t n;
    int32_t n_rows;
    int32_t premise[NLN_RULE_ROWS_PREMISES]; /* [n_rows] */
    int32_t *row;    /* [2 items of the rules] 1 + that of a premise, or 0 */
    int32_t *place;  /* [items of the rules] 1 + that in `item`, or 0 */
    float *strength; /* [NLN_RULE_ROWS_PREMISES, NLN_RULE_ROWS_ITEMS] */
} nln_rule_rows;

nln_status nln_rule_rows_open(nln_rule_rows *rows, const nln_item_rules *rules, nln_error *err);
void nln_rule_rows_close(nln_rule_rows *rows);

/* Whether these are the items that were asked for last; they are from now on.  Never for more than
 * NLN_RULE_ROWS_ITEMS. */
int nln_rule_rows_know(nln_rule_rows *rows, const int32_t *item, int32_t n);
/* For these items the same as nln_item_rules_add: score[item[i]] += what the history adds. */
void nln_rule_rows_add(double *score, nln_rule_rows *rows, const nln_literal *history, size_t n,
                       double whole, double recent, uint8_t *seen);

#endif

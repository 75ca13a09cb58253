/* Finding rules by counting.
 *
 * Paths of one and two atoms are counted from the facts they would explain: for every r(x, y) all
 * ways from x to y are followed, and each pair of relations counts once.  How often a body holds is
 * then counted for those that are left; where that is very often, in a part of the entities, from
 * which the whole is estimated.  Rules with constants are counted from the entities that share a
 * property, an edge of the index. */
#ifndef NLN_RULES_MINE_H
#define NLN_RULES_MINE_H

#include "rules/rules.h"

typedef struct nln_mine_settings {
    int least_support;       /* pairs that a rule must explain */
    double least_confidence; /* as believed: nln_rule_belief */
    int most_paths;          /* the best for each relation */
    int most_constants;      /* the best for each relation and answer; 0: no constants */
} nln_mine_settings;

/* With the mirror of each path, and indexed. */
nln_status nln_rules_mine(nln_rules **out, const nln_fact_index *facts,
                          const nln_mine_settings *settings, nln_error *err);

#endif

/* Rules with one or two atoms in the body, and what they conclude.
 *
 * With x, y, z for variables, A, B, C for constants, and p, q, r for relations or their inverses:
 *
 *     p(x, y) -> r(x, y)
 *     p(x, z) & q(z, y) -> r(x, y)
 *     p(x, A) -> r(x, C)
 *     p(x, A) & q(x, B) -> r(x, C)
 *
 * A rule has its support, the pairs for which body and head hold, and the number of pairs for which
 * the body holds.  The confidence that scores use counts some bodies without a head beside those
 * seen, so that a rule seen twice is believed less than one seen often. */
#ifndef NLN_RULES_RULES_H
#define NLN_RULES_RULES_H

#include "data/fact_index.h"

enum { NLN_RULE_NONE = -1 };

typedef struct nln_rule {
    int32_t head;        /* r, of 2 R */
    int32_t body[2];     /* p and q, of 2 R; NLN_RULE_NONE where there is no second atom */
    int32_t constant[2]; /* A and B, or NLN_RULE_NONE ... */
    int32_t answer;      /* ... and C */
    int32_t support, n_body;
} nln_rule;

enum { NLN_RULE_NUMBERS = sizeof(nln_rule) / sizeof(int32_t) };

typedef struct nln_rules {
    nln_rule *list; /* [n] paths by head; then constants by head, first atom, constant */
    size_t n, room, n_paths;
    int32_t *by_answer; /* [n - n_paths] the rules with constants by answer and head */
} nln_rules;

void nln_rules_free(nln_rules *rules);
nln_status nln_rules_create(nln_rules **out, nln_error *err);
nln_status nln_rules_add(nln_rules *rules, const nln_rule *rule, nln_error *err);
/* Sorts the list, after which it can be asked. */
nln_status nln_rules_index(nln_rules *rules, nln_error *err);

static inline int nln_rule_has_constants(const nln_rule *rule)
{
    return rule->answer != NLN_RULE_NONE;
}

/* The share of the bodies that have a head, and how far it is believed. */
double nln_rule_confidence(const nln_rule *rule);
double nln_rule_belief(const nln_rule *rule);
/* The rule that concludes the same fact from its other end, for rules without constants. */
nln_rule nln_rule_mirror(const nln_rule *rule, const nln_fact_index *facts);

/* One conclusion of a question: `entity` by rule `rule` of the list. */
typedef void nln_rules_visit(void *context, int32_t entity, size_t rule);
/* Visits each answer that a rule gives to relation(entity, ?), once for each rule.  `stamp` is
 * [entities], 0 at first, and `*clock` the last stamp given. */
void nln_rules_answers(const nln_rules *rules, const nln_fact_index *facts, int32_t entity,
                       int32_t relation, int64_t *stamp, int64_t *clock, nln_rules_visit *visit,
                       void *context);
/* score[e] += -log(1 - belief) for each rule that answers e: what the rules' noisy-or, 1 - prod(1 -
 * belief), says as a sum.  Stamps as above. */
void nln_rules_scores(double *score, const nln_rules *rules, const nln_fact_index *facts,
                      int32_t entity, int32_t relation, int64_t *stamp, int64_t *clock);

#endif

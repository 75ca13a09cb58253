/* Facts and rules in human words. */
#ifndef NLN_RULES_RULE_TEXT_H
#define NLN_RULES_RULE_TEXT_H

#include "rules/rules.h"

typedef struct nln_rule_names {
    const nln_symbols *entities, *relations;
} nln_rule_names;

/* Writes r(a, b), where an inverse relation changes its ends. */
void nln_rule_text_fact(char *text, size_t size, const nln_rule_names *names, int32_t relation,
                        int32_t a, int32_t b);
/* Writes a rule: parent(x, z) & brother(z, y) -> uncle(x, y) */
void nln_rule_text_rule(char *text, size_t size, const nln_rule_names *names, const nln_rule *rule);
/* Writes the instance of a rule that concludes relation(entity, answer) from the facts:
 * parent(kim, pat) & brother(pat, lee) -> uncle(kim, lee), with the first z of several. */
void nln_rule_text_instance(char *text, size_t size, const nln_rule_names *names,
                            const nln_rule *rule, const nln_fact_index *facts, int32_t entity,
                            int32_t relation, int32_t answer);

#endif

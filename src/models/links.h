/* What a model of links keeps of its training: the relations, and the facts by entity, which are
 * premises of its answers and reasons for them. */
#ifndef NLN_MODELS_LINKS_H
#define NLN_MODELS_LINKS_H

#include "base/symbols.h"
#include "data/fact_index.h"
#include "rules/rules.h"

typedef struct nln_links {
    nln_symbols *relations;
    nln_fact_index *facts;
    nln_rules *rules; /* NULL: none */
    double by_rules;  /* weight of the rules in a score: fitted on validation */
} nln_links;

/* Takes copies; `n` facts among n_entities. */
nln_status nln_links_create(nln_links **out, const nln_symbols *relations, size_t n_entities,
                            const nln_triple *facts, size_t n, nln_error *err);
void nln_links_free(nln_links *links);

#endif

#include "models/links.h"

nln_status nln_links_create(nln_links **out, const nln_symbols *relations, size_t n_entities,
                            const nln_triple *facts, size_t n, nln_error *err)
{
    nln_links *links = nln_memory_zeroed(1, sizeof *links);
    *out = NULL;
    if (!links)
        return nln_error_memory(err);
    links->relations = nln_symbols_copy(relations);
    nln_status status =
        links->relations
            ? nln_fact_index_create(&links->facts, n_entities, (size_t)nln_symbols_count(relations),
                                    &facts, &n, 1, err)
            : nln_error_memory(err);
    if (status)
        nln_links_free(links);
    else
        *out = links;
    return status;
}

void nln_links_free(nln_links *links)
{
    if (!links)
        return;
    nln_symbols_free(links->relations);
    nln_fact_index_free(links->facts);
    nln_rules_free(links->rules);
    nln_free(links);
}

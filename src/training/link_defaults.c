#include "training/link_defaults.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/options.h"
#include "models/method.h"

static int compare(const void *x, const void *y)
{
    uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

nln_status nln_link_defaults_size(nln_graph_size *out, const nln_triples *triples, nln_error *err)
{
    size_t n = triples->n[NLN_TRAIN];
    uint64_t *pair = nln_array_zeroed(n, sizeof *pair);
    if (!pair)
        return nln_error_memory(err);
    *out = (nln_graph_size){.triples = n};
    for (size_t i = 0; i < n; i++) {
        nln_triple t = triples->list[NLN_TRAIN][i];
        size_t last = (size_t)(t.head > t.tail ? t.head : t.tail);
        out->entities = last >= out->entities ? last + 1 : out->entities;
        pair[i] = (uint64_t)(uint32_t)t.head << 32 | (uint32_t)t.tail;
    }
    if (n)
        qsort(pair, n, sizeof *pair, compare);
    for (size_t i = 0; i < n; i++)
        out->pairs += i == 0 || pair[i] != pair[i - 1];
    nln_free(pair);
    return NLN_OK;
}

nln_status nln_link_defaults_assign(nln_options *options, const nln_graph_size *size,
                                    nln_error *err)
{
    enum { MANY_TRIPLES = 30000, MANY_ENTITIES = 10000 };
    double by_entity = (double)size->triples / (double)(size->entities ? size->entities : 1);
    int large = size->triples > MANY_TRIPLES, dense = by_entity >= 20, sparse = by_entity < 5;
    int one_relation = (double)size->triples <= 1.01 * (double)size->pairs;
    const nln_method *method = nln_method_for((int)nln_options_number(options, "model"),
                                              (int)nln_options_number(options, "task"));
    int several = dense && !large && method->has & NLN_HAS_NETWORKS;
    const struct {
        const char *name;
        double value;
    } defaults[] = {
        {"dimension", large ? 500 : 1000},
        {"networks", several ? 2 : 1},
        {"batch", large ? 500 : 0},
        {"negatives", size->entities > MANY_ENTITIES ? 4000 : 0},
        {"n3", dense    ? 0.003
               : sparse ? 0.1
                        : 0.05},
        {"dropout", dense ? 0.5 : 0},
        {"relation-weight", dense && one_relation ? 1 : 0},
    };
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < sizeof defaults / sizeof *defaults; i++) {
        char text[32];
        snprintf(text, sizeof text, "%g", defaults[i].value);
        status = nln_options_assign(options, defaults[i].name, text, NLN_FROM_DATA, err);
    }
    return status;
}

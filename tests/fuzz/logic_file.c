/* Any bytes as a file of labelled expressions: plain, .gz or .zst, either
 * dialect.  What is accepted must have a label and a value for every expression,
 * and what is refused a sentence. */
#include "data/logic_data.h"
#include "first_order.h"
#include "fuzz.h"

static void evaluate(const nln_labelled *set, size_t n_variables)
{
    uint8_t *values = calloc(n_variables + 1, 1), *stack = malloc(set->exprs.n_nodes + 1);
    require(values && stack);
    for (size_t i = 0; i < set->exprs.n; i++) {
        int value = nln_expr_evaluate(nln_exprs_get(&set->exprs, i), values, stack);
        require((value == 0 || value == 1) && set->labels[i] <= 1);
    }
    free(values);
    free(stack);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    nln_labelled set = {0};
    nln_input *in;
    nln_error err = {0};
    size_t before = nln_memory_used();
    nln_vocabulary names = {.variables = nln_symbols_create()};
    require(!nln_relations_create(&names.relations, NULL) && !nln_atoms_create(&names.atoms, NULL));
    nln_status status = nln_input_memory(&in, bytes, n_bytes, "fuzz", &err);
    if (!status)
        status = nln_labelled_read(&set, &names, in, &err);
    require_told(status, &err);
    if (!status)
        evaluate(&set, (size_t)nln_symbols_count(names.variables));
    nln_input_close(in);
    nln_labelled_free(&set);
    first_order_free(&names);
    require(nln_memory_used() == before);
    return 0;
}

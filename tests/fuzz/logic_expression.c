/* Whatever bytes come in: an expression or an error with a place, never a crash; what
 * is read prints to a text that is read as the same nodes; and every normal form, prenex form and
 * grounding has the same truth value under all assignments. */
#include "first_order.h"
#include "fuzz.h"
#include "logic/grounding.h"
#include "logic/normal_form.h"
#include "logic/prenex.h"
#include "same_expr.h"

static void check_print(nln_expr e, const nln_vocabulary *names)
{
    nln_exprs list = {0};
    char *text = NULL;
    require(nln_print(&text, e, names, NULL) == NLN_OK);
    require(nln_parse(&list, names, 0, text, strlen(text), NLN_DIALECT_TEXT, NULL) == NLN_OK);
    require(same_expr(nln_exprs_get(&list, 0), e));
    nln_free(text);
    nln_exprs_free(&list);
}

static void check_forms(nln_expr e, const nln_symbols *s)
{
    static const nln_form forms[] = {NLN_FORM_NONE, NLN_FORM_NNF, NLN_FORM_DNF, NLN_FORM_CNF};
    int n_variables = nln_symbols_count(s);
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        nln_exprs out = {0};
        nln_error err = {0};
        nln_status status = nln_normal(&out, e, forms[i], 256, &err);
        require(status == NLN_OK || (status == NLN_LIMIT && err.status == NLN_LIMIT));
        if (status == NLN_OK && n_variables <= 8)
            require(trees_equivalent(e, nln_exprs_get(&out, 0), n_variables));
        nln_exprs_free(&out);
    }
}

/* By recursion, and over all entities: so only for short formulas of few. */
static void check_quantified(nln_expr e, const nln_vocabulary *names)
{
    enum { SHORT = 200, FEW = 4 };
    nln_exprs prenex = {0}, ground = {0};
    nln_random random = nln_random_seed(1, 0);
    int32_t n_entities = nln_symbols_count(names->relations->entities);
    nln_status status = nln_prenex(&prenex, names->atoms, e, 64, NULL);
    if (!status)
        status = nln_normal(&prenex, nln_exprs_get(&prenex, 0), NLN_FORM_NNF, 64, NULL);
    require(status == NLN_OK || status == NLN_LIMIT);
    nln_grounding g = {names->atoms, n_entities, NULL, 64};
    if (!status && e.n_nodes < SHORT && n_entities > 0 && n_entities < FEW &&
        names->relations->arity && nln_relations_most_arguments(names->relations) <= 3) {
        nln_expr p = nln_exprs_get(&prenex, 1);
        nln_instances n = nln_ground_count(&g, p);
        require(n.made <= 64);
        if (n.all > 0 && n.all <= 64) {
            require(nln_ground(&ground, &g, p, &random, NULL) == NLN_OK);
            require(first_order_agree(e, p, names, 4));
            require(first_order_agree(e, nln_exprs_get(&ground, 0), names, 4));
        }
    }
    nln_exprs_free(&prenex);
    nln_exprs_free(&ground);
}

static void check(const char *text, size_t size, nln_dialect dialect)
{
    nln_exprs list = {0};
    nln_error err = {0};
    nln_vocabulary names = {.variables = nln_symbols_create(), .holes = size % 2 == 0};
    require(!nln_relations_create(&names.relations, NULL) && !nln_atoms_create(&names.atoms, NULL));
    nln_status status = nln_parse(&list, &names, 1, text, size, dialect, &err);
    if (status == NLN_OK) {
        nln_expr e = nln_exprs_get(&list, 0);
        check_print(e, &names);
        if (names.atoms->n == 0 && nln_symbols_count(names.atoms->bound) == 0)
            check_forms(e, names.variables);
        else if (!names.holes)
            check_quantified(e, &names);
    } else {
        require((status == NLN_SYNTAX || status == NLN_UNKNOWN || status == NLN_LIMIT) &&
                list.n_nodes == 0);
        require(err.column >= 1 && err.column <= (long)size + 1 && err.message[0]);
    }
    nln_exprs_free(&list);
    first_order_free(&names);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    size_t before = nln_memory_used();
    check((const char *)bytes, n_bytes, NLN_DIALECT_TEXT);
    check((const char *)bytes, n_bytes, NLN_DIALECT_PUBLISHED);
    require(nln_memory_used() == before);
    return 0;
}

/* Whatever bytes come in: an expression or an error with a place, never a crash; what
 * is read prints to a text that is read as the same nodes; and every normal form has
 * the same truth value under all assignments. */
#include "fuzz.h"
#include "logic/normal_form.h"
#include "same_expr.h"
#include "trees.h"

static void check_print(nln_expr e, nln_symbols *s)
{
    nln_exprs list = {0};
    char *text = NULL;
    require(nln_print(&text, e, s, NULL) == NLN_OK);
    require(nln_parse(&list, s, 0, text, strlen(text), NLN_DIALECT_TEXT, NULL) == NLN_OK);
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

static void check(const char *text, size_t size, nln_dialect dialect)
{
    nln_exprs list = {0};
    nln_error err = {0};
    nln_symbols *s = nln_symbols_create();
    nln_status status = nln_parse(&list, s, 1, text, size, dialect, &err);
    if (status == NLN_OK) {
        check_print(nln_exprs_get(&list, 0), s);
        check_forms(nln_exprs_get(&list, 0), s);
    } else {
        require(status == NLN_SYNTAX && list.n_nodes == 0);
        require(err.column >= 1 && err.column <= (long)size + 1 && err.message[0]);
    }
    nln_exprs_free(&list);
    nln_symbols_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    size_t before = nln_memory_used();
    check((const char *)bytes, n_bytes, NLN_DIALECT_TEXT);
    check((const char *)bytes, n_bytes, NLN_DIALECT_PUBLISHED);
    require(nln_memory_used() == before);
    return 0;
}

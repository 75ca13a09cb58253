/* Normal forms.
 *
 * nln_normal appends one expression to `out`, equal to `e` under every assignment.
 * Constants are folded away (only a constant expression keeps one), nested ANDs and
 * ORs are merged, and operands that say nothing new are removed (simplify.h): a & a is a,
 * a | a & b is a, a & !a is F.  An expression already in the wanted form from which nothing is
 * removed comes back node for node, in its order.  Where DNF and CNF have to be built, clauses are
 * in the order of the text.
 *
 * An expression with quantifiers is in prenex form already (prenex.h): its quantifiers stay, and
 * the rest gets the form. */
#ifndef NLN_LOGIC_NORMAL_FORM_H
#define NLN_LOGIC_NORMAL_FORM_H

#include "logic/expr.h"

typedef enum nln_form {
    NLN_FORM_NONE, /* as given, with ->, <->, xor expressed by and, or, not */
    NLN_FORM_NNF,  /* negations only before variables */
    NLN_FORM_DNF,  /* an OR of ANDs of literals */
    NLN_FORM_CNF   /* an AND of ORs of literals */
} nln_form;

/* `limit` bounds the result: at most `limit` clauses (counted before any is left
 * out), and at most 64 * limit nodes more than twice those of `e`.  Beyond it
 * NLN_LIMIT, found by counting before building.  An expression that is in the wanted
 * form, or is so when nested ANDs and ORs are merged and negations pushed inside, never
 * meets the limit, nor do NONE and NNF without <-> and xor.
 * `e` may be one of `out`. */
nln_status nln_normal(nln_exprs *out, nln_expr e, nln_form form, size_t limit, nln_error *err);

/* Appends `e`, which may have quantifiers anywhere, without constants, with ->, <->, xor expressed
 * by and, or, not, and with negations only before variables and atoms: !forall x: p(x) is
 * exists x: !p(x). */
nln_status nln_normal_negations(nln_exprs *out, nln_expr e, size_t limit, nln_error *err);

#endif

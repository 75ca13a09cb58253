/* Text to expression and back.
 *
 * From loosest to tightest:
 *
 *     forall x y:  ∀  exists x:  ∃     as far to the right as possible
 *     <->  <=>  ↔  ⇔  iff              to the left:  a <-> b <-> c is (a <-> b) <-> c
 *     ->   =>   →  ⇒  implies          to the right: a -> b -> c is a -> (b -> c)
 *     xor  ⊕                           to the left
 *     |    ||   \/  ∨  or              any number:   a | b | c is one OR of three
 *     &    &&   /\  ∧  and             any number
 *     !    ~    ¬  not
 *
 * then parentheses, the constants T, F, true, false, ⊤, ⊥, variables, and atoms p(a, b): a name
 * directly followed by its arguments in parentheses.  The words are recognised in lower and upper
 * case, not in mixed case.  Any other run of letters, digits, _ . : is a name; letters outside
 * ASCII are those of the scripts up to U+1FFF and from U+3040 on (Greek, Cyrillic, Chinese, ...),
 * and the subscripts U+2080 to U+209C.  Any text in quotes is a name, too: "green tea", with the
 * escapes \\ \" \' \t \n \r.  Blanks and line ends separate.
 *
 * A name has one arity.  An argument is a variable that a quantifier around it binds, an entity, or
 * the hole `?` of a question.  The name of a bound variable has no colon and is not quoted, and
 * quantifiers inside each other bind different names.  forall, exists, implies and iff are names
 * where only a name makes sense.
 *
 * Parentheses always keep their group: a & (b & c) is an AND of two whose second
 * operand is an AND.  So every expression has a text of its own, and reading it gives
 * the same nodes again. */
#ifndef NLN_LOGIC_PARSE_H
#define NLN_LOGIC_PARSE_H

#include "logic/expr.h"

typedef enum nln_dialect {
    NLN_DIALECT_TEXT,     /* the grammar above */
    NLN_DIALECT_PUBLISHED /* ~593^924v874: ~ not, ^ and, v or, ( ); integers are variables */
} nln_dialect;

/* Appends the expression text[0..length) to `list`, and its atoms to those of `names`.  With
 * grow = 0 a name that `names` does not have is NLN_UNKNOWN; else it is added (but a new entity
 * within a quantifier only in quotes).  On error nothing is appended (but names and atoms seen
 * before the error stay in `names`), and err holds the column (1-based, in characters) and what was
 * expected.  Takes time and memory proportional to the length at any nesting. */
nln_status nln_parse(nln_exprs *list, const nln_vocabulary *names, int grow, const char *text,
                     size_t length, nln_dialect dialect, nln_error *err);

/* Writes `e` as text with `& | ! -> <-> xor` and as few parentheses as the
 * grammar needs to read it back; *out is malloced.  A variable that `names` has no name for is
 * NLN_UNKNOWN. */
nln_status nln_print(char **out, nln_expr e, const nln_vocabulary *names, nln_error *err);
/* The name of a variable, predicate or entity as an expression has it, in quotes if it needs these;
 * *out is malloced. */
nln_status nln_print_name(char **out, const char *name, nln_error *err);

#endif

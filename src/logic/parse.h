/* Text to expression and back.
 *
 * From loosest to tightest:
 *
 *     <->  ↔               to the left:  a <-> b <-> c is (a <-> b) <-> c
 *     ->   →               to the right: a -> b -> c is a -> (b -> c)
 *     xor  ⊕               to the left
 *     |    ||  ∨  or       any number:   a | b | c is one OR of three
 *     &    &&  ∧  and      any number
 *     !    ~   ¬  not
 *
 * then parentheses, the constants T, F, true, false, and variables.  The words are
 * recognised in lower and upper case, not in mixed case.  Any other run of letters,
 * digits, _ . : is a variable; letters outside ASCII are those of the scripts up to
 * U+1FFF and from U+3040 on (Greek, Cyrillic, Chinese, ...), and the subscripts
 * U+2080 to U+209C.  Blanks and line ends separate.
 *
 * Parentheses always keep their group: a & (b & c) is an AND of two whose second
 * operand is an AND.  So every expression has a text of its own, and reading it gives
 * the same nodes again. */
#ifndef NLN_LOGIC_PARSE_H
#define NLN_LOGIC_PARSE_H

#include "base/symbols.h"
#include "logic/expr.h"

typedef enum nln_dialect {
    NLN_DIALECT_TEXT,     /* the grammar above */
    NLN_DIALECT_PUBLISHED /* ~593^924v874: ~ not, ^ and, v or, ( ); integers are variables */
} nln_dialect;

/* Appends the expression text[0..length) to `list`.  With grow = 0 a name that
 * `symbols` does not know is NLN_UNKNOWN; else it is added.  On error nothing is
 * appended (but names seen before the error stay in `symbols`), and err holds the
 * column (1-based, in characters) and what was expected.  Takes time and memory
 * proportional to the length at any nesting. */
nln_status nln_parse(nln_exprs *list, nln_symbols *symbols, int grow, const char *text,
                     size_t length, nln_dialect dialect, nln_error *err);

/* Writes `e` as text with `& | ! -> <-> xor` and as few parentheses as the
 * grammar needs to read it back; *out is malloced.  A variable that `symbols` has
 * no name for is NLN_UNKNOWN. */
nln_status nln_print(char **out, nln_expr e, const nln_symbols *symbols, nln_error *err);

#endif

/* The laws of logic: the ten of one vector (Table 1 of the paper) with the modules they are about,
 * and those of two or three. */
#ifndef NLN_NET_LAW_TABLE_H
#define NLN_NET_LAW_TABLE_H

#include "net/plan.h"

/* name, formula, far (1: the sides should be unlike) */
#define NLN_LAWS(X)                              \
    X(negation, "NOT w, w", 1)                   \
    X(double_negation, "NOT NOT w = w", 0)       \
    X(and_identity, "w AND T = w", 0)            \
    X(and_annihilator, "w AND F = F", 0)         \
    X(and_idempotence, "w AND w = w", 0)         \
    X(and_complementation, "w AND NOT w = F", 0) \
    X(or_annihilator, "w OR T = T", 0)           \
    X(or_identity, "w OR F = w", 0)              \
    X(or_idempotence, "w OR w = w", 0)           \
    X(or_complementation, "w OR NOT w = T", 0)

enum {
#define X(name, formula, far) NLN_LAW_##name,
    NLN_LAWS(X)
#undef X
        NLN_N_LAWS
};

typedef struct nln_law {
    const char *name, *formula;
    int far_apart;
} nln_law;
extern const nln_law nln_law_table[NLN_N_LAWS];

/* name, formula, and its two sides in postfix over the vectors a, b and c, which should be alike */
#define NLN_COMPOUND_LAWS(X)                                                             \
    X(and_associativity, "(a AND b) AND c = a AND (b AND c)", "ab&c&", "abc&&")          \
    X(or_associativity, "(a OR b) OR c = a OR (b OR c)", "ab|c|", "abc||")               \
    X(and_commutativity, "a AND b = b AND a", "ab&", "ba&")                              \
    X(or_commutativity, "a OR b = b OR a", "ab|", "ba|")                                 \
    X(and_distributivity, "a AND (b OR c) = (a AND b) OR (a AND c)", "abc|&", "ab&ac&|") \
    X(or_distributivity, "a OR (b AND c) = (a OR b) AND (a OR c)", "abc&|", "ab|ac|&")   \
    X(de_morgan_and, "NOT (a AND b) = NOT a OR NOT b", "ab&!", "a!b!|")                  \
    X(de_morgan_or, "NOT (a OR b) = NOT a AND NOT b", "ab|!", "a!b!&")

enum {
#define X(name, formula, left, right) NLN_COMPOUND_LAW_##name,
    NLN_COMPOUND_LAWS(X)
#undef X
        NLN_N_COMPOUND_LAWS
};

typedef struct nln_compound_law {
    const char *name, *formula, *left, *right;
} nln_compound_law;
extern const nln_compound_law nln_compound_law_table[NLN_N_COMPOUND_LAWS];

/* A set of laws: bit i is law i of one vector, bit NLN_N_LAWS + i compound law i. */
#define NLN_ALL_LAWS          ((1u << NLN_N_LAWS) - 1)
#define NLN_ALL_COMPOUND_LAWS (((1u << NLN_N_COMPOUND_LAWS) - 1) << NLN_N_LAWS)

/* The second operands that the laws of a module give it.  With the identity element and with w
 * itself the result should be w, with the annihilator and with NOT w the annihilator. */
enum { NLN_WITH_IDENTITY, NLN_WITH_W, NLN_WITH_ANNIHILATOR, NLN_WITH_NOT_W, NLN_N_LAW_OPERANDS };

/* A module with laws of two operands. */
typedef struct nln_law_module {
    nln_module_id module;
    int identity, annihilator;   /* rows: T and F for AND, F and T for OR */
    int law[NLN_N_LAW_OPERANDS]; /* by second operand */
} nln_law_module;
enum { NLN_N_LAW_MODULES = 2 };
extern const nln_law_module nln_law_modules[NLN_N_LAW_MODULES];

#endif

/* Which rows of a plan are under the laws, and what these share with the tree.
 *
 * Where every vector is under the laws, they need of each row what the tree needs of it:
 *
 * Loans.  An operation of the tree projects its operands, and keeps the projections apart
 * (work->P).  The laws of an operand take that one of their projections from there, and give its
 * gradient back there, so that the products with it are made once for both.
 *
 * Pairs.  The laws of w need NOT w, its projections and NOT NOT w.  Where NOT w is a row under the
 * laws too, these are its vector, its projections and its NOT.  The two go through the laws side by
 * side, and the laws of w make no NOT at all. */
#ifndef NLN_NET_LAW_LIST_H
#define NLN_NET_LAW_LIST_H

#include "math/real.h"
#include "net/plan.h"

/* The projections that operations of the tree make, of each module and operand: the kind of a
 * loan is NLN_MOST_OPERANDS * module + operand. */
enum { NLN_N_LOANS = NLN_N_MODULES * NLN_MOST_OPERANDS };

/* A loan is one number, -1 for none.  A plan has at most INT32_MAX / NLN_N_LOANS rows. */
static inline int32_t nln_loan(int32_t operation, nln_module_id module, int operand)
{
    return NLN_N_LOANS * operation + NLN_MOST_OPERANDS * (int32_t)module + operand;
}
static inline int nln_loan_kind(int32_t loan)
{
    return loan < 0 ? NLN_N_LOANS : (int)(loan % NLN_N_LOANS);
}
static inline int32_t nln_loan_operation(int32_t loan)
{
    return loan / NLN_N_LOANS;
}

/* The rows of a plan that are under the laws. */
typedef struct nln_law_list {
    int32_t *count; /* [n_rows] how often a row counts under the laws: its occurrences, or in one
                     * shard for all, see lawshare.h */
    int lending; /* the tree keeps projections for the laws; only then there are loans and pairs */
    int32_t n, n_pairs, n_loans;
    int32_t *row;  /* [n] n_pairs rows, their negations in the same order, then the others; while
                    * lending those that are alike lie side by side */
    real *weight;  /* [n] */
    int32_t *loan; /* [n_rows] while lending: what a row borrows, -1 for nothing */
    int32_t *negation; /* [n_rows] likewise: of the first of a pair the second; else negative */
    uint8_t *degree;   /* [n_rows] likewise: how true a row is, in a few steps */
    size_t room;       /* rows */
} nln_law_list;

/* How many rows, what they share, and the flops that were spared where units slept. */
typedef struct nln_law_count {
    int32_t n, n_pairs, n_loans;
    double spared;
} nln_law_count;

/* Room for so many rows; a list of zeros has none. */
nln_status nln_law_list_fit(nln_law_list *l, size_t n_rows, nln_error *err);
void nln_law_list_free(nln_law_list *l);

typedef struct nln_law_selection {
    const real *H; /* [n_rows, dim] the vectors of the rows, T first; by them rows are sorted */
    int dim;
    double weight;  /* of a term */
    double sample;  /* each row is chosen with this probability, and its weight divided by it */
    int lending;    /* all rows are chosen, and share with the tree */
    int tree_drops; /* the tree's NOT has dropout, that of the laws has none: no pairs */
    uint64_t key;
} nln_law_selection;

/* Makes the list from its `count`. */
void nln_law_list_make(nln_law_list *l, const nln_plan *plan, nln_law_selection choice);

#endif

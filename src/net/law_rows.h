/* The rows of a plan that are under the laws, and the results that the laws share with the tree.
 *
 * If every vector is under the laws, tree and laws need the same intermediate results:
 *
 * Shared projections.  An operation of the tree projects its operands and keeps the projections
 * (work->P).  The laws of an operand read one of their projections there and leave its gradient
 * there, so that both need the products with it only once.
 *
 * Negation pairs.  The laws of w need NOT w, its projections and NOT NOT w.  If NOT w is a row
 * under the laws too, these are its vector, its projections and its NOT.  Both rows go through the
 * laws side by side, and the laws of w compute no NOT. */
#ifndef NLN_NET_LAW_ROWS_H
#define NLN_NET_LAW_ROWS_H

#include "math/real.h"
#include "net/plan.h"

/* The projections of a first layer: one for each operand of each module. */
enum { NLN_N_PROJECTIONS = NLN_N_MODULES * NLN_MOST_OPERANDS };
static inline int nln_projection(nln_module_id module, int operand)
{
    return NLN_MOST_OPERANDS * (int)module + operand;
}

/* The projection of a row that an operation of the tree has made. */
typedef struct nln_shared_projection {
    int32_t operation;  /* its row; -1: the row shares none */
    int32_t projection; /* which one; NLN_N_PROJECTIONS: none */
} nln_shared_projection;

typedef struct nln_law_list {
    int32_t *count; /* [n_rows] how often a row counts under the laws: its occurrences, or all those
                     * of the batch in one of its shards, see law_shards.h */
    int sharing;    /* the tree keeps projections; otherwise there are neither these nor pairs */
    int32_t n, n_pairs, n_shared;
    int32_t *row; /* [n] n_pairs rows, their negations in the same order, then the others; if
                   * sharing, similar rows are neighbours */
    real *weight; /* [n] */
    nln_shared_projection *shared; /* [n_rows] if sharing */
    int32_t *negation; /* [n_rows] if sharing: the second row of a pair, for its first; else < 0 */
    uint8_t *degree;   /* [n_rows] if sharing: how true a row is, in a few steps */
    size_t room;       /* rows */
} nln_law_list;

/* The size of a list, and the flops that were skipped because hidden units were 0. */
typedef struct nln_law_counts {
    int32_t n, n_pairs, n_shared;
    double skipped_flop;
} nln_law_counts;

/* Makes room for n_rows rows; a list of zeros has none. */
nln_status nln_law_list_fit(nln_law_list *l, size_t n_rows, nln_error *err);
void nln_law_list_free(nln_law_list *l);

typedef struct nln_law_selection {
    const real *H; /* [n_rows, dim] the vectors of the rows, T first; the rows are sorted by them */
    int dim;
    double weight;    /* of a term */
    double sample;    /* each row is chosen with this probability, and its weight divided by it */
    int sharing;      /* all rows are chosen, and share with the tree */
    int tree_dropout; /* the tree's NOT has dropout, that of the laws has none: no pairs */
    uint64_t key;
} nln_law_selection;

/* Makes the list from its `count`. */
void nln_law_list_make(nln_law_list *l, const nln_plan *plan, nln_law_selection selection);

#endif

/* What a model is asked or learns from at a time: expressions, or expressions with a hole and
 * the candidates for it.  There is one type from the source of the data down to the network.
 *
 * A source makes requests of queries: unit i is the history of query i, and the hole after it
 * is filled by the query's target or by a candidate.  The network turns queries into expressions
 * and hands itself the same request with a list of expressions instead:
 *
 *     loss_kind      of queries                           of expressions
 *     LABELS         query i has truth[i]                 expression index[i] has truth[index[i]]
 *     PAIRS and      the target of query i against each   expression 2i against 2i + 1
 *     other pairs    of the n_candidates items from
 *                    candidate[i * n_candidates] on
 *     SOFTMAX        the target of query i against all    history i, target n + i; the shared
 *                    items of candidate [n_candidates]    candidates from 2n on
 *
 * Labelled expressions of a data set come as a request of expressions at once. */
#ifndef NLN_NET_REQUEST_H
#define NLN_NET_REQUEST_H

#include "logic/expr.h"
#include "math/real.h"

struct nln_queries;
struct nln_link_questions;

typedef enum nln_loss_kind {
    NLN_LOSS_LABELS,            /* cross-entropy of each score and its label */
    NLN_LOSS_PAIRS,             /* -log sigmoid(score of the target - score of a candidate) */
    NLN_LOSS_PROBABILITY_PAIRS, /* the same of the probabilities, which are in [0, 1] */
    NLN_LOSS_BINARY_PAIRS,      /* -log sigmoid(target) - log sigmoid(-candidate) */
    NLN_LOSS_SOFTMAX            /* -log of the target's share in a softmax over all candidates */
} nln_loss_kind;

static inline int nln_loss_kind_is_pairs(nln_loss_kind kind)
{
    return kind == NLN_LOSS_PAIRS || kind == NLN_LOSS_PROBABILITY_PAIRS ||
           kind == NLN_LOSS_BINARY_PAIRS;
}

typedef struct nln_request {
    nln_loss_kind loss_kind;
    int32_t n;                              /* units */
    const struct nln_queries *queries;      /* these ... */
    const nln_exprs *exprs;                 /* ... or these; the others are NULL */
    const struct nln_link_questions *links; /* ... or these: SOFTMAX of their targets against
                                             * `candidate`, or against all entities if there is
                                             * none */
    const int32_t *index;                   /* [n] of expressions with labels */
    const real *truth;                      /* of labels: 1, 0 or, in doubt, between */
    const real *weight;                     /* of expressions with labels: factors of their losses,
                                             * where `truth` has labels; NULL: all 1 */
    int32_t n_candidates;
    const int32_t *candidate; /* [n, n_candidates] for pairs, [n_candidates] for SOFTMAX */
    const uint8_t *refused;   /* [n, n_candidates] for SOFTMAX: 1 where the unit does not have
                               * the candidate */
    const int32_t *unit;      /* [n] the number of each unit in the epoch */
    const uint64_t *keys;     /* of the expressions: see nln_planner_set_keys; may be NULL */
    uint64_t key;             /* of everything random in this request */
} nln_request;

#endif

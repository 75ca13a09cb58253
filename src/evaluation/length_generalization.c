/* nln_measure_lengths of nln_lab.h: does a model reason beyond the length of its training?
 *
 * Expressions are made of random literals of variables whose value is known and that the model
 * itself solves rightly, so that all that can go wrong is the reasoning. */
#include <math.h>

#include "base/array.h"
#include "base/random.h"
#include "inference/predict.h"
#include "nln_lab.h"

typedef enum shape { AND, AND_BUT_ONE, OR, OR_AND_ONE, NESTED, CLAUSES } shape;

static const struct {
    const char *kind;
    shape shape;
    int sizes[7]; /* ends with 0 */
} kinds[] = {
    {"and", AND, {5, 10, 20, 50, 100, 200}},
    {"and_one_false", AND_BUT_ONE, {5, 10, 20, 50, 100, 200}},
    {"or", OR, {5, 10, 20, 50, 100, 200}},
    {"or_one_true", OR_AND_ONE, {5, 10, 20, 50, 100, 200}},
    {"nested", NESTED, {5, 10, 20, 50}},
    {"clauses", CLAUSES, {2, 5, 10, 20}},
};

typedef struct audit {
    const nln_model *model;
    int8_t *value;   /* [variables] or -1 */
    int32_t *solved; /* [n_solved] variables with a known value that the model gives them */
    int32_t n_solved;
    nln_random random;
    nln_exprs list, one; /* in the model's normal form; and as made */
    uint8_t *truth;      /* [count] */
    double *p;           /* [count] */
} audit;

/* A literal with the given value. */
static nln_status push_literal(audit *a, int32_t variable, int value, nln_error *err)
{
    nln_status status = nln_exprs_push(&a->one, NLN_OP_VAR, variable, err);
    if (!status && a->value[variable] != value)
        status = nln_exprs_push(&a->one, NLN_OP_NOT, 0, err);
    return status;
}

/* Moves n different variables to the front of `solved`, in random order. */
static void draw_variables(audit *a, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t at = i + (int32_t)nln_random_below(&a->random, (uint64_t)(a->n_solved - i));
        int32_t kept = a->solved[i];
        a->solved[i] = a->solved[at];
        a->solved[at] = kept;
    }
}

/* n literals with a value, but for one, or for none if odd is -1, joined by op. */
static nln_status push_chain(audit *a, nln_op op, int32_t n, int value, int32_t odd, nln_error *err)
{
    nln_status status = NLN_OK;
    draw_variables(a, n);
    for (int32_t i = 0; !status && i < n; i++)
        status = push_literal(a, a->solved[i], i == odd ? !value : value, err);
    return status ? status : nln_exprs_push(&a->one, op, n, err);
}

/* AND and OR in turn: ((x & y1) | y2) & ..., where every y leaves the value of x as it is. */
static nln_status push_nested(audit *a, int32_t depth, int value, nln_error *err)
{
    uint64_t n = (uint64_t)a->n_solved;
    nln_status status = push_literal(a, a->solved[nln_random_below(&a->random, n)], value, err);
    for (int32_t level = 0; !status && level < depth; level++) {
        int is_and = level % 2 == 0;
        status = push_literal(a, a->solved[nln_random_below(&a->random, n)], is_and, err);
        if (!status)
            status = nln_exprs_push(&a->one, is_and ? NLN_OP_AND : NLN_OP_OR, 2, err);
    }
    return status;
}

/* An OR of n ANDs of n literals: one of them true, or none.  A false AND has random literals,
 * at least one of them false. */
static nln_status push_clauses(audit *a, int32_t n, int value, nln_error *err)
{
    int32_t true_one = value ? (int32_t)nln_random_below(&a->random, (uint64_t)n) : -1;
    nln_status status = NLN_OK;
    for (int32_t c = 0; !status && c < n; c++) {
        int32_t false_one = (int32_t)nln_random_below(&a->random, (uint64_t)n);
        draw_variables(a, n);
        for (int32_t i = 0; !status && i < n; i++) {
            int is_true = c == true_one || (i != false_one && nln_random_next(&a->random) >> 63);
            status = push_literal(a, a->solved[i], is_true, err);
        }
        if (!status)
            status = nln_exprs_push(&a->one, NLN_OP_AND, n, err);
    }
    return status ? status : nln_exprs_push(&a->one, NLN_OP_OR, n, err);
}

static nln_status push_shape(audit *a, shape s, int32_t n, int value, nln_error *err)
{
    int32_t odd = (int32_t)nln_random_below(&a->random, (uint64_t)n);
    switch (s) {
    case AND:
    case AND_BUT_ONE:
        return push_chain(a, NLN_OP_AND, n, 1, s == AND ? -1 : odd, err);
    case OR:
    case OR_AND_ONE:
        return push_chain(a, NLN_OP_OR, n, 0, s == OR ? -1 : odd, err);
    case NESTED:
        return push_nested(a, n, value, err);
    default:
        return push_clauses(a, n, value, err);
    }
}

/* The value of expression i of a shape: of some shapes all have the same, of the others half. */
static int value_of(shape s, size_t i)
{
    return s == AND || s == OR_AND_ONE || ((s == NESTED || s == CLAUSES) && i % 2 == 0);
}

static nln_status measure(nln_length_score *out, audit *a, size_t kind, int size, size_t count,
                          const nln_options *options, nln_error *err)
{
    nln_status status = NLN_OK;
    size_t right = 0;
    *out = (nln_length_score){kinds[kind].kind, size, (double)NAN};
    if (size > a->n_solved)
        return NLN_OK;
    a->random = nln_random_seed(kind, (uint64_t)size);
    a->list.n = a->list.n_nodes = 0;
    for (size_t i = 0; !status && i < count; i++) {
        a->one.n = a->one.n_nodes = 0;
        a->truth[i] = (uint8_t)value_of(kinds[kind].shape, i);
        status = push_shape(a, kinds[kind].shape, size, a->truth[i], err);
        if (!status)
            status = nln_exprs_finish(&a->one, err);
        if (!status)
            status = nln_model_normalize(&a->list, a->model, nln_exprs_get(&a->one, 0), err);
    }
    if (!status)
        status = nln_predict_list(a->p, a->model, &a->list, options, err);
    for (size_t i = 0; !status && i < count; i++)
        right += (a->p[i] > 0.5) == a->truth[i];
    if (!status)
        out->right = (double)right / (double)count;
    return status;
}

static nln_status find_solved(audit *a, const char *truth, nln_error *err)
{
    size_t n = nln_model_variables(a->model), known = 0;
    double *confidence = nln_array_zeroed(n, sizeof *confidence);
    nln_status status = confidence ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_model_truth(a->value, &known, a->model, truth, err);
    if (!status)
        status = nln_solve(confidence, a->model, err);
    for (size_t i = 0; !status && i < n; i++)
        if (a->value[i] >= 0 && (confidence[i] > 0.5) == a->value[i])
            a->solved[a->n_solved++] = (int32_t)i;
    nln_free(confidence);
    if (!status && !a->n_solved)
        status = nln_error_at(err, NLN_INVALID, truth, 0, 0,
                              "of no variable of the model is the value here known and solved "
                              "rightly: there is nothing to make expressions of");
    return status;
}

nln_status nln_measure_lengths(nln_length_score *scores, size_t room, size_t *n_scores,
                               const nln_model *model, const char *truth, size_t count,
                               const nln_options *options, nln_error *err)
{
    audit a = {.model = model};
    size_t n = nln_model_variables(model);
    nln_status status = NLN_OK;
    *n_scores = 0;
    if (!count)
        return nln_error_set(err, NLN_INVALID, "there must be at least one expression of a kind");
    if (options && (status = nln_options_check(options, "predict", err)))
        return status;
    a.value = nln_array_zeroed(n, sizeof *a.value);
    a.solved = nln_array_zeroed(n, sizeof *a.solved);
    a.truth = nln_array_zeroed(count, sizeof *a.truth);
    a.p = nln_array_zeroed(count, sizeof *a.p);
    status =
        a.value && a.solved && a.truth && a.p ? find_solved(&a, truth, err) : nln_error_memory(err);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int s = 0; !status && kinds[k].sizes[s]; s++, ++*n_scores)
            if (*n_scores < room)
                status = measure(&scores[*n_scores], &a, k, kinds[k].sizes[s], count, options, err);
    nln_exprs_free(&a.list);
    nln_exprs_free(&a.one);
    nln_free(a.value);
    nln_free(a.solved);
    nln_free(a.truth);
    nln_free(a.p);
    return status;
}

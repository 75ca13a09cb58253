#include "models/rule_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/kernels.h"
#include "math/lapack.h"

/* ---- few premises for each item -------------------------------------------------------------- */

typedef struct premise {
    int32_t literal;
    double count, key;
} premise;

/* The prior of a weight: dislikes are fewer and say less, so theirs is stricter. */
static double prior_of(const nln_cooccurrence *c, size_t literal, double l2)
{
    return literal < c->n_items ? l2 : 2 * l2;
}

/* What one thread needs. */
typedef struct solving {
    nln_item_rules *rules;
    const nln_cooccurrence *counts;
    double l2;
    int step, n_steps;
    premise *found; /* [NLN_MOST_COMPANIONS] */
    real *A;        /* [width, width] */
    real *b;        /* [width] */
    int32_t *place; /* [literals] 1 + the place of a premise, 0 between items */
    nln_status status;
} solving;

static int more_telling(const void *a, const void *b)
{
    const premise *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return (x->literal > y->literal) - (x->literal < y->literal);
}

/* The most telling companions of item v: those that alone would explain most of it. */
static size_t choose_premises(solving *s, size_t v)
{
    const nln_cooccurrence *c = s->counts;
    size_t n = 0;
    for (size_t k = c->start[v]; k < c->start[v + 1]; k++) {
        nln_companion o = c->of[k];
        size_t literal = (size_t)o.literal;
        if (literal != v && literal != v + c->n_items)
            s->found[n++] = (premise){o.literal, (double)o.count,
                                      (double)o.count / sqrt((double)c->with_self[literal] +
                                                             prior_of(c, literal, s->l2))};
    }
    qsort(s->found, n, sizeof *s->found, more_telling);
    return n < s->rules->width ? n : s->rules->width;
}

/* A = how often two premises are true together, and their priors; a literal that is not among the
 * companions kept counts as never. */
static void fill_matrix(solving *s, size_t n, double l2)
{
    const nln_cooccurrence *c = s->counts;
    memset(s->A, 0, n * n * sizeof *s->A);
    for (size_t i = 0; i < n; i++)
        s->place[s->found[i].literal] = (int32_t)i + 1;
    for (size_t i = 0; i < n; i++) {
        size_t literal = (size_t)s->found[i].literal;
        for (size_t k = c->start[literal]; k < c->start[literal + 1]; k++) {
            size_t j = (size_t)s->place[c->of[k].literal];
            if (j && j - 1 != i)
                s->A[i * n + j - 1] = s->A[(j - 1) * n + i] = (real)c->of[k].count;
        }
        s->A[i * n + i] = (real)((double)c->with_self[literal] + prior_of(c, literal, l2));
    }
    for (size_t i = 0; i < n; i++)
        s->place[s->found[i].literal] = 0;
}

/* Solves A b = b by Cholesky's factors, in the lower half of A.  Returns 0 where that is
 * not positive definite, which only companions that were not kept can cause. */
static int solve(real *A, real *b, size_t n)
{
    const nln_kernels *kernels = nln_kernels_get();
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = (double)A[i * n + j] - (double)kernels->dot(A + i * n, A + j * n, (int)j);
            if (i == j && !(sum > 0))
                return 0;
            A[i * n + j] = (real)(i == j ? sqrt(sum) : sum / (double)A[j * n + j]);
        }
    for (size_t i = 0; i < n; i++)
        b[i] = (b[i] - kernels->dot(A + i * n, b, (int)i)) / A[i * n + i];
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++)
            b[i] -= A[k * n + i] * b[k];
        b[i] /= A[i * n + i];
    }
    return 1;
}

static void solve_item(solving *s, size_t v)
{
    nln_item_rules *r = s->rules;
    size_t n = choose_premises(s, v);
    double l2 = s->l2;
    int is_solved = 0;
    for (int tries = 0; n && !is_solved && tries < 8; tries++, l2 *= 4) {
        fill_matrix(s, n, l2);
        for (size_t i = 0; i < n; i++)
            s->b[i] = (real)s->found[i].count;
        is_solved = solve(s->A, s->b, n);
    }
    for (size_t i = 0; i < r->width; i++) {
        int is_used = is_solved && i < n;
        r->premise[v * r->width + i] = is_used ? s->found[i].literal : -1;
        r->weight[v * r->width + i] = is_used ? (float)s->b[i] : 0;
    }
}

static void solve_some(void *context, int i)
{
    solving *s = (solving *)context + i;
    size_t width = s->rules->width;
    s->found = nln_array_zeroed(NLN_MOST_COMPANIONS, sizeof *s->found);
    s->A = nln_array_zeroed(width * width, sizeof *s->A);
    s->b = nln_array_zeroed(width, sizeof *s->b);
    s->place = nln_array_zeroed(s->counts->n_literals, sizeof *s->place);
    s->status = s->found && s->A && s->b && s->place ? NLN_OK : NLN_MEMORY;
    for (size_t v = (size_t)s->step; !s->status && v < s->counts->n_items; v += (size_t)s->n_steps)
        solve_item(s, v);
    nln_free(s->found);
    nln_free(s->A);
    nln_free(s->b);
    nln_free(s->place);
}

static nln_status find_few(nln_item_rules *rules, const nln_cooccurrence *counts, double l2,
                           nln_thread_pool *pool, nln_error *err)
{
    int n = nln_thread_pool_size(pool);
    solving *steps = nln_array_zeroed((size_t)n, sizeof *steps);
    nln_status status = steps ? NLN_OK : nln_error_memory(err);
    for (int i = 0; !status && i < n; i++)
        steps[i] = (solving){.rules = rules, .counts = counts, .l2 = l2, .step = i, .n_steps = n};
    if (!status)
        nln_thread_pool_run(pool, n, solve_some, steps);
    for (int i = 0; !status && i < n; i++)
        if (steps[i].status)
            status = nln_error_memory(err);
    nln_free(steps);
    return status;
}

/* ---- all premises at once ------------------------------------------------------------------- */

/* With P = (G + priors)^-1, where G counts how often two literals are true together, the weights of
 * item v are -P[:,v] / P[v,v], as in EASE; or, where its own dislike must be left out too, minus
 * the columns v and d of P times the first column of the inverse of P[{v,d},{v,d}]. */
typedef struct dense {
    nln_item_rules *rules;
    const nln_cooccurrence *counts;
    size_t n;         /* literals that are true of anybody */
    int32_t *literal; /* [n] */
    int32_t *place;   /* [literals] 1 + the place of a literal, or 0 */
    real *P;          /* [n, n] */
    real *b, *key;    /* [steps, n] */
    int n_steps;
} dense;

/* The least key of the `width` largest, or a little more where many are equal. */
static real threshold_of(const real *key, size_t n, size_t width)
{
    real low = 0, high = 0;
    for (size_t j = 0; j < n; j++)
        high = key[j] > high ? key[j] : high;
    for (int step = 0; step < 40; step++) {
        real middle = low + (high - low) / 2;
        size_t above = 0;
        for (size_t j = 0; j < n; j++)
            above += key[j] > middle;
        if (above > width)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Keeps the strongest weights of item v, by what they explain. */
static void keep_strongest(const dense *s, size_t v, const real *b, real *key)
{
    nln_item_rules *r = s->rules;
    size_t width = r->width, n = 0;
    for (size_t j = 0; j < s->n; j++)
        key[j] = (real)(fabs((double)b[j]) * sqrt((double)s->counts->with_self[s->literal[j]]));
    real least = threshold_of(key, s->n, width);
    for (size_t j = 0; j < s->n && n < width; j++)
        if (key[j] > least) {
            r->premise[v * width + n] = s->literal[j];
            r->weight[v * width + n++] = (float)b[j];
        }
    for (; n < width; n++) {
        r->premise[v * width + n] = -1;
        r->weight[v * width + n] = 0;
    }
}

static void take_weights(void *context, int step)
{
    const dense *s = context;
    size_t n = s->n, n_items = s->counts->n_items;
    real *b = s->b + (size_t)step * n, *key = s->key + (size_t)step * n;
    for (size_t v = (size_t)step; v < n_items; v += (size_t)s->n_steps) {
        size_t own = (size_t)s->place[v];
        size_t dislike = n_items < s->counts->n_literals ? (size_t)s->place[n_items + v] : 0;
        memset(b, 0, n * sizeof *b);
        if (own) {
            const real *like = s->P + (own - 1) * n,
                       *other = dislike ? s->P + (dislike - 1) * n : NULL;
            double a = (double)like[own - 1], m = other ? (double)like[dislike - 1] : 0;
            double d = other ? (double)other[dislike - 1] : 1, determinant = a * d - m * m;
            for (size_t j = 0; j < n; j++)
                b[j] = (real)(((other ? m * (double)other[j] : 0) - d * (double)like[j]) /
                              determinant);
            b[own - 1] = 0;
            if (dislike)
                b[dislike - 1] = 0;
        }
        keep_strongest(s, v, b, key);
    }
}

static void fill_counts(dense *s, double l2)
{
    const nln_cooccurrence *c = s->counts;
    memset(s->P, 0, s->n * s->n * sizeof *s->P);
    for (size_t u = 0; u < c->n_users; u++)
        for (size_t i = c->first[u]; i < c->first[u + 1]; i++) {
            real *row = s->P + (size_t)(s->place[c->literals[i]] - 1) * s->n;
            for (size_t j = c->first[u]; j < c->first[u + 1]; j++)
                row[s->place[c->literals[j]] - 1] += c->value[i] * c->value[j];
        }
    for (size_t i = 0; i < s->n; i++)
        s->P[i * s->n + i] += (real)prior_of(c, (size_t)s->literal[i], l2);
}

/* Sets *done unless the numbers do not allow it. */
static nln_status find_all(int *done, nln_item_rules *rules, const nln_cooccurrence *counts,
                           double l2, nln_thread_pool *pool, nln_error *err)
{
    dense s = {.rules = rules, .counts = counts, .n_steps = nln_thread_pool_size(pool)};
    size_t steps = (size_t)s.n_steps;
    s.literal = nln_array_zeroed(counts->n_literals, sizeof *s.literal);
    s.place = nln_array_zeroed(counts->n_literals, sizeof *s.place);
    for (size_t i = 0; s.literal && s.place && i < counts->n_literals; i++)
        if (counts->with_self[i] > 0) {
            s.literal[s.n] = (int32_t)i;
            s.place[i] = (int32_t)++s.n;
        }
    s.P = nln_array_zeroed(s.n * s.n, sizeof *s.P);
    s.b = nln_array_zeroed(steps * s.n, sizeof *s.b);
    s.key = nln_array_zeroed(steps * s.n, sizeof *s.key);
    nln_status status =
        s.literal && s.place && s.P && s.b && s.key ? NLN_OK : nln_error_memory(err);
    if (!status) {
        fill_counts(&s, l2);
        *done = nln_lapack_invert(s.P, (int)s.n);
    }
    if (!status && *done)
        nln_thread_pool_run(pool, s.n_steps, take_weights, &s);
    nln_free(s.literal);
    nln_free(s.place);
    nln_free(s.P);
    nln_free(s.b);
    nln_free(s.key);
    return status;
}

/* ---- either way ------------------------------------------------------------------------------ */

static size_t literals_in_use(const nln_cooccurrence *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_literals; i++)
        n += c->with_self[i] > 0;
    return n;
}

size_t nln_rule_weights_width(const nln_cooccurrence *counts, size_t most)
{
    size_t n = literals_in_use(counts), limit = n <= NLN_MOST_DENSE ? n : NLN_MOST_FEW;
    return most < limit ? most : limit ? limit : 1;
}

nln_status nln_rule_weights_find(nln_item_rules *rules, const nln_cooccurrence *counts, double l2,
                                 nln_thread_pool *pool, nln_error *err)
{
    int done = 0;
    nln_status status = NLN_OK;
    if (literals_in_use(counts) <= NLN_MOST_DENSE)
        status = find_all(&done, rules, counts, l2, pool, err);
    if (!status && !done)
        status = find_few(rules, counts, l2, pool, err);
    return status ? status : nln_item_rules_index(rules, err);
}

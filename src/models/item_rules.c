#include "models/item_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"
#include "math/kernels.h"

nln_status nln_item_rules_create(nln_item_rules **out, size_t n_items, size_t width, nln_error *err)
{
    nln_item_rules *r = nln_memory_zeroed(1, sizeof *r);
    if (!r)
        return nln_error_memory(err);
    r->n_items = n_items;
    r->width = width;
    r->network = 1;
    r->premise = nln_array_zeroed(n_items * width, sizeof *r->premise);
    r->weight = nln_array_zeroed(n_items * width, sizeof *r->weight);
    r->start = nln_array_zeroed(n_items + 1, sizeof *r->start);
    if (!r->premise || !r->weight || !r->start) {
        nln_item_rules_free(r);
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < n_items * width; i++)
        r->premise[i] = -1;
    *out = r;
    return NLN_OK;
}

void nln_item_rules_free(nln_item_rules *r)
{
    if (!r)
        return;
    nln_free(r->premise);
    nln_free(r->weight);
    nln_free(r->start);
    nln_free(r->conclusion);
    nln_free(r->strength);
    nln_free(r);
}

nln_status nln_item_rules_index(nln_item_rules *r, nln_error *err)
{
    size_t n = 0;
    memset(r->start, 0, (r->n_items + 1) * sizeof *r->start);
    for (size_t i = 0; i < r->n_items * r->width; i++)
        if (r->premise[i] >= 0) {
            r->start[r->premise[i] + 1]++;
            n++;
        }
    nln_free(r->conclusion);
    nln_free(r->strength);
    r->conclusion = nln_array_zeroed(n, sizeof *r->conclusion);
    r->strength = nln_array_zeroed(n, sizeof *r->strength);
    if (!r->conclusion || !r->strength)
        return nln_error_memory(err);
    for (size_t i = 0; i < r->n_items; i++)
        r->start[i + 1] += r->start[i];
    /* Backwards, so that each place is one below its start, and the conclusions ascend. */
    for (size_t v = r->n_items; v-- > 0;)
        for (size_t k = r->width; k-- > 0;) {
            int32_t premise = r->premise[v * r->width + k];
            if (premise < 0)
                continue;
            size_t at = --r->start[premise + 1];
            r->conclusion[at] = (int32_t)v;
            r->strength[at] = r->weight[v * r->width + k];
        }
    memmove(r->start, r->start + 1, r->n_items * sizeof *r->start);
    r->start[r->n_items] = n;
    return NLN_OK;
}

/* ---- counting ------------------------------------------------------------------------------- */

/* Of a user with very many likes the last ones are counted, and of an item with very many
 * companions the most frequent ones are kept. */
enum { MOST_LIKES = 1000, MOST_COMPANIONS = 1024 };

typedef struct companion {
    int32_t item;
    int32_t count; /* users who like both */
} companion;

struct nln_like_counts {
    size_t n_items;
    int32_t *likes; /* [items] users who like an item */
    size_t *start;  /* [items + 1] */
    companion *of;  /* [start[items]] the companions of each item, by item */
    size_t room;
};

typedef struct lists {
    size_t *start; /* [n + 1] */
    int32_t *entry;
} lists;

static void free_lists(lists *l)
{
    nln_free(l->start);
    nln_free(l->entry);
}

/* The distinct likes of each user, the last ones. */
static nln_status list_likes(lists *out, const nln_queries *users, size_t n_items, nln_error *err)
{
    uint8_t *is_listed = nln_array_zeroed(n_items, 1);
    size_t n = 0;
    out->start = nln_array_zeroed(users->n + 1, sizeof *out->start);
    out->entry = nln_array_zeroed(users->n_literals, sizeof *out->entry);
    nln_status status = is_listed && out->start && out->entry ? NLN_OK : nln_error_memory(err);
    for (size_t u = 0; !status && u < users->n; u++) {
        const nln_query *q = &users->list[u];
        for (size_t i = q->n; i-- > 0 && n - out->start[u] < MOST_LIKES;) {
            nln_literal met = users->literal[q->first + i];
            if (met.liked && !is_listed[met.item]) {
                is_listed[met.item] = 1;
                out->entry[n++] = (int32_t)met.item;
            }
        }
        out->start[u + 1] = n;
        for (size_t i = out->start[u]; i < n; i++)
            is_listed[out->entry[i]] = 0;
    }
    nln_free(is_listed);
    return status;
}

/* The lists the other way round: of each entry, the lists that have it. */
static nln_status invert_lists(lists *out, const lists *in, size_t n_lists, size_t n_entries,
                               nln_error *err)
{
    size_t n = in->start[n_lists];
    out->start = nln_array_zeroed(n_entries + 2, sizeof *out->start);
    out->entry = nln_array_zeroed(n, sizeof *out->entry);
    if (!out->start || !out->entry)
        return nln_error_memory(err);
    for (size_t i = 0; i < n; i++)
        out->start[in->entry[i] + 2]++;
    for (size_t i = 0; i < n_entries; i++)
        out->start[i + 2] += out->start[i + 1];
    for (size_t l = 0; l < n_lists; l++)
        for (size_t i = in->start[l]; i < in->start[l + 1]; i++)
            out->entry[out->start[in->entry[i] + 1]++] = (int32_t)l;
    return NLN_OK;
}

static int more_frequent(const void *a, const void *b)
{
    const companion *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/* The companions of item v; `count` is [items], 0 before and after, and `found` has room for all
 * items. */
static nln_status count_companions(nln_like_counts *c, size_t v, const lists *liked_by,
                                   const lists *likes, int32_t *count, companion *found,
                                   nln_error *err)
{
    size_t n = 0;
    for (size_t k = liked_by->start[v]; k < liked_by->start[v + 1]; k++) {
        size_t u = (size_t)liked_by->entry[k];
        for (size_t i = likes->start[u]; i < likes->start[u + 1]; i++) {
            int32_t item = likes->entry[i];
            if (!count[item]++)
                found[n++].item = item;
        }
    }
    c->likes[v] = count[v];
    for (size_t i = 0; i < n; i++) {
        found[i].count = count[found[i].item];
        count[found[i].item] = 0;
    }
    if (n > MOST_COMPANIONS) {
        qsort(found, n, sizeof *found, more_frequent);
        n = MOST_COMPANIONS;
    }
    if (!NLN_ARRAY_RESERVE(c->of, c->room, c->start[v] + n))
        return nln_error_memory(err);
    memcpy(c->of + c->start[v], found, n * sizeof *found);
    c->start[v + 1] = c->start[v] + n;
    return NLN_OK;
}

nln_status nln_like_counts_create(nln_like_counts **out, const nln_queries *users, size_t n_items,
                                  nln_error *err)
{
    lists likes = {0}, liked_by = {0};
    nln_like_counts *c = nln_memory_zeroed(1, sizeof *c);
    int32_t *count = nln_array_zeroed(n_items, sizeof *count);
    companion *found = nln_array_zeroed(n_items, sizeof *found);
    nln_status status = c && count && found ? NLN_OK : nln_error_memory(err);
    if (!status) {
        c->n_items = n_items;
        c->likes = nln_array_zeroed(n_items, sizeof *c->likes);
        c->start = nln_array_zeroed(n_items + 1, sizeof *c->start);
        status =
            c->likes && c->start ? list_likes(&likes, users, n_items, err) : nln_error_memory(err);
    }
    if (!status)
        status = invert_lists(&liked_by, &likes, users->n, n_items, err);
    for (size_t v = 0; !status && v < n_items; v++)
        status = count_companions(c, v, &liked_by, &likes, count, found, err);
    free_lists(&likes);
    free_lists(&liked_by);
    nln_free(count);
    nln_free(found);
    if (status)
        nln_like_counts_free(c);
    else
        *out = c;
    return status;
}

void nln_like_counts_free(nln_like_counts *c)
{
    if (!c)
        return;
    nln_free(c->likes);
    nln_free(c->start);
    nln_free(c->of);
    nln_free(c);
}

/* ---- solving ------------------------------------------------------------------------------- */

typedef struct premise {
    int32_t item;
    double count, key;
} premise;

/* What one thread needs. */
typedef struct solving {
    nln_item_rules *rules;
    const nln_like_counts *counts;
    double l2;
    int step, n_steps;
    premise *found; /* [MOST_COMPANIONS] */
    real *A;        /* [width, width] */
    real *b;        /* [width] */
    int32_t *place; /* [items] 1 + the place of a premise, 0 between items */
    nln_status status;
} solving;

static int more_telling(const void *a, const void *b)
{
    const premise *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? 1 : -1;
    return (x->item > y->item) - (x->item < y->item);
}

/* The most telling companions of item v: those that alone would explain most of it. */
static size_t choose_premises(solving *s, size_t v)
{
    const nln_like_counts *c = s->counts;
    size_t n = 0;
    for (size_t k = c->start[v]; k < c->start[v + 1]; k++) {
        companion o = c->of[k];
        if ((size_t)o.item != v)
            s->found[n++] = (premise){o.item, o.count, o.count / sqrt(c->likes[o.item] + s->l2)};
    }
    qsort(s->found, n, sizeof *s->found, more_telling);
    return n < s->rules->width ? n : s->rules->width;
}

/* A = how often two premises are liked together; an item that is not among the companions kept
 * counts as never. */
static void fill_matrix(solving *s, size_t n)
{
    const nln_like_counts *c = s->counts;
    memset(s->A, 0, n * n * sizeof *s->A);
    for (size_t i = 0; i < n; i++)
        s->place[s->found[i].item] = (int32_t)i + 1;
    for (size_t i = 0; i < n; i++) {
        size_t item = (size_t)s->found[i].item;
        for (size_t k = c->start[item]; k < c->start[item + 1]; k++) {
            size_t j = (size_t)s->place[c->of[k].item];
            if (j && j - 1 != i)
                s->A[i * n + j - 1] = s->A[(j - 1) * n + i] = (real)c->of[k].count;
        }
        s->A[i * n + i] = (real)c->likes[item];
    }
    for (size_t i = 0; i < n; i++)
        s->place[s->found[i].item] = 0;
}

/* Solves (A + l2 I) b = b by Cholesky's factors, in the lower half of A.  Returns 0 where that is
 * not positive definite, which only companions that were not kept can cause. */
static int solve(real *A, real *b, size_t n, double l2)
{
    const nln_kernels *kernels = nln_kernels_get();
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = (double)A[i * n + j] + (i == j ? l2 : 0);
            sum -= (double)kernels->dot(A + i * n, A + j * n, (int)j);
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
        fill_matrix(s, n);
        for (size_t i = 0; i < n; i++)
            s->b[i] = (real)s->found[i].count;
        is_solved = solve(s->A, s->b, n, l2);
    }
    for (size_t i = 0; i < r->width; i++) {
        int is_used = is_solved && i < n;
        r->premise[v * r->width + i] = is_used ? s->found[i].item : -1;
        r->weight[v * r->width + i] = is_used ? (float)s->b[i] : 0;
    }
}

static void solve_some(void *context, int i)
{
    solving *s = (solving *)context + i;
    size_t width = s->rules->width;
    s->found = nln_array_zeroed(MOST_COMPANIONS, sizeof *s->found);
    s->A = nln_array_zeroed(width * width, sizeof *s->A);
    s->b = nln_array_zeroed(width, sizeof *s->b);
    s->place = nln_array_zeroed(s->counts->n_items, sizeof *s->place);
    s->status = s->found && s->A && s->b && s->place ? NLN_OK : NLN_MEMORY;
    for (size_t v = (size_t)s->step; !s->status && v < s->counts->n_items; v += (size_t)s->n_steps)
        solve_item(s, v);
    nln_free(s->found);
    nln_free(s->A);
    nln_free(s->b);
    nln_free(s->place);
}

nln_status nln_item_rules_find(nln_item_rules *rules, const nln_like_counts *counts, double l2,
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
    return status ? status : nln_item_rules_index(rules, err);
}

nln_status nln_item_rules_compare(nln_item_rules *r, const nln_like_counts *c, double l2,
                                  nln_error *err)
{
    premise *found = nln_array_zeroed(MOST_COMPANIONS, sizeof *found);
    if (!found)
        return nln_error_memory(err);
    for (size_t v = 0; v < r->n_items; v++) {
        size_t n = 0;
        for (size_t k = c->start[v]; k < c->start[v + 1]; k++) {
            companion o = c->of[k];
            double both = o.count, root = sqrt((double)c->likes[v] * c->likes[o.item]);
            if ((size_t)o.item != v)
                found[n++] = (premise){o.item, both, both / (root + l2)};
        }
        qsort(found, n, sizeof *found, more_telling);
        for (size_t i = 0; i < r->width; i++) {
            r->premise[v * r->width + i] = i < n ? found[i].item : -1;
            r->weight[v * r->width + i] = i < n ? (float)found[i].key : 0;
        }
    }
    nln_free(found);
    return nln_item_rules_index(r, err);
}

/* ---- in use --------------------------------------------------------------------------------- */

void nln_item_rules_add(double *score, const nln_item_rules *r, const nln_literal *history,
                        size_t n, double whole, double recent, uint8_t *seen)
{
    for (size_t i = n; i-- > 0;) {
        size_t item = history[i].item;
        if (!history[i].liked || seen[item])
            continue;
        double factor = whole + recent;
        seen[item] = 1;
        recent *= NLN_ITEM_RULES_DECAY;
        for (size_t k = r->start[item]; k < r->start[item + 1]; k++)
            score[r->conclusion[k]] += factor * (double)r->strength[k];
    }
    for (size_t i = 0; i < n; i++)
        seen[history[i].item] = 0;
}

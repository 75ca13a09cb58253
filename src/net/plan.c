#include "net/plan.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* A row while its final place is not known yet. */
typedef struct draft {
    int32_t kind; /* an nln_kind, or LEAF */
    int32_t left, right;
    int32_t level;
    int32_t count;
} draft;

enum { LEAF = -1 };

struct nln_planner {
    nln_plan plan;
    int32_t members, stride;
    const uint64_t *keys; /* borrowed */

    draft *drafts;
    size_t n_drafts, drafts_room;
    int32_t *slots; /* open addressing: draft + 1, 0 is free */
    size_t n_slots;

    int32_t *stack;
    size_t stack_room;
    int32_t *place; /* [n_drafts] final row */
    size_t place_room;
    int32_t *tally; /* [3 * levels + 1] */
    size_t tally_room;

    size_t start_room, groups_room, roots_room, users_room;
    size_t left_room, right_room, count_room;
};

nln_status nln_planner_create(nln_planner **out, nln_error *err)
{
    nln_planner *p = nln_memory_zeroed(1, sizeof *p);
    if (!p)
        return nln_error_memory(err);
    p->members = 1;
    p->n_slots = 1024;
    p->slots = nln_array_zeroed(p->n_slots, sizeof *p->slots);
    if (!p->slots) {
        nln_planner_free(p);
        return nln_error_memory(err);
    }
    *out = p;
    return NLN_OK;
}

void nln_planner_set_members(nln_planner *p, int32_t members, int32_t stride)
{
    p->members = members;
    p->stride = stride;
}

void nln_planner_set_keys(nln_planner *p, const uint64_t *keys)
{
    p->keys = keys;
}

void nln_planner_free(nln_planner *p)
{
    if (!p)
        return;
    nln_free(p->drafts);
    nln_free(p->slots);
    nln_free(p->stack);
    nln_free(p->place);
    nln_free(p->tally);
    nln_free(p->plan.groups);
    nln_free(p->plan.left);
    nln_free(p->plan.right);
    nln_free(p->plan.count);
    nln_free(p->plan.root);
    nln_free(p->plan.user_start);
    nln_free(p->plan.user);
    nln_free(p);
}

/* ---- drafts: rows with sharing ------------------------------------------ */

enum { MOST_ROWS = INT32_MAX / 4 };

static int add_draft(int32_t *out, nln_planner *p, draft d)
{
    if (p->n_drafts >= MOST_ROWS || !NLN_ARRAY_RESERVE(p->drafts, p->drafts_room, p->n_drafts + 1))
        return 0;
    *out = (int32_t)p->n_drafts;
    p->drafts[p->n_drafts++] = d;
    return 1;
}

static size_t slot_of(const nln_planner *p, int32_t kind, int32_t left, int32_t right)
{
    uint64_t key = (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
    size_t at = (size_t)nln_random_mix(key * 4 + (uint64_t)(kind + 1)) & (p->n_slots - 1);
    while (p->slots[at]) {
        const draft *d = &p->drafts[p->slots[at] - 1];
        if (d->kind == kind && d->left == left && d->right == right)
            break;
        at = (at + 1) & (p->n_slots - 1);
    }
    return at;
}

/* The table is kept at most half full. */
static int grow_slots(nln_planner *p)
{
    if (2 * (p->n_drafts + 1) < p->n_slots)
        return 1;
    int32_t *larger = nln_array_zeroed(2 * p->n_slots, sizeof *larger);
    if (!larger)
        return 0;
    nln_free(p->slots);
    p->slots = larger;
    p->n_slots *= 2;
    for (size_t i = 0; i < p->n_drafts; i++) {
        const draft *d = &p->drafts[i];
        if (i >= NLN_ROW_LEAF)
            p->slots[slot_of(p, d->kind, d->left, d->right)] = (int32_t)i + 1;
    }
    return 1;
}

/* The row of (kind, left, right), which is new or shared. */
static int row_of(int32_t *out, nln_planner *p, int32_t kind, int32_t left, int32_t right,
                  int32_t level)
{
    if (!grow_slots(p))
        return 0;
    size_t at = slot_of(p, kind, left, right);
    if (!p->slots[at]) {
        if (!add_draft(out, p, (draft){kind, left, right, level, 0}))
            return 0;
        p->slots[at] = *out + 1;
    }
    *out = p->slots[at] - 1;
    p->drafts[*out].count++;
    return 1;
}

static int operation(int32_t *out, nln_planner *p, nln_kind kind, int32_t left, int32_t right)
{
    if (kind == NLN_KIND_NOT && left == NLN_ROW_TRUE) {
        *out = NLN_ROW_FALSE;
        return 1;
    }
    int32_t level = p->drafts[left].level;
    if (right >= 0 && p->drafts[right].level > level)
        level = p->drafts[right].level;
    return row_of(out, p, (int32_t)kind, left, right, level + 1);
}

/* ---- association --------------------------------------------------------- */

static void swap(int32_t *a, int32_t *b)
{
    int32_t t = *a;
    *a = *b;
    *b = t;
}

static int in_pairs(nln_planner *p, nln_kind kind, int32_t *items, int32_t n, nln_random *random)
{
    while (n > 1) {
        if (random)
            nln_random_shuffle(random, items, n);
        int32_t half = 0;
        for (int32_t i = 0; i + 1 < n; i += 2)
            if (!operation(&items[half++], p, kind, items[i], items[i + 1]))
                return 0;
        if (n % 2)
            items[half++] = items[n - 1];
        n = half;
    }
    return 1;
}

static int in_fold(nln_planner *p, nln_kind kind, int32_t *items, int32_t n, nln_random *random)
{
    if (random)
        nln_random_shuffle(random, items, n);
    for (int32_t i = 1; i < n; i++) {
        if (random && nln_random_next(random) >> 63)
            swap(&items[0], &items[i]);
        if (!operation(&items[0], p, kind, items[0], items[i]))
            return 0;
    }
    return 1;
}

/* Joins two random items until one is left. */
static int in_tree(nln_planner *p, nln_kind kind, int32_t *items, int32_t n, nln_random *random)
{
    for (; n > 1; n--) {
        swap(&items[n - 1], &items[nln_random_below(random, (uint64_t)n)]);
        int32_t other = (int32_t)nln_random_below(random, (uint64_t)n - 1);
        if (!operation(&items[other], p, kind, items[other], items[n - 1]))
            return 0;
    }
    return 1;
}

/* Replaces items[0] by the row that joins all n. */
static int join(nln_planner *p, nln_kind kind, int32_t *items, int32_t n, nln_association how,
                nln_random *random)
{
    if (how == NLN_ASSOCIATE_FOLD)
        return in_fold(p, kind, items, n, random);
    if (how == NLN_ASSOCIATE_TREE && random)
        return in_tree(p, kind, items, n, random);
    return in_pairs(p, kind, items, n, random);
}

/* ---- from expressions to drafts ------------------------------------------ */

static int draft_node(nln_planner *p, nln_node node, int32_t offset, size_t *top,
                      nln_association how, nln_random *random)
{
    int32_t *stack = p->stack;
    switch ((nln_op)node.op) {
    case NLN_OP_TRUE:
    case NLN_OP_FALSE:
        stack[(*top)++] = node.op == NLN_OP_TRUE ? NLN_ROW_TRUE : NLN_ROW_FALSE;
        return 1;
    case NLN_OP_VAR:
        return row_of(&stack[(*top)++], p, LEAF, node.arg + offset, -1, 0);
    case NLN_OP_NOT:
        return operation(&stack[*top - 1], p, NLN_KIND_NOT, stack[*top - 1], -1);
    default:
        *top -= (size_t)node.arg - 1;
        return join(p, node.op == NLN_OP_AND ? NLN_KIND_AND : NLN_KIND_OR, &stack[*top - 1],
                    node.arg, how, random);
    }
}

static int draft_expression(int32_t *root, nln_planner *p, nln_expr e, int32_t offset,
                            nln_association how, nln_random *random)
{
    if (!NLN_ARRAY_RESERVE(p->stack, p->stack_room, (size_t)e.n_nodes))
        return 0;
    size_t top = 0;
    for (int32_t i = 0; i < e.n_nodes; i++)
        if (!draft_node(p, e.nodes[i], offset, &top, how, random))
            return 0;
    *root = p->stack[0];
    return 1;
}

static int start_batch(nln_planner *p)
{
    int32_t row;
    memset(p->slots, 0, p->n_slots * sizeof *p->slots);
    p->n_drafts = 0;
    return add_draft(&row, p, (draft){LEAF, -1, -1, 0, 0}) && /* T */
           add_draft(&row, p, (draft){LEAF, -1, -1, 0, 0});   /* F */
}

/* ---- from drafts to rows -------------------------------------------------- */

static int32_t bucket(const draft *d)
{
    return d->kind == LEAF ? 0 : 3 * d->level - 2 + d->kind;
}

/* Sorts the drafts by (level, operation), keeping their order within a group. */
static int place_rows(nln_planner *p)
{
    nln_plan *plan = &p->plan;
    int32_t levels = 0;
    for (size_t i = 0; i < p->n_drafts; i++)
        if (p->drafts[i].level > levels)
            levels = p->drafts[i].level;
    size_t buckets = 3 * (size_t)levels + 1;
    if (!NLN_ARRAY_RESERVE(p->place, p->place_room, p->n_drafts) ||
        !NLN_ARRAY_RESERVE(p->tally, p->tally_room, buckets) ||
        !NLN_ARRAY_RESERVE(plan->groups, p->groups_room, buckets))
        return 0;
    memset(p->tally, 0, buckets * sizeof *p->tally);
    for (size_t i = 0; i < p->n_drafts; i++)
        p->tally[bucket(&p->drafts[i])]++;

    plan->n_leaves = p->tally[0] - NLN_ROW_LEAF;
    plan->n_groups = 0;
    int32_t row = 0;
    for (size_t b = 0; b < buckets; b++) {
        int32_t n = p->tally[b];
        p->tally[b] = row;
        if (b && n)
            plan->groups[plan->n_groups++] = (nln_group){(nln_kind)((b - 1) % 3), row, n};
        row += n;
    }
    for (size_t i = 0; i < p->n_drafts; i++)
        p->place[i] = p->tally[bucket(&p->drafts[i])]++;
    return 1;
}

static int fill_rows(nln_planner *p)
{
    nln_plan *plan = &p->plan;
    size_t n = p->n_drafts;
    if (!NLN_ARRAY_RESERVE(plan->left, p->left_room, n) ||
        !NLN_ARRAY_RESERVE(plan->right, p->right_room, n) ||
        !NLN_ARRAY_RESERVE(plan->count, p->count_room, n))
        return 0;
    plan->n_rows = (int32_t)n;
    plan->n_occurrences = 0;
    for (size_t i = 0; i < n; i++) {
        const draft *d = &p->drafts[i];
        int32_t row = p->place[i];
        plan->left[row] = d->kind == LEAF ? d->left : p->place[d->left];
        plan->right[row] = d->right < 0 ? -1 : p->place[d->right];
        plan->count[row] = d->count;
        plan->n_occurrences += d->count;
    }
    for (int32_t i = 0; i < plan->n_roots; i++)
        plan->root[i] = p->place[plan->root[i]];
    return 1;
}

/* The users of each row, in order of their rows: the order in which gradients
 * are added must not depend on anything but the plan. */
static int fill_users(nln_planner *p)
{
    nln_plan *plan = &p->plan;
    size_t n = (size_t)plan->n_rows;
    if (!NLN_ARRAY_RESERVE(plan->user_start, p->start_room, n + 2) ||
        !NLN_ARRAY_RESERVE(plan->user, p->users_room, 2 * n))
        return 0;
    int32_t *start = plan->user_start + 1; /* start[r] moves from r's begin to its end */
    memset(plan->user_start, 0, (n + 2) * sizeof *plan->user_start);
    int32_t first = NLN_ROW_LEAF + plan->n_leaves;
    for (int32_t r = first; r < plan->n_rows; r++) {
        start[plan->left[r] + 1]++;
        if (plan->right[r] >= 0)
            start[plan->right[r] + 1]++;
    }
    for (size_t r = 0; r < n; r++)
        start[r + 1] += start[r];
    for (int32_t r = first; r < plan->n_rows; r++) {
        plan->user[start[plan->left[r]]++] = 2 * r;
        if (plan->right[r] >= 0)
            plan->user[start[plan->right[r]]++] = 2 * r + 1;
    }
    return 1;
}

/* A number that says what an expression is; the same for equal ones. */
static uint64_t content(nln_expr e)
{
    uint64_t hash = (uint64_t)e.n_nodes;
    for (int32_t i = 0; i < e.n_nodes; i++)
        hash = nln_random_mix(hash ^ ((uint64_t)(uint32_t)e.nodes[i].arg << 8) ^
                              (uint64_t)e.nodes[i].op);
    return hash;
}

/* Why there is no plan. */
static nln_status failed(const nln_planner *p, nln_error *err)
{
    if (p->n_drafts < MOST_ROWS)
        return nln_error_memory(err);
    return nln_error_set(err, NLN_LIMIT,
                         "a batch has more than %d sub-expressions: use shorter expressions, a "
                         "smaller batch or fewer members",
                         MOST_ROWS);
}

nln_status nln_planner_plan(const nln_plan **out, nln_planner *p, const nln_exprs *list,
                            const int32_t *index, int32_t n, nln_association association,
                            nln_random *random, nln_error *err)
{
    nln_plan *plan = &p->plan;
    int32_t n_roots = n * p->members;
    if (!start_batch(p) || !NLN_ARRAY_RESERVE(plan->root, p->roots_room, (size_t)n_roots))
        return nln_error_memory(err);
    plan->n_roots = n_roots;
    uint64_t seed = random ? nln_random_next(random) : 0;
    for (int32_t i = 0; i < n_roots; i++) {
        size_t which = (size_t)(index ? index[i % n] : i % n);
        nln_expr e = nln_exprs_get(list, which);
        nln_random own;
        if (random)
            own = nln_random_seed(seed + (uint64_t)(i / n), p->keys ? p->keys[which] : content(e));
        if (!draft_expression(&plan->root[i], p, e, i / n * p->stride, association,
                              random ? &own : NULL))
            return failed(p, err);
    }
    if (!place_rows(p) || !fill_rows(p) || !fill_users(p))
        return nln_error_memory(err);
    *out = plan;
    return NLN_OK;
}

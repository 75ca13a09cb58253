#include "net/plan.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"

/* A row while its final place is not known yet. */
typedef struct draft {
    int32_t module;                     /* an nln_module_id, LEAF or ATOM */
    int32_t operand[NLN_MOST_OPERANDS]; /* drafts; of an atom its number and its member */
    int32_t level;
    int32_t count;
} draft;

enum { LEAF = -1, ATOM = -2, NONE = -1 };

/* A draft on its way to the table stays in registers: memory that was just written in parts is slow
 * to be read as a whole. */
#define INLINE static inline __attribute__((always_inline))

struct nln_planner {
    nln_plan plan;
    int32_t members, stride, entity_stride, predicate_stride;
    const uint64_t *keys; /* borrowed */
    int32_t *places;      /* entity or predicate -> place + 1, by open addressing */
    size_t places_room;

    draft *drafts;
    size_t n_drafts, drafts_room;
    int32_t *slots; /* hash table with open addressing: draft + 1, 0 is free */
    size_t n_slots;

    int32_t *stack;
    size_t stack_room;
    int32_t *place; /* [n_drafts] final row */
    size_t place_room;
    int32_t *bucket_start; /* [NLN_N_MODULES * levels + 1] */
    size_t bucket_room;

    size_t start_room, groups_room, roots_room, users_room;
    size_t operand_room[NLN_MOST_OPERANDS], count_room;
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

void nln_planner_set_relations(nln_planner *p, int32_t entities, int32_t predicates)
{
    p->entity_stride = entities;
    p->predicate_stride = predicates;
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
    nln_free(p->bucket_start);
    nln_free(p->plan.groups);
    for (int i = 0; i < NLN_MOST_OPERANDS; i++)
        nln_free(p->plan.operand[i]);
    nln_free(p->plan.count);
    nln_free(p->plan.root);
    nln_free(p->plan.user_start);
    nln_free(p->plan.user);
    nln_free(p->places);
    nln_free(p->plan.atoms.entity);
    nln_free(p->plan.atoms.predicate);
    nln_free(p->plan.atoms.predicate_of);
    nln_free(p->plan.atoms.start);
    nln_free(p->plan.atoms.argument);
    nln_free(p);
}

/* ---- drafts: rows with sharing ------------------------------------------ */

/* The operands of all rows are numbered in 32 bits. */
enum { MOST_ROWS = INT32_MAX / (NLN_N_MODULES * NLN_MOST_OPERANDS) };

INLINE int add_draft(int32_t *out, nln_planner *p, draft d)
{
    if (p->n_drafts >= MOST_ROWS || !NLN_ARRAY_RESERVE(p->drafts, p->drafts_room, p->n_drafts + 1))
        return 0;
    *out = (int32_t)p->n_drafts;
    p->drafts[p->n_drafts++] = d;
    return 1;
}

/* The slot of a draft that is equal to d, or a free one for it. */
INLINE size_t slot_of(const nln_planner *p, draft d)
{
    uint64_t key = (uint64_t)(d.module + 1);
    for (int i = 0; i < NLN_MOST_OPERANDS; i++)
        key = key * 0x9e3779b97f4a7c15u + (uint32_t)d.operand[i];
    size_t at = (size_t)nln_random_mix(key) & (p->n_slots - 1);
    for (; p->slots[at]; at = (at + 1) & (p->n_slots - 1)) {
        const draft *other = &p->drafts[p->slots[at] - 1];
        int same = other->module == d.module;
        for (int i = 0; i < NLN_MOST_OPERANDS; i++)
            same &= other->operand[i] == d.operand[i];
        if (same)
            break;
    }
    return at;
}

/* The row of a draft, which is new or shared.  The hash table is kept at most half full. */
INLINE int row_of(int32_t *out, nln_planner *p, draft d)
{
    if (2 * (p->n_drafts + 1) >= p->n_slots) {
        int32_t *larger = nln_array_zeroed(2 * p->n_slots, sizeof *larger);
        if (!larger)
            return 0;
        nln_free(p->slots);
        p->slots = larger;
        p->n_slots *= 2;
        for (size_t i = NLN_ROW_LEAF; i < p->n_drafts; i++)
            p->slots[slot_of(p, p->drafts[i])] = (int32_t)i + 1;
    }
    size_t at = slot_of(p, d);
    if (!p->slots[at]) {
        if (!add_draft(out, p, d))
            return 0;
        p->slots[at] = *out + 1;
    }
    *out = p->slots[at] - 1;
    p->drafts[*out].count++;
    return 1;
}

/* The row of a module with operands a and b; b is NONE for a module with one operand. */
static int operation(int32_t *out, nln_planner *p, nln_module_id module, int32_t a, int32_t b)
{
    if (module == NLN_MODULE_NOT && a == NLN_ROW_TRUE) {
        *out = NLN_ROW_FALSE;
        return 1;
    }
    int32_t level = p->drafts[a].level;
    if (b != NONE && p->drafts[b].level > level)
        level = p->drafts[b].level;
    return row_of(out, p, (draft){(int32_t)module, {a, b}, level + 1, 0});
}

/* ---- association --------------------------------------------------------- */

static void swap(int32_t *a, int32_t *b)
{
    int32_t t = *a;
    *a = *b;
    *b = t;
}

static int in_pairs(nln_planner *p, nln_module_id module, int32_t *items, int32_t n,
                    nln_random *random)
{
    while (n > 1) {
        if (random)
            nln_random_shuffle(random, items, n);
        int32_t half = 0;
        for (int32_t i = 0; i + 1 < n; i += 2)
            if (!operation(&items[half++], p, module, items[i], items[i + 1]))
                return 0;
        if (n % 2)
            items[half++] = items[n - 1];
        n = half;
    }
    return 1;
}

static int in_fold(nln_planner *p, nln_module_id module, int32_t *items, int32_t n,
                   nln_random *random)
{
    if (random)
        nln_random_shuffle(random, items, n);
    for (int32_t i = 1; i < n; i++) {
        if (random && nln_random_next(random) >> 63)
            swap(&items[0], &items[i]);
        if (!operation(&items[0], p, module, items[0], items[i]))
            return 0;
    }
    return 1;
}

/* ---- from expressions to drafts ------------------------------------------ */

/* Replaces the operands of a node, n items on top of the stack, by its row. */
static int draft_operation(nln_planner *p, nln_module_id module, int32_t *items, int32_t n,
                           nln_association how, nln_random *random)
{
    if (nln_module_table[module].arity == 1)
        return operation(items, p, module, items[0], NONE);
    if (how == NLN_ASSOCIATE_FOLD)
        return in_fold(p, module, items, n, random);
    return in_pairs(p, module, items, n, random);
}

static int draft_expression(int32_t *root, nln_planner *p, nln_expr e, int32_t member,
                            nln_association how, nln_random *random)
{
    int32_t offset = member * p->stride;
    if (!NLN_ARRAY_RESERVE(p->stack, p->stack_room, (size_t)e.n_nodes))
        return 0;
    int32_t *top = p->stack; /* above the last item */
    for (int32_t i = 0; i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        int32_t n = node.op == NLN_OP_NOT ? 1 : node.arg;
        if (node.op == NLN_OP_TRUE || node.op == NLN_OP_FALSE) {
            *top++ = node.op == NLN_OP_TRUE ? NLN_ROW_TRUE : NLN_ROW_FALSE;
        } else if (node.op == NLN_OP_VAR) {
            if (!row_of(top++, p, (draft){LEAF, {node.arg + offset, NONE}, 0, 0}))
                return 0;
        } else if (node.op == NLN_OP_ATOM) {
            if (!row_of(top++, p, (draft){ATOM, {node.arg, member}, 0, 0}))
                return 0;
        } else {
            top -= n - 1;
            if (!draft_operation(p, nln_module_of((nln_op)node.op), top - 1, n, how, random))
                return 0;
        }
    }
    *root = p->stack[0];
    return 1;
}

/* ---- from drafts to rows -------------------------------------------------- */

/* Leaves, atoms, then the modules of level 1, 2, ... */
enum { FIRST_GROUP = 2 };
static int32_t bucket(const draft *d)
{
    if (d->module < 0)
        return d->module == ATOM;
    return NLN_N_MODULES * (d->level - 1) + FIRST_GROUP + d->module;
}

/* Sorts the drafts by (level, module), keeping their order within a group. */
static int place_rows(nln_planner *p)
{
    nln_plan *plan = &p->plan;
    int32_t levels = 0;
    for (size_t i = 0; i < p->n_drafts; i++)
        if (p->drafts[i].level > levels)
            levels = p->drafts[i].level;
    size_t buckets = NLN_N_MODULES * (size_t)levels + FIRST_GROUP;
    if (!NLN_ARRAY_RESERVE(p->place, p->place_room, p->n_drafts) ||
        !NLN_ARRAY_RESERVE(p->bucket_start, p->bucket_room, buckets) ||
        !NLN_ARRAY_RESERVE(plan->groups, p->groups_room, buckets))
        return 0;
    int32_t *start = p->bucket_start, row = 0;
    memset(start, 0, buckets * sizeof *start);
    for (size_t i = 0; i < p->n_drafts; i++)
        start[bucket(&p->drafts[i])]++;

    plan->n_leaves = start[0] - NLN_ROW_LEAF;
    plan->n_atoms = start[1];
    plan->n_groups = 0;
    for (size_t b = 0; b < buckets; b++) {
        int32_t n = start[b];
        start[b] = row;
        if (b >= FIRST_GROUP && n)
            plan->groups[plan->n_groups++] =
                (nln_group){(nln_module_id)((b - FIRST_GROUP) % NLN_N_MODULES), row, n,
                            (int32_t)((b - FIRST_GROUP) / NLN_N_MODULES) + 1};
        row += n;
    }
    for (size_t i = 0; i < p->n_drafts; i++)
        p->place[i] = start[bucket(&p->drafts[i])]++;
    return 1;
}

static int fill_rows(nln_planner *p)
{
    nln_plan *plan = &p->plan;
    size_t n = p->n_drafts;
    for (int i = 0; i < NLN_MOST_OPERANDS; i++)
        if (!NLN_ARRAY_RESERVE(plan->operand[i], p->operand_room[i], n))
            return 0;
    if (!NLN_ARRAY_RESERVE(plan->count, p->count_room, n))
        return 0;
    plan->n_rows = (int32_t)n;
    plan->n_occurrences = 0;
    for (size_t i = 0; i < n; i++) {
        const draft *d = &p->drafts[i];
        int32_t row = p->place[i];
        for (int j = 0; j < NLN_MOST_OPERANDS; j++)
            plan->operand[j][row] =
                d->module < 0 || d->operand[j] == NONE ? d->operand[j] : p->place[d->operand[j]];
        plan->count[row] = d->count;
        plan->n_occurrences += d->count;
    }
    for (int32_t i = 0; i < plan->n_roots; i++)
        plan->root[i] = p->place[plan->root[i]];
    return 1;
}

/* The place of a row of the network's tables in `list`, which is new or found; there is room. */
static int32_t place_of(nln_planner *p, size_t n_slots, int32_t *list, int32_t *n, int32_t row)
{
    size_t at = (size_t)nln_random_mix((uint64_t)row) & (n_slots - 1);
    while (p->places[at] && list[p->places[at] - 1] != row)
        at = (at + 1) & (n_slots - 1);
    if (!p->places[at]) {
        list[(*n)++] = row;
        p->places[at] = *n;
    }
    return p->places[at] - 1;
}

/* Lists entities and predicates in order of first sight. */
static int fill_atoms(nln_planner *p, const nln_atoms *atoms)
{
    nln_plan *plan = &p->plan;
    nln_plan_atoms *a = &plan->atoms;
    size_t n = (size_t)plan->n_atoms, n_arguments = 0, n_slots = 16;
    int32_t first = NLN_ROW_LEAF + plan->n_leaves;
    a->n_entities = a->n_predicates = 0;
    if (!n)
        return 1;
    for (size_t i = 0; i < n; i++)
        n_arguments +=
            (size_t)nln_atoms_get(atoms, plan->operand[0][first + (int32_t)i]).n_arguments;
    while (n_slots < 2 * (n_arguments + n + 1))
        n_slots *= 2;
    if (!NLN_ARRAY_RESERVE(a->entity, a->entity_room, n_arguments + 1) ||
        !NLN_ARRAY_RESERVE(a->argument, a->argument_room, n_arguments + 1) ||
        !NLN_ARRAY_RESERVE(a->predicate, a->predicate_room, n) ||
        !NLN_ARRAY_RESERVE(a->predicate_of, a->of_room, n) ||
        !NLN_ARRAY_RESERVE(a->start, a->start_room, n + 1) ||
        !NLN_ARRAY_RESERVE(p->places, p->places_room, n_slots))
        return 0;
    a->start[0] = 0;
    memset(p->places, 0, n_slots * sizeof *p->places);
    for (int32_t i = 0; i < plan->n_atoms; i++) {
        nln_atom atom = nln_atoms_get(atoms, plan->operand[0][first + i]);
        int32_t offset = plan->operand[1][first + i] * p->entity_stride;
        for (int32_t k = 0; k < atom.n_arguments; k++)
            a->argument[a->start[i] + k] =
                place_of(p, n_slots, a->entity, &a->n_entities, atom.argument[k] + offset);
        a->start[i + 1] = a->start[i] + atom.n_arguments;
    }
    memset(p->places, 0, n_slots * sizeof *p->places);
    for (int32_t i = 0; i < plan->n_atoms; i++)
        a->predicate_of[i] = place_of(p, n_slots, a->predicate, &a->n_predicates,
                                      nln_atoms_get(atoms, plan->operand[0][first + i]).predicate +
                                          plan->operand[1][first + i] * p->predicate_stride);
    return 1;
}

/* The users of each row, in order of their rows: the order in which gradients
 * are added must not depend on anything but the plan. */
static int fill_users(nln_planner *p)
{
    nln_plan *plan = &p->plan;
    size_t n = (size_t)plan->n_rows;
    if (!NLN_ARRAY_RESERVE(plan->user_start, p->start_room, n + 2) ||
        !NLN_ARRAY_RESERVE(plan->user, p->users_room, NLN_MOST_OPERANDS * n))
        return 0;
    int32_t *start = plan->user_start + 1; /* start[r] moves from r's begin to its end */
    memset(plan->user_start, 0, (n + 2) * sizeof *plan->user_start);
    int32_t first = NLN_ROW_LEAF + plan->n_leaves + plan->n_atoms;
    for (int32_t r = first; r < plan->n_rows; r++)
        for (int i = 0; i < NLN_MOST_OPERANDS; i++)
            if (plan->operand[i][r] != NONE)
                start[plan->operand[i][r] + 1]++;
    for (size_t r = 0; r < n; r++)
        start[r + 1] += start[r];
    for (int32_t r = first; r < plan->n_rows; r++)
        for (int i = 0; i < NLN_MOST_OPERANDS; i++)
            if (plan->operand[i][r] != NONE)
                plan->user[start[plan->operand[i][r]]++] = NLN_MOST_OPERANDS * r + i;
    return 1;
}

/* A hash of an expression. */
static uint64_t content(nln_expr e)
{
    uint64_t hash = (uint64_t)e.n_nodes;
    for (int32_t i = 0; i < e.n_nodes; i++)
        hash = nln_random_mix(hash ^ ((uint64_t)(uint32_t)e.nodes[i].arg << 8) ^
                              (uint64_t)e.nodes[i].op);
    return hash;
}

nln_status nln_planner_plan(const nln_plan **out, nln_planner *p, const nln_exprs *list,
                            const int32_t *index, int32_t n, nln_association association,
                            nln_random *random, nln_error *err)
{
    nln_plan *plan = &p->plan;
    int32_t n_roots = n * p->members;
    draft constant = {LEAF, {NONE, NONE}, 0, 0};
    int32_t row;
    memset(p->slots, 0, p->n_slots * sizeof *p->slots);
    p->n_drafts = 0;
    if (!add_draft(&row, p, constant) || !add_draft(&row, p, constant) || /* T and F */
        !NLN_ARRAY_RESERVE(plan->root, p->roots_room, (size_t)n_roots))
        return nln_error_memory(err);
    plan->n_roots = n_roots;
    uint64_t seed = random ? nln_random_next(random) : 0;
    for (int32_t i = 0; i < n_roots; i++) {
        size_t which = (size_t)(index ? index[i % n] : i % n);
        nln_expr e = nln_exprs_get(list, which);
        nln_random own;
        if (random)
            own = nln_random_seed(seed + (uint64_t)(i / n), p->keys ? p->keys[which] : content(e));
        if (!draft_expression(&plan->root[i], p, e, i / n, association, random ? &own : NULL))
            return p->n_drafts < MOST_ROWS
                       ? nln_error_memory(err)
                       : nln_error_set(err, NLN_LIMIT,
                                       "a batch has more than %d sub-expressions: use shorter "
                                       "expressions, a smaller batch or fewer members",
                                       MOST_ROWS);
    }
    if (!place_rows(p) || !fill_rows(p) || !fill_atoms(p, list->atoms) || !fill_users(p))
        return nln_error_memory(err);
    *out = plan;
    return NLN_OK;
}

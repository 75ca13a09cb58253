#include "net/law_shards.h"

#include <string.h>

/* The rows of a shard that are variables, or negated variables: first .. last - 1. */
typedef struct rows {
    int32_t first, last;
} rows;

static rows literals_of(const nln_plan *plan, int negated)
{
    if (!negated)
        return (rows){NLN_ROW_LEAF, NLN_ROW_LEAF + plan->n_leaves};
    if (!plan->n_groups || plan->groups[0].module != NLN_MODULE_NOT)
        return (rows){0, 0};
    /* level 1, so all its operands are leaves, atoms, or F */
    return (rows){plan->groups[0].first, plan->groups[0].first + plan->groups[0].count};
}

/* Which leaf of shard i a row is, or negates, counted through all shards; -1 for NOT F, and for
 * an atom, which is under the laws in each of its shards. */
static int64_t leaf_of(const nln_batch *b, int i, int32_t row, int negated)
{
    int32_t leaf = negated ? b->shard[i].plan->operand[0][row] : row;
    if (leaf < NLN_ROW_LEAF || leaf >= NLN_ROW_LEAF + b->shard[i].plan->n_leaves)
        return -1;
    return (int64_t)b->variables.start[i] + leaf - NLN_ROW_LEAF;
}

/* Finds the shards and counts the occurrences; these rows no longer count as load. */
static void count_literals(nln_batch *b, int negated)
{
    const nln_shard_rows *u = &b->variables;
    memset(b->literal[negated], 0, (size_t)b->n_variables * sizeof *b->literal[negated]);
    if (negated)
        memset(b->negated, 0, u->start[b->n_shards]);
    for (int i = 0; i < b->n_shards; i++) {
        nln_shard *s = &b->shard[i];
        rows range = literals_of(s->plan, negated);
        for (int32_t r = range.first; r < range.last; r++) {
            int64_t leaf = leaf_of(b, i, r, negated);
            if (leaf < 0)
                continue;
            nln_batch_literal *l = &b->literal[negated][u->place[leaf]];
            l->count += s->plan->count[r];
            l->n_shards++;
            l->owner = i;
            s->n_under_laws--;
            if (negated)
                b->negated[leaf] = 1;
        }
    }
}

/* The shard with the least load of those that have a literal. */
static int32_t least_loaded(const nln_batch *b, int32_t variable, int negated)
{
    const nln_shard_rows *u = &b->variables;
    int32_t best = -1;
    for (size_t i = u->first[variable]; i < u->first[variable + 1]; i++) {
        nln_row_holder h = u->holder[i];
        if (negated && !b->negated[u->start[h.shard] + (size_t)h.at])
            continue;
        if (best < 0 || b->shard[h.shard].n_under_laws < b->shard[best].n_under_laws)
            best = h.shard;
    }
    return best;
}

/* First the literals that only one shard has, which is their owner already, then the others, each
 * for the shard with the least load. */
static void choose_owners(nln_batch *b, int negated)
{
    for (int several = 0; several < 2; several++)
        for (int32_t v = 0; v < b->n_variables; v++) {
            nln_batch_literal *l = &b->literal[negated][v];
            if (!l->n_shards || (l->n_shards > 1) != several)
                continue;
            if (several)
                l->owner = least_loaded(b, v, negated);
            b->shard[l->owner].n_under_laws++;
        }
}

void nln_law_sharing_assign(nln_batch *b, const nln_objective *o)
{
    b->n_literal_kinds = o->logit_noise > 0 || o->dropout_variables > 0 ? 0
                         : o->dropout > 0                               ? 1
                                                                        : 2;
    for (int i = 0; i < b->n_shards; i++)
        b->shard[i].n_under_laws = b->shard[i].plan->n_rows;
    for (int negated = 0; negated < b->n_literal_kinds; negated++) {
        count_literals(b, negated);
        choose_owners(b, negated);
    }
}

void nln_law_sharing_count(nln_law_list *list, nln_batch *b, int i)
{
    const nln_shard *s = &b->shard[i];
    int32_t *count = list->count;
    memcpy(count, s->plan->count, (size_t)s->plan->n_rows * sizeof *count);
    for (int negated = 0; negated < b->n_literal_kinds; negated++) {
        rows range = literals_of(s->plan, negated);
        for (int32_t r = range.first; r < range.last; r++) {
            int64_t leaf = leaf_of(b, i, r, negated);
            if (leaf < 0)
                continue;
            nln_batch_literal *l = &b->literal[negated][b->variables.place[leaf]];
            count[r] = l->owner == i ? l->count : 0;
            if (l->owner == i)
                l->count = 0; /* only once */
        }
    }
}

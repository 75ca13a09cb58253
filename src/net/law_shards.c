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
    /* level 1, so all its operands are leaves, or F */
    return (rows){plan->groups[0].first, plan->groups[0].first + plan->groups[0].count};
}

/* The literal of a row, NULL for NOT F. */
static nln_batch_literal *literal_of(const nln_batch *b, const nln_shard *s, int32_t row,
                                     int negated)
{
    int32_t leaf = negated ? s->plan->operand[0][row] : row;
    return leaf < NLN_ROW_LEAF ? NULL : &b->literal[negated][s->place[leaf - NLN_ROW_LEAF]];
}

/* Finds the shards and counts the occurrences; these rows no longer count as load. */
static void count_literals(nln_batch *b, int negated)
{
    memset(b->literal[negated], 0, (size_t)b->n_variables * sizeof *b->literal[negated]);
    for (int i = 0; i < b->n_shards; i++) {
        nln_shard *s = &b->shard[i];
        rows range = literals_of(s->plan, negated);
        for (int32_t r = range.first; r < range.last; r++) {
            nln_batch_literal *l = literal_of(b, s, r, negated);
            if (!l)
                continue;
            l->count += s->plan->count[r];
            l->shards |= (uint16_t)(1u << i);
            l->owner = (uint16_t)i;
            s->n_under_laws--;
        }
    }
}

/* First the literals that only one shard has, which is their owner already, then the others, each
 * for the shard with the least load. */
static void choose_owners(nln_batch *b, int negated)
{
    for (int several = 0; several < 2; several++)
        for (int32_t v = 0; v < b->n_variables; v++) {
            nln_batch_literal *l = &b->literal[negated][v];
            if (!l->shards || ((l->shards & (l->shards - 1)) != 0) != several)
                continue;
            for (int i = 0, best = -1; several && l->shards >> i; i++)
                if (l->shards >> i & 1 &&
                    (best < 0 || b->shard[i].n_under_laws < b->shard[best].n_under_laws))
                    l->owner = (uint16_t)(best = i);
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
            nln_batch_literal *l = literal_of(b, s, r, negated);
            if (!l)
                continue;
            count[r] = l->owner == i ? l->count : 0;
            if (l->owner == i)
                l->count = 0; /* only once */
        }
    }
}

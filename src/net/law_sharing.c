#include "net/law_sharing.h"

#include <string.h>

/* The rows of a shard that are variables, or negated ones. */
typedef struct family {
    int32_t first, n;
} family;

static family rows_of(const nln_plan *plan, int negated)
{
    if (!negated)
        return (family){NLN_ROW_LEAF, plan->n_leaves};
    if (!plan->n_groups || plan->groups[0].module != NLN_MODULE_NOT)
        return (family){0, 0};
    /* level 1, so all its operands are leaves, or F */
    return (family){plan->groups[0].first, plan->groups[0].count};
}

/* The kin of a row of a family, NULL for NOT F. */
static nln_variable_rows *kin_of(const nln_batch *b, const nln_shard *s, int32_t row, int negated)
{
    int32_t leaf = negated ? s->plan->operand[0][row] : row;
    return leaf < NLN_ROW_LEAF ? NULL : &b->kin[negated][s->place[leaf - NLN_ROW_LEAF]];
}

/* Finds the holders and counts the occurrences; these rows no longer count as load. */
static void count_kin(nln_batch *b, int negated)
{
    memset(b->kin[negated], 0, (size_t)b->n_variables * sizeof *b->kin[negated]);
    for (int i = 0; i < b->n_shards; i++) {
        nln_shard *s = &b->shard[i];
        family f = rows_of(s->plan, negated);
        for (int32_t r = f.first; r < f.first + f.n; r++) {
            nln_variable_rows *kin = kin_of(b, s, r, negated);
            if (!kin)
                continue;
            kin->count += s->plan->count[r];
            kin->holders |= (uint16_t)(1u << i);
            kin->owner = (uint16_t)i;
            s->n_under_laws--;
        }
    }
}

static int least_loaded(const nln_shard *shard, unsigned holders)
{
    int best = -1;
    for (int i = 0; holders >> i; i++)
        if (holders >> i & 1 && (best < 0 || shard[i].n_under_laws < shard[best].n_under_laws))
            best = i;
    return best;
}

/* First the rows that one shard has, which is their owner already, then those with a choice. */
static void choose_owners(nln_batch *b, int negated)
{
    for (int choice = 0; choice < 2; choice++)
        for (int32_t v = 0; v < b->n_variables; v++) {
            nln_variable_rows *kin = &b->kin[negated][v];
            int several = (kin->holders & (kin->holders - 1)) != 0;
            if (!kin->holders || several != choice)
                continue;
            if (several)
                kin->owner = (uint16_t)least_loaded(b->shard, kin->holders);
            b->shard[kin->owner].n_under_laws++;
        }
}

void nln_laws_share(nln_batch *b, const nln_objective *o)
{
    b->n_families = o->logit_noise > 0 || o->dropout_variables > 0 ? 0 : o->dropout > 0 ? 1 : 2;
    for (int i = 0; i < b->n_shards; i++)
        b->shard[i].n_under_laws = b->shard[i].plan->n_rows;
    for (int negated = 0; negated < b->n_families; negated++) {
        count_kin(b, negated);
        choose_owners(b, negated);
    }
}

void nln_laws_take(nln_law_list *l, nln_batch *b, int i)
{
    const nln_shard *s = &b->shard[i];
    int32_t *count = l->count;
    memcpy(count, s->plan->count, (size_t)s->plan->n_rows * sizeof *count);
    for (int negated = 0; negated < b->n_families; negated++) {
        family f = rows_of(s->plan, negated);
        for (int32_t r = f.first; r < f.first + f.n; r++) {
            nln_variable_rows *kin = kin_of(b, s, r, negated);
            if (!kin)
                continue;
            count[r] = kin->owner == i ? kin->count : 0;
            if (kin->owner == i)
                kin->count = 0; /* once */
        }
    }
}

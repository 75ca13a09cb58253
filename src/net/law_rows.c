#include "net/law_rows.h"

#include "base/array.h"
#include "base/memory.h"
#include "math/kernels.h"

void nln_law_list_free(nln_law_list *l)
{
    nln_free(l->count);
    nln_free(l->row);
    nln_free(l->weight);
    nln_free(l->shared);
    nln_free(l->negation);
    nln_free(l->degree);
    *l = (nln_law_list){0};
}

nln_status nln_law_list_fit(nln_law_list *l, size_t n, nln_error *err)
{
    if (n <= l->room)
        return NLN_OK;
    nln_law_list_free(l);
    l->count = nln_array_zeroed(n, sizeof *l->count);
    l->row = nln_array_zeroed(n, sizeof *l->row);
    l->weight = nln_array_zeroed(n, sizeof *l->weight);
    l->shared = nln_array_zeroed(n, sizeof *l->shared);
    l->negation = nln_array_zeroed(n, sizeof *l->negation);
    l->degree = nln_array_zeroed(n, sizeof *l->degree);
    if (!l->count || !l->row || !l->weight || !l->shared || !l->negation || !l->degree) {
        nln_law_list_free(l);
        return nln_error_memory(err);
    }
    l->room = n;
    return NLN_OK;
}

/* Values of `negation` that are no rows. */
enum { ALONE = -1, IS_NEGATION = -2 };

static int is_under_laws(const nln_law_list *l, int32_t row)
{
    return row >= NLN_ROW_LEAF && l->count[row] > 0;
}

static void sample_rows(nln_law_list *l, const nln_plan *plan, nln_law_selection selection)
{
    int all = selection.sample >= 1;
    uint64_t threshold = all ? 0 : (uint64_t)(selection.sample * 0x1p64);
    for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
        if (!l->count[r] ||
            (!all && nln_random_mix(selection.key ^ nln_random_mix((uint64_t)r)) >= threshold))
            continue;
        l->row[l->n] = r;
        l->weight[l->n++] = (real)(selection.weight * l->count[r] / selection.sample);
    }
}

/* A row is in at most one pair: in NOT NOT a, NOT a is in that of a. */
static void find_pairs(nln_law_list *l, const nln_plan *plan, nln_group g)
{
    for (int32_t u = g.first; u < g.first + g.count; u++) {
        int32_t w = plan->operand[0][u];
        if (!is_under_laws(l, u) || !is_under_laws(l, w) || l->negation[w] != ALONE)
            continue;
        l->negation[w] = u;
        l->negation[u] = IS_NEGATION;
        l->n_pairs++;
    }
}

/* A row shares with the first operation that has it as an operand.  The first of a pair shares
 * nothing: the second decides their place, and equal projections should be neighbours, for large
 * products. */
static void find_shared(nln_law_list *l, const nln_plan *plan, nln_group g)
{
    for (int32_t u = g.first; u < g.first + g.count; u++)
        for (int i = 0; i < nln_module_table[g.module].arity; i++) {
            int32_t r = plan->operand[i][u];
            if (!is_under_laws(l, r) || l->shared[r].operation >= 0 || l->negation[r] >= 0)
                continue;
            l->shared[r] = (nln_shared_projection){u, nln_projection(g.module, i)};
            l->n_shared++;
        }
}

/* Rows that are about equally true have about the same active units (math/active_units.h). */
enum { DEGREES = 8 };

static void find_degrees(nln_law_list *l, const nln_plan *plan, const real *H, int dim)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)dim;
    real of_truth, of_w, cosine;
    k->inverse_length(&of_truth, H + NLN_ROW_TRUE * d, 1, dim);
    for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
        if (!is_under_laws(l, r))
            continue;
        k->cosine(&cosine, &of_w, H + (size_t)r * d, H + NLN_ROW_TRUE * d, &of_truth, 0, 1, dim);
        real place = (cosine + 1) * (DEGREES / 2);
        l->degree[r] = place > 0 ? place < DEGREES ? (uint8_t)place : DEGREES - 1 : 0;
    }
}

/* First the pairs, then the others, each by degree and by shared projection: a counting sort. */
static void sort_rows(nln_law_list *l, const nln_plan *plan, double weight)
{
    enum { KINDS = NLN_N_PROJECTIONS + 1, PLACES = DEGREES * KINDS };
    int32_t place[2 * PLACES + 1] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
            int32_t negation = l->negation[r];
            if (!is_under_laws(l, r) || negation == IS_NEGATION)
                continue;
            int alone = negation == ALONE;
            int32_t *at = &place[alone * PLACES + l->degree[r] * KINDS +
                                 l->shared[alone ? r : negation].projection];
            if (pass == 0) {
                at[1]++;
                continue;
            }
            int32_t i = (*at)++ + alone * l->n_pairs;
            l->row[i] = r;
            l->weight[i] = (real)(weight * l->count[r]);
            if (!alone) {
                l->row[i + l->n_pairs] = negation;
                l->weight[i + l->n_pairs] = (real)(weight * l->count[negation]);
            }
        }
        for (int c = 0; pass == 0 && c < 2 * PLACES; c++)
            place[c + 1] += place[c];
    }
    l->n = place[2 * PLACES - 1] + l->n_pairs;
}

void nln_law_list_make(nln_law_list *l, const nln_plan *plan, nln_law_selection selection)
{
    l->n = l->n_pairs = l->n_shared = 0;
    l->sharing = selection.sharing;
    if (!l->sharing) {
        sample_rows(l, plan, selection);
        return;
    }
    for (int32_t r = 0; r < plan->n_rows; r++) {
        l->shared[r] = (nln_shared_projection){-1, NLN_N_PROJECTIONS};
        l->negation[r] = ALONE;
    }
    for (int32_t i = 0; !selection.tree_dropout && i < plan->n_groups; i++)
        if (plan->groups[i].module == NLN_MODULE_NOT)
            find_pairs(l, plan, plan->groups[i]);
    for (int32_t i = 0; i < plan->n_groups; i++)
        if (nln_module_table[plan->groups[i].module].arity > 1)
            find_shared(l, plan, plan->groups[i]);
    find_degrees(l, plan, selection.H, selection.dim);
    sort_rows(l, plan, selection.weight);
}

#include "net/law_list.h"

#include "base/array.h"
#include "base/memory.h"
#include "math/kernels.h"

void nln_law_list_free(nln_law_list *l)
{
    nln_free(l->count);
    nln_free(l->row);
    nln_free(l->weight);
    nln_free(l->loan);
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
    l->loan = nln_array_zeroed(n, sizeof *l->loan);
    l->negation = nln_array_zeroed(n, sizeof *l->negation);
    l->degree = nln_array_zeroed(n, sizeof *l->degree);
    if (!l->count || !l->row || !l->weight || !l->loan || !l->negation || !l->degree) {
        nln_law_list_free(l);
        return nln_error_memory(err);
    }
    l->room = n;
    return NLN_OK;
}

/* Marks in `negation`, beside rows. */
enum { ALONE = -1, IS_NEGATION = -2 };

static real weight_of(const nln_law_list *l, int32_t row, double each)
{
    return (real)(each * l->count[row]);
}

static void draw_rows(nln_law_list *l, const nln_plan *plan, nln_law_selection choice)
{
    int all = choice.sample >= 1;
    uint64_t threshold = all ? 0 : (uint64_t)(choice.sample * 0x1p64);
    for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
        if (!l->count[r] ||
            (!all && nln_random_mix(choice.key ^ nln_random_mix((uint64_t)r)) >= threshold))
            continue;
        l->row[l->n] = r;
        l->weight[l->n++] = (real)(choice.weight * l->count[r] / choice.sample);
    }
}

static int is_under_laws(const nln_law_list *l, int32_t row)
{
    return row >= NLN_ROW_LEAF && l->count[row] > 0;
}

/* A row is in one pair at most: in NOT NOT a, that of a. */
static void find_pairs(nln_law_list *l, const nln_plan *plan)
{
    for (int32_t i = 0; i < plan->n_groups; i++) {
        nln_group g = plan->groups[i];
        for (int32_t u = g.first; g.module == NLN_MODULE_NOT && u < g.first + g.count; u++) {
            int32_t w = plan->operand[0][u];
            if (!is_under_laws(l, u) || !is_under_laws(l, w) || l->negation[w] != ALONE)
                continue;
            l->negation[w] = u;
            l->negation[u] = IS_NEGATION;
            l->n_pairs++;
        }
    }
}

/* The first operation that has a row lends to it.  The first of a pair borrows nothing: where it
 * stands is decided by the second, and loans of one kind should lie side by side, for large
 * products. */
static void find_loans(nln_law_list *l, const nln_plan *plan)
{
    for (int32_t i = 0; i < plan->n_groups; i++) {
        nln_group g = plan->groups[i];
        for (int32_t u = g.first; nln_module_table[g.module].arity == 2 && u < g.first + g.count;
             u++)
            for (int side = 0; side < 2; side++) {
                int32_t r = plan->operand[side][u];
                if (!is_under_laws(l, r) || l->loan[r] >= 0 || l->negation[r] >= 0)
                    continue;
                l->loan[r] = nln_loan(u, g.module, side);
                l->n_loans++;
            }
    }
}

/* The row whose loan decides where `row` stands. */
static int32_t leader(const nln_law_list *l, int32_t row)
{
    return l->negation[row] >= 0 ? l->negation[row] : row;
}

/* Rows that are about as true have about the same hidden units asleep (math/awake.h). */
enum { DEGREES = 8 };

static void find_degrees(nln_law_list *l, const nln_plan *plan, const real *H, int dim)
{
    const nln_kernels *k = nln_kernels_get();
    size_t d = (size_t)dim;
    real of_truth, of_w;
    k->inverse_length(&of_truth, H + NLN_ROW_TRUE * d, 1, dim);
    for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
        const real *w = H + (size_t)r * d;
        real cosine;
        if (!is_under_laws(l, r))
            continue;
        k->cosine(&cosine, &of_w, w, H + NLN_ROW_TRUE * d, &of_truth, 0, 1, dim);
        real place = (cosine + 1) * (DEGREES / 2);
        l->degree[r] = place > 0 ? place < DEGREES ? (uint8_t)place : DEGREES - 1 : 0;
    }
}

/* First the pairs, then the others, each by their degrees and by the kinds of their loans. */
static void sort_rows(nln_law_list *l, const nln_plan *plan, double each)
{
    enum { KINDS = NLN_N_LOANS + 1, PLACES = DEGREES * KINDS };
    int32_t place[2 * PLACES + 1] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t r = NLN_ROW_LEAF; r < plan->n_rows; r++) {
            if (!is_under_laws(l, r) || l->negation[r] == IS_NEGATION)
                continue;
            int alone = l->negation[r] == ALONE;
            int32_t *at = &place[alone * PLACES + l->degree[r] * KINDS +
                                 nln_loan_kind(l->loan[leader(l, r)])];
            if (pass == 0) {
                at[1]++;
                continue;
            }
            int32_t i = (*at)++ + alone * l->n_pairs;
            l->row[i] = r;
            l->weight[i] = weight_of(l, r, each);
            if (alone)
                continue;
            l->row[i + l->n_pairs] = l->negation[r];
            l->weight[i + l->n_pairs] = weight_of(l, l->negation[r], each);
        }
        for (int c = 0; pass == 0 && c < 2 * PLACES; c++)
            place[c + 1] += place[c];
    }
    l->n = place[2 * PLACES - 1] + l->n_pairs;
}

void nln_law_list_make(nln_law_list *l, const nln_plan *plan, nln_law_selection choice)
{
    l->n = l->n_pairs = l->n_loans = 0;
    l->lending = choice.lending;
    if (!l->lending) {
        draw_rows(l, plan, choice);
        return;
    }
    for (int32_t r = 0; r < plan->n_rows; r++) {
        l->loan[r] = -1;
        l->negation[r] = ALONE;
    }
    if (!choice.tree_drops)
        find_pairs(l, plan);
    find_loans(l, plan);
    find_degrees(l, plan, choice.H, choice.dim);
    sort_rows(l, plan, choice.weight);
}

/* A tile of rows against tiles of one row each, sorted or not, and in negation pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "laws_fixture.h"
#include "net/law_tile.h"

enum { ALL_LAWS = (1 << NLN_N_LAWS) - 1 };

typedef struct result {
    double loss;
    real dH[ROWS * DIM], block[N_BLOCK];
} result;

static nln_law_rows rows_from(int first, int n, int sorted)
{
    nln_law_rows rows = {.n = n, .sorted = sorted};
    for (int i = 0; i < n; i++) {
        rows.row[i] = first + i;
        rows.weight[i] = weight_of(first + i);
        rows.shared[i] = (nln_shared_projection){-1, NLN_N_PROJECTIONS};
    }
    return rows;
}

static void begin(fixture *f)
{
    clear_gradients(f);
    nln_laws_begin(&f->work->laws, f->work, f->net);
    nln_law_workspace_clear(&f->work->laws, HIDDEN);
}

/* In tiles of `each` rows.  The gradients that stay in the workspace are left out. */
static result run_tiles(fixture *f, int each, int sorted, unsigned laws)
{
    result r = {0};
    begin(f);
    for (int at = NLN_ROW_LEAF; at < ROWS; at += each) {
        nln_law_rows rows = rows_from(at, ROWS - at < each ? ROWS - at : each, sorted);
        r.loss += nln_law_tile_gradient(f->work, f->net, &rows, laws);
    }
    memcpy(r.dH, f->work->dH, sizeof r.dH);
    memcpy(r.block, f->gradient.block, sizeof r.block);
    return r;
}

static void expect_same(const result *a, const result *b)
{
    assert_true(fabs(a->loss - b->loss) < 1e-9);
    for (int i = 0; i < ROWS * DIM; i++)
        assert_true(fabs((double)a->dH[i] - (double)b->dH[i]) < 1e-9);
    for (int i = 0; i < N_BLOCK; i++)
        assert_true(fabs((double)a->block[i] - (double)b->block[i]) < 1e-9);
}

static void tiles_add_up(void **state)
{
    (void)state;
    fixture f;
    set_up(&f);
    for (unsigned laws = ALL_LAWS; laws; laws >>= 3) {
        result single = run_tiles(&f, 1, 0, laws);
        assert_true(fabs(single.loss - naive_loss(&f, laws)) < 1e-9);
        for (int each = 1; each < ROWS; each++)
            for (int sorted = 0; sorted < 2; sorted++) {
                result tiles = run_tiles(&f, each, sorted, laws);
                expect_same(&tiles, &single);
            }
    }
    tear_down(&f);
}

/* Rows 5, 6, 7 become NOT of rows 2, 3, 4: as pairs they have the same terms. */
static void pairs_have_the_same_terms(void **state)
{
    (void)state;
    enum { PAIRS = 3 };
    fixture f;
    set_up(&f);
    for (int r = NLN_ROW_LEAF; r < NLN_ROW_LEAF + PAIRS; r++)
        naive_module(f.work->H + (r + PAIRS) * DIM, f.net, NLN_MODULE_NOT, f.work->H + r * DIM,
                     NULL);
    begin(&f);
    nln_law_rows rows = rows_from(NLN_ROW_LEAF, 2 * PAIRS, 1);
    rows.pairs = PAIRS;
    double loss = nln_law_tile_gradient(f.work, f.net, &rows, ALL_LAWS);
    assert_true(fabs(loss - naive_loss(&f, ALL_LAWS)) < 1e-9);
    tear_down(&f);
}

/* A projection that is shared is read from P, and its gradient replaces it there. */
static void shared_projections_are_read_and_returned(void **state)
{
    (void)state;
    enum { OPERATION = 1 };
    fixture f;
    set_up(&f);
    assert_int_equal(nln_workspace_fit_projections(f.work, ROWS, NULL), NLN_OK);
    for (int i = 0; i < NLN_N_LAW_MODULES; i++)
        for (int operand = 0; operand < NLN_MOST_OPERANDS; operand++) {
            nln_module_id module = nln_law_modules[i].module;
            const real *in = f.net->modules.of[module].in + operand * DIM * HIDDEN;
            real *P = f.work->P[operand] + OPERATION * HIDDEN, projection[HIDDEN] = {0};
            for (int j = 0; j < HIDDEN; j++)
                for (int k = 0; k < DIM; k++)
                    projection[j] += f.work->H[NLN_ROW_LEAF * DIM + k] * in[k * HIDDEN + j];
            result alone = run_tiles(&f, ROWS, 1, ALL_LAWS);
            memcpy(P, projection, sizeof projection);
            begin(&f);
            nln_law_rows rows = rows_from(NLN_ROW_LEAF, ROWS - NLN_ROW_LEAF, 1);
            rows.shared[0] = (nln_shared_projection){OPERATION, nln_projection(module, operand)};
            assert_true(fabs(nln_law_tile_gradient(f.work, f.net, &rows, ALL_LAWS) - alone.loss) <
                        1e-9);
            /* what has been left out of dH comes back through P */
            for (int k = 0; k < DIM; k++) {
                double sum = (double)f.work->dH[NLN_ROW_LEAF * DIM + k];
                for (int j = 0; j < HIDDEN; j++)
                    sum += (double)P[j] * (double)in[k * HIDDEN + j];
                assert_true(fabs(sum - (double)alone.dH[NLN_ROW_LEAF * DIM + k]) < 1e-9);
            }
        }
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_add_up),
        cmocka_unit_test(pairs_have_the_same_terms),
        cmocka_unit_test(shared_projections_are_read_and_returned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

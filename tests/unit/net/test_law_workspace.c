/* The scratch of the laws: views that do not overlap, and gradients that can be cleared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "net/law_workspace.h"

enum { DIM = 5, HIDDEN = 7, MOST_VIEWS = 64 };

typedef struct view {
    real *at;
    size_t n;
} view;

static size_t n_views;
static view views[MOST_VIEWS];

static void add_view(real *at, size_t n)
{
    assert_true(n_views < MOST_VIEWS);
    views[n_views++] = (view){at, n};
}

static void add_constants(const nln_law_workspace *w)
{
    for (int module = 0; module < NLN_N_LAW_MODULES; module++)
        for (int gradient = 0; gradient < 2; gradient++) {
            nln_law_constants c = nln_law_workspace_constants(w, HIDDEN, module, gradient);
            add_view(c.identity, HIDDEN);
            add_view(c.annihilator, HIDDEN);
            add_view(c.target.toward, HIDDEN);
            add_view(c.target.square, (size_t)HIDDEN * HIDDEN);
        }
    for (int id = 0; id < NLN_N_MODULES; id++)
        for (int i = 0; i < nln_module_table[id].arity; i++)
            add_view(w->din[nln_projection((nln_module_id)id, i)], (size_t)DIM * HIDDEN);
}

static void add_tile(const nln_law_tile *t, int sorted)
{
    size_t n = (size_t)t->n, of_laws = sorted ? n : 2 * n, d = DIM, h = HIDDEN;
    real *const of_dim[] = {t->w, t->dw, t->not_w, t->d_not, t->twice};
    real *const of_hidden[] = {t->z_not,   t->z_twice,        t->projection[0],  t->projection[1],
                               t->negated, t->dprojection[0], t->dprojection[1], t->dnegated};
    real *const of_law[] = {t->z, t->dz, t->packed, t->s};
    add_view(t->inverse, n);
    for (int i = 0; i < 5; i++)
        add_view(of_dim[i], n * d);
    for (int i = 0; i < 8; i++)
        add_view(of_hidden[i], n * h);
    for (int i = 0; i < 4; i++)
        add_view(of_law[i], of_laws * h);
    add_view(t->y, of_laws * d);
    add_view(t->a, h);
    add_view(t->da, h);
    add_view(t->dsum, h + NLN_PACKED_SLACK);
}

static void views_do_not_overlap(void **state)
{
    (void)state;
    nln_net *net = NULL;
    nln_law_workspace w;
    assert_int_equal(nln_net_create(&net, DIM, HIDDEN, 1, NLN_EMBED_FREE, 10, NULL), NLN_OK);
    assert_int_equal(nln_law_workspace_create(&w, DIM, HIDDEN, NULL), NLN_OK);
    for (int sorted = 0; sorted < 2; sorted++) {
        nln_law_rows rows = {.n = sorted ? NLN_LAW_TILE : NLN_LAW_TILE_UNSORTED, .sorted = sorted};
        nln_profile profile = {0};
        nln_law_tile t = nln_law_workspace_tile(&w, net, &rows, &profile);
        assert_ptr_equal(t.profile, &profile);
        assert_int_equal(t.n, rows.n);
        n_views = 0;
        add_constants(&w);
        add_tile(&t, sorted);
        for (size_t i = 0; i < n_views; i++)
            for (size_t j = 0; j < views[i].n; j++)
                views[i].at[j] = (real)i;
        for (size_t i = 0; i < n_views; i++)
            for (size_t j = 0; j < views[i].n; j++)
                assert_true(views[i].at[j] == (real)i);
    }
    nln_law_workspace_free(&w);
    nln_net_free(net);
}

static void only_gradients_are_cleared(void **state)
{
    (void)state;
    nln_law_workspace w;
    assert_int_equal(nln_law_workspace_create(&w, DIM, HIDDEN, NULL), NLN_OK);
    n_views = 0;
    add_constants(&w);
    for (size_t i = 0; i < n_views; i++)
        for (size_t j = 0; j < views[i].n; j++)
            views[i].at[j] = 1;
    w.tile[0] = 1;
    nln_law_workspace_clear(&w, HIDDEN);
    for (size_t i = 0; i < n_views; i++) {
        int is_constant = i < 8 * NLN_N_LAW_MODULES && i / 4 % 2 == 0;
        for (size_t j = 0; j < views[i].n; j++)
            assert_true(views[i].at[j] == (is_constant ? 1 : 0));
    }
    assert_true(w.tile[0] == 1);
    nln_law_workspace_free(&w);
    assert_null(w.scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_do_not_overlap),
        cmocka_unit_test(only_gradients_are_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

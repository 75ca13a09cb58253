/* Workspaces have room for every row, and keep their memory while plans fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/workspace.h"

enum { DIM = 5, HIDDEN = 7, VARIABLES = 3, ROWS = 50 };

static nln_net *make_net(nln_embedding embedding)
{
    nln_net *net = NULL;
    assert_int_equal(nln_net_create(&net, DIM, HIDDEN, VARIABLES, embedding, 10, NULL), NLN_OK);
    return net;
}

/* A sanitizer sees a buffer that is too small. */
static void fill_rows(nln_workspace *work, size_t n)
{
    size_t operands = NLN_MOST_OPERANDS * n * DIM;
    memset(work->H, 1, n * DIM * sizeof(real));
    memset(work->X, 1, operands * sizeof(real));
    memset(work->Z, 1, n * HIDDEN * sizeof(real));
    if (!work->training)
        return;
    memset(work->dH, 1, n * DIM * sizeof(real));
    memset(work->dX, 1, operands * sizeof(real));
    memset(work->dZ, 1, n * HIDDEN * sizeof(real));
    memset(work->law.count, 1, n * sizeof *work->law.count);
    memset(work->law.shared, 1, n * sizeof *work->law.shared);
}

static void rows_have_room(void **state)
{
    (void)state;
    for (int training = 0; training < 2; training++)
        for (int curved = 0; curved < 2; curved++) {
            nln_net *net = make_net(curved ? NLN_EMBED_LINE : NLN_EMBED_FREE);
            nln_workspace *work = NULL;
            assert_int_equal(nln_workspace_create(&work, net, training, NULL), NLN_OK);
            for (int32_t n = 1; n <= ROWS; n += 7) {
                assert_int_equal(nln_workspace_fit(work, n, NULL), NLN_OK);
                assert_true(work->room >= (size_t)n);
                fill_rows(work, (size_t)n);
                assert_int_equal(work->dH != NULL, training);
                assert_int_equal(work->point != NULL, training && curved);
            }
            nln_workspace_free(work);
            nln_net_free(net);
        }
}

static void smaller_plans_move_nothing(void **state)
{
    (void)state;
    nln_net *net = make_net(NLN_EMBED_FREE);
    nln_workspace *work = NULL;
    assert_int_equal(nln_workspace_create(&work, net, 1, NULL), NLN_OK);
    assert_null(work->P[0]);
    assert_int_equal(nln_workspace_fit(work, ROWS, NULL), NLN_OK);
    assert_int_equal(nln_workspace_fit_projections(work, ROWS, NULL), NLN_OK);
    real *H = work->H, *P = work->P[1];
    for (int i = 0; i < NLN_MOST_OPERANDS; i++)
        memset(work->P[i], 1, (size_t)ROWS * HIDDEN * sizeof(real));
    for (int32_t n = ROWS; n > 0; n /= 2) {
        assert_int_equal(nln_workspace_fit(work, n, NULL), NLN_OK);
        assert_int_equal(nln_workspace_fit_projections(work, n, NULL), NLN_OK);
        assert_ptr_equal(work->H, H);
        assert_ptr_equal(work->P[1], P);
    }
    assert_int_equal(nln_workspace_fit_projections(work, 10 * ROWS, NULL), NLN_OK);
    assert_true(work->projection_room >= 10 * ROWS);
    memset(work->P[1], 1, (size_t)10 * ROWS * HIDDEN * sizeof(real));
    nln_workspace_free(work);
    nln_workspace_free(NULL);
    nln_net_free(net);
}

/* The block is zero; leaves have a vector, a number or both, as the network's variables. */
static void gradients_have_the_shape_of_the_network(void **state)
{
    (void)state;
    static const nln_embedding embeddings[] = {NLN_EMBED_FREE, NLN_EMBED_ARC, NLN_EMBED_LINE_REST};
    for (int i = 0; i < 3; i++) {
        nln_net *net = make_net(embeddings[i]);
        nln_shard_gradient g;
        nln_plan plan = {.n_leaves = VARIABLES};
        assert_int_equal(nln_shard_gradient_create(&g, net, NULL), NLN_OK);
        for (size_t j = 0; j < nln_modules_size(DIM, HIDDEN); j++)
            assert_true(g.block[j] == 0);
        assert_ptr_equal(g.modules.of[0].in, g.block);
        assert_int_equal(nln_shard_gradient_fit(&g, net, &plan, NULL), NLN_OK);
        assert_int_equal(g.dlogit != NULL, net->logit != NULL);
        assert_int_equal(g.dvector != NULL, net->vector != NULL);
        assert_true(!g.dvector || g.dvector_room >= (size_t)VARIABLES * DIM);
        nln_shard_gradient_free(&g);
        assert_null(g.block);
        nln_net_free(net);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_room),
        cmocka_unit_test(smaller_plans_move_nothing),
        cmocka_unit_test(gradients_have_the_shape_of_the_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A workspace whose rows are random vectors, ready for the laws; for tests that include cmocka.h.
 */
#ifndef NLN_TESTS_LAWS_FIXTURE_H
#define NLN_TESTS_LAWS_FIXTURE_H

#include <string.h>

#include "math/kernels.h"
#include "naive_net.h"
#include "net/laws.h"

enum { DIM = 4, HIDDEN = 5, ROWS = 8, N_BLOCK = 3 * HIDDEN + 8 * DIM * HIDDEN };

typedef struct fixture {
    nln_net *net;
    nln_workspace *work;
    nln_shard_gradient gradient;
} fixture;

static inline void clear_gradients(fixture *f)
{
    memset(f->work->dH, 0, (size_t)ROWS * DIM * sizeof(real));
    memset(f->gradient.block, 0, nln_modules_size(DIM, HIDDEN) * sizeof(real));
}

/* F is random too: the laws take it from H as it is. */
static inline void set_up(fixture *f)
{
    nln_random random = nln_random_seed(17, 0);
    memset(f, 0, sizeof *f);
    assert_int_equal(nln_modules_size(DIM, HIDDEN), N_BLOCK);
    assert_int_equal(nln_net_create(&f->net, DIM, HIDDEN, 1, NLN_EMBED_FREE, 3, NULL), NLN_OK);
    nln_net_draw(f->net, (nln_init){.scale = NLN_REAL(0.7), .variables = 1}, &random);
    assert_int_equal(nln_workspace_create(&f->work, f->net, 1, NULL), NLN_OK);
    assert_int_equal(nln_workspace_fit(f->work, ROWS, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_create(&f->gradient, f->net, NULL), NLN_OK);
    for (int i = 0; i < ROWS * DIM; i++)
        f->work->H[i] = (real)nln_random_normal(&random);
    memcpy(f->work->H, f->net->truth, DIM * sizeof(real));
    nln_kernels_get()->inverse_length(f->work->inverse_length, f->work->H, 2, DIM);
    f->work->gradient = &f->gradient;
    clear_gradients(f);
}

static inline void tear_down(fixture *f)
{
    nln_shard_gradient_free(&f->gradient);
    nln_workspace_free(f->work);
    nln_net_free(f->net);
}

static inline real weight_of(int row)
{
    return (real)(1 + row % 3);
}

static inline double naive_loss(const fixture *f, unsigned laws)
{
    const real *H = f->work->H;
    double loss = 0;
    for (int r = NLN_ROW_LEAF; r < ROWS; r++)
        for (int law = 0; law < NLN_N_LAWS; law++)
            if (laws >> law & 1)
                loss += (double)weight_of(r) *
                        naive_term(f->net, law, naive_law(f->net, law, H + r * DIM, H, H + DIM));
    return loss;
}

#endif

#include "net/workspace.h"

#include "base/array.h"
#include "base/memory.h"

nln_status nln_shard_gradient_create(nln_shard_gradient *g, const nln_net *net, nln_error *err)
{
    *g = (nln_shard_gradient){0};
    g->block = nln_array_zeroed(nln_modules_size(net->dim, net->hidden), sizeof(real));
    if (!g->block)
        return nln_error_memory(err);
    g->modules = nln_modules_view(g->block, net->dim, net->hidden);
    return NLN_OK;
}

void nln_shard_gradient_free(nln_shard_gradient *g)
{
    nln_free(g->block);
    nln_free(g->dlogit);
    nln_free(g->dvector);
    nln_atom_gradient_free(&g->atoms);
    *g = (nln_shard_gradient){0};
}

nln_status nln_shard_gradient_fit(nln_shard_gradient *g, const nln_net *net, const nln_plan *plan,
                                  nln_error *err)
{
    size_t n = (size_t)plan->n_leaves;
    if ((net->logit && !NLN_ARRAY_RESERVE(g->dlogit, g->dlogit_room, n)) ||
        (net->vector && !NLN_ARRAY_RESERVE(g->dvector, g->dvector_room, n * (size_t)net->dim)))
        return nln_error_memory(err);
    return nln_atom_gradient_fit(&g->atoms, net, plan, err);
}

nln_status nln_workspace_create(nln_workspace **out, const nln_net *net, int training,
                                nln_error *err)
{
    nln_workspace *work = nln_memory_zeroed(1, sizeof *work);
    if (!work)
        return nln_error_memory(err);
    work->dim = net->dim;
    work->hidden = net->hidden;
    work->training = training;
    work->curved = net->logit != NULL;
    nln_status status =
        training ? nln_law_workspace_create(&work->laws, net->dim, net->hidden, err) : NLN_OK;
    if (status) {
        nln_workspace_free(work);
        return status;
    }
    *out = work;
    return NLN_OK;
}

static void free_rows(nln_workspace *work)
{
    real **rows[] = {&work->H, &work->X, &work->Z, &work->dH, &work->dX, &work->dZ};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        nln_free(*rows[i]);
        *rows[i] = NULL;
    }
    nln_free(work->point);
    work->point = NULL;
    nln_law_list_free(&work->law);
    work->room = 0;
}

static void free_projections(nln_workspace *work)
{
    for (int i = 0; i < NLN_MOST_OPERANDS; i++) {
        nln_free(work->P[i]);
        work->P[i] = NULL;
    }
    work->projection_room = 0;
}

void nln_workspace_free(nln_workspace *work)
{
    if (!work)
        return;
    free_rows(work);
    free_projections(work);
    nln_law_workspace_free(&work->laws);
    nln_atom_workspace_free(&work->atoms);
    nln_free(work);
}

/* Later batches may be larger; the sizes of small ones differ more. */
static size_t roomy(int32_t n_rows)
{
    enum { SMALL = 4096 };
    return (size_t)n_rows + (size_t)n_rows / (n_rows < SMALL ? 2 : 8);
}

nln_status nln_workspace_fit(nln_workspace *work, int32_t n_rows, nln_error *err)
{
    size_t n = roomy(n_rows), d = (size_t)work->dim, h = (size_t)work->hidden;
    if ((size_t)n_rows <= work->room)
        return NLN_OK;
    free_rows(work);
    work->H = nln_array_zeroed(n * d, sizeof(real));
    work->X = nln_array_zeroed(n * NLN_MOST_OPERANDS * d, sizeof(real));
    work->Z = nln_array_zeroed(n * h, sizeof(real));
    int ok = work->H && work->X && work->Z;
    if (ok && work->training) {
        work->dH = nln_array_zeroed(n * d, sizeof(real));
        work->dX = nln_array_zeroed(n * NLN_MOST_OPERANDS * d, sizeof(real));
        work->dZ = nln_array_zeroed(n * h, sizeof(real));
        work->point = work->curved ? nln_array_zeroed(n, sizeof *work->point) : NULL;
        ok = work->dH && work->dX && work->dZ && (work->point || !work->curved) &&
             !nln_law_list_fit(&work->law, n, err);
    }
    if (!ok) {
        free_rows(work);
        return nln_error_memory(err);
    }
    work->room = n;
    return NLN_OK;
}

nln_status nln_workspace_fit_projections(nln_workspace *work, int32_t n_rows, nln_error *err)
{
    size_t n = roomy(n_rows);
    if ((size_t)n_rows <= work->projection_room)
        return NLN_OK;
    free_projections(work);
    for (int i = 0; i < NLN_MOST_OPERANDS; i++)
        if (!(work->P[i] = nln_array_zeroed(n * (size_t)work->hidden, sizeof(real)))) {
            free_projections(work);
            return nln_error_memory(err);
        }
    work->projection_room = n;
    return NLN_OK;
}

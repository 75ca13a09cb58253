#include "net/work.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "math/kernels.h"
#include "net/laws.h"

static int lane_create(nln_lane *lane, int dim, int hidden)
{
    lane->block = nln_array_zeroed(nln_modules_size(dim, hidden), sizeof(real));
    lane->dF = nln_array_zeroed((size_t)dim, sizeof(real));
    lane->dproject = nln_array_zeroed(4 * (size_t)hidden, sizeof(real));
    lane->scratch = nln_array_zeroed(nln_laws_scratch(dim, hidden), sizeof(real));
    if (!lane->block || !lane->dF || !lane->dproject || !lane->scratch)
        return 0;
    lane->grad = nln_modules_view(lane->block, dim, hidden);
    return 1;
}

nln_status nln_work_create(nln_work **out, const nln_net *net, int training, int n_threads,
                           nln_error *err)
{
    nln_work *work = calloc(1, sizeof *work);
    if (!work)
        return nln_error_memory(err);
    work->dim = net->dim;
    work->hidden = net->hidden;
    work->n_threads = n_threads;
    work->training = training;
    work->project = nln_array_zeroed(4 * (size_t)net->hidden, sizeof(real));
    int ok = work->project != NULL;
    for (int i = 0; training && ok && i < NLN_LANES; i++)
        ok = lane_create(&work->lane[i], net->dim, net->hidden);
    if (!ok) {
        nln_work_free(work);
        return nln_error_memory(err);
    }
    *out = work;
    return NLN_OK;
}

static void free_rows(nln_work *work)
{
    free(work->H);
    free(work->X);
    free(work->Z);
    free(work->dH);
    free(work->dX);
    free(work->dZ);
    free(work->dlogit);
    free(work->weight);
    free(work->law_row);
    work->H = work->X = work->Z = work->dH = work->dX = work->dZ = NULL;
    work->dlogit = work->weight = NULL;
    work->law_row = NULL;
    work->rows = 0;
}

void nln_work_free(nln_work *work)
{
    if (!work)
        return;
    free_rows(work);
    free(work->project);
    for (int i = 0; i < NLN_LANES; i++) {
        free(work->lane[i].block);
        free(work->lane[i].dF);
        free(work->lane[i].dproject);
        free(work->lane[i].scratch);
    }
    free(work);
}

nln_status nln_work_fit(nln_work *work, const nln_plan *plan, nln_error *err)
{
    size_t n = (size_t)plan->n_rows, d = (size_t)work->dim, h = (size_t)work->hidden;
    if (n <= work->rows)
        return NLN_OK;
    free_rows(work);
    n += n / 8;
    work->H = nln_array_zeroed(n * d, sizeof(real));
    work->X = nln_array_zeroed(n * 2 * d, sizeof(real));
    work->Z = nln_array_zeroed(n * h, sizeof(real));
    int ok = work->H && work->X && work->Z;
    if (ok && work->training) {
        work->dH = nln_array_zeroed(n * d, sizeof(real));
        work->dX = nln_array_zeroed(n * 2 * d, sizeof(real));
        work->dZ = nln_array_zeroed(n * h, sizeof(real));
        work->dlogit = nln_array_zeroed(n, sizeof(real));
        work->weight = nln_array_zeroed(n, sizeof(real));
        work->law_row = nln_array_zeroed(n, sizeof *work->law_row);
        ok = work->dH && work->dX && work->dZ && work->dlogit && work->weight && work->law_row;
    }
    if (!ok) {
        free_rows(work);
        return nln_error_memory(err);
    }
    work->rows = n;
    return NLN_OK;
}

int nln_work_slices(int32_t n)
{
    int slices = 1;
    while (slices < NLN_LANES && n >= 48 * slices)
        slices *= 2;
    return slices;
}

void nln_work_begin(nln_work *work)
{
    for (int i = 0; i < NLN_LANES; i++)
        work->lane[i].used = 0;
}

nln_lane *nln_work_lane(nln_work *work, int i)
{
    nln_lane *lane = &work->lane[i];
    if (!lane->used) {
        size_t d = (size_t)work->dim, h = (size_t)work->hidden;
        memset(lane->block, 0, nln_modules_size(work->dim, work->hidden) * sizeof(real));
        memset(lane->dF, 0, d * sizeof(real));
        memset(lane->dproject, 0, 4 * h * sizeof(real));
        lane->loss = 0;
        lane->used = 1;
    }
    return lane;
}

void nln_work_reduce(nln_work *work)
{
    const nln_kernels *k = nln_kernels_get();
    nln_lane *to = nln_work_lane(work, 0);
    size_t n = nln_modules_size(work->dim, work->hidden);
    for (int i = 1; i < NLN_LANES; i++) {
        const nln_lane *from = &work->lane[i];
        if (!from->used)
            continue;
        k->axpy(to->block, 1, from->block, n);
        k->axpy(to->dF, 1, from->dF, (size_t)work->dim);
        k->axpy(to->dproject, 1, from->dproject, 4 * (size_t)work->hidden);
        to->loss += from->loss;
    }
}

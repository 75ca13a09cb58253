#include "net/work.h"

#include "base/array.h"
#include "base/memory.h"
#include "net/laws.h"

nln_status nln_work_create(nln_work **out, const nln_net *net, int training, nln_error *err)
{
    nln_work *work = nln_memory_zeroed(1, sizeof *work);
    if (!work)
        return nln_error_memory(err);
    work->dim = net->dim;
    work->hidden = net->hidden;
    work->training = training;
    int ok = 1;
    if (training) {
        work->block = nln_array_zeroed(nln_modules_size(net->dim, net->hidden), sizeof(real));
        work->laws = nln_array_zeroed(nln_laws_scratch(net->dim, net->hidden), sizeof(real));
        ok = work->block && work->laws;
    }
    if (!ok) {
        nln_work_free(work);
        return nln_error_memory(err);
    }
    if (training)
        work->grad = nln_modules_view(work->block, net->dim, net->hidden);
    *out = work;
    return NLN_OK;
}

static void free_rows(nln_work *work)
{
    nln_free(work->H);
    nln_free(work->X);
    nln_free(work->Z);
    nln_free(work->dH);
    nln_free(work->dX);
    nln_free(work->dZ);
    nln_free(work->dlogit);
    for (int side = 0; side < 2; side++) {
        nln_free(work->P[side]);
        work->P[side] = NULL;
    }
    nln_free(work->law.count);
    nln_free(work->law.row);
    nln_free(work->law.weight);
    nln_free(work->law.loan);
    nln_free(work->law.negation);
    work->law = (nln_law_list){0};
    work->H = work->X = work->Z = work->dH = work->dX = work->dZ = work->dlogit = NULL;
    work->room = 0;
}

void nln_work_free(nln_work *work)
{
    if (!work)
        return;
    free_rows(work);
    nln_free(work->block);
    nln_free(work->laws);
    nln_free(work);
}

static int make_law_list(nln_law_list *l, size_t n)
{
    l->count = nln_array_zeroed(n, sizeof *l->count);
    l->row = nln_array_zeroed(n, sizeof *l->row);
    l->weight = nln_array_zeroed(n, sizeof *l->weight);
    l->loan = nln_array_zeroed(n, sizeof *l->loan);
    l->negation = nln_array_zeroed(n, sizeof *l->negation);
    return l->count && l->row && l->weight && l->loan && l->negation;
}

nln_status nln_work_fit(nln_work *work, const nln_plan *plan, nln_error *err)
{
    size_t n = (size_t)plan->n_rows, d = (size_t)work->dim, h = (size_t)work->hidden;
    if (n <= work->room)
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
        for (int side = 0; side < 2; side++) {
            work->P[side] = nln_array_zeroed(n * h, sizeof(real));
            ok = ok && work->P[side];
        }
        ok = make_law_list(&work->law, n) && ok && work->dH && work->dX && work->dZ && work->dlogit;
    }
    if (!ok) {
        free_rows(work);
        return nln_error_memory(err);
    }
    work->room = n;
    return NLN_OK;
}

#include "net/law_workspace.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"

static size_t constants_size(int h)
{
    return (3 + (size_t)h) * (size_t)h;
}

/* At the start of the scratch: the constants of the modules, then their gradients. */
nln_law_constants nln_law_workspace_constants(const nln_law_workspace *w, int h, int module,
                                              int gradient)
{
    real *at = w->scratch + (size_t)(gradient * NLN_N_LAW_MODULES + module) * constants_size(h);
    return (nln_law_constants){.identity = at,
                               .annihilator = at + h,
                               .target = {.toward = at + 2 * h, .square = at + 3 * h}};
}

void nln_law_workspace_clear(nln_law_workspace *w, int h)
{
    memset(nln_law_workspace_constants(w, h, 0, 1).identity, 0,
           NLN_N_LAW_MODULES * constants_size(h) * sizeof(real));
    memset(w->din[0], 0, w->din_size * sizeof(real));
}

nln_law_tile nln_law_workspace_tile(nln_law_workspace *w, const nln_net *net,
                                    const nln_law_rows *rows, nln_profile *profile)
{
    size_t d = (size_t)net->dim, h = (size_t)net->hidden, n = (size_t)rows->n;
    nln_law_tile t = {.net = net,
                      .rows = rows,
                      .active = &w->active,
                      .din = w->din,
                      .profile = profile,
                      .n = rows->n,
                      .d = net->dim,
                      .h = net->hidden,
                      .pairs = rows->pairs};
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        t.constants[i] = nln_law_workspace_constants(w, net->hidden, i, 0);
        t.dconstants[i] = nln_law_workspace_constants(w, net->hidden, i, 1);
    }
    real **of_rows[] = {&t.w, &t.dw, &t.not_w, &t.d_not, &t.twice};
    real **of_hidden[] = {&t.z_not,   &t.z_twice,        &t.projection[0],  &t.projection[1],
                          &t.negated, &t.dprojection[0], &t.dprojection[1], &t.dnegated};
    real **of_laws[] = {&t.z, &t.dz, &t.packed, &t.s};
    size_t law_rows = rows->sorted ? n : 2 * n;
    t.inverse = w->tile;
    real *at = w->tile + NLN_LAW_TILE;
    for (size_t i = 0; i < sizeof of_rows / sizeof *of_rows; i++, at += n * d)
        *of_rows[i] = at;
    for (size_t i = 0; i < sizeof of_hidden / sizeof *of_hidden; i++, at += n * h)
        *of_hidden[i] = at;
    for (size_t i = 0; i < sizeof of_laws / sizeof *of_laws; i++, at += law_rows * h)
        *of_laws[i] = at;
    t.y = at;
    t.a = t.y + law_rows * d;
    t.da = t.a + h;
    t.dsum = t.da + h;
    return t;
}

nln_status nln_law_workspace_create(nln_law_workspace *w, int dim, int hidden, nln_error *err)
{
    size_t d = (size_t)dim, h = (size_t)hidden;
    size_t constants = (size_t)2 * NLN_N_LAW_MODULES * constants_size(hidden);
    size_t tile = NLN_LAW_TILE * (1 + 6 * d + 12 * h) + 3 * h + NLN_PACKED_SLACK;
    *w = (nln_law_workspace){0};
    for (int id = 0; id < NLN_N_MODULES; id++)
        w->din_size += (size_t)nln_module_table[id].arity * d * h;
    w->scratch = nln_array_zeroed(constants + w->din_size + tile, sizeof(real));
    if (!w->scratch)
        return nln_error_memory(err);
    w->tile = w->scratch + constants;
    for (int id = 0; id < NLN_N_MODULES; id++)
        for (int i = 0; i < nln_module_table[id].arity; i++, w->tile += d * h)
            w->din[nln_projection((nln_module_id)id, i)] = w->tile;
    nln_status status = nln_active_units_create(&w->active, 2, dim, hidden, err);
    if (status)
        nln_law_workspace_free(w);
    return status;
}

void nln_law_workspace_free(nln_law_workspace *w)
{
    nln_free(w->scratch);
    nln_active_units_free(&w->active);
    *w = (nln_law_workspace){0};
}

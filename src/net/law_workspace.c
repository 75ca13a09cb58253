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
    size_t of_laws = rows->sorted ? n : 2 * n;
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
    const struct {
        real **view;
        size_t size;
    } layout[] = {{&t.inverse, NLN_LAW_TILE},
                  {&t.w, n * d},
                  {&t.dw, n * d},
                  {&t.not_w, n * d},
                  {&t.d_not, n * d},
                  {&t.twice, n * d},
                  {&t.z_not, n * h},
                  {&t.z_twice, n * h},
                  {&t.projection[0], n * h},
                  {&t.projection[1], n * h},
                  {&t.negated, n * h},
                  {&t.dprojection[0], n * h},
                  {&t.dprojection[1], n * h},
                  {&t.dnegated, n * h},
                  {&t.z, of_laws * h},
                  {&t.dz, of_laws * h},
                  {&t.packed, of_laws * h},
                  {&t.s, of_laws * h},
                  {&t.y, of_laws * d},
                  {&t.a, h},
                  {&t.da, h},
                  {&t.dsum, h}};
    real *at = w->tile;
    for (size_t i = 0; i < sizeof layout / sizeof *layout; i++) {
        *layout[i].view = at;
        at += layout[i].size;
    }
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

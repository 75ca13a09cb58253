#include "net/law_workspace.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/memory.h"

const nln_law_ends nln_law_module[NLN_N_LAW_MODULES] = {
    {NLN_MODULE_AND, NLN_ROW_TRUE, NLN_ROW_FALSE},
    {NLN_MODULE_OR, NLN_ROW_FALSE, NLN_ROW_TRUE},
};

static real *take(real **from, size_t rows, int width)
{
    real *block = *from;
    *from += rows * (size_t)width;
    return block;
}

static size_t base_size(int h)
{
    return (3 + (size_t)h) * (size_t)h;
}

/* At the start of the scratch: the bases, then their gradients. */
nln_law_base nln_law_base_of(const nln_law_workspace *room, int h, int module, int gradient)
{
    real *at = room->scratch + (size_t)(gradient * NLN_N_LAW_MODULES + module) * base_size(h);
    nln_law_base b;
    b.unit = take(&at, 1, h);
    b.end = take(&at, 1, h);
    b.aim.toward = take(&at, 1, h);
    b.aim.square = take(&at, (size_t)h, h);
    return b;
}

void nln_law_clear_gradients(nln_law_workspace *room, int d, int h)
{
    memset(nln_law_base_of(room, h, 0, 1).unit, 0, NLN_N_LAW_MODULES * base_size(h) * sizeof(real));
    memset(room->din[0], 0, NLN_N_LAW_INS * (size_t)d * (size_t)h * sizeof(real));
}

nln_law_tile nln_law_tile_of(nln_law_workspace *room, const nln_net *net, const nln_law_rows *rows)
{
    int d = net->dim, h = net->hidden;
    size_t r = (size_t)rows->n, at_hand = rows->sorted ? r : 2 * r;
    real *at = room->din[NLN_N_LAW_INS - 1] + (size_t)h * (size_t)d;
    nln_law_tile t = {.net = net,
                      .rows = rows,
                      .awake = &room->awake,
                      .din = room->din,
                      .n = rows->n,
                      .d = d,
                      .h = h,
                      .pairs = rows->pairs};
    for (int i = 0; i < NLN_N_LAW_MODULES; i++) {
        t.of[i] = nln_law_base_of(room, h, i, 0);
        t.dof[i] = nln_law_base_of(room, h, i, 1);
    }
    t.inverse = take(&at, NLN_LAW_TILE, 1);
    t.w = take(&at, r, d);
    t.dw = take(&at, r, d);
    t.not_w = take(&at, r, d);
    t.d_not = take(&at, r, d);
    t.twice = take(&at, r, d);
    t.z_not = take(&at, r, h);
    t.z_twice = take(&at, r, h);
    t.left = take(&at, r, h);
    t.right = take(&at, r, h);
    t.negated = take(&at, r, h);
    t.dleft = take(&at, r, h);
    t.dright = take(&at, r, h);
    t.dnegated = take(&at, r, h);
    t.z = take(&at, at_hand, h);
    t.dz = take(&at, at_hand, h);
    t.packed = take(&at, at_hand, h);
    t.s = take(&at, at_hand, h);
    t.y = take(&at, at_hand, d);
    t.a = take(&at, 1, h);
    t.da = take(&at, 1, h);
    t.dsum = take(&at, 1, h);
    return t;
}

nln_status nln_law_workspace_create(nln_law_workspace *room, int dim, int hidden, nln_error *err)
{
    size_t d = (size_t)dim, h = (size_t)hidden;
    size_t bases = (size_t)2 * NLN_N_LAW_MODULES * base_size(hidden), ins = NLN_N_LAW_INS * d * h;
    size_t rows = NLN_LAW_TILE * (1 + 6 * d + 12 * h) + 3 * h + NLN_PACKED_SLACK;
    *room = (nln_law_workspace){0};
    room->scratch = nln_array_zeroed(bases + ins + rows, sizeof(real));
    if (!room->scratch)
        return nln_error_memory(err);
    for (int i = 0; i < NLN_N_LAW_INS; i++)
        room->din[i] = room->scratch + bases + (size_t)i * d * h;
    nln_status status = nln_active_units_create(&room->awake, NLN_N_LAW_LISTS, dim, hidden, err);
    if (status)
        nln_law_workspace_free(room);
    return status;
}

void nln_law_workspace_free(nln_law_workspace *room)
{
    nln_free(room->scratch);
    nln_active_units_free(&room->awake);
    *room = (nln_law_workspace){0};
}

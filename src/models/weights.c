#include "models/weights.h"

#include <math.h>

#include "base/array.h"

void nln_weights_list(nln_weights *w, int (*tensor)(nln_shape *, const nln_sizes *, int),
                      const nln_sizes *sizes)
{
    *w = (nln_weights){0};
    while (w->n < NLN_MOST_TENSORS && tensor(&w->shape[w->n], sizes, w->n))
        w->n++;
}

/* Tensors start at multiples of 64 bytes. */
static size_t room_of(const nln_shape *s)
{
    return (s->rows * s->columns + 15) / 16 * 16;
}

nln_status nln_weights_allocate(nln_weights *w, nln_error *err)
{
    size_t n = 0;
    for (int i = 0; i < w->n; i++) {
        const nln_shape *s = &w->shape[i];
        if (s->columns && s->rows > ((size_t)1 << 40) / s->columns)
            return nln_error_set(err, NLN_LIMIT, "the tensor %s of %zu x %zu is too large", s->name,
                                 s->rows, s->columns);
        n += room_of(s);
    }
    w->block = nln_array_zeroed(n, sizeof(real));
    if (!w->block)
        return nln_error_memory(err);
    real *at = w->block;
    for (int i = 0; i < w->n; at += room_of(&w->shape[i++]))
        w->data[i] = at;
    return NLN_OK;
}

void nln_weights_free(nln_weights *w)
{
    nln_free(w->block);
    *w = (nln_weights){0};
}

static void draw(real *x, const nln_shape *s, const nln_config *c, nln_random *random)
{
    size_t n = s->rows * s->columns;
    double bound = 1 / sqrt((double)s->rows);
    for (size_t i = 0; i < n; i++) {
        if (s->start == NLN_START_ONE)
            x[i] = 1;
        else if (s->start == NLN_START_TABLE)
            x[i] = (real)(c->init_variables * nln_random_normal(random));
        else if (c->init_scale > 0)
            x[i] = (real)(c->init_scale * nln_random_normal(random));
        else
            x[i] = (real)(bound * (2 * nln_random_uniform(random) - 1));
    }
}

void nln_weights_draw(nln_weights *w, const nln_config *c, nln_random *random)
{
    for (int i = 0; i < w->n; i++)
        if (w->shape[i].start != NLN_START_ZERO)
            draw(w->data[i], &w->shape[i], c, random);
}

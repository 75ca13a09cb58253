#include "net/adam.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

/* After this many steps without a gradient what is left of the momentum, .9^256 =
 * 2e-12, is below what a float can show. */
#define LONGEST_CATCH_UP 256

void nln_adam_free(nln_adam *a)
{
    free(a->steps);
    a->steps = NULL;
}

nln_status nln_adam_tick(nln_adam *a, double factor, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(a->steps, a->room, (size_t)a->step + 2))
        return nln_error_memory(err);
    a->step++;
    double t = a->step;
    a->steps[a->step] = (nln_adam_step){
        .beta1 = (real)a->beta1,
        .beta2 = (real)a->beta2,
        .rate = (real)(factor / (1 - pow(a->beta1, t))),
        .root = (real)(1 / sqrt(1 - pow(a->beta2, t))),
        .epsilon = (real)a->epsilon,
    };
    return NLN_OK;
}

nln_status nln_table_create(nln_table *t, real *x, size_t n, int width, double rate, nln_error *err)
{
    *t = (nln_table){.x = x, .n = n, .width = width, .rate = rate};
    t->m = nln_array_zeroed(n * (size_t)width, sizeof(real));
    t->v = nln_array_zeroed(n * (size_t)width, sizeof(real));
    t->last = nln_array_zeroed(n, sizeof *t->last);
    if (t->m && t->v && t->last)
        return NLN_OK;
    nln_table_free(t);
    return nln_error_memory(err);
}

void nln_table_free(nln_table *t)
{
    free(t->m);
    free(t->v);
    free(t->last);
    *t = (nln_table){0};
}

static void step_row(nln_table *t, const nln_adam *a, size_t i, const real *gradient, int32_t step)
{
    size_t at = i * (size_t)t->width;
    nln_adam_step s = a->steps[step];
    s.rate *= (real)t->rate;
    nln_kernels_get()->adam(t->x + at, t->m + at, t->v + at, gradient, s, (size_t)t->width);
}

static void scale(real *x, int n, double by)
{
    for (int i = 0; i < n; i++)
        x[i] *= (real)by;
}

static void catch_up(nln_table *t, const nln_adam *a, size_t i, int32_t to)
{
    int32_t from = t->last[i];
    if (!from || from >= to)
        return; /* never moved, or fresh */
    int32_t end = to - from > LONGEST_CATCH_UP ? from + LONGEST_CATCH_UP : to;
    for (int32_t s = from + 1; s <= end; s++)
        step_row(t, a, i, NULL, s);
    if (end < to) {
        scale(t->m + i * (size_t)t->width, t->width, pow(a->beta1, to - end));
        scale(t->v + i * (size_t)t->width, t->width, pow(a->beta2, to - end));
    }
    t->last[i] = to;
}

void nln_table_refresh(nln_table *t, const nln_adam *a, size_t i)
{
    catch_up(t, a, i, a->step - 1);
}

void nln_table_update(nln_table *t, const nln_adam *a, size_t i, real *gradient)
{
    real limit = (real)a->clip;
    for (int j = 0; limit > 0 && j < t->width; j++)
        gradient[j] = gradient[j] > limit ? limit : gradient[j] < -limit ? -limit : gradient[j];
    step_row(t, a, i, gradient, a->step);
    t->last[i] = a->step;
}

void nln_table_flush(nln_table *t, const nln_adam *a)
{
    for (size_t i = 0; i < t->n; i++)
        catch_up(t, a, i, a->step);
}

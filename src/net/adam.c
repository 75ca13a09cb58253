#include "net/adam.h"

#include <math.h>

#include "base/array.h"

/* Terms below this share of the first are left out. */
#define NEGLIGIBLE 1e-10

void nln_adam_free(nln_adam *a)
{
    nln_free(a->steps);
    nln_free(a->missed);
    a->steps = NULL;
    a->missed = NULL;
    a->room = a->missed_room = 0;
}

/* The sums over the missed steps of
 *
 *     m / (sqrt(v) root + epsilon) ~ m / (sqrt(v) root) - epsilon m / (sqrt(v) root)^2
 *
 * where a step without gradient multiplies m by beta1 and v by beta2, for m = v = 1.  The
 * terms after some two hundred steps are below the precision of a float. */
static void missed_sums(double *first, double *second, const nln_adam *a, int32_t from, int32_t to)
{
    double by_first = a->beta1 / sqrt(a->beta2), by_second = a->beta1 / a->beta2;
    double power_first = 1, power_second = 1;
    *first = *second = 0;
    for (int32_t s = from + 1; s <= to && power_first > NEGLIGIBLE; s++) {
        power_first *= by_first;
        power_second *= by_second;
        *first += a->missed[s].first_term * power_first;
        *second += a->missed[s].second_term * power_second;
    }
}

/* The same sums for every step that a row may have been left at, by Horner's rule from the latest
 * on: a few hundred terms for each step of training, and not for each row. */
static void sum_missed(nln_adam *a)
{
    double by_first = a->beta1 / sqrt(a->beta2), by_second = a->beta1 / a->beta2;
    int32_t to = a->step - 1;
    double terms = ceil(log(NEGLIGIBLE) / log(by_first)), first = 0, second = 0;
    for (int32_t s = to - 1; s >= 1 && to - s <= terms; s--) {
        first = by_first * (a->missed[s + 1].first_term + first);
        second = by_second * (a->missed[s + 1].second_term + second);
        a->missed[s].first = first;
        a->missed[s].second = second;
    }
}

nln_status nln_adam_tick(nln_adam *a, double factor, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(a->steps, a->room, (size_t)a->step + 2) ||
        !NLN_ARRAY_RESERVE(a->missed, a->missed_room, (size_t)a->step + 2))
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
    double rate = (double)a->steps[a->step].rate, root = (double)a->steps[a->step].root;
    a->missed[a->step] = (nln_adam_missed){.first_term = rate / root,
                                           .second_term = rate * a->epsilon / (root * root),
                                           .power1 = (real)pow(a->beta1, t),
                                           .power2 = (real)pow(a->beta2, t)};
    sum_missed(a);
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
    nln_free(t->m);
    nln_free(t->v);
    nln_free(t->last);
    *t = (nln_table){0};
}

/* Whether epsilon is small against sqrt(v) in all numbers that still move. */
static int epsilon_is_small(const nln_table *t, const nln_adam *a, size_t at)
{
    double least = 1e4 * a->epsilon * a->epsilon;
    for (size_t i = at; i < at + (size_t)t->width; i++)
        if (t->m[i] != 0 && (double)t->v[i] < least)
            return 0;
    return 1;
}

/* All missed steps at once.  Where epsilon matters they are taken one by one. */
static void catch_up(nln_table *t, const nln_adam *a, size_t i, int32_t to)
{
    int32_t from = t->last[i];
    size_t at = i * (size_t)t->width;
    if (!from || from >= to)
        return; /* never moved, or fresh */
    if (to - from > 3 && epsilon_is_small(t, a, at)) {
        const nln_adam_missed *powers = &a->missed[to - from];
        double first = a->missed[from].first, second = a->missed[from].second;
        if (to >= a->step)
            missed_sums(&first, &second, a, from, to);
        nln_kernels_get()->adam_skip(t->x + at, t->m + at, t->v + at, (real)(t->rate * first),
                                     (real)(t->rate * second), powers->power1, powers->power2,
                                     (size_t)t->width);
    } else {
        nln_kernels_get()->adam_rest(t->x + at, t->m + at, t->v + at, a->steps + from + 1,
                                     to - from, (real)t->rate, (size_t)t->width);
    }
    t->last[i] = to;
}

void nln_table_refresh(nln_table *t, const nln_adam *a, size_t i)
{
    catch_up(t, a, i, a->step - 1);
}

void nln_table_update(nln_table *t, const nln_adam *a, size_t i, real *gradient, int first,
                      int last)
{
    real limit = (real)a->clip;
    for (int j = first; limit > 0 && j < last; j++)
        gradient[j] = gradient[j] > limit ? limit : gradient[j] < -limit ? -limit : gradient[j];
    size_t at = i * (size_t)t->width + (size_t)first;
    nln_adam_step s = a->steps[a->step];
    s.rate *= (real)t->rate;
    nln_kernels_get()->adam(t->x + at, t->m + at, t->v + at, gradient + first, s,
                            (size_t)(last - first));
    if (first == 0)
        t->last[i] = a->step;
}

void nln_table_expect(const nln_table *t, size_t i)
{
    enum { LINE = 64 / sizeof(real) };
    for (size_t at = i * (size_t)t->width; at < (i + 1) * (size_t)t->width; at += LINE) {
        __builtin_prefetch(t->x + at, 1);
        __builtin_prefetch(t->m + at, 1);
        __builtin_prefetch(t->v + at, 1);
    }
}

void nln_table_flush(nln_table *t, const nln_adam *a, size_t first, size_t last)
{
    for (size_t i = first; i < last; i++)
        catch_up(t, a, i, a->step);
}

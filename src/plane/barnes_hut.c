#include "plane/barnes_hut.h"

#include <string.h>

enum { LANES = NLN_BODIES_LANES };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));

#define LOAD(v, p) memcpy(&(v), (p), sizeof(v))

/* Bodies without mass fill the last lanes. */
static void pad(nln_barnes_hut *b)
{
    for (int i = b->n; i < b->n + LANES; i++)
        b->x[i] = b->y[i] = b->mass[i] = 0;
}

static double total(const lanes *v)
{
    double part[LANES];
    memcpy(part, v, sizeof part);
    return (part[0] + part[1]) + (part[2] + part[3]);
}

static void push_one(nln_repulsion *sum, double x, double y, const nln_barnes_hut *b)
{
    lanes sum_x = {0}, sum_y = {0}, sum_z = {0}, dx, dy, mass;
    for (int i = 0; i < b->n; i += LANES) {
        LOAD(dx, b->x + i);
        LOAD(dy, b->y + i);
        LOAD(mass, b->mass + i);
        dx = x - dx;
        dy = y - dy;
        lanes q = 1 / (1 + dx * dx + dy * dy), mq = mass * q, mqq = mq * q;
        sum_z += mq;
        sum_x += mqq * dx;
        sum_y += mqq * dy;
    }
    sum->x += total(&sum_x);
    sum->y += total(&sum_y);
    sum->z += total(&sum_z);
}

void nln_barnes_hut_push(nln_repulsion *sum, const double *x, const double *y, size_t n,
                         nln_barnes_hut *bodies)
{
    pad(bodies);
    for (size_t i = 0; i < n; i++)
        push_one(&sum[i], x[i], y[i], bodies);
}

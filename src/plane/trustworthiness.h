/* How well a plane keeps the neighbourhoods of a space (Venna and Kaski, 2001). */
#ifndef NLN_PLANE_TRUSTWORTHINESS_H
#define NLN_PLANE_TRUSTWORTHINESS_H

#include "plane/distances.h"

enum { NLN_TRUSTWORTHINESS_NEIGHBOURS = 5, NLN_TRUSTWORTHINESS_SAMPLE = 20000 };

/* 1 if the nearest neighbours of each point on the plane, [n, 2], are its nearest neighbours in the
 * space too, and less, down to 0, the farther away they are there.  NaN if
 * n <= 2 NLN_TRUSTWORTHINESS_NEIGHBOURS.  More than NLN_TRUSTWORTHINESS_SAMPLE points are sampled
 * at equal steps. */
nln_status nln_trustworthiness_measure(double *out, const nln_distances *space, const double *plane,
                                       nln_thread_pool *pool, nln_error *err);

#endif

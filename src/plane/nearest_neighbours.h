/* The nearest neighbours of points. */
#ifndef NLN_PLANE_NEAREST_NEIGHBOURS_H
#define NLN_PLANE_NEAREST_NEIGHBOURS_H

#include <stdint.h>

#include "plane/distances.h"

/* index[i] and distance[i], both [n, k], are the k points nearest to i, i itself left out,
 * nearest first and equally near ones by their number, and their squared distances in units
 * of the space; k < n.  Exact. */
nln_status nln_nearest_neighbours_find(int32_t *index, double *distance, const nln_distances *space,
                                       size_t k, nln_thread_pool *team, nln_error *err);

enum { NLN_TRUST_NEIGHBOURS = 5, NLN_TRUST_SAMPLE = 20000 };

/* How far the nearest NLN_TRUST_NEIGHBOURS of each point of a plane, [n, 2], are neighbours in
 * the space too, from 0 to 1 (Venna and Kaski, 2001); NaN for too few points.  Of more than
 * NLN_TRUST_SAMPLE points an even sample is asked for its neighbours. */
nln_status nln_nearest_neighbours_trust(double *out, const nln_distances *space,
                                        const double *plane, nln_thread_pool *team, nln_error *err);

#endif

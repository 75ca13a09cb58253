/* The k nearest neighbours of every point, exactly. */
#ifndef NLN_PLANE_NEAREST_NEIGHBOURS_H
#define NLN_PLANE_NEAREST_NEIGHBOURS_H

#include <stdint.h>

#include "plane/distances.h"

/* index and distance are [n, k]: row i has the k < n points nearest to point i, without i itself,
 * and their squared distances (as of nln_distances_exact), nearest first; of equally near points
 * the one with the lower index comes first. */
nln_status nln_nearest_neighbours_find(int32_t *index, double *distance, const nln_distances *space,
                                       size_t k, nln_thread_pool *pool, nln_error *err);

#endif

/* The two directions in which points differ most. */
#ifndef NLN_PLANE_PCA_H
#define NLN_PLANE_PCA_H

#include "plane/distances.h"

/* plane is [2, n]: the first two principal components of the points, 0 where there are none.
 * Signs are such that the largest weight of a direction is positive. */
nln_status nln_pca_plane(double *plane, const nln_distances *space, nln_error *err);

#endif

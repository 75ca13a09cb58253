/* The first two principal components of points. */
#ifndef NLN_PLANE_PCA_H
#define NLN_PLANE_PCA_H

#include "plane/distances.h"

/* plane is [2, n]; a component that does not exist is 0.  The largest weight of each component is
 * positive. */
nln_status nln_pca_plane(double *plane, const nln_distances *space, nln_error *err);

#endif

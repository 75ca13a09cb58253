/* The two directions in which points differ most. */
#ifndef NLN_TASK_PRINCIPAL_H
#define NLN_TASK_PRINCIPAL_H

#include "task/space.h"

/* plane is [2, n]: the first two principal components of the points, 0 where there are none.
 * Signs are such that the largest weight of a direction is positive. */
nln_status nln_principal_plane(double *plane, const nln_space *space, nln_error *err);

#endif

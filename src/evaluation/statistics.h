/* Means, standard errors and the paired t-test of nln_lab.h. */
#ifndef NLN_EVALUATION_STATISTICS_H
#define NLN_EVALUATION_STATISTICS_H

#include "nln_lab.h"

/* P(|T| >= |t|) for Student's t distribution with `degrees` >= 1 of freedom. */
double nln_statistics_student(double t, double degrees);

#endif

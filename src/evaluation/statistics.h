/* Means, their errors and the paired t-test; nln.h has what others see. */
#ifndef NLN_EVALUATION_STATISTICS_H
#define NLN_EVALUATION_STATISTICS_H

#include "nln_lab.h"

/* The probability that |T| >= |t|, where T is Student's with `degrees` >= 1 of freedom. */
double nln_statistics_student(double t, double degrees);

#endif

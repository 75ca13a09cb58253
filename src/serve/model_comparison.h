/* Whether a new model is better than the one in service, on interactions that neither has
 * learned. */
#ifndef NLN_SERVE_MODEL_COMPARISON_H
#define NLN_SERVE_MODEL_COMPARISON_H

#include "base/error.h"
#include "nln.h"

/* The measure that two models of a task are compared by, and its value; higher is better. */
const char *nln_model_comparison_name(const char *task);
double nln_model_comparison_value(const char *task, const nln_metrics *metrics);

typedef struct nln_model_comparison {
    const char *name;    /* of the measure */
    double now, before;  /* of the new model and of the old one; NAN where it cannot be measured */
    nln_metrics metrics; /* of the new model */
    int worse;           /* the new one is */
    char verdict[600];   /* a sentence */
} nln_model_comparison;

/* Measures both on the test part of the ratings. */
void nln_model_comparison_make(nln_model_comparison *out, const nln_model *now,
                               const nln_model *before, const nln_ratings *ratings);

#endif

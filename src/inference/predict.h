/* Probabilities of expressions under a trained model. */
#ifndef NLN_INFERENCE_PREDICT_H
#define NLN_INFERENCE_PREDICT_H

#include "models/model.h"

/* p[i] of expressions in the model's normal form; options of "predict", or NULL. */
nln_status nln_predict_list(double *p, const nln_model *model, const nln_exprs *list,
                            const nln_options *options, nln_error *err);

#endif

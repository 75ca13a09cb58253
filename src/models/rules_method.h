/* Rules found by counting, for a model of links. */
#ifndef NLN_MODELS_RULES_METHOD_H
#define NLN_MODELS_RULES_METHOD_H

#include "models/model.h"

/* Finds the rules of the model's facts and keeps them in its links. */
nln_status nln_rules_method_find(nln_model *model, nln_error *err);

#endif

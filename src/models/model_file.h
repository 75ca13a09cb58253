/* A model file that holds more than a model: what a training needs to go on.  nln_model_load
 * reads it like any other, as the model was at that moment. */
#ifndef NLN_MODELS_MODEL_FILE_H
#define NLN_MODELS_MODEL_FILE_H

#include "models/model.h"
#include "models/safetensors.h"

/* The metadata `kind` of every file of ours. */
#define NLN_MODELFILE_KIND "nln"

enum { NLN_MODELFILE_MOST_MORE = 160 };

/* Writes the model with up to NLN_MODELFILE_MOST_MORE more tensors and, unless it is NULL, the
 * metadata `training`. */
nln_status nln_modelfile_write(const nln_model *model, const char *path, const nln_tensor *more,
                               size_t n_more, const char *training, nln_error *err);

/* Puts the weights of the file into a model that has the same options and the same names;
 * anything else is refused. */
nln_status nln_modelfile_restore(nln_model *model, const nln_safetensors *file, const char *path,
                                 nln_error *err);

#endif

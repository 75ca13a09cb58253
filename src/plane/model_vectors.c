/* The vectors of a model's variables, and what is known of their values. */
#include <string.h>

#include "base/array.h"
#include "data/logic_data.h"
#include "models/model.h"
#include "nln_lab.h"

size_t nln_model_vector_length(const nln_model *model)
{
    return (size_t)(model->n_networks * model->config.members) * (size_t)model->config.dimension;
}

nln_status nln_model_embedding(float *out, const nln_model *model, nln_error *err)
{
    nln_exprs list = {0};
    nln_status status = nln_model_need_network(model, "vectors of variables", err);
    if (status)
        return status;
    size_t n = nln_model_variables(model), d = (size_t)model->config.dimension;
    size_t members = nln_model_vector_length(model) / d;                /* of all networks */
    real *vectors = nln_array_zeroed(n, members * d * sizeof *vectors); /* [members, n, d] */
    status = vectors ? nln_model_list_variables(&list, model, err) : nln_error_memory(err);
    if (!status)
        status = nln_model_vectors(vectors, model, &list, -1, err);
    for (size_t i = 0; !status && i < n; i++)
        for (size_t m = 0; m < members; m++)
            memcpy(out + (i * members + m) * d, vectors + (m * n + i) * d, d * sizeof *out);
    nln_exprs_free(&list);
    nln_free(vectors);
    return status;
}

nln_status nln_model_truth(int8_t *value, size_t *n_known, const nln_model *model,
                           const char *truth, nln_error *err)
{
    nln_status status = nln_truth_read(value, model->symbols, truth, err);
    *n_known = 0;
    for (size_t i = 0; !status && i < nln_model_variables(model); i++)
        *n_known += value[i] >= 0;
    return status;
}

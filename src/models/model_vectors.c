/* The tensors of a model, and the vectors of its variables. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "models/model.h"

size_t nln_model_tensor(nln_tensor_info *info, const nln_model *model, size_t index)
{
    nln_net_tensor t;
    size_t n = 0;
    while (nln_model_get_tensor(&t, model, (int)n))
        n++;
    if (index >= n || !info)
        return n;
    nln_model_get_tensor(&t, model, (int)index);
    double sum = 0, least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < t.rows * t.columns; i++) {
        double x = (double)t.data[i];
        sum += x * x;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    *info = (nln_tensor_info){t.name, t.rows, t.columns, sqrt(sum), least, most};
    return n;
}

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

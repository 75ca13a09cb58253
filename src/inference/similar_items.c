#include "inference/similar_items.h"

#include <math.h>

#include "base/array.h"

nln_status nln_similar_vectors(float **out, const nln_model *model, nln_error *err)
{
    size_t n = nln_model_variables(model), length = nln_model_vector_length(model);
    *out = nln_array_zeroed(n * length, sizeof **out);
    nln_status status = *out ? nln_model_embedding(*out, model, err) : nln_error_memory(err);
    for (size_t i = 0; !status && i < n; i++) {
        float *vector = *out + i * length;
        double square = 0;
        for (size_t j = 0; j < length; j++)
            square += (double)vector[j] * (double)vector[j];
        for (size_t j = 0; square > 0 && j < length; j++)
            vector[j] = (float)((double)vector[j] / sqrt(square));
    }
    if (status) {
        nln_free(*out);
        *out = NULL;
    }
    return status;
}

size_t nln_similar_nearest(nln_neighbour *out, size_t k, const float *vectors, size_t n,
                           size_t length, size_t item)
{
    size_t found = 0;
    for (size_t i = 0; k > 0 && i < n; i++) {
        double cosine = 0;
        for (size_t j = 0; j < length; j++)
            cosine += (double)vectors[i * length + j] * (double)vectors[item * length + j];
        if (i == item || (found == k && cosine <= out[k - 1].cosine))
            continue;
        size_t at = found < k ? found++ : k - 1;
        for (; at > 0 && out[at - 1].cosine < cosine; at--)
            out[at] = out[at - 1];
        out[at] = (nln_neighbour){i, cosine};
    }
    return found;
}

nln_status nln_model_similar(nln_neighbour *out, size_t *n, size_t k, const nln_model *model,
                             size_t item, nln_error *err)
{
    float *vectors = NULL;
    size_t n_items = nln_model_variables(model);
    *n = 0;
    if (item >= n_items)
        return nln_error_set(err, NLN_INVALID, "there is no item %zu: the model has %zu", item,
                             n_items);
    nln_status status = nln_similar_vectors(&vectors, model, err);
    if (!status)
        *n = nln_similar_nearest(out, k, vectors, n_items, nln_model_vector_length(model), item);
    nln_free(vectors);
    return status;
}

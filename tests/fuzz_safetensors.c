/* Any bytes as a model file: a valid file or a sentence. */
#include <stdlib.h>

#include "net/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

/* Touches every value, so that a sanitizer sees a tensor out of bounds. */
static double sum(const nln_tensor *t)
{
    double total = 0;
    for (size_t i = 0; t && i < t->shape[0] * t->shape[1]; i++)
        total += (double)t->data[i];
    return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    nln_safetensors *file;
    nln_error err = {0};
    nln_status status = nln_safetensors_parse(&file, bytes, n_bytes, "fuzz", &err);
    if (status != err.status || (status == NLN_OK) != (file != NULL))
        abort();
    if (status && !err.message[0])
        abort();
    if (file) {
        double total =
            sum(nln_safetensors_tensor(file, "a")) + sum(nln_safetensors_tensor(file, "b"));
        if (total != total)
            abort();
        nln_safetensors_metadata(file, "k");
    }
    nln_safetensors_free(file);
    return 0;
}

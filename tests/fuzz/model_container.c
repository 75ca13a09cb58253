/* Any bytes as a safetensors file: a valid one, all of whose values are finite, or a sentence. */
#include <math.h>

#include "fuzz.h"
#include "models/safetensors.h"

/* Touches every value, so that a sanitizer sees a tensor out of bounds. */
static double sum(const nln_tensor *t)
{
    double total = 0;
    for (size_t i = 0; t && i < t->shape[0] * t->shape[1]; i++)
        total += t->data ? (double)t->data[i] : (double)t->whole[i];
    return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    nln_safetensors *file;
    nln_error err = {0};
    size_t before = nln_memory_used();
    nln_status status = nln_safetensors_parse(&file, bytes, n_bytes, "fuzz", &err);
    require_told(status, &err);
    require((status == NLN_OK) == (file != NULL));
    if (file) {
        double a = sum(nln_safetensors_tensor(file, "a"));
        double b = sum(nln_safetensors_tensor(file, "b"));
        require(isfinite(a) && isfinite(b));
        nln_safetensors_metadata(file, "k");
    }
    nln_safetensors_free(file);
    require(nln_memory_used() == before);
    return 0;
}

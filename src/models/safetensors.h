/* The safetensors container: u64 header length, JSON header, raw little-endian
 * tensors.  Knows nothing of networks. */
#ifndef NLN_MODELS_SAFETENSORS_H
#define NLN_MODELS_SAFETENSORS_H

#include <stdint.h>

#include "base/error.h"

typedef struct nln_tensor {
    const char *name;
    int n_dims;           /* 1 or 2 */
    size_t shape[2];      /* shape[1] is 1 for a vector */
    const float *data;    /* F32 ... */
    const int32_t *whole; /* ... or I32: the other one is NULL */
} nln_tensor;

typedef struct nln_pair {
    const char *key, *value; /* metadata: strings, as the format wants */
} nln_pair;

/* Written atomically, tensors aligned to 64 bytes (the header is padded). */
nln_status nln_safetensors_write(const char *path, const nln_tensor *tensors, size_t n_tensors,
                                 const nln_pair *metadata, size_t n_metadata, nln_error *err);

typedef struct nln_safetensors nln_safetensors;

/* Reads a whole file, checking every length, offset, shape and overlap before
 * trusting it, and refusing values that are not finite.  Only F32 and I32 are accepted. */
nln_status nln_safetensors_read(nln_safetensors **out, const char *path, nln_error *err);
/* The same from memory (what a fuzzer calls); `path` is used in messages. */
nln_status nln_safetensors_parse(nln_safetensors **out, const void *bytes, size_t n_bytes,
                                 const char *path, nln_error *err);
void nln_safetensors_free(nln_safetensors *file);
/* NULL when there is none of that name. */
const nln_tensor *nln_safetensors_tensor(const nln_safetensors *file, const char *name);
const char *nln_safetensors_metadata(const nln_safetensors *file, const char *key);

#endif

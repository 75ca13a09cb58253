/* The names of variables or users in a model file: a JSON array in the metadata or, where that
 * would make the header longer than the format allows, a tensor.
 *
 * The bytes of the tensor are the names end to end, each with a NUL after it, and more NULs that
 * fill up its last number. */
#ifndef NLN_MODELS_MODEL_FILE_SYMBOLS_H
#define NLN_MODELS_MODEL_FILE_SYMBOLS_H

#include "base/symbols.h"
#include "models/safetensors.h"

/* The JSON array, for nln_free; NULL when out of memory. */
char *nln_model_file_symbols_text(const nln_symbols *symbols);

/* Whether the names belong in a tensor.  Below that, two lists of them fit into a header
 * whatever their characters are. */
int nln_model_file_symbols_are_many(const nln_symbols *symbols);

/* The numbers, [*n]; NULL when out of memory. */
int32_t *nln_model_file_symbols_pack(size_t *n, const nln_symbols *symbols);

/* Add the names in `text`, which may be NULL, or in `packed` to `symbols`, which is empty.
 * NLN_FORMAT says in *problem what is wrong with them; the only other failure is NLN_MEMORY. */
nln_status nln_model_file_symbols_parse(nln_symbols *symbols, const char **problem,
                                        const char *text);
nln_status nln_model_file_symbols_unpack(nln_symbols *symbols, const char **problem,
                                         const nln_tensor *packed);

#endif

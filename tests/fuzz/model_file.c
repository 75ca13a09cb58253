/* Any bytes as a model file, which is then asked everything that a model can be asked. */
#include "ask.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    ask_file(bytes, n_bytes);
    return 0;
}

/* How libFuzzer changes a safetensors file: its JSON, with the length in front made right again,
 * or its numbers, or anything. */
#include "fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *bytes, size_t n_bytes, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n_bytes, size_t room, unsigned seed);

enum { LENGTH = 8 };

static size_t mutate_header(uint8_t *bytes, size_t n_bytes, size_t room, size_t n_header)
{
    size_t n_data = n_bytes - LENGTH - n_header, most = room - LENGTH - n_data;
    uint8_t *data = malloc(n_data + 1);
    require(data != NULL);
    memcpy(data, bytes + LENGTH + n_header, n_data);
    n_header = LLVMFuzzerMutate(bytes + LENGTH, n_header, most);
    memcpy(bytes + LENGTH + n_header, data, n_data);
    for (int i = 0; i < LENGTH; i++)
        bytes[i] = (uint8_t)((uint64_t)n_header >> (8 * i));
    free(data);
    return LENGTH + n_header + n_data;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t n_bytes, size_t room, unsigned seed)
{
    uint64_t n_header = 0;
    for (int i = 0; n_bytes > LENGTH && i < LENGTH; i++)
        n_header |= (uint64_t)bytes[i] << (8 * i);
    if (n_bytes <= LENGTH || n_header > n_bytes - LENGTH || seed % 8 == 0)
        return LLVMFuzzerMutate(bytes, n_bytes, room);
    if (seed % 8 < 6)
        return mutate_header(bytes, n_bytes, room, (size_t)n_header);
    size_t begin = LENGTH + (size_t)n_header;
    if (begin < n_bytes) /* of the same size: what falls short stays as it was */
        LLVMFuzzerMutate(bytes + begin, n_bytes - begin, n_bytes - begin);
    return n_bytes;
}

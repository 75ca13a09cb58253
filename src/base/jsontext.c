#include "base/jsontext.h"

#include <stdint.h>

#include "base/memory.h"

char *nln_jsontext_write(const json_t *value, size_t flags)
{
    size_t n = json_dumpb(value, NULL, 0, flags);
    char *text = n > 0 ? nln_memory_take(n + 1) : NULL;
    if (text && json_dumpb(value, text, n, flags) != n) {
        nln_free(text);
        return NULL;
    }
    if (text)
        text[n] = '\0';
    return text;
}

/* A token grows by doubling, with its old room and its new one side by side, and is then copied
 * once more. */
static int has_room(size_t n)
{
    void *block = n < SIZE_MAX / 4 - 64 ? nln_memory_take(4 * n + 64) : NULL;
    int has = block != NULL;
    nln_free(block);
    return has;
}

nln_status nln_jsontext_read(json_t **out, json_error_t *why, const char *text, size_t n,
                             size_t flags, nln_error *err)
{
    *out = NULL;
    if (!has_room(n))
        return nln_error_memory(err);
    *out = json_loadb(text, n, flags, why);
    /* The one failure that jansson has no words for. */
    return *out || why->text[0] ? NLN_OK : nln_error_memory(err);
}

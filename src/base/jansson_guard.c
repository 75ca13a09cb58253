#include "base/jansson_guard.h"

#include <stdint.h>
#include <stdio.h>

#include "base/memory.h"

char *nln_json_write(const json_t *value, size_t flags)
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

nln_status nln_json_load(json_t **out, json_error_t *why, const char *text, size_t n,
                         size_t most_values, size_t most_nested)
{
    size_t values = 0, nested = 0;
    *out = NULL;
    /* Every value but the first follows a comma, a bracket or a brace outside strings. */
    for (size_t i = 0; i < n; i++) {
        int opens = text[i] == '[' || text[i] == '{';
        nested += (size_t)opens;
        values += (size_t)(opens || text[i] == ',');
        if (text[i] == '"')
            for (i++; i < n && text[i] != '"'; i++)
                i += text[i] == '\\';
    }
    if (values > most_values || nested > most_nested) {
        snprintf(why->text, sizeof why->text,
                 "it has more than %zu values, or than %zu objects and arrays", most_values,
                 most_nested);
        return NLN_FORMAT;
    }
    /* A token grows by doubling, with its old room and its new one side by side, and is then
     * copied once more: there must be memory for all of that. */
    void *block = n < SIZE_MAX / 4 - 64 ? nln_memory_take(4 * n + 64) : NULL;
    if (!block)
        return NLN_MEMORY;
    nln_free(block);
    *out = json_loadb(text, n, JSON_REJECT_DUPLICATES, why);
    if (!*out && !why->text[0]) /* the one failure that jansson has no words for */
        return NLN_MEMORY;
    return *out ? NLN_OK : NLN_FORMAT;
}

#include "base/json.h"

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

/* Where the string that begins at text[i] ends: its last quote, or n. */
static size_t skip_string(const char *text, size_t n, size_t i)
{
    for (i++; i < n && text[i] != '"'; i++)
        i += text[i] == '\\';
    return i;
}

/* Every value but the first of the text follows a comma, a bracket or a brace. */
static void count(size_t *values, size_t *nested, const char *text, size_t n)
{
    *values = *nested = 0;
    for (size_t i = 0; i < n; i++) {
        int opens = text[i] == '[' || text[i] == '{';
        *nested += (size_t)opens;
        *values += (size_t)(opens || text[i] == ',');
        if (text[i] == '"')
            i = skip_string(text, n, i);
    }
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

nln_status nln_json_load(json_t **out, json_error_t *why, const char *text, size_t n,
                         size_t most_values, size_t most_nested)
{
    size_t values, nested;
    *out = NULL;
    count(&values, &nested, text, n);
    if (values > most_values || nested > most_nested) {
        snprintf(why->text, sizeof why->text,
                 "it has more than %zu values, or than %zu objects and arrays", most_values,
                 most_nested);
        return NLN_FORMAT;
    }
    if (!has_room(n))
        return NLN_MEMORY;
    *out = json_loadb(text, n, JSON_REJECT_DUPLICATES, why);
    if (!*out && !why->text[0]) /* the one failure that jansson has no words for */
        return NLN_MEMORY;
    return *out ? NLN_OK : NLN_FORMAT;
}

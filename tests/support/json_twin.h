/* What strangers send is read by serve/json_value.h; jansson reads the same, as its naive twin. */
#ifndef NLN_TESTS_JSON_TWIN_H
#define NLN_TESTS_JSON_TWIN_H

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "serve/json_value.h"

/* Whether both say the same.  Of a name that an object has twice jansson keeps the last one, so
 * such an object only has to be one. */
static inline int json_twin_same(const nln_json_value *value, const json_t *twin)
{
    const nln_json_value *entry = value + 1;
    double real;
    switch (value->type) {
    case NLN_JSON_TYPE_NULL:
        return json_is_null(twin);
    case NLN_JSON_TYPE_FALSE:
        return json_is_false(twin);
    case NLN_JSON_TYPE_TRUE:
        return json_is_true(twin);
    case NLN_JSON_TYPE_WHOLE:
        return json_is_integer(twin) && json_integer_value(twin) == value->whole;
    case NLN_JSON_TYPE_REAL:
        real = json_real_value(twin);
        return json_is_real(twin) && fabs(value->real - real) <= 1e-14 * fabs(real) + 1e-300;
    case NLN_JSON_TYPE_STRING:
        return json_is_string(twin) && strcmp(json_string_value(twin), value->string) == 0;
    case NLN_JSON_TYPE_ARRAY:
        if (!json_is_array(twin) || json_array_size(twin) != value->n)
            return 0;
        for (size_t i = 0; i < value->n; i++, entry += entry->size)
            if (!json_twin_same(entry, json_array_get(twin, i)))
                return 0;
        return entry == value + value->size;
    case NLN_JSON_TYPE_OBJECT:
        if (!json_is_object(twin) || json_object_size(twin) > value->n)
            return 0;
        if (json_object_size(twin) < value->n)
            return 1;
        for (size_t i = 0; i < value->n; i++, entry += entry->size)
            if (!json_twin_same(entry, json_object_get(twin, entry->name)))
                return 0;
        return entry == value + value->size;
    }
    return 0;
}

/* Whether both read text[0..n) and say the same, or both refuse it.  Only the depth may differ, and
 * where a number becomes infinite; and jansson takes a 0 for the end. */
static inline int json_twin_agrees(const char *text, size_t n)
{
    nln_error err = {0};
    nln_json_value *value;
    nln_status status = nln_json_value_read(&value, text, n, n + 1, &err);
    json_t *twin = json_loadb(text, n, JSON_DECODE_ANY, NULL);
    int ok = status ? !twin || strstr(err.message, "deep") || strstr(err.message, "large") ||
                          memchr(text, 0, n)
                    : twin && json_twin_same(value, twin);
    ok = ok && (status == NLN_OK) == (value != NULL) && status == err.status;
    nln_free(value);
    json_decref(twin);
    return ok;
}

#endif

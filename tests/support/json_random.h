/* Random values of JSON. */
#ifndef NLN_TESTS_JSON_RANDOM_H
#define NLN_TESTS_JSON_RANDOM_H

#include <jansson.h>

#include "base/random.h"

/* Of every kind; `depth` is that of the value, from 0. */
static inline json_t *json_random(nln_random *r, int depth)
{
    static const char *const strings[] = {"",       "a\"b", "\\",       "\xc3\xa9\xf0\x9f\x98\x80",
                                          "{[,]}:", "\\\"", "tab\there"};
    uint64_t kind = nln_random_below(r, depth > 3 ? 4 : 6);
    json_t *value = kind == 4 ? json_array() : json_object();
    if (kind < 4)
        json_decref(value);
    switch (kind) {
    case 0:
        return json_string(strings[nln_random_below(r, 7)]);
    case 1:
        return json_integer((json_int_t)nln_random_below(r, 1000));
    case 2:
        return json_real(nln_random_uniform(r));
    case 3:
        return nln_random_below(r, 2) ? json_null() : json_true();
    default:
        for (uint64_t i = nln_random_below(r, 4); i > 0; i--) {
            json_t *child = json_random(r, depth + 1);
            if (kind == 4)
                json_array_append_new(value, child);
            else
                json_object_set_new(value, strings[nln_random_below(r, 7)], child);
        }
        return value;
    }
}

#endif

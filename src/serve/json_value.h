/* JSON that a stranger sent, read as RFC 8259 has it and no more: UTF-8 without U+0000, numbers
 * that fit, and no deeper than any request needs to be.
 *
 * The values of a text are an array, in the order in which they begin: a value is followed by the
 * values in it, and `size` leads to the one behind them.  So the entries of an array or an object
 * are
 *
 *     const nln_json_value *value = array + 1;
 *     for (size_t i = 0; i < array->n; i++, value += value->size)
 */
#ifndef NLN_SERVE_JSON_VALUE_H
#define NLN_SERVE_JSON_VALUE_H

#include <stdint.h>

#include "base/error.h"

typedef enum nln_json_type {
    NLN_JSON_TYPE_NULL,
    NLN_JSON_TYPE_FALSE,
    NLN_JSON_TYPE_TRUE,
    NLN_JSON_TYPE_WHOLE, /* a number without point and exponent */
    NLN_JSON_TYPE_REAL,
    NLN_JSON_TYPE_STRING,
    NLN_JSON_TYPE_ARRAY,
    NLN_JSON_TYPE_OBJECT
} nln_json_type;

typedef struct nln_json_value {
    nln_json_type type;
    unsigned n;       /* entries of an array or an object */
    unsigned size;    /* values: this one and all that are in it */
    const char *name; /* of an entry of an object, else NULL */
    union {
        int64_t whole;
        double real;
        const char *string;
    };
} nln_json_value;

enum { NLN_JSON_DEPTH = 64 };

/* Reads text[0..n) into one block for nln_free, which does not refer to the text.  NLN_FORMAT, with
 * the line and the column, when it is not JSON, or has more than `most` values, or more than
 * NLN_JSON_DEPTH of them in one another; NLN_MEMORY.  An object may have a name twice. */
nln_status nln_json_value_read(nln_json_value **out, const char *text, size_t n, size_t most,
                               nln_error *err);

/* The first entry of that name of an object; NULL if there is none, or the value is no object. */
const nln_json_value *nln_json_value_member(const nln_json_value *object, const char *name);

#endif

/* The members of a JSON object that a stranger sent.  Every function returns 1, or 0 after it has
 * answered the request with 422 and the name of the field. */
#ifndef NLN_SERVE_JSON_FIELDS_H
#define NLN_SERVE_JSON_FIELDS_H

#include "serve/http_request.h"

typedef struct nln_fields {
    nln_http_request *request;
    const nln_json_value *object;
    /* An object that is an entry of an array: the object that has the array, the array's name and
     * the place in it.  NULL for the body.  Only an error makes a text of it. */
    const struct nln_fields *parent;
    const char *array;
    size_t place;
} nln_fields;

/* The body must be an object whose members are all among `names`, words separated by blanks. */
int nln_fields_open(nln_fields *f, nln_http_request *r, const char *names);
/* The same of an entry of the array `array` of `parent`, which has to outlive f. */
int nln_fields_open_entry(nln_fields *f, const nln_fields *parent, const char *array, size_t place,
                          const nln_json_value *value, const char *names);
/* "events[3].item", or "item" of the body. */
void nln_fields_name(char out[160], const nln_fields *f, const char *name);
int nln_fields_fail(const nln_fields *f, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Outputs keep their value where the member is absent or null, unless it is needed. */
int nln_fields_string(const char **out, const nln_fields *f, const char *name, int needed);
int nln_fields_size(size_t *out, const nln_fields *f, const char *name, size_t least, size_t most);
int nln_fields_number(double *out, const nln_fields *f, const char *name);
int nln_fields_flag(int *out, const nln_fields *f, const char *name);
int nln_fields_array(const nln_json_value **out, const nln_fields *f, const char *name, size_t most,
                     int needed);

#endif

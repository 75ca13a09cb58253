#include "serve/json_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Which of the words separated by blanks this one is; -1: none. */
static int find_word(const char *words, const char *word)
{
    for (int i = 0;; i++) {
        const char *at = word;
        while (*at && *at == *words)
            at++, words++;
        if (!*at && at > word && (!*words || *words == ' '))
            return i;
        while (*words && *words != ' ')
            words++;
        if (!*words++)
            return -1;
    }
}

/* Appends "requests[0].history[3]"; returns the length. */
static size_t add_path(char out[160], const nln_fields *f)
{
    const nln_fields *levels[2] = {NULL, NULL}; /* no entry is deeper */
    size_t n = 0, n_levels = 0;
    for (; f->parent && n_levels < 2; f = f->parent)
        levels[n_levels++] = f;
    while (n_levels--)
        n += (size_t)snprintf(out + n, 160 - n, "%s%.20s[%zu]", n ? "." : "",
                              levels[n_levels]->array, levels[n_levels]->place);
    return n;
}

void nln_fields_name(char out[160], const nln_fields *f, const char *name)
{
    size_t n = add_path(out, f);
    snprintf(out + n, 160 - n, "%s%.60s", n && name[0] ? "." : "", name);
}

int nln_fields_fail(const nln_fields *f, const char *name, const char *format, ...)
{
    char field[160], message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    nln_fields_name(field, f, name);
    nln_http_request_fail(f->request, 422, field, "%s", message);
    return 0;
}

/* Every member is known, and there once. */
static int check_names(const nln_fields *f, const char *names)
{
    const nln_json_value *member = f->object + 1;
    unsigned seen = 0;
    if (f->object->type != NLN_JSON_TYPE_OBJECT)
        return nln_fields_fail(f, "", "%s must be an object, {...}, of these fields: %s",
                               f->parent ? "this" : "the body", names);
    for (size_t i = 0; i < f->object->n; i++, member += member->size) {
        int word = find_word(names, member->name);
        if (word < 0)
            return nln_fields_fail(f, member->name, "there is no such field here; there are: %s",
                                   names);
        if (seen >> word & 1)
            return nln_fields_fail(f, member->name, "this field is there twice");
        seen |= 1u << word;
    }
    return 1;
}

int nln_fields_open(nln_fields *f, nln_http_request *r, const char *names)
{
    *f = (nln_fields){.request = r, .object = r->json};
    return check_names(f, names);
}

int nln_fields_open_entry(nln_fields *f, const nln_fields *parent, const char *array, size_t place,
                          const nln_json_value *value, const char *names)
{
    *f = (nln_fields){.request = parent->request,
                      .object = value,
                      .parent = parent,
                      .array = array,
                      .place = place};
    return check_names(f, names);
}

static const nln_json_value *find(const nln_fields *f, const char *name)
{
    const nln_json_value *value = nln_json_value_member(f->object, name);
    return value && value->type != NLN_JSON_TYPE_NULL ? value : NULL;
}

int nln_fields_string(const char **out, const nln_fields *f, const char *name, int needed)
{
    const nln_json_value *value = find(f, name);
    if (!value)
        return needed ? nln_fields_fail(f, name, "this field is needed") : 1;
    if (value->type != NLN_JSON_TYPE_STRING)
        return nln_fields_fail(f, name, "this must be a string");
    *out = value->string;
    return 1;
}

int nln_fields_size(size_t *out, const nln_fields *f, const char *name, size_t least, size_t most)
{
    const nln_json_value *value = find(f, name);
    if (!value)
        return 1;
    if (value->type != NLN_JSON_TYPE_WHOLE || value->whole < (int64_t)least ||
        value->whole > (int64_t)most)
        return nln_fields_fail(f, name, "this must be a whole number from %zu to %zu", least, most);
    *out = (size_t)value->whole;
    return 1;
}

int nln_fields_number(double *out, const nln_fields *f, const char *name)
{
    const nln_json_value *value = find(f, name);
    if (!value)
        return 1;
    if (value->type != NLN_JSON_TYPE_WHOLE && value->type != NLN_JSON_TYPE_REAL)
        return nln_fields_fail(f, name, "this must be a number");
    *out = value->type == NLN_JSON_TYPE_WHOLE ? (double)value->whole : value->real;
    return 1;
}

int nln_fields_flag(int *out, const nln_fields *f, const char *name)
{
    const nln_json_value *value = find(f, name);
    if (!value)
        return 1;
    if (value->type != NLN_JSON_TYPE_TRUE && value->type != NLN_JSON_TYPE_FALSE)
        return nln_fields_fail(f, name, "this must be true or false");
    *out = value->type == NLN_JSON_TYPE_TRUE;
    return 1;
}

int nln_fields_array(const nln_json_value **out, const nln_fields *f, const char *name, size_t most,
                     int needed)
{
    const nln_json_value *value = find(f, name);
    if (!value)
        return needed ? nln_fields_fail(f, name, "this field is needed") : 1;
    if (value->type != NLN_JSON_TYPE_ARRAY)
        return nln_fields_fail(f, name, "this must be an array");
    if (value->n > most)
        return nln_fields_fail(f, name, "this may have %zu entries, not %u", most, value->n);
    *out = value;
    return 1;
}

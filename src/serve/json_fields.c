#include "serve/json_fields.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int has_word(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; n > 0 && (at = strstr(at, word)); at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || !at[n]))
            return 1;
    return 0; /* also for the empty word, which is found everywhere */
}

/* Appends "requests[0].history[3]"; returns the length. */
static size_t add_path(char out[160], const nln_fields *f)
{
    if (!f->parent)
        return 0;
    size_t n = add_path(out, f->parent);
    int more = snprintf(out + n, 160 - n, "%s%.20s[%zu]", n ? "." : "", f->array, f->place);
    return n + (size_t)more;
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

static int check_names(const nln_fields *f, const char *names)
{
    const char *key;
    json_t *member;
    if (!json_is_object(f->object))
        return nln_fields_fail(f, "", "%s must be an object, {...}, of these fields: %s",
                               f->parent ? "this" : "the body", names);
    json_object_foreach((json_t *)(uintptr_t)f->object, key, member)
    {
        if (!has_word(names, key))
            return nln_fields_fail(f, key, "there is no such field here; there are: %s", names);
    }
    return 1;
}

int nln_fields_open(nln_fields *f, nln_http_request *r, const char *names)
{
    *f = (nln_fields){.request = r, .object = r->json};
    return check_names(f, names);
}

int nln_fields_open_entry(nln_fields *f, const nln_fields *parent, const char *array, size_t place,
                          const json_t *value, const char *names)
{
    *f = (nln_fields){.request = parent->request,
                      .object = value,
                      .parent = parent,
                      .array = array,
                      .place = place};
    return check_names(f, names);
}

static const json_t *find(const nln_fields *f, const char *name)
{
    const json_t *value = json_object_get(f->object, name);
    return json_is_null(value) ? NULL : value;
}

int nln_fields_string(const char **out, const nln_fields *f, const char *name, int needed)
{
    const json_t *value = find(f, name);
    if (!value)
        return needed ? nln_fields_fail(f, name, "this field is needed") : 1;
    if (!json_is_string(value))
        return nln_fields_fail(f, name, "this must be a string");
    if (strlen(json_string_value(value)) != json_string_length(value))
        return nln_fields_fail(f, name, "this must be a string without the character U+0000");
    *out = json_string_value(value);
    return 1;
}

int nln_fields_size(size_t *out, const nln_fields *f, const char *name, size_t least, size_t most)
{
    const json_t *value = find(f, name);
    if (!value)
        return 1;
    if (!json_is_integer(value) || json_integer_value(value) < (json_int_t)least ||
        json_integer_value(value) > (json_int_t)most)
        return nln_fields_fail(f, name, "this must be a whole number from %zu to %zu", least, most);
    *out = (size_t)json_integer_value(value);
    return 1;
}

int nln_fields_number(double *out, const nln_fields *f, const char *name)
{
    const json_t *value = find(f, name);
    if (!value)
        return 1;
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        return nln_fields_fail(f, name, "this must be a number");
    *out = json_number_value(value);
    return 1;
}

int nln_fields_flag(int *out, const nln_fields *f, const char *name)
{
    const json_t *value = find(f, name);
    if (!value)
        return 1;
    if (!json_is_boolean(value))
        return nln_fields_fail(f, name, "this must be true or false");
    *out = json_is_true(value);
    return 1;
}

int nln_fields_array(const json_t **out, const nln_fields *f, const char *name, size_t most,
                     int needed)
{
    const json_t *value = find(f, name);
    if (!value)
        return needed ? nln_fields_fail(f, name, "this field is needed") : 1;
    if (!json_is_array(value))
        return nln_fields_fail(f, name, "this must be an array");
    if (json_array_size(value) > most)
        return nln_fields_fail(f, name, "this may have %zu entries, not %zu", most,
                               json_array_size(value));
    *out = value;
    return 1;
}

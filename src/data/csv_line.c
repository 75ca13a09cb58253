#include "data/csv_line.h"

#include <string.h>

static const struct separator_row {
    char letter;
    int width;  /* letters that make one separator */
    int quotes; /* fields may be quoted */
} separators[NLN_SEPARATORS] = {
    [NLN_TABS] = {'\t', 1, 0},  [NLN_COLONS] = {':', 2, 0}, [NLN_SEMICOLONS] = {';', 1, 1},
    [NLN_COMMAS] = {',', 1, 1}, [NLN_BARS] = {'|', 1, 0},   [NLN_SPACES] = {' ', 1, 0},
};

static char *skip_spaces(char *at, const char *end)
{
    while (at < end && *at == ' ')
        at++;
    return at;
}

void nln_field_trim(nln_field *field)
{
    while (field->n > 0 && field->text[field->n - 1] == ' ')
        field->n--;
    while (field->n > 0 && field->text[0] == ' ') {
        field->text++;
        field->n--;
    }
}

/* Reads the quoted field whose text begins at `at`, behind its opening quote.  Returns the
 * separator behind it or `end`; NULL when text follows the closing quote, or when the quote is not
 * closed: then the field has no text. */
static char *cut_quoted(nln_field *field, char *at, char *end, const struct separator_row *s)
{
    *field = (nln_field){at, 0, 0};
    while ((at = memchr(at, '"', (size_t)(end - at))) && at + 1 < end && at[1] == '"') {
        field->escaped = 1;
        at += 2;
    }
    if (!at) {
        field->text = NULL;
        return NULL;
    }
    field->n = (size_t)(at - field->text);
    at = skip_spaces(at + 1, end);
    return at == end || *at == s->letter ? at : NULL;
}

/* Reads one field; returns the separator behind it or `end`, or NULL as above. */
static char *cut_one(nln_field *field, char *at, char *end, const struct separator_row *s)
{
    at = skip_spaces(at, end);
    if (s->quotes && at < end && *at == '"')
        return cut_quoted(field, at + 1, end, s);
    char *stop = at;
    while (stop < end &&
           !(*stop == s->letter && (s->width == 1 || (stop + 1 < end && stop[1] == *stop))))
        stop++;
    *field = (nln_field){at, (size_t)(stop - at), 0};
    while (field->n > 0 && at[field->n - 1] == ' ')
        field->n--;
    return stop;
}

int nln_csv_line_cut(nln_field *fields, int most, const char **bad, nln_separator separator,
                     char *line, size_t length)
{
    const struct separator_row *s = &separators[separator];
    char *at = line, *end = line + length;
    int n = 0;
    if (separator == NLN_SPACES)
        for (at = skip_spaces(at, end); end > at && end[-1] == ' ';)
            end--;
    while (n < most) {
        char *stop = cut_one(&fields[n], at, end, s);
        if (!stop) {
            *bad = at;
            return 0;
        }
        n++;
        if (stop == end)
            break;
        at = stop + s->width;
    }
    return n;
}

nln_quoting nln_csv_line_quoting(nln_separator separator, char *line, size_t length, int open)
{
    const struct separator_row *s = &separators[separator];
    char *at = line, *end = line + length;
    nln_field field;
    if (!s->quotes || (!open && !memchr(line, '"', length)))
        return NLN_QUOTE_CLOSED;
    at = open ? cut_quoted(&field, at, end, s) : cut_one(&field, at, end, s);
    while (at && at < end)
        at = cut_one(&field, at + 1, end, s);
    if (at)
        return NLN_QUOTE_CLOSED;
    return field.text ? NLN_QUOTE_BAD : NLN_QUOTE_OPEN;
}

void nln_field_unescape(nln_field *field)
{
    size_t n = 0;
    if (!field->escaped)
        return;
    for (size_t i = 0; i < field->n; i++) {
        field->text[n++] = field->text[i];
        i += field->text[i] == '"';
    }
    field->n = n;
    field->escaped = 0;
}

#include "data/titles.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/symbols.h"
#include "base/utf8.h"
#include "data/csv_line.h"
#include "data/ratings_format.h"

/* The titles lie end to end in `pool`, each with its NUL. */
struct nln_titles {
    nln_symbols *items;
    size_t *start; /* [items] where the title of an item begins in the pool */
    size_t start_room;
    char *pool;
    size_t used, pool_room;
};

/* How the lines of the file are laid out. */
typedef struct columns {
    nln_separator separator;
    int item, title;
} columns;

/* ---- lines ------------------------------------------------------------------ */

/* A line that is not UTF-8 is Latin-1, whose bytes are the characters of the same numbers;
 * `buffer` has room for twice the length.  Control characters become spaces. */
static size_t to_utf8(char *buffer, const char *line, size_t length)
{
    int latin = !nln_utf8_valid(line, length);
    size_t n = 0;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)line[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            c = ' ';
        if (latin)
            n += nln_utf8_put(buffer + n, c);
        else
            buffer[n++] = (char)c;
    }
    buffer[n] = '\0';
    return n;
}

/* A tab if there is one, else the separator that stands first in the line. */
static int find_separator(nln_separator *out, const char *line)
{
    static const struct {
        const char *text;
        nln_separator separator;
    } candidates[] = {
        {"::", NLN_COLONS}, {"|", NLN_BARS}, {",", NLN_COMMAS}, {";", NLN_SEMICOLONS}};
    const char *quote = line[0] == '"' ? strchr(line + 1, '"') : NULL, *best = NULL;
    *out = NLN_TABS;
    if (strchr(line, '\t'))
        return 1;
    for (size_t i = 0; i < sizeof candidates / sizeof *candidates; i++) {
        const char *at = strstr(quote ? quote : line, candidates[i].text);
        if (at && (!best || at < best)) {
            best = at;
            *out = candidates[i].separator;
        }
    }
    return best != NULL;
}

/* Whether the field contains the word, in any case. */
static int contains(nln_field field, const char *word)
{
    size_t length = strlen(word), k = 0;
    for (size_t i = 0; i + length <= field.n && k < length; i++)
        for (k = 0; k < length && (field.text[i + k] | ('a' ^ 'A')) == word[k];)
            k++;
    return k == length;
}

/* Finds the columns by the names of a header, or takes the first two where there is none. */
static nln_status find_columns(columns *out, int *is_header, char *line, nln_error *err)
{
    nln_field fields[NLN_MOST_FIELDS];
    const char *bad;
    *out = (columns){NLN_TABS, 0, 1};
    *is_header = 0;
    if (!find_separator(&out->separator, line))
        return nln_error_set(err, NLN_SYNTAX,
                             "expected an item and its title with a tab, |, :: or a comma between");
    int n = nln_csv_line_cut(fields, NLN_MOST_FIELDS, &bad, out->separator, line, strlen(line));
    int item = -1, title = -1, fallback;
    for (int i = n - 1; i >= 0; i--) {
        if ((nln_ratings_column_role(&fallback, NULL, fields[i].text, fields[i].n) ==
                 NLN_ROLE_ITEM &&
             !fallback) ||
            (fields[i].n == 2 && contains(fields[i], "id")))
            item = i;
        else if (contains(fields[i], "title") || contains(fields[i], "name"))
            title = i;
    }
    if (item < 0)
        return NLN_OK;
    if (title < 0)
        return nln_error_set(err, NLN_FORMAT,
                             "the header '%.80s' names no column of titles; call it 'title'", line);
    *out = (columns){out->separator, item, title};
    *is_header = 1;
    return NLN_OK;
}

/* ---- titles ------------------------------------------------------------------- */

/* Adds the title of a line.  An item with an empty title has none; of two titles of one item the
 * last counts. */
static nln_status read_title(nln_titles *t, const columns *c, char *line, size_t length,
                             nln_error *err)
{
    nln_field fields[NLN_MOST_FIELDS];
    const char *bad = line;
    int last = c->item > c->title ? c->item : c->title;
    int n = nln_csv_line_cut(fields, last + 1, &bad, c->separator, line, length);
    if (n == 0)
        return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, bad),
                            "the quote is not closed, or text follows it");
    nln_field item = n > last ? fields[c->item] : (nln_field){line, 0, 0};
    nln_field title = n > last ? fields[c->title] : item;
    nln_field_unescape(&item);
    nln_field_unescape(&title);
    nln_field_trim(&item);
    nln_field_trim(&title);
    if (item.n == 0)
        return nln_error_at(err, NLN_SYNTAX, NULL, 0, 0,
                            "expected an item and its title in columns %d and %d", c->item + 1,
                            c->title + 1);
    if (title.n == 0)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(t->start, t->start_room, nln_titles_count(t) + 1) ||
        !NLN_ARRAY_RESERVE(t->pool, t->pool_room, t->used + title.n + 1))
        return nln_error_memory(err);
    int32_t id = nln_symbols_intern(t->items, item.text, item.n);
    if (id < 0)
        return nln_error_memory(err);
    memcpy(t->pool + t->used, title.text, title.n);
    t->pool[t->used + title.n] = '\0';
    t->start[id] = t->used;
    t->used += title.n + 1;
    return NLN_OK;
}

static nln_status read_lines(nln_titles *t, nln_input *in, nln_error *err)
{
    columns c = {NLN_TABS, 0, 1};
    char *line, *buffer = NULL;
    size_t length, room = 0;
    int begun = 0;
    nln_status status;
    while (!(status = nln_input_line(&line, &length, in, err)) && line) {
        int is_header = 0;
        if (strspn(line, " \t") == length)
            continue;
        if (!NLN_ARRAY_RESERVE(buffer, room, 2 * length + 1)) {
            status = nln_error_memory(err);
            break;
        }
        length = to_utf8(buffer, line, length);
        if (!begun)
            status = find_columns(&c, &is_header, buffer, err);
        begun = 1;
        if (!status && !is_header)
            status = read_title(t, &c, buffer, length, err);
        if (status) {
            nln_error_place(err, nln_input_path(in), nln_input_line_number(in));
            break;
        }
    }
    nln_free(buffer);
    return status;
}

nln_status nln_titles_scan(nln_titles **out, nln_input *in, nln_error *err)
{
    nln_titles *t = nln_memory_zeroed(1, sizeof *t);
    nln_status status;
    *out = NULL;
    if (!t || !(t->items = nln_symbols_create()))
        status = nln_error_memory(err);
    else if (!(status = read_lines(t, in, err)) && nln_titles_count(t) == 0)
        status = nln_error_at(err, NLN_FORMAT, nln_input_path(in), 0, 0,
                              "the file has no titles; expected lines of an item and its title");
    if (status)
        nln_titles_free(t);
    else
        *out = t;
    return status;
}

nln_status nln_titles_read(nln_titles **out, const char *path, nln_error *err)
{
    nln_input *in;
    *out = NULL;
    nln_status status = nln_input_open(&in, path, err);
    if (!status)
        status = nln_titles_scan(out, in, err);
    nln_input_close(in);
    return status;
}

void nln_titles_free(nln_titles *titles)
{
    if (!titles)
        return;
    nln_symbols_free(titles->items);
    nln_free(titles->start);
    nln_free(titles->pool);
    nln_free(titles);
}

size_t nln_titles_count(const nln_titles *titles)
{
    return (size_t)nln_symbols_count(titles->items);
}

const char *nln_titles_find(const nln_titles *titles, const char *item)
{
    int32_t id = nln_symbols_find(titles->items, item, strlen(item));
    return id >= 0 ? titles->pool + titles->start[id] : NULL;
}

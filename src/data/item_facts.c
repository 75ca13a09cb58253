#include "data/item_facts.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "data/csv_line.h"

/* What the tails of a relation are. */
enum { BY_MAJORITY, ITEMS, THINGS };
enum { NAME_ROOM = 512 };

typedef struct reading {
    nln_item_facts *facts;
    nln_symbols *items, *names; /* of the file, in the order of first use */
    nln_triple *raw;            /* of names */
    size_t n, room;
    uint8_t *is_head; /* [names] */
    size_t is_head_room;
    nln_separator separator;
    int is_table, n_columns;
    int32_t relation[NLN_MOST_FIELDS]; /* of the columns of a table */
    uint8_t *kind;                     /* [relations] */
    size_t kind_room;
} reading;

void nln_item_facts_free(nln_item_facts *f)
{
    if (!f)
        return;
    nln_symbols_free(f->relations);
    nln_symbols_free(f->things);
    nln_free(f->list);
    nln_free(f);
}

/* ---- lines ------------------------------------------------------------------------------- */

static int32_t relation_of(reading *r, const char *name, size_t length, uint8_t kind)
{
    int32_t old = nln_symbols_count(r->facts->relations);
    int32_t id = nln_symbols_intern(r->facts->relations, name, length);
    if (id < 0 || id < old)
        return id;
    if (!NLN_ARRAY_RESERVE(r->kind, r->kind_room, (size_t)id + 1))
        return -1;
    r->kind[id] = kind;
    return id;
}

static nln_status add(reading *r, nln_field head, int32_t relation, const char *tail, size_t length,
                      nln_error *err)
{
    size_t old = (size_t)nln_symbols_count(r->names);
    nln_triple t = {nln_symbols_intern(r->names, head.text, head.n), relation,
                    nln_symbols_intern(r->names, tail, length)};
    size_t n_names = (size_t)nln_symbols_count(r->names);
    if (t.head < 0 || relation < 0 || t.tail < 0 || !NLN_ARRAY_RESERVE(r->raw, r->room, r->n + 1) ||
        !NLN_ARRAY_RESERVE(r->is_head, r->is_head_room, n_names))
        return nln_error_memory(err);
    memset(r->is_head + old, 0, n_names - old);
    r->is_head[t.head] = 1;
    r->raw[r->n++] = t;
    return NLN_OK;
}

static int is_one_of(const nln_field *f, const char *const *words)
{
    for (; *words; words++)
        if (f->n == strlen(*words) && !strncmp(f->text, *words, f->n))
            return 1;
    return 0;
}

static int is_table_header(const nln_field *fields, int n)
{
    static const char *const item[] = {"item_id", "item", "iid", "movieId", "asin", NULL};
    static const char *const relation[] = {"relation", "predicate", NULL};
    return n > 1 && is_one_of(&fields[0], item) && !is_one_of(&fields[1], relation);
}

static int is_triple_header(const nln_field *fields)
{
    static const char *const head[] = {"head", "subject", "item", "item_id", NULL};
    static const char *const relation[] = {"relation", "predicate", NULL};
    return is_one_of(&fields[0], head) && is_one_of(&fields[1], relation);
}

/* Tabs where the line has one, else commas where it has one, else spaces. */
static nln_separator separator_of(const char *line)
{
    return strchr(line, '\t') ? NLN_TABS : strchr(line, ',') ? NLN_COMMAS : NLN_SPACES;
}

static nln_status read_header(reading *r, const nln_field *fields, int n, nln_error *err)
{
    r->is_table = 1;
    r->n_columns = n;
    for (int i = 1; i < n; i++) {
        const char *name = fields[i].text;
        size_t length = fields[i].n;
        if (length > 2 && (name[0] == 'r' || name[0] == 'i') && name[1] == '_') {
            name += 2;
            length -= 2;
        }
        r->relation[i] = relation_of(r, name, length, THINGS);
        if (r->relation[i] < 0)
            return nln_error_memory(err);
    }
    return NLN_OK;
}

/* [a, b, c]; quotes around a name are left out. */
static nln_status read_list(reading *r, nln_field head, int32_t relation, nln_field list,
                            nln_error *err)
{
    const char *at = list.text + 1, *end = list.text + list.n - 1;
    nln_status status = NLN_OK;
    r->kind[relation] = ITEMS;
    while (!status && at < end) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        const char *first = at, *last = stop;
        while (first < last && strchr(" '\"", *first))
            first++;
        while (last > first && strchr(" '\"", last[-1]))
            last--;
        if (first < last)
            status = add(r, head, relation, first, (size_t)(last - first), err);
        at = stop + 1;
    }
    return status;
}

/* A property of a table is called `category=31`, so that no two columns share a thing. */
static nln_status read_property(reading *r, nln_field head, int32_t relation, nln_field value,
                                nln_error *err)
{
    char name[NAME_ROOM];
    int n = snprintf(name, sizeof name, "%s=%.*s", nln_symbols_name(r->facts->relations, relation),
                     (int)value.n, value.text);
    return add(r, head, relation, name, n < NAME_ROOM ? (size_t)n : NAME_ROOM - 1, err);
}

static nln_status read_row(reading *r, const nln_field *fields, int n, nln_error *err)
{
    nln_status status = NLN_OK;
    for (int i = 1; !status && i < n; i++) {
        nln_field f = fields[i];
        if (f.n >= 2 && f.text[0] == '[' && f.text[f.n - 1] == ']')
            status = read_list(r, fields[0], r->relation[i], f, err);
        else if (f.n)
            status = read_property(r, fields[0], r->relation[i], f, err);
    }
    return status;
}

static nln_status read_line(reading *r, nln_input *in, char *line, size_t length, nln_error *err)
{
    nln_field fields[NLN_MOST_FIELDS];
    const char *bad = NULL;
    int is_first = r->separator == NLN_SEPARATORS;
    if (is_first)
        r->separator = separator_of(line);
    int n = nln_csv_line_cut(fields, NLN_MOST_FIELDS, &bad, r->separator, line, length);
    for (int i = 0; i < n; i++)
        if (fields[i].escaped)
            nln_field_unescape(&fields[i]);
    if (is_first && is_table_header(fields, n))
        return read_header(r, fields, n, err);
    if (r->is_table && n > 0 && n <= r->n_columns && fields[0].n)
        return read_row(r, fields, n, err);
    if (r->is_table || n != 3 || !fields[0].n || !fields[1].n || !fields[2].n)
        return nln_error_at(err, NLN_SYNTAX, nln_input_path(in), nln_input_line_number(in),
                            bad ? nln_input_column(line, bad) : 0,
                            r->is_table
                                ? "no facts: expected an item and at most %d values, as in the "
                                  "first line"
                                : "no fact: expected an item, a relation and what it links the "
                                  "item to, %d fields with tabs, commas or spaces between them",
                            r->is_table ? r->n_columns - 1 : 3);
    if (is_first && is_triple_header(fields))
        return NLN_OK;
    return add(r, fields[0], relation_of(r, fields[1].text, fields[1].n, BY_MAJORITY),
               fields[2].text, fields[2].n, err);
}

/* ---- names become items and things ------------------------------------------------------------
 */

/* The relations whose kind the file does not tell: that of most of their tails. */
static nln_status choose_kinds(reading *r, nln_error *err)
{
    size_t n = (size_t)nln_symbols_count(r->facts->relations);
    size_t *tails = nln_array_zeroed(n, sizeof *tails),
           *of_items = nln_array_zeroed(n, sizeof *tails);
    nln_status status = tails && of_items ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < r->n; i++) {
        const char *name = nln_symbols_name(r->names, r->raw[i].tail);
        tails[r->raw[i].relation]++;
        of_items[r->raw[i].relation] +=
            r->is_head[r->raw[i].tail] || nln_symbols_find(r->items, name, strlen(name)) >= 0;
    }
    for (size_t k = 0; !status && k < n; k++)
        if (r->kind[k] == BY_MAJORITY)
            r->kind[k] = 2 * of_items[k] >= tails[k] ? ITEMS : THINGS;
    nln_free(tails);
    nln_free(of_items);
    return status;
}

static nln_status settle(reading *r, nln_error *err)
{
    nln_item_facts *f = r->facts;
    nln_status status = choose_kinds(r, err);
    f->list = nln_array_zeroed(r->n, sizeof *f->list);
    if (status || !f->list)
        return status ? status : nln_error_memory(err);
    for (size_t i = 0; i < r->n; i++) { /* heads first: a tail may be the head of a later line */
        const char *name = nln_symbols_name(r->names, r->raw[i].head);
        f->list[i].head = nln_symbols_intern(r->items, name, strlen(name));
        f->list[i].relation = r->raw[i].relation;
        if (f->list[i].head < 0)
            return nln_error_memory(err);
    }
    for (size_t i = 0; i < r->n; i++) {
        const char *name = nln_symbols_name(r->names, r->raw[i].tail);
        int32_t item = r->kind[r->raw[i].relation] == ITEMS
                           ? nln_symbols_find(r->items, name, strlen(name))
                           : -1;
        int32_t thing = item < 0 ? nln_symbols_intern(f->things, name, strlen(name)) : 0;
        if (thing < 0)
            return nln_error_memory(err);
        f->list[i].tail = item < 0 ? -1 - thing : item;
    }
    f->n = r->n;
    return NLN_OK;
}

nln_status nln_item_facts_read(nln_item_facts **out, nln_symbols *items, nln_input *in,
                               nln_error *err)
{
    reading r = {.items = items, .separator = NLN_SEPARATORS, .names = nln_symbols_create()};
    char *line = NULL;
    size_t length = 0;
    nln_status status = NLN_OK;
    *out = NULL;
    r.facts = nln_memory_zeroed(1, sizeof *r.facts);
    if (r.facts) {
        r.facts->relations = nln_symbols_create();
        r.facts->things = nln_symbols_create();
    }
    if (!r.names || !r.facts || !r.facts->relations || !r.facts->things)
        status = nln_error_memory(err);
    while (!status && !(status = nln_input_line(&line, &length, in, err)) && line)
        if (length)
            status = read_line(&r, in, line, length, err);
    if (!status && !r.n)
        status = nln_error_at(err, NLN_SYNTAX, nln_input_path(in), 0, 0,
                              "there is no fact about any item in this file");
    if (!status)
        status = settle(&r, err);
    nln_symbols_free(r.names);
    nln_free(r.raw);
    nln_free(r.is_head);
    nln_free(r.kind);
    if (status)
        nln_item_facts_free(r.facts);
    else
        *out = r.facts;
    return status;
}

#include "data/triples.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "base/random.h"
#include "data/csv_line.h"
#include "data/data_folder.h"

enum { HEAD, RELATION, TAIL, ROLES };

/* Where a file has its columns. */
typedef struct layout {
    int column[ROLES];
    int most; /* columns that are needed */
} layout;

/* ---- a set --------------------------------------------------------------------------- */

nln_status nln_triples_create(nln_triples **out, nln_error *err)
{
    nln_triples *t = nln_memory_zeroed(1, sizeof *t);
    *out = NULL;
    if (!t)
        return nln_error_memory(err);
    t->entities = nln_symbols_create();
    t->relations = nln_symbols_create();
    if (!t->entities || !t->relations) {
        nln_triples_free(t);
        return nln_error_memory(err);
    }
    *out = t;
    return NLN_OK;
}

void nln_triples_free(nln_triples *t)
{
    if (!t)
        return;
    nln_symbols_free(t->entities);
    nln_symbols_free(t->relations);
    for (int s = 0; s < 3; s++)
        nln_free(t->list[s]);
    nln_free(t);
}

static nln_status push(nln_triples *t, nln_split split, nln_triple triple, nln_error *err)
{
    if (triple.head < 0 || triple.relation < 0 || triple.tail < 0 ||
        !NLN_ARRAY_RESERVE(t->list[split], t->room[split], t->n[split] + 1))
        return nln_error_memory(err);
    t->list[split][t->n[split]++] = triple;
    return NLN_OK;
}

nln_status nln_triples_add(nln_triples *t, nln_split split, const char *head, const char *relation,
                           const char *tail, nln_error *err)
{
    nln_triple triple = {nln_symbols_intern(t->entities, head, strlen(head)),
                         nln_symbols_intern(t->relations, relation, strlen(relation)),
                         nln_symbols_intern(t->entities, tail, strlen(tail))};
    return push(t, split, triple, err);
}

size_t nln_triples_entities(const nln_triples *t)
{
    return (size_t)nln_symbols_count(t->entities);
}

size_t nln_triples_relations(const nln_triples *t)
{
    return (size_t)nln_symbols_count(t->relations);
}

size_t nln_triples_size(const nln_triples *t, nln_split split)
{
    return split >= NLN_TRAIN && split <= NLN_TEST ? t->n[split] : 0;
}

const char *nln_triples_entity(const nln_triples *t, size_t entity)
{
    return nln_symbols_name(t->entities, (int32_t)entity);
}

const char *nln_triples_relation(const nln_triples *t, size_t relation)
{
    return nln_symbols_name(t->relations, (int32_t)relation);
}

/* ---- reading ---------------------------------------------------------------------------- */

static nln_status read_layout(layout *out, const char *text, nln_error *err)
{
    static const char *const words[ROLES] = {"head", "relation", "tail"};
    *out = (layout){{-1, -1, -1}, 0};
    for (int column = 0;; column++) {
        size_t length = strcspn(text, ",");
        int known = length == 1 && text[0] == '-';
        for (int role = 0; role < ROLES; role++)
            if (strlen(words[role]) == length && !strncmp(words[role], text, length)) {
                known = out->column[role] < 0;
                out->column[role] = column;
                out->most = column + 1;
            }
        if (!known || column >= NLN_MOST_FIELDS)
            return nln_error_set(err, NLN_INVALID,
                                 "option --order wants head, relation and tail in the order of "
                                 "the file, with - for others, not '%.*s'",
                                 (int)(length < 80 ? length : 80), text);
        text += length;
        if (!*text++)
            break;
    }
    if (out->column[HEAD] >= 0 && out->column[RELATION] >= 0 && out->column[TAIL] >= 0)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "option --order needs each of head, relation and tail once");
}

/* Tabs, commas or spaces: the first that cut the line into enough fields. */
static nln_separator separator_of(char *line, size_t length, int need)
{
    static const nln_separator tried[] = {NLN_TABS, NLN_COMMAS};
    nln_field fields[NLN_MOST_FIELDS];
    const char *bad;
    for (size_t i = 0; i < sizeof tried / sizeof *tried; i++)
        if (nln_csv_line_cut(fields, NLN_MOST_FIELDS, &bad, tried[i], line, length) >= need)
            return tried[i];
    return NLN_SPACES;
}

static int is_word(const nln_field *f, const char *a, const char *b)
{
    return (f->n == strlen(a) && !strncmp(f->text, a, f->n)) ||
           (f->n == strlen(b) && !strncmp(f->text, b, f->n));
}

/* A first line that names the columns. */
static int is_header(const nln_field *head, const nln_field *relation, const nln_field *tail)
{
    return is_word(head, "head", "subject") && is_word(relation, "relation", "predicate") &&
           is_word(tail, "tail", "object");
}

static nln_status bad_line(const nln_input *in, const char *line, const char *at,
                           const layout *where, nln_error *err)
{
    return nln_error_at(err, NLN_SYNTAX, nln_input_path(in), nln_input_line_number(in),
                        at ? nln_input_column(line, at) : 0,
                        "no triple: expected %d fields, among them head, relation and tail, with "
                        "tabs, commas or spaces between them; --order says their order",
                        where->most);
}

static nln_status read_line(nln_triples *t, nln_split split, const nln_input *in, char *line,
                            size_t length, nln_separator separator, const layout *where,
                            nln_error *err)
{
    nln_field fields[NLN_MOST_FIELDS], *role[ROLES];
    const char *bad = NULL;
    int n = nln_csv_line_cut(fields, NLN_MOST_FIELDS, &bad, separator, line, length);
    if (n < where->most)
        return bad_line(in, line, bad, where, err);
    for (int i = 0; i < ROLES; i++) {
        role[i] = &fields[where->column[i]];
        if (role[i]->escaped)
            nln_field_unescape(role[i]);
        if (!role[i]->n)
            return bad_line(in, line, role[i]->text, where, err);
    }
    if (nln_input_line_number(in) == 1 && is_header(role[HEAD], role[RELATION], role[TAIL]))
        return NLN_OK;
    nln_triple triple = {nln_symbols_intern(t->entities, role[HEAD]->text, role[HEAD]->n),
                         nln_symbols_intern(t->relations, role[RELATION]->text, role[RELATION]->n),
                         nln_symbols_intern(t->entities, role[TAIL]->text, role[TAIL]->n)};
    return push(t, split, triple, err);
}

static nln_status read_file(nln_triples *t, nln_split split, nln_input *in, const layout *where,
                            nln_error *err)
{
    nln_separator separator = NLN_SEPARATORS;
    nln_status status;
    char *line;
    size_t length;
    while (!(status = nln_input_line(&line, &length, in, err)) && line) {
        if (!length)
            continue;
        if (separator == NLN_SEPARATORS)
            separator = separator_of(line, length, where->most);
        status = read_line(t, split, in, line, length, separator, where, err);
        if (status)
            return status;
    }
    return status;
}

static nln_status read_folder(nln_triples *t, const char *path, const layout *where, nln_error *err)
{
    nln_folder folder;
    nln_status status = nln_folder_list(&folder, path, err);
    if (status)
        return status;
    for (int s = NLN_TRAIN; !status && s <= NLN_TEST; s++) {
        nln_input *in = NULL;
        if (s != NLN_TRAIN && !folder.names[s])
            continue; /* an empty split */
        status = nln_folder_open(&in, &folder, s, err);
        if (!status)
            status = read_file(t, (nln_split)s, in, where, err);
        nln_input_close(in);
    }
    nln_folder_free(&folder);
    return status;
}

/* ---- repetitions, and the split of one file ------------------------------------------------ */

static int compare(const void *x, const void *y)
{
    const nln_triple *a = x, *b = y;
    int32_t d = a->relation != b->relation ? a->relation - b->relation
                : a->head != b->head       ? a->head - b->head
                                           : a->tail - b->tail;
    return d < 0 ? -1 : d > 0;
}

static void remove_repetitions(nln_triples *t)
{
    for (int s = 0; s < 3; s++) {
        size_t kept = 0;
        if (t->n[s] > 1)
            qsort(t->list[s], t->n[s], sizeof *t->list[s], compare);
        for (size_t i = 0; i < t->n[s]; i++)
            if (!kept || compare(&t->list[s][kept - 1], &t->list[s][i]) != 0)
                t->list[s][kept++] = t->list[s][i];
        t->n[s] = kept;
    }
}

/* Moves a share of training to validation and to test, but no triple that is the last one of an
 * entity or of a relation: training knows all names. */
static nln_status hold_out(nln_triples *t, double share, uint64_t seed, nln_error *err)
{
    nln_random random = nln_random_seed(seed, 7);
    size_t n = t->n[NLN_TRAIN], want = (size_t)(share * (double)n), kept = 0;
    int32_t *left = nln_array_zeroed(nln_triples_entities(t), sizeof *left);
    int32_t *of_relation = nln_array_zeroed(nln_triples_relations(t), sizeof *of_relation);
    nln_triple *list = t->list[NLN_TRAIN];
    nln_status status = left && of_relation ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < n; i++) {
        size_t j = i + nln_random_below(&random, n - i);
        nln_triple other = list[i];
        list[i] = list[j];
        list[j] = other;
        left[list[i].head]++;
        left[list[i].tail]++;
        of_relation[list[i].relation]++;
    }
    for (size_t i = 0; !status && i < n; i++) {
        nln_triple x = list[i];
        int spare =
            x.head != x.tail && left[x.head] > 1 && left[x.tail] > 1 && of_relation[x.relation] > 1;
        nln_split to = t->n[NLN_VALID] < want ? NLN_VALID : NLN_TEST;
        if (!spare || t->n[to] >= want) {
            list[kept++] = x;
            continue;
        }
        left[x.head]--;
        left[x.tail]--;
        of_relation[x.relation]--;
        status = push(t, to, x, err);
    }
    t->n[NLN_TRAIN] = kept;
    nln_free(left);
    nln_free(of_relation);
    return status;
}

static nln_status read_path(nln_triples *t, const char *path, const layout *where,
                            const nln_options *o, nln_error *err)
{
    nln_input *in = NULL;
    if (nln_folder_exists(path))
        return read_folder(t, path, where, err);
    nln_status status = nln_input_open(&in, path, err);
    if (!status)
        status = read_file(t, NLN_TRAIN, in, where, err);
    nln_input_close(in);
    if (status)
        return status;
    remove_repetitions(t);
    nln_data_name(t->name, path);
    return hold_out(t, nln_options_number(o, "holdout"),
                    (uint64_t)nln_options_number(o, "holdout-seed"), err);
}

nln_status nln_triples_read(nln_triples **out, const char *path, const nln_options *options,
                            nln_error *err)
{
    nln_options *own = NULL;
    nln_triples *t = NULL;
    layout where;
    *out = NULL;
    nln_status status = options ? nln_options_check(options, "triples", err)
                                : nln_options_create(&own, "triples", err);
    const nln_options *o = options ? options : own;
    if (!status)
        status = read_layout(&where, nln_options_text(o, "order"), err);
    if (!status)
        status = nln_triples_create(&t, err);
    if (!status)
        status = read_path(t, path, &where, o, err);
    nln_options_free(own);
    if (status) {
        nln_triples_free(t);
        return status;
    }
    remove_repetitions(t);
    *out = t;
    return NLN_OK;
}

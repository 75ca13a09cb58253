#include "data/logic_data.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "data/data_folder.h"
#include "data/split.h"
#include "logic/token.h"

/* ---- lines -------------------------------------------------------------- */

/* The next line that is neither blank nor a comment; NULL at the end. */
static nln_status next_line(char **line, nln_input *in, nln_error *err)
{
    size_t length;
    nln_status status;
    while (!(status = nln_input_line(line, &length, in, err)) && *line) {
        char first = (*line)[strspn(*line, " \t")];
        if (first && first != '#')
            break;
    }
    return status;
}

static nln_status fail_at(const nln_input *in, const char *line, const char *at,
                          const char *expected, nln_error *err)
{
    int n = (int)strnlen(at, 40);
    return nln_error_at(err, NLN_SYNTAX, nln_input_path(in), nln_input_line_number(in),
                        nln_input_column(line, at), n ? "expected %s, not '%.*s'" : "expected %s",
                        expected, n, at);
}

/* The length of the text without the spaces at its end. */
static size_t trimmed(const char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    return n;
}

/* Cuts the line at its first TAB and reads the rest as T or F, or, for a variable, as unknown
 * (-1). */
static nln_status cut_value(int *value, char *line, int may_be_unknown, const nln_input *in,
                            nln_error *err)
{
    static const struct {
        const char *text;
        int value;
    } words[] = {{"T", 1}, {"F", 0}, {"1", 1}, {"0", 0}, {"true", 1}, {"false", 0}, {"?", -1}};
    size_t n_words = sizeof words / sizeof *words - !may_be_unknown;
    char *tab = strchr(line, '\t');
    if (!tab)
        return fail_at(in, line, line + strlen(line), "a TAB and then T, F, 1, 0, true or false",
                       err);
    char *begin = tab + 1 + strspn(tab + 1, " ");
    size_t n = trimmed(begin);
    for (size_t i = 0; i < n_words; i++)
        if (strlen(words[i].text) == n && !memcmp(words[i].text, begin, n)) {
            *value = words[i].value;
            *tab = '\0';
            return NLN_OK;
        }
    return fail_at(in, line, begin, "T, F, 1, 0, true or false after the TAB", err);
}

nln_status nln_labelled_add(nln_labelled *set, int label, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(set->labels, set->labels_room, set->exprs.n))
        return nln_error_memory(err);
    set->labels[set->exprs.n - 1] = label != 0;
    return NLN_OK;
}

nln_status nln_labelled_read(nln_labelled *set, const nln_vocabulary *names, nln_input *in,
                             nln_error *err)
{
    nln_dialect dialect = NLN_DIALECT_TEXT;
    char *line;
    nln_status status = next_line(&line, in, err);
    if (!status && line && !strcmp(line, "sent\tlabel"))
        dialect = NLN_DIALECT_PUBLISHED;
    if (dialect == NLN_DIALECT_PUBLISHED || (!status && line && !strcmp(line, "expression\tlabel")))
        status = next_line(&line, in, err);
    while (!status && line) {
        int label = 0;
        if ((status = cut_value(&label, line, 0, in, err)))
            break;
        status = nln_parse(&set->exprs, names, 1, line, strlen(line), dialect, err);
        if (status)
            nln_error_place(err, nln_input_path(in), nln_input_line_number(in));
        else if (!(status = nln_labelled_add(set, label, err)))
            status = next_line(&line, in, err);
    }
    return status;
}

/* ---- true values -------------------------------------------------------- */

/* The next variable and its value (-1 where unknown); *name is NULL at the end. */
static nln_status next_truth(char **name, int *value, nln_input *in, nln_error *err)
{
    int first = nln_input_line_number(in) == 0;
    nln_status status = next_line(name, in, err);
    if (!status && first && *name && !strcmp(*name, "variable\tvalue"))
        status = next_line(name, in, err);
    if (status || !*name)
        return status;
    status = cut_value(value, *name, 1, in, err);
    *name += strspn(*name, " ");
    (*name)[trimmed(*name)] = '\0';
    if (!status && !**name)
        status = nln_error_at(err, NLN_SYNTAX, nln_input_path(in), nln_input_line_number(in), 1,
                              "expected the name of a variable before the TAB");
    return status;
}

static nln_status repeated(const char *name, const nln_input *in, nln_error *err)
{
    return nln_error_at(err, NLN_INVALID, nln_input_path(in), nln_input_line_number(in), 1,
                        "the variable '%.80s' has a value already; remove one of the lines", name);
}

nln_status nln_truth_read(int8_t *truth, const nln_symbols *symbols, const char *path,
                          nln_error *err)
{
    nln_folder folder = {0};
    nln_input *in = NULL;
    char *name = NULL;
    int value = -1, is_folder = nln_folder_exists(path);
    nln_status status =
        is_folder ? nln_folder_list(&folder, path, err) : nln_input_open(&in, path, err);
    if (!status && is_folder)
        status = nln_folder_open(&in, &folder, NLN_PART_VARIABLES, err);
    nln_folder_free(&folder);
    for (int32_t i = 0; i < nln_symbols_count(symbols); i++)
        truth[i] = -1;
    while (!status && !(status = next_truth(&name, &value, in, err)) && name) {
        int32_t id = nln_symbols_find(symbols, name, strlen(name));
        if (id >= 0 && truth[id] >= 0)
            status = repeated(name, in, err);
        else if (id >= 0)
            truth[id] = (int8_t)value;
    }
    nln_input_close(in);
    return status;
}

/* Makes truth as long as there are variables, -1 where it grows. */
static nln_status extend_truth(nln_data *data, size_t known, nln_error *err)
{
    size_t n = (size_t)nln_symbols_count(data->symbols);
    if (!NLN_ARRAY_RESERVE(data->truth, data->truth_room, n))
        return nln_error_memory(err);
    if (n > known)
        memset(data->truth + known, -1, n - known);
    return NLN_OK;
}

/* Names every variable of the file, in its order, and keeps the values.  A name must be one that
 * an expression can hold. */
static nln_status read_variables(nln_data *data, nln_input *in, nln_error *err)
{
    char *name = NULL;
    int value = -1;
    nln_status status;
    while (!(status = next_truth(&name, &value, in, err)) && name) {
        size_t n = strlen(name);
        nln_token token = nln_token_next(name, n, 0, NLN_DIALECT_TEXT);
        if (token.kind != NLN_TOKEN_NAME || token.start != 0 || token.length != n)
            return nln_error_at(err, NLN_SYNTAX, nln_input_path(in), nln_input_line_number(in), 1,
                                "no expression can hold a variable named '%.80s'; a name is "
                                "letters, digits, _ . and :, and not a word of the expressions",
                                name);
        int32_t known = nln_symbols_count(data->symbols);
        int32_t id = nln_symbols_intern(data->symbols, name, n);
        if (id < 0)
            return nln_error_memory(err);
        if (id < known)
            return repeated(name, in, err);
        if ((status = extend_truth(data, (size_t)known, err)))
            return status;
        data->truth[id] = (int8_t)value;
    }
    return status;
}

/* ---- data sets ---------------------------------------------------------- */

static nln_status read_part(nln_data *data, const nln_folder *folder, int part, nln_error *err)
{
    nln_input *in;
    nln_vocabulary names = nln_data_names(data);
    nln_status status = nln_folder_open(&in, folder, part, err);
    if (!status && part == NLN_PART_VARIABLES)
        status = read_variables(data, in, err);
    else if (!status)
        status =
            nln_labelled_read(&data->split[part > NLN_TEST ? NLN_TRAIN : part], &names, in, err);
    if (!status && part == NLN_TRAIN && data->split[part].exprs.n == 0)
        status = nln_error_set(err, NLN_INVALID, "'%s' has no expressions to train on",
                               nln_input_path(in));
    nln_input_close(in);
    return status;
}

/* A folder without a train file may have facts and rules, in this order, so that rules know the
 * entities; validation and test may be missing then. */
static nln_status read_splits(nln_data *data, const nln_folder *folder, nln_error *err)
{
    nln_status status = NLN_OK;
    int has_facts = !folder->names[NLN_TRAIN] &&
                    (folder->names[NLN_PART_FACTS] || folder->names[NLN_PART_RULES]);
    for (int part = NLN_PART_FACTS; !status && has_facts && part <= NLN_PART_RULES; part++)
        if (folder->names[part])
            status = read_part(data, folder, part, err);
    for (int i = has_facts ? NLN_VALID : NLN_TRAIN; !status && i <= NLN_TEST; i++)
        if (!has_facts || folder->names[i])
            status = read_part(data, folder, i, err);
    return status;
}

/* Variables that the file of true values lacks are unknown, and if all are, there is no truth. */
static nln_status read_parts(nln_data *data, const nln_folder *folder, nln_error *err)
{
    nln_status status = NLN_OK;
    size_t known = 0;
    if (folder->names[NLN_TRAIN] ||
        (!folder->names[NLN_PART_FACTS] && !folder->names[NLN_PART_RULES]))
        for (int i = NLN_TRAIN; !status && i <= NLN_TEST; i++)
            status = nln_folder_need(folder, i, err);
    if (!status && folder->names[NLN_PART_VARIABLES])
        status = read_part(data, folder, NLN_PART_VARIABLES, err);
    size_t listed = (size_t)nln_symbols_count(data->symbols);
    if (!status)
        status = read_splits(data, folder, err);
    for (size_t i = 0; !status && i < listed; i++)
        known += data->truth[i] >= 0;
    if (status || known > 0)
        return status ? status : extend_truth(data, listed, err);
    nln_free(data->truth);
    data->truth = NULL;
    data->truth_room = 0;
    return NLN_OK;
}

nln_vocabulary nln_data_names(const nln_data *data)
{
    return (nln_vocabulary){
        .variables = data->symbols, .relations = data->relations, .atoms = data->atoms};
}

nln_status nln_data_create(nln_data **out, nln_error *err)
{
    *out = nln_memory_zeroed(1, sizeof **out);
    if (*out && ((*out)->symbols = nln_symbols_create()) &&
        !nln_relations_create(&(*out)->relations, err) && !nln_atoms_create(&(*out)->atoms, err))
        return NLN_OK;
    nln_data_free(*out);
    *out = NULL;
    return nln_error_memory(err);
}

nln_status nln_data_read(nln_data **out, const char *folder, nln_error *err)
{
    nln_folder listing = {0};
    nln_data *data;
    nln_status status = nln_data_create(&data, err);
    *out = NULL;
    if (!status && !(status = nln_folder_list(&listing, folder, err)))
        status = read_parts(data, &listing, err);
    nln_folder_free(&listing);
    if (status)
        nln_data_free(data);
    else {
        nln_data_name(data->name, folder);
        *out = data;
    }
    return status;
}

static nln_status add_labelled(nln_data *data, nln_labelled *set, const char *expression, int label,
                               nln_error *err)
{
    size_t known = nln_data_variables(data);
    if (label != 0 && label != 1)
        return nln_error_set(err, NLN_INVALID, "a label must be 0 or 1, not %d", label);
    if (!NLN_ARRAY_RESERVE(set->labels, set->labels_room, set->exprs.n + 1))
        return nln_error_memory(err);
    nln_vocabulary names = nln_data_names(data);
    nln_status status =
        nln_parse(&set->exprs, &names, 1, expression, strlen(expression), NLN_DIALECT_TEXT, err);
    if (status)
        return status;
    set->labels[set->exprs.n - 1] = (uint8_t)label;
    return data->truth ? extend_truth(data, known, err) : NLN_OK;
}

/* Without memory for the true values of new variables, none is known: an array that is too short
 * would be read past its end. */
nln_status nln_data_add(nln_data *data, nln_split split, const char *const *expressions,
                        const int *labels, size_t n, nln_error *err)
{
    nln_status status = nln_split_check(split, err);
    for (size_t i = 0; i < n && !status; i++) {
        status = add_labelled(data, &data->split[split], expressions[i], labels[i], err);
        if (status)
            nln_error_place(err, NULL, (long)i + 1);
    }
    if (status == NLN_MEMORY) {
        nln_free(data->truth);
        data->truth = NULL;
        data->truth_room = 0;
    }
    return status;
}

static nln_status write_split(nln_output *out, const nln_data *data, nln_split split,
                              nln_error *err)
{
    const nln_labelled *set = &data->split[split];
    nln_vocabulary names = nln_data_names(data);
    for (size_t i = 0; i < set->exprs.n; i++) {
        char *text;
        nln_status status = nln_print(&text, nln_exprs_get(&set->exprs, i), &names, err);
        if (status)
            return status;
        nln_output_printf(out, "%s\t%c\n", text, set->labels[i] ? 'T' : 'F');
        nln_free(text);
    }
    return NLN_OK;
}

nln_status nln_data_write(const nln_data *data, const char *folder, nln_error *err)
{
    nln_status status = nln_folder_make(folder, err);
    for (int part = 0; !status && part <= NLN_PART_VARIABLES; part++) {
        nln_output *out = NULL;
        if ((status = nln_folder_create(&out, folder, part, err)))
            break;
        if (part != NLN_PART_VARIABLES) {
            status = write_split(out, data, (nln_split)part, err);
        } else {
            nln_output_printf(out, "variable\tvalue\n");
            for (int32_t i = 0; i < nln_symbols_count(data->symbols); i++) {
                int value = data->truth ? data->truth[i] : -1;
                nln_output_printf(out, "%s\t%c\n", nln_symbols_name(data->symbols, i),
                                  value < 0 ? '?' : "FT"[value]);
            }
        }
        if (status)
            nln_output_abandon(out);
        else
            status = nln_output_finish(out, err);
    }
    return status;
}

void nln_data_free(nln_data *data)
{
    if (!data)
        return;
    for (int i = NLN_TRAIN; i <= NLN_TEST; i++) {
        nln_exprs_free(&data->split[i].exprs);
        nln_free(data->split[i].labels);
    }
    nln_symbols_free(data->symbols);
    nln_relations_free(data->relations);
    nln_atoms_free(data->atoms);
    nln_free(data->truth);
    nln_free(data);
}

size_t nln_data_size(const nln_data *data, nln_split split)
{
    return nln_split_exists(split) ? data->split[split].exprs.n : 0;
}

size_t nln_data_true(const nln_data *data, nln_split split)
{
    size_t n = 0;
    for (size_t i = 0; i < nln_data_size(data, split); i++)
        n += data->split[split].labels[i];
    return n;
}

size_t nln_data_variables(const nln_data *data)
{
    return (size_t)nln_symbols_count(data->symbols);
}

void nln_data_place(nln_error *err, nln_split split, size_t i)
{
    if (!err)
        return;
    nln_error cause = *err;
    snprintf(err->message, sizeof err->message, "expression %zu of %s: %.460s", i + 1,
             nln_split_name(split), cause.message);
}

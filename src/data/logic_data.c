#include "data/logic_data.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/options.h"
#include "data/data_folder.h"
#include "data/split_names.h"
#include "logic/token.h"

/* ---- true values -------------------------------------------------------- */

/* The next variable and its value (-1 where unknown); *name is NULL at the end. */
static nln_status next_truth(char **name, int *value, nln_input *in, nln_error *err)
{
    int first = nln_input_line_number(in) == 0;
    nln_status status = nln_labelled_line(name, in, err);
    if (!status && first && *name && !strcmp(*name, "variable\tvalue"))
        status = nln_labelled_line(name, in, err);
    if (status || !*name)
        return status;
    status = nln_labelled_value(value, *name, in, err);
    *name += strspn(*name, " ");
    (*name)[nln_labelled_trimmed(*name)] = '\0';
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

/* The number of a name, which may be quoted as in expressions, or -1. */
static int32_t find_variable(const nln_symbols *symbols, char *name)
{
    size_t length = strlen(name);
    int32_t id = nln_symbols_find(symbols, name, length);
    nln_token t = nln_token_next(name, length, 0, NLN_DIALECT_TEXT);
    if (id >= 0 || t.kind != NLN_TOKEN_QUOTED || t.length != length)
        return id;
    long n = nln_token_unquote(name, name, length);
    return n > 0 ? nln_symbols_find(symbols, name, (size_t)n) : -1;
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
        int32_t id = find_variable(symbols, name);
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
    if (!status && has_facts && data->split[NLN_TRAIN].exprs.n == 0)
        return nln_error_set(err, NLN_INVALID, "the files of facts and rules in '%s' are empty",
                             folder->path);
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

static nln_status read_folder(nln_data *data, const char *path, nln_error *err)
{
    nln_folder listing = {0};
    nln_status status = nln_folder_list(&listing, path, err);
    if (!status)
        status = read_parts(data, &listing, err);
    nln_folder_free(&listing);
    return status;
}

/* All lines become those of training. */
static nln_status read_file(nln_data *data, const char *path, nln_error *err)
{
    nln_input *in = NULL;
    nln_vocabulary names = nln_data_names(data);
    nln_status status = nln_input_open(&in, path, err);
    if (!status)
        status = nln_labelled_read(&data->split[NLN_TRAIN], &names, in, err);
    nln_input_close(in);
    if (!status && data->split[NLN_TRAIN].exprs.n == 0)
        status = nln_error_set(err, NLN_INVALID, "'%s' has no expressions to train on", path);
    return status;
}

nln_status nln_data_read_with(nln_data **out, const char *path, const nln_options *options,
                              nln_error *err)
{
    nln_data *data = NULL;
    int is_folder = nln_folder_exists(path);
    nln_status status = options ? nln_options_check(options, "expressions", err) : NLN_OK;
    *out = NULL;
    if (!status)
        status = nln_data_create(&data, err);
    if (!status)
        status = is_folder ? read_folder(data, path, err) : read_file(data, path, err);
    if (!status && is_folder && options && nln_options_number(options, "folds") > 0)
        status = nln_error_set(err, NLN_INVALID,
                               "'%s' is split already; option --folds is for one file", path);
    if (!status && !is_folder)
        status = nln_data_deal(data, options, err);
    if (status)
        nln_data_free(data);
    else {
        nln_data_name(data->name, path);
        *out = data;
    }
    return status;
}

nln_status nln_data_read(nln_data **out, const char *path, nln_error *err)
{
    return nln_data_read_with(out, path, NULL, err);
}

static nln_status add_labelled(nln_data *data, nln_labelled *set, const char *expression,
                               double label, double weight, nln_error *err)
{
    size_t known = nln_data_variables(data);
    nln_vocabulary names = nln_data_names(data);
    nln_status status = nln_labelled_check(label, weight, err);
    if (!status)
        status = nln_parse(&set->exprs, &names, 1, expression, strlen(expression), NLN_DIALECT_TEXT,
                           err);
    if (!status && (status = nln_labelled_add(set, label, weight, err))) {
        set->exprs.n--; /* an expression without its label is none */
        nln_exprs_drop(&set->exprs);
    }
    return !status && data->truth ? extend_truth(data, known, err) : status;
}

/* Adds labels of one of the two kinds.  Without memory for the true values of new variables, none
 * is known: an array that is too short would be read past its end. */
static nln_status add_all(nln_data *data, nln_split split, const char *const *expressions,
                          const int *whole, const double *labels, const double *weights, size_t n,
                          nln_error *err)
{
    nln_status status = nln_split_check(split, err);
    for (size_t i = 0; i < n && !status; i++) {
        double label = whole ? whole[i] : labels ? labels[i] : 0;
        status = add_labelled(data, &data->split[split], expressions[i], label,
                              weights ? weights[i] : 1, err);
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

nln_status nln_data_add(nln_data *data, nln_split split, const char *const *expressions,
                        const int *labels, size_t n, nln_error *err)
{
    return add_all(data, split, expressions, labels, NULL, NULL, n, err);
}

nln_status nln_data_add_weighted(nln_data *data, nln_split split, const char *const *expressions,
                                 const double *labels, const double *weights, size_t n,
                                 nln_error *err)
{
    return add_all(data, split, expressions, NULL, labels, weights, n, err);
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
        if (set->soft && set->soft[i] > 0 && set->soft[i] < 1)
            nln_output_printf(out, "%s\t%.9g", text, (double)set->soft[i]);
        else
            nln_output_printf(out, "%s\t%c", text, set->labels[i] ? 'T' : 'F');
        if (set->weights)
            nln_output_printf(out, "\t%.9g", (double)set->weights[i]);
        nln_output_printf(out, "\n");
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
    for (int i = NLN_TRAIN; i <= NLN_TEST; i++)
        nln_labelled_free(&data->split[i]);
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

/* Reading the model file, which may come from a stranger: nothing is allocated by a number in it
 * before that number has been checked against the file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "models/method.h"
#include "models/model_file.h"
#include "models/model_names.h"

enum { MOST_EXACT = 1 << 24, MOST_OPTIONS = 1000 };

static nln_status bad(nln_error *err, const char *path, const char *what)
{
    return nln_error_at(err, NLN_FORMAT, path, 0, 0,
                        "this is not a model that nln can use: %s; train it again or check the "
                        "file's origin",
                        what);
}

/* The object that the metadata have as a text; nothing in it has parts of its own. */
static nln_status read_object(json_t **out, const char *text, const char *path, nln_error *err)
{
    json_error_t why;
    *out = NULL;
    nln_status status =
        text ? nln_json_load(out, &why, text, strlen(text), MOST_OPTIONS, 1) : NLN_FORMAT;
    if (status == NLN_MEMORY)
        return nln_error_memory(err);
    return !status && json_is_object(*out)
               ? NLN_OK
               : bad(err, path, "its options are missing or no object in JSON");
}

/* One option of the file, which is there once, by whatever spelling of its name, and says
 * nothing of the machine that the model is used on. */
static nln_status read_option(nln_options *options, const char *name, const json_t *value,
                              const char *path, nln_error *err)
{
    /* Options of training in older versions: a trained model does not depend on them. */
    static const char *const removed[] = {"beta1", "beta2", "epsilon", "init-true", "length"};
    if (!json_is_string(value))
        return bad(err, path, "an option is not a string");
    if (strcmp(name, "threads") == 0)
        return bad(err, path, "it sets a number of threads, which no model has");
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
        if (strcmp(name, removed[i]) == 0)
            return NLN_OK;
    if (nln_options_source(options, name) == NLN_FROM_CALLER)
        return bad(err, path, "an option in it is there twice");
    return nln_options_set(options, name, json_string_value(value), err);
}

/* A file that says nothing of such an option is older than it, and than the recipes with it. */
static nln_status complete_options(nln_options *options, nln_error *err)
{
    static const char *const then[][2] = {
        {"grades", "0"}, {"networks", "1"}, {"soften", "0"}, {"surprises", "0"}};
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < sizeof then / sizeof *then; i++)
        if (nln_options_source(options, then[i][0]) != NLN_FROM_CALLER)
            status = nln_options_set(options, then[i][0], then[i][1], err);
    return status;
}

static nln_status read_options(nln_options **out, const char *text, const char *path,
                               nln_error *err)
{
    int n_rows;
    const nln_option *table = nln_config_table(&n_rows);
    nln_options *options = NULL;
    const char *name;
    json_t *object, *value;
    nln_status status = read_object(&object, text, path, err);
    if (!status)
        status = nln_options_create_from(&options, table, n_rows, err);
    if (!status) {
        nln_options_name(options, NLN_CONFIG_COMMAND);
        json_object_foreach(object, name, value)
        {
            status = read_option(options, name, value, path, err);
            if (status)
                break;
        }
    }
    json_decref(object);
    if (!status)
        status = complete_options(options, err);
    if (status) {
        nln_error_place(err, path, 0);
        nln_options_free(options);
        return status;
    }
    *out = options;
    return NLN_OK;
}

/* The names in the metadata `key` or, where there are none, in the tensor `name`. */
static nln_status read_names(nln_symbols **out, const nln_safetensors *file, const char *key,
                             const char *name, const char *path, nln_error *err)
{
    const char *problem, *text = nln_safetensors_metadata(file, key);
    const nln_tensor *packed = nln_safetensors_tensor(file, name);
    nln_symbols *symbols = nln_symbols_create();
    if (!symbols)
        return nln_error_memory(err);
    nln_status status = !text && packed ? nln_model_names_unpack(symbols, &problem, packed)
                                        : nln_model_names_parse(symbols, &problem, text);
    if (!status) {
        *out = symbols;
        return NLN_OK;
    }
    nln_symbols_free(symbols);
    return status == NLN_MEMORY ? nln_error_memory(err) : bad(err, path, problem);
}

/* A tensor is there and has the shape that the options say. */
static int fits(const nln_tensor *tensor, size_t rows, size_t columns)
{
    if (!tensor || !tensor->data)
        return 0;
    if (rows == 1)
        return tensor->n_dims == 1 && tensor->shape[0] == columns;
    return tensor->n_dims == 2 && tensor->shape[0] == rows && tensor->shape[1] == columns;
}

/* Before anything is allocated by the options' numbers: do the file's tensors have the sizes that
 * these numbers need? */
static nln_status check_sizes(const nln_safetensors *file, const nln_sizes *sizes, const char *path,
                              nln_error *err)
{
    const nln_method *method = nln_method_get(sizes->config->model);
    nln_shape shape = {0};
    for (int i = 0; method->tensor(&shape, sizes, i); i++)
        if (!fits(nln_safetensors_tensor(file, shape.name), shape.rows, shape.columns))
            return bad(err, path, "its tensors do not fit its options");
    return NLN_OK;
}

static nln_status copy_tensors(nln_model *model, const nln_safetensors *file, const char *path,
                               nln_error *err)
{
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, model, i); i++) {
        const nln_tensor *from = nln_safetensors_tensor(file, t.name);
        if (!fits(from, t.rows, t.columns))
            return nln_error_at(err, NLN_FORMAT, path, 0, 0,
                                "the tensor '%s' is missing or has another shape than %zu x %zu",
                                t.name, t.rows, t.columns);
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] = (real)from->data[j];
    }
    if (model->method->storage)
        model->method->storage->changed(model);
    return NLN_OK;
}

static nln_status read_temperature(double *out, const char *text, const char *path, nln_error *err)
{
    char *end = NULL;
    *out = text ? nln_number_parse(text, &end) : 0;
    if (!text || *end || !(*out > 0 && *out < 1e6))
        return bad(err, path, "its temperature is not a positive number");
    return NLN_OK;
}

/* A file without it is of a model that carries nothing over. */
static nln_status read_carry(double *out, const char *text, const char *path, nln_error *err)
{
    char *end = NULL;
    *out = text ? nln_number_parse(text, &end) : 0;
    if (text && (end == text || *end || !(*out >= 0 && *out < 1e6)))
        return bad(err, path, "its carry is not a number from 0 on");
    return NLN_OK;
}

/* Four numbers with a space between them; what is left of the text must be nothing. */
static int parse_grading(nln_grade_scale *g, const char *text)
{
    double x[4];
    for (int i = 0; i < 4; i++) {
        char *end = NULL;
        x[i] = nln_number_parse(text, &end);
        if (end == text || *end != (i < 3 ? ' ' : '\0'))
            return 0;
        text = end + 1;
    }
    int ok = isfinite(x[0]) && isfinite(x[1]) && x[0] <= x[1];
    for (int i = 0; i < 2; i++) {
        ok = ok && x[2 + i] >= 0 && x[2 + i] <= g->n && x[2 + i] == floor(x[2 + i]);
        g->usual[i] = ok ? (int)x[2 + i] : 0;
    }
    g->least = x[0];
    g->most = x[1];
    return ok;
}

static nln_status read_grading(nln_grade_scale *out, const nln_safetensors *file,
                               const nln_config *c, const char *path, nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "grades");
    *out = (nln_grade_scale){.n = nln_model_grades(c)};
    if (!out->n || (text && parse_grading(out, text)))
        return NLN_OK;
    return bad(err, path, "the range of its ratings is missing or makes no sense");
}

/* Files of before, and models of expressions, have none. */
static nln_status read_origin(nln_provenance *out, const nln_safetensors *file, const char *path,
                              nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "reading");
    *out = (nln_provenance){0};
    if (!text || nln_provenance_parse(out, text))
        return NLN_OK;
    return bad(err, path, "how its ratings were read makes no sense");
}

/* Lengths are whole numbers that add up to the number of literals, and literals are items of
 * the model; anything else is refused. */
static nln_status check_users(const nln_tensor *length, const nln_tensor *literal, size_t n_users,
                              size_t n_items, const char *path, nln_error *err)
{
    double sum = 0;
    int ok = fits(length, 1, n_users) && literal && literal->data && literal->n_dims == 1;
    for (size_t i = 0; ok && i < n_users; i++) {
        ok = length->data[i] >= 0 && length->data[i] <= MOST_EXACT &&
             length->data[i] == (float)(int32_t)length->data[i];
        sum += (double)length->data[i];
    }
    ok = ok && sum == (double)literal->shape[0];
    for (size_t i = 0; ok && i < literal->shape[0]; i++) {
        float x = literal->data[i] < 0 ? -literal->data[i] : literal->data[i];
        ok = x >= 1 && (double)x <= (double)n_items && x == (float)(int32_t)x;
    }
    return ok ? NLN_OK : bad(err, path, "the histories of its users make no sense");
}

/* Of literals that have grades, up to n_grades. */
static int grades_fit(const nln_tensor *grade, size_t n_literals, int n_grades)
{
    int ok = grade && grade->data && grade->n_dims == 1 && grade->shape[0] == n_literals;
    for (size_t i = 0; ok && i < n_literals; i++) {
        float x = grade->data[i];
        ok = x >= 0 && x <= (float)n_grades && x == (float)(int)x;
    }
    return ok;
}

static nln_status read_user_grades(nln_users *users, const nln_safetensors *file, size_t n_literals,
                                   int n_grades, const char *path, nln_error *err)
{
    const nln_tensor *grade = nln_safetensors_tensor(file, "users.grade");
    if (!n_grades)
        return NLN_OK;
    if (!grades_fit(grade, n_literals, n_grades))
        return bad(err, path, "the grades of its users make no sense");
    for (size_t i = 0; i < n_literals; i++)
        users->grade[i] = (uint8_t)grade->data[i];
    return NLN_OK;
}

/* The users that the file has, if any, checked against the numbers of its items and grades. */
static nln_status read_users(nln_users **out, const nln_safetensors *file, size_t n_items,
                             int n_grades, const char *path, nln_error *err)
{
    const nln_tensor *length = nln_safetensors_tensor(file, "users.length");
    const nln_tensor *literal = nln_safetensors_tensor(file, "users.literal");
    nln_symbols *names = NULL;
    if (!nln_safetensors_metadata(file, "users") && !nln_safetensors_tensor(file, "users.names"))
        return NLN_OK;
    nln_status status = read_names(&names, file, "users", "users.names", path, err);
    if (status)
        return status;
    size_t n = (size_t)nln_symbols_count(names);
    status = check_users(length, literal, n, n_items, path, err);
    if (!status)
        status = nln_users_create(out, names, literal->shape[0], err);
    for (size_t i = 0; !status && i < n; i++)
        (*out)->start[i + 1] = (*out)->start[i] + (size_t)length->data[i];
    for (size_t i = 0; !status && i < literal->shape[0]; i++)
        (*out)->literal[i] = (int32_t)literal->data[i];
    if (!status)
        status = read_user_grades(*out, file, literal->shape[0], n_grades, path, err);
    nln_symbols_free(names);
    return status;
}

/* ---- going on --------------------------------------------------------------------- */

/* The options of the file are those of the model, but for what does not belong to either. */
static nln_status check_options(const nln_model *model, const char *text, const char *path,
                                nln_error *err)
{
    int n_rows;
    const nln_option *table = nln_options_table(&n_rows, model->options);
    nln_options *options = NULL;
    nln_status status = read_options(&options, text, path, err);
    for (int i = 0; !status && i < n_rows; i++) {
        const char *name = table[i].name, *now = nln_options_text(model->options, name);
        const char *then = nln_options_text(options, name);
        if (strcmp(name, "threads") != 0 && strcmp(now, then) != 0)
            status =
                nln_error_at(err, NLN_INVALID, path, 0, 0,
                             "this training was begun with --%s %s, and this is with %s: go on "
                             "with the same options, or begin anew",
                             name, then, now);
    }
    nln_options_free(options);
    return status;
}

static int same_names(const nln_symbols *a, const nln_symbols *b)
{
    int32_t n = nln_symbols_count(a);
    int same = n == nln_symbols_count(b);
    for (int32_t i = 0; same && i < n; i++)
        same = strcmp(nln_symbols_name(a, i), nln_symbols_name(b, i)) == 0;
    return same;
}

static nln_status check_names(const nln_model *model, const nln_safetensors *file, const char *path,
                              nln_error *err)
{
    nln_symbols *names = NULL;
    nln_status status = read_names(&names, file, "variables", "variables.names", path, err);
    if (!status && !same_names(names, model->symbols))
        status = nln_error_at(err, NLN_INVALID, path, 0, 0,
                              "this training was begun with other data: go on with the same, or "
                              "begin anew");
    nln_symbols_free(names);
    return status;
}

nln_status nln_modelfile_restore(nln_model *model, const nln_safetensors *file, const char *path,
                                 nln_error *err)
{
    const char *kind = nln_safetensors_metadata(file, "kind");
    const char *version = nln_safetensors_metadata(file, "version");
    if (!kind || strcmp(kind, NLN_MODELFILE_KIND) != 0)
        return bad(err, path, "it was not written by nln");
    if (!version || strcmp(version, nln_version()) != 0)
        return bad(err, path, "another version of nln began this training");
    nln_status status = check_options(model, nln_safetensors_metadata(file, "options"), path, err);
    if (!status)
        status = check_names(model, file, path, err);
    return status ? status : copy_tensors(model, file, path, err);
}

/* What a file says of itself, before there is a model. */
typedef struct content {
    nln_options *options;
    nln_config config;
    nln_symbols *symbols;
    nln_grade_scale grading;
    nln_users *users;
} content;

static nln_status read_content(content *c, const nln_safetensors *file, const char *path,
                               nln_error *err)
{
    const char *kind = nln_safetensors_metadata(file, "kind");
    nln_status status = kind && strcmp(kind, NLN_MODELFILE_KIND) == 0
                            ? NLN_OK
                            : bad(err, path, "it was not written by nln");
    if (!status)
        status = read_options(&c->options, nln_safetensors_metadata(file, "options"), path, err);
    if (!status)
        status = read_names(&c->symbols, file, "variables", "variables.names", path, err);
    if (!status)
        status = nln_config_read(&c->config, c->options, err);
    if (!status)
        status = read_grading(&c->grading, file, &c->config, path, err);
    if (!status)
        status = read_users(&c->users, file, (size_t)nln_symbols_count(c->symbols), c->grading.n,
                            path, err);
    if (!status && nln_method_get(c->config.model)->knows_users && !c->users)
        status = bad(err, path, "it has lost its users");
    return status;
}

static nln_status build(nln_model **out, content *c, const nln_safetensors *file, const char *path,
                        nln_error *err)
{
    nln_model *model = NULL;
    size_t n_users = c->users ? (size_t)nln_symbols_count(c->users->names) : 0;
    nln_sizes sizes = {&c->config, (size_t)nln_symbols_count(c->symbols), n_users};
    nln_status status = check_sizes(file, &sizes, path, err);
    if (!status)
        status = nln_model_create_for(&model, c->symbols, n_users, c->options, err);
    if (status)
        return status;
    model->grading = c->grading;
    model->users = c->users;
    c->users = NULL;
    status = read_temperature(&model->temperature, nln_safetensors_metadata(file, "temperature"),
                              path, err);
    if (!status)
        status = read_origin(&model->origin, file, path, err);
    if (!status)
        status = read_carry(&model->carry, nln_safetensors_metadata(file, "carry"), path, err);
    if (!status)
        status = copy_tensors(model, file, path, err);
    if (status)
        nln_model_free(model);
    else
        *out = model;
    return status;
}

nln_status nln_model_load(nln_model **out, const char *path, nln_error *err)
{
    nln_safetensors *file = NULL;
    content c = {0};
    *out = NULL;
    nln_status status = nln_safetensors_read(&file, path, err);
    if (!status)
        status = read_content(&c, file, path, err);
    if (!status)
        status = build(out, &c, file, path, err);
    if (status)
        nln_error_place(err, path, 0);
    nln_options_free(c.options);
    nln_symbols_free(c.symbols);
    nln_users_free(c.users);
    nln_safetensors_free(file);
    return status;
}

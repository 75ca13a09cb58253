/* Reading the model file, which may come from a stranger: nothing is allocated by a number in it
 * before that number has been checked against the file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/jansson_guard.h"
#include "base/number.h"
#include "models/method.h"
#include "models/model_file.h"
#include "models/model_file_symbols.h"

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
    const char *text = json_string_value(value);
    if (strcmp(name, "association") == 0 && strcmp(text, "tree") == 0)
        text = "pairs"; /* a value of older versions; the same without random orders */
    if (nln_options_source(options, name) == NLN_FROM_CALLER)
        return bad(err, path, "an option in it is there twice");
    return nln_options_set(options, name, text, err);
}

/* A file that says nothing of such an option is older than it, and than the recipes with it. */
static nln_status complete_options(nln_options *options, nln_error *err)
{
    static const char *const then[][2] = {
        {"dislikes", "no"},   {"duals", "false"}, {"grades", "0"}, {"link-inverses", "false"},
        {"networks", "1"},    {"rules", "0"},     {"soften", "0"}, {"surprises", "0"},
        {"user-vectors", "0"}};
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < sizeof then / sizeof *then; i++)
        if (nln_options_source(options, then[i][0]) != NLN_FROM_CALLER)
            status = nln_options_set(options, then[i][0], then[i][1], err);
    return status;
}

/* Older versions could join operands as random trees.  In the given order these were pairs. */
static void read_trees_as_pairs(json_t *object)
{
    json_t *how = json_object_get(object, "association");
    const char *is = json_string_value(how);
    const char *orders = json_string_value(json_object_get(object, "orders"));
    if (is && orders && strcmp(is, "tree") == 0 && strcmp(orders, "1") == 0)
        json_string_set(how, "pairs");
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
        read_trees_as_pairs(object);
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
    nln_status status = !text && packed ? nln_model_file_symbols_unpack(symbols, &problem, packed)
                                        : nln_model_file_symbols_parse(symbols, &problem, text);
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
    const nln_method *method = nln_method_for(sizes->config->model, sizes->config->task);
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

/* The number in the metadata `key`, which is positive or, where it may be missing, 0 without it. */
static nln_status read_number(double *out, const nln_safetensors *file, const char *key,
                              int may_miss, const char *path, nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, key);
    char *end = NULL, problem[64];
    *out = text ? nln_number_parse(text, &end) : 0;
    if ((!text && may_miss) ||
        (text && end != text && !*end && *out < 1e6 && (*out > 0 || (may_miss && *out >= 0))))
        return NLN_OK;
    snprintf(problem, sizeof problem, "its %s is not a %s number", key,
             may_miss ? "non-negative" : "positive");
    return bad(err, path, problem);
}

/* Four numbers with a space between them; what is left of the text must be nothing. */
static int parse_grading(nln_rating_grades *g, const char *text)
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

static nln_status read_grading(nln_rating_grades *out, const nln_safetensors *file,
                               const nln_config *c, const char *path, nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "grades");
    *out = (nln_rating_grades){.n = nln_model_grades(c)};
    if (!out->n || (text && parse_grading(out, text)))
        return NLN_OK;
    return bad(err, path, "the range of its ratings is missing or makes no sense");
}

/* Files of before, and models of expressions, have none. */
static nln_status read_origin(nln_data_provenance *out, const nln_safetensors *file,
                              const char *path, nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "reading");
    *out = (nln_data_provenance){0};
    if (!text || nln_data_provenance_parse(out, text))
        return NLN_OK;
    return bad(err, path, "how its ratings were read makes no sense");
}

/* Files of before, and checkpoints, have none. */
static nln_status read_record(nln_model *model, const nln_safetensors *file, const char *path,
                              nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "record");
    if (!text)
        return NLN_OK;
    nln_status status = nln_training_record_parse(&model->record, text, err);
    model->has_record = !status;
    return status == NLN_FORMAT ? bad(err, path, "the record of its training makes no sense")
                                : status;
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

static nln_status read_user_grades(nln_users *users, const nln_safetensors *file, size_t n_literals,
                                   int n_grades, const char *path, nln_error *err)
{
    const nln_tensor *grade = nln_safetensors_tensor(file, "users.grade");
    int ok = grade && grade->data && grade->n_dims == 1 && grade->shape[0] == n_literals;
    for (size_t i = 0; n_grades && ok && i < n_literals; i++) {
        float x = grade->data[i];
        ok = x >= 0 && x <= (float)n_grades && x == (float)(int)x;
        users->grade[i] = ok ? (uint8_t)x : 0;
    }
    return ok || !n_grades ? NLN_OK : bad(err, path, "the grades of its users make no sense");
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

/* Three or four numbers with a space between them, the first above 0; without the fourth a dislike
 * is no part of a like. */
static int parse_factors(nln_item_rules *r, const char *text)
{
    double *factor[] = {&r->network, &r->whole, &r->recent, &r->dislike};
    int ok = 1, n = 0;
    for (int more = 1; ok && more; n++) {
        char *end = NULL;
        *factor[n] = nln_number_parse(text, &end);
        more = n < 3 && *end == ' ';
        ok = end != text && (more || !*end) && isfinite(*factor[n]);
        text = end + 1;
    }
    return ok && n >= 3 && r->network > 0;
}

/* The rules that the file has, if any: premises are likes or dislikes of its items or 0, and
 * weights are finite. */
static nln_status read_rules(nln_item_rules **out, const nln_safetensors *file, size_t n_items,
                             const char *path, nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "rules");
    const nln_tensor *premise = nln_safetensors_tensor(file, "rules.premise");
    const nln_tensor *weight = nln_safetensors_tensor(file, "rules.weight");
    if (!text && !premise && !weight)
        return NLN_OK;
    size_t width = premise && premise->n_dims == 2 ? premise->shape[1] : 0;
    int ok = text && width > 0 && width <= NLN_ITEM_RULES_MOST && premise->data && weight &&
             weight->data && weight->n_dims == 2 && premise->shape[0] == n_items &&
             weight->shape[0] == n_items && weight->shape[1] == width;
    for (size_t i = 0; ok && i < n_items * width; i++) {
        float x = premise->data[i];
        ok = x >= 0 && (double)x <= 2 * (double)n_items && x == (float)(int32_t)x &&
             isfinite(weight->data[i]);
    }
    nln_status status = ok ? nln_item_rules_create(out, n_items, width, err)
                           : bad(err, path, "its rules make no sense");
    for (size_t i = 0; !status && i < n_items * width; i++) {
        (*out)->premise[i] = (int32_t)premise->data[i] - 1;
        (*out)->weight[i] = weight->data[i];
    }
    if (!status && !parse_factors(*out, text))
        status = bad(err, path, "the factors of its rules make no sense");
    return status ? status : nln_item_rules_index(*out, err);
}

/* All numbers of an I32 tensor with `columns` columns are in the range that `least` and `most` give
 * for each column. */
static int in_range(const nln_tensor *t, size_t columns, const int32_t *least, const int32_t *most)
{
    int ok = t && t->whole && t->n_dims == 2 && t->shape[1] == columns;
    for (size_t i = 0; ok && i < t->shape[0] * columns; i++)
        ok = t->whole[i] >= least[i % columns] && t->whole[i] <= most[i % columns];
    return ok;
}

static nln_status read_link_rules(nln_rules **out, const nln_tensor *t, int32_t entities,
                                  int32_t relations, const char *path, nln_error *err)
{
    const int32_t least[] = {0, 0, -1, -1, -1, -1, 0, 1};
    const int32_t most[] = {2 * relations - 1, 2 * relations - 1, 2 * relations - 1, entities - 1,
                            entities - 1,      entities - 1,      INT32_MAX,         INT32_MAX};
    int ok = in_range(t, NLN_RULE_NUMBERS, least, most);
    nln_status status = ok ? nln_rules_create(out, err) : bad(err, path, "its rules make no sense");
    for (size_t i = 0; !status && i < t->shape[0]; i++) {
        nln_rule rule;
        memcpy(&rule, t->whole + i * NLN_RULE_NUMBERS, sizeof rule);
        int constants = rule.answer >= 0;
        if (constants != (rule.constant[0] >= 0) || rule.support > rule.n_body ||
            (constants && (rule.body[1] >= 0) != (rule.constant[1] >= 0)))
            status = bad(err, path, "its rules make no sense");
        else
            status = nln_rules_add(*out, &rule, err);
    }
    return status ? status : nln_rules_index(*out, err);
}

/* The relations, facts and rules of a model of links. */
static nln_status read_links(nln_links **out, const nln_safetensors *file, int32_t entities,
                             const char *path, nln_error *err)
{
    const nln_tensor *facts = nln_safetensors_tensor(file, "links.fact");
    const nln_tensor *rules = nln_safetensors_tensor(file, "links.rule");
    nln_symbols *names = NULL;
    nln_status status = read_names(&names, file, "relations", "relations.names", path, err);
    int32_t n = status ? 0 : nln_symbols_count(names);
    const int32_t least[] = {0, 0, 0}, most[] = {entities - 1, n - 1, entities - 1};
    if (!status && !in_range(facts, 3, least, most))
        status = bad(err, path, "its facts make no sense");
    if (!status)
        status =
            nln_links_create(out, names, (size_t)entities,
                             (const nln_triple *)(const void *)facts->whole, facts->shape[0], err);
    if (!status && rules)
        status = read_link_rules(&(*out)->rules, rules, entities, n, path, err);
    if (!status)
        status = read_number(&(*out)->by_rules, file, "link_rules", 1, path, err);
    nln_symbols_free(names);
    return status;
}

/* Numbers with a space between them: the factor of the network, which is above 0, the decay and
 * the weights. */
static int parse_knowledge(nln_item_knowledge *k, const char *text)
{
    int ok = 1;
    for (int i = -2; ok && i < k->n_weights; i++) {
        double *number = i == -2 ? &k->network : i == -1 ? &k->decay : &k->weight[i];
        char *end = NULL;
        *number = nln_number_parse(text, &end);
        ok = end != text && *end == (i + 1 < k->n_weights ? ' ' : '\0') && isfinite(*number);
        text = end + 1;
    }
    return ok && k->network > 0 && k->decay > 0 && k->decay <= 1;
}

/* The facts about items that the file has, if any. */
static nln_status read_knowledge(nln_item_knowledge **out, const nln_safetensors *file,
                                 int32_t items, const char *path, nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "knowledge");
    const nln_tensor *facts = nln_safetensors_tensor(file, "items.fact");
    nln_symbols *relations = NULL, *things = NULL;
    if (!text && !facts)
        return NLN_OK;
    nln_status status =
        read_names(&relations, file, "item_relations", "item_relations.names", path, err);
    if (!status)
        status = read_names(&things, file, "things", "things.names", path, err);
    int32_t n = status ? 0 : nln_symbols_count(relations);
    int32_t nodes = status ? 0 : items + nln_symbols_count(things);
    const int32_t least[] = {0, 0, 0}, most[] = {items - 1, n - 1, nodes - 1};
    if (!status && (!text || nodes < items || !in_range(facts, 3, least, most)))
        status = bad(err, path, "its facts about items make no sense");
    if (!status)
        status = nln_item_knowledge_create(out, (size_t)items, relations, things,
                                           (const nln_triple *)(const void *)facts->whole,
                                           facts->shape[0], err);
    if (!status && !parse_knowledge(*out, text))
        status = bad(err, path, "the weights of its facts make no sense");
    nln_symbols_free(relations);
    nln_symbols_free(things);
    return status;
}

/* Predicates with their arities, and entities; a file without the key `arity` has none.  The
 * vectors and matrices that these numbers need are in the file. */
static nln_status read_relations(nln_relations **out, const nln_safetensors *file,
                                 const nln_config *c, const char *path, nln_error *err)
{
    const char *text = nln_safetensors_metadata(file, "arity");
    nln_symbols *predicates = NULL;
    *out = NULL;
    if (!text)
        return NLN_OK;
    nln_status status = nln_relations_create(out, err);
    if (!status) {
        nln_symbols_free((*out)->entities);
        (*out)->entities = NULL;
        status = read_names(&(*out)->entities, file, "entities", "entities.names", path, err);
    }
    if (!status)
        status = read_names(&predicates, file, "predicates", "predicates.names", path, err);
    int32_t n = status ? 0 : nln_symbols_count(predicates);
    for (int32_t i = 0; !status && i < n; i++) {
        const char *name = nln_symbols_name(predicates, i);
        char *end = NULL;
        double arity = nln_number_parse(text, &end);
        if (end == text || !(arity >= 1 && arity <= NLN_MOST_ARGUMENTS) || arity != floor(arity))
            status = bad(err, path, "the arities of its predicates make no sense");
        else if (nln_relations_predicate(*out, name, strlen(name), (int32_t)arity) < 0)
            status = nln_error_memory(err);
        text = *end == ' ' ? end + 1 : end;
    }
    nln_symbols_free(predicates);
    if (status)
        return status;
    size_t d = (size_t)c->dimension, h = (size_t)c->hidden, members = (size_t)c->members;
    size_t width = c->predicates ? d : h;
    size_t n_entities = (size_t)nln_symbols_count((*out)->entities);
    size_t positions = (size_t)nln_relations_most_arguments(*out);
    if (n == 0 || n_entities == 0 ||
        !fits(nln_safetensors_tensor(file, "entities.vector"), n_entities * members, d) ||
        !fits(nln_safetensors_tensor(file, "predicates.vector"), (size_t)n * members, width) ||
        (!c->predicates && !fits(nln_safetensors_tensor(file, "atoms.in"), positions * d, h)))
        return bad(err, path, "its entities and predicates do not fit its options");
    return NLN_OK;
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

static nln_status check_names(const nln_model *model, const nln_safetensors *file, const char *path,
                              nln_error *err)
{
    nln_symbols *names = NULL;
    nln_status status = read_names(&names, file, "variables", "variables.names", path, err);
    if (status)
        return status;
    int32_t n = nln_symbols_count(names);
    int same = n == nln_symbols_count(model->symbols);
    for (int32_t i = 0; same && i < n; i++)
        same = strcmp(nln_symbols_name(names, i), nln_symbols_name(model->symbols, i)) == 0;
    nln_symbols_free(names);
    return same ? NLN_OK
                : nln_error_at(err, NLN_INVALID, path, 0, 0,
                               "this training was begun with other data: go on with the same, or "
                               "begin anew");
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

nln_status nln_model_load(nln_model **out, const char *path, nln_error *err)
{
    nln_safetensors *file = NULL;
    nln_options *options = NULL;
    nln_symbols *symbols = NULL;
    nln_users *users = NULL;
    nln_links *links = NULL;
    nln_relations *relations = NULL;
    nln_model *model = NULL;
    nln_config config;
    nln_rating_grades grading;
    const char *kind;
    size_t n_users;
    *out = NULL;
    nln_status status = nln_safetensors_read(&file, path, err);
    if (status)
        goto cleanup;
    kind = nln_safetensors_metadata(file, "kind");
    if (!kind || strcmp(kind, NLN_MODELFILE_KIND) != 0) {
        status = bad(err, path, "it was not written by nln");
        goto cleanup;
    }
    if ((status = read_options(&options, nln_safetensors_metadata(file, "options"), path, err)) ||
        (status = read_names(&symbols, file, "variables", "variables.names", path, err)) ||
        (status = nln_config_read(&config, options, err)) ||
        (status = read_grading(&grading, file, &config, path, err)) ||
        (status =
             read_users(&users, file, (size_t)nln_symbols_count(symbols), grading.n, path, err)))
        goto cleanup;
    if ((nln_method_get(config.model)->knows_users || nln_model_user_variables(&config, 1)) &&
        !users) {
        status = bad(err, path, "it has lost its users");
        goto cleanup;
    }
    if (nln_task_get(config.task)->data == NLN_DATA_TRIPLES &&
        (status = read_links(&links, file, nln_symbols_count(symbols), path, err)))
        goto cleanup;
    n_users = users   ? (size_t)nln_symbols_count(users->names)
              : links ? (size_t)nln_symbols_count(links->relations)
                      : 0;
    status = check_sizes(file, &(nln_sizes){&config, (size_t)nln_symbols_count(symbols), n_users},
                         path, err);
    if (!status)
        status = read_relations(&relations, file, &config, path, err);
    if (!status)
        status = nln_model_create_of(
            &model, &(nln_vocabulary){.variables = symbols, .relations = relations}, n_users,
            options, err);
    if (status)
        goto cleanup;
    model->grading = grading;
    model->users = users;
    users = NULL;
    model->links = links;
    links = NULL;
    if ((status = read_number(&model->temperature, file, "temperature", 0, path, err)) ||
        (status = read_origin(&model->origin, file, path, err)) ||
        (status = read_record(model, file, path, err)) ||
        (status = read_number(&model->carry, file, "carry", 1, path, err)) ||
        (status = read_number(&model->longest, file, "longest", 1, path, err)) ||
        (status = read_number(&model->widest, file, "widest", 1, path, err)) ||
        (status = copy_tensors(model, file, path, err)) ||
        (status = read_rules(&model->rules, file, nln_model_variables(model), path, err)) ||
        (status =
             read_knowledge(&model->knowledge, file, nln_symbols_count(model->symbols), path, err)))
        goto cleanup;
    *out = model;
    model = NULL;
cleanup:
    if (status)
        nln_error_place(err, path, 0);
    nln_model_free(model);
    nln_options_free(options);
    nln_symbols_free(symbols);
    nln_users_free(users);
    nln_links_free(links);
    nln_relations_free(relations);
    nln_safetensors_free(file);
    return status;
}

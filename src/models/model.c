#include "models/model.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "logic/grounding.h"
#include "logic/normal_form.h"
#include "logic/prenex.h"
#include "models/method.h"

/* A quantified question has at most this many instances. */
enum { MOST_INSTANCES = 4096 };

static nln_status check_task(const nln_model *m, nln_error *err)
{
    char names[NLN_TASK_NAMES_ROOM];
    if (m->method->tasks >> m->config.task & 1)
        return NLN_OK;
    nln_task_list(names, m->method->tasks);
    return nln_error_set(err, NLN_INVALID,
                         "a model of kind %s cannot do task %s: it can do --task %s",
                         m->method->name, m->task->name, names);
}

int nln_model_grades(const nln_config *config)
{
    int reads = nln_method_for(config->model, config->task)->reads_grades;
    return reads && nln_task_get(config->task)->data == NLN_DATA_RATINGS ? config->grades : 0;
}

size_t nln_model_user_variables(const nln_config *config, size_t n_users)
{
    int reads = (nln_method_for(config->model, config->task)->has & NLN_HAS_NETWORK) != 0;
    return reads && nln_task_get(config->task)->data == NLN_DATA_RATINGS && config->user_vectors > 0
               ? n_users
               : 0;
}

int nln_model_knows_users(const nln_model *model)
{
    return model->method->knows_users || model->n_user_variables > 0;
}

int32_t nln_model_rows(const nln_model *model)
{
    return nln_symbols_count(model->symbols) + model->grading.n + model->n_user_variables;
}

size_t nln_model_reach(const nln_model *model)
{
    if (!model->method->reads_history)
        return 0;
    return model->rules || model->knowledge ? (size_t)INT32_MAX : (size_t)model->config.history;
}

int32_t nln_model_entity_rows(const nln_model *model)
{
    return model->relations ? nln_symbols_count(model->relations->entities) : 0;
}

int32_t nln_model_predicate_rows(const nln_model *model)
{
    return model->relations ? nln_symbols_count(model->relations->predicates) : 0;
}

nln_vocabulary nln_model_names(const nln_model *model, nln_atoms *atoms)
{
    return (nln_vocabulary){.variables = model->symbols,
                            .relations = model->relations,
                            .atoms = model->relations ? atoms : NULL};
}

nln_status nln_model_create_of(nln_model **out, const nln_vocabulary *names, size_t n_users,
                               const nln_options *options, nln_error *err)
{
    nln_model *m = nln_memory_zeroed(1, sizeof *m);
    if (!m)
        return nln_error_memory(err);
    m->temperature = 1;
    nln_status status = nln_options_copy(&m->options, options, err);
    if (!status)
        status = nln_config_read(&m->config, m->options, err);
    m->method = nln_method_for(m->config.model, m->config.task);
    m->task = nln_task_get(m->config.task);
    if (!status)
        status = check_task(m, err);
    if (!status) {
        m->grading.n = nln_model_grades(&m->config);
        m->n_user_variables = (int32_t)nln_model_user_variables(&m->config, n_users);
    }
    if (!status && !(m->symbols = nln_symbols_copy(names->variables)))
        status = nln_error_memory(err);
    if (!status && names->relations && nln_symbols_count(names->relations->predicates) > 0)
        status = nln_relations_copy(&m->relations, names->relations, err);
    if (!status && m->relations && !(m->method->has & NLN_HAS_NETWORK))
        status = nln_error_set(err, NLN_INVALID,
                               "a model of kind %s reads plain variables only: predicates need "
                               "--model nln",
                               m->method->name);
    if (!status && m->method->storage)
        status = m->method->storage->create(m, err);
    else if (!status) {
        nln_sizes sizes = {&m->config, nln_model_variables(m), n_users};
        nln_weights_list(&m->weights, m->method->tensor, &sizes);
        status = nln_weights_allocate(&m->weights, err);
    }
    if (status) {
        nln_model_free(m);
        return status;
    }
    *out = m;
    return NLN_OK;
}

const nln_record *nln_model_record(const nln_model *model)
{
    return model->has_record ? &model->record : NULL;
}

void nln_model_stamp(nln_model *model, double trained)
{
    if (!model->has_record)
        model->record = nln_training_record_none();
    model->record.trained = trained;
    model->has_record = 1;
}

void nln_model_free(nln_model *model)
{
    if (!model)
        return;
    nln_options_free(model->options);
    nln_symbols_free(model->symbols);
    nln_relations_free(model->relations);
    if (model->method && model->method->storage)
        model->method->storage->free(model);
    nln_weights_free(&model->weights);
    nln_item_rules_free(model->rules);
    nln_item_knowledge_free(model->knowledge);
    nln_users_free(model->users);
    nln_links_free(model->links);
    nln_free(model);
}

nln_status nln_model_create_for(nln_model **out, const nln_symbols *symbols, size_t n_users,
                                const nln_options *options, nln_error *err)
{
    return nln_model_create_of(out, &(nln_vocabulary){.variables = (nln_symbols *)symbols}, n_users,
                               options, err);
}

nln_status nln_model_create(nln_model **out, const nln_symbols *symbols, const nln_options *options,
                            nln_error *err)
{
    return nln_model_create_for(out, symbols, 0, options, err);
}

void nln_model_draw(nln_model *m, nln_random *random)
{
    if (m->method->storage)
        m->method->storage->draw(m, random);
    else
        nln_weights_draw(&m->weights, &m->config, random);
}

int nln_model_get_tensor(nln_net_tensor *out, const nln_model *model, int index)
{
    const nln_weights *w = &model->weights;
    if (model->method->storage)
        return model->method->storage->get(out, model, index);
    if (index >= w->n)
        return 0;
    *out = (nln_net_tensor){w->shape[index].name, w->shape[index].rows, w->shape[index].columns,
                            w->data[index]};
    return 1;
}

nln_status nln_model_need_network(const nln_model *model, const char *what, nln_error *err)
{
    if (model->method->has & NLN_HAS_NETWORK)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID, "a model of kind %s has no %s: only --model nln has",
                         model->method->name, what);
}

const nln_options *nln_model_options(const nln_model *model)
{
    return model->options;
}

size_t nln_model_variables(const nln_model *model)
{
    return (size_t)nln_symbols_count(model->symbols);
}

const char *nln_model_variable(const nln_model *model, size_t index)
{
    return nln_symbols_name(model->symbols, (int32_t)index);
}

/* Entities and relations of triples, or those of atoms; NULL if there are none. */
static const nln_symbols *entity_names(const nln_model *model)
{
    return model->links ? model->symbols : model->relations ? model->relations->entities : NULL;
}

static const nln_symbols *predicate_names(const nln_model *model)
{
    return model->links       ? model->links->relations
           : model->relations ? model->relations->predicates
                              : NULL;
}

size_t nln_model_entities(const nln_model *model)
{
    const nln_symbols *names = entity_names(model);
    return names ? (size_t)nln_symbols_count(names) : 0;
}

const char *nln_model_entity(const nln_model *model, size_t index)
{
    return index < nln_model_entities(model) ? nln_symbols_name(entity_names(model), (int32_t)index)
                                             : NULL;
}

size_t nln_model_predicates(const nln_model *model)
{
    const nln_symbols *names = predicate_names(model);
    return names ? (size_t)nln_symbols_count(names) : 0;
}

const char *nln_model_predicate(const nln_model *model, size_t index)
{
    return index < nln_model_predicates(model)
               ? nln_symbols_name(predicate_names(model), (int32_t)index)
               : NULL;
}

size_t nln_model_arity(const nln_model *model, size_t predicate)
{
    if (predicate >= nln_model_predicates(model))
        return 0;
    return model->links ? 2 : model->relations ? (size_t)model->relations->arity[predicate] : 0;
}

size_t nln_model_facts_between(nln_item_fact facts[2], const nln_model *model, size_t from,
                               size_t to)
{
    const nln_item_knowledge *k = model->knowledge;
    nln_known_step steps[2];
    if (!k || from >= k->n_items || to >= k->n_items)
        return 0;
    int n = nln_item_knowledge_steps(steps, k, (int32_t)from, (int32_t)to);
    for (int i = 0; i < n; i++)
        facts[i] = nln_item_knowledge_fact(k, model->symbols, steps[i]);
    return (size_t)n;
}

static nln_status unknown_name(nln_error *err, const nln_symbols *names, const char *name)
{
    const char *near = err ? nln_symbols_nearest(names, name, strlen(name)) : NULL;
    if (near)
        return nln_error_set(err, NLN_UNKNOWN,
                             "the model does not know '%.80s'; did you mean '%.80s'?", name, near);
    return nln_error_set(err, NLN_UNKNOWN, "the model does not know '%.80s'", name);
}

nln_status nln_model_find(size_t *index, const nln_model *model, const char *name, nln_error *err)
{
    int32_t found = nln_symbols_find(model->symbols, name, strlen(name));
    if (found < 0)
        return unknown_name(err, model->symbols, name);
    *index = (size_t)found;
    return NLN_OK;
}

nln_status nln_model_normalize(nln_exprs *out, const nln_model *model, nln_expr e, nln_error *err)
{
    /* Implications made of ratings stay as they are. */
    int expressions = model->task->data == NLN_DATA_EXPRESSIONS;
    nln_form form = expressions ? (nln_form)model->config.form : NLN_FORM_NONE;
    size_t limit = (size_t)model->config.clause_limit;
    nln_status status = nln_normal(out, e, form, limit, err);
    return status == NLN_LIMIT && form > NLN_FORM_NNF ? nln_normal(out, e, NLN_FORM_NNF, limit, err)
                                                      : status;
}

nln_status nln_model_append_dual(nln_exprs *out, nln_expr e, nln_error *err)
{
    nln_exprs negated = {0};
    nln_status status = nln_exprs_push_all(&negated, e, err);
    if (!status)
        status = nln_exprs_push(&negated, NLN_OP_NOT, 0, err);
    if (!status)
        status = nln_exprs_finish(&negated, err);
    if (!status)
        status = nln_normal(out, nln_exprs_get(&negated, 0), NLN_FORM_NNF, 1, err);
    nln_exprs_free(&negated);
    return status;
}

nln_status nln_model_prenex(nln_exprs *out, const nln_model *model, nln_atoms *atoms, nln_expr e,
                            nln_error *err)
{
    nln_exprs prenex = {0};
    nln_status status = nln_prenex(&prenex, atoms, e, (size_t)model->config.clause_limit, err);
    if (!status)
        status = nln_model_normalize(out, model, nln_exprs_get(&prenex, 0), err);
    nln_exprs_free(&prenex);
    return status;
}

nln_status nln_model_ground(nln_exprs *out, const nln_model *model, nln_atoms *atoms, nln_expr e,
                            nln_error *err)
{
    nln_exprs prenex = {0};
    if (!model->relations)
        return nln_model_normalize(out, model, e, err);
    nln_random random = nln_random_seed((uint64_t)e.n_nodes, 5);
    nln_grounding g = {atoms, nln_symbols_count(model->relations->entities), NULL, MOST_INSTANCES};
    nln_status status = nln_model_prenex(&prenex, model, atoms, e, err);
    nln_expr found = {0};
    if (!status)
        found = nln_exprs_get(&prenex, 0);
    if (!status && nln_node_is_quantifier(found.nodes[found.n_nodes - 1]))
        status = nln_ground(out, &g, found, &random, err);
    else if (!status)
        status = nln_exprs_append(out, found, err);
    out->atoms = atoms;
    nln_exprs_free(&prenex);
    return status;
}

static nln_status not_known(const char *what, const char *name, nln_error *err)
{
    return nln_error_set(err, NLN_UNKNOWN,
                         "the model does not know the %s '%.80s': evaluate it on data with the "
                         "names that it was trained on",
                         what, name);
}

/* The number that the model gives a name of `from`; -1 if it has none. */
static int32_t number_of(const nln_symbols *known, const nln_symbols *from, int32_t id)
{
    const char *name = nln_symbols_name(from, id);
    return nln_symbols_find(known, name, strlen(name));
}

static nln_status rename_atom(int32_t *out, const nln_model *model, nln_atoms *atoms,
                              const nln_vocabulary *names, nln_error *err)
{
    nln_atom a = nln_atoms_get(names->atoms, *out);
    int32_t argument[NLN_MOST_ARGUMENTS], predicate = -1;
    if (model->relations)
        predicate =
            number_of(model->relations->predicates, names->relations->predicates, a.predicate);
    if (predicate < 0 || model->relations->arity[predicate] != a.n_arguments)
        return not_known("predicate", nln_symbols_name(names->relations->predicates, a.predicate),
                         err);
    for (int32_t k = 0; k < a.n_arguments; k++) {
        int32_t variable = nln_argument_variable(a.argument[k]);
        if (variable >= 0) {
            const char *name = nln_symbols_name(names->atoms->bound, variable);
            int32_t id = nln_symbols_intern(atoms->bound, name, strlen(name));
            if (id < 0)
                return nln_error_memory(err);
            argument[k] = nln_argument_bound(id);
            continue;
        }
        argument[k] =
            number_of(model->relations->entities, names->relations->entities, a.argument[k]);
        if (argument[k] < 0)
            return not_known("entity", nln_symbols_name(names->relations->entities, a.argument[k]),
                             err);
    }
    *out = nln_atoms_intern(atoms, predicate, argument, a.n_arguments);
    return *out < 0 ? nln_error_memory(err) : NLN_OK;
}

/* Appends `e` with the data's names renumbered as the model's. */
static nln_status rename_all(nln_exprs *out, const nln_model *model, nln_atoms *atoms,
                             const nln_vocabulary *names, nln_expr e, nln_error *err)
{
    nln_status status = NLN_OK;
    for (int32_t i = 0; !status && i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        if (node.op == NLN_OP_VAR) {
            node.arg = number_of(model->symbols, names->variables, node.arg);
            if (node.arg < 0)
                return not_known("variable", nln_symbols_name(names->variables, e.nodes[i].arg),
                                 err);
        } else if (node.op == NLN_OP_ATOM) {
            status = rename_atom(&node.arg, model, atoms, names, err);
        } else if (nln_node_is_quantifier(node)) {
            const char *name = nln_symbols_name(names->atoms->bound, node.arg);
            node.arg = nln_symbols_intern(atoms->bound, name, strlen(name));
            status = node.arg < 0 ? nln_error_memory(err) : NLN_OK;
        }
        if (!status)
            status = nln_exprs_push(out, (nln_op)node.op, node.arg, err);
    }
    return status ? status : nln_exprs_finish(out, err);
}

nln_status nln_model_add(nln_exprs *out, const nln_model *model, nln_atoms *atoms,
                         const nln_vocabulary *names, nln_expr e, nln_error *err)
{
    nln_exprs renamed = {0};
    nln_status status = rename_all(&renamed, model, atoms, names, e, err);
    if (!status)
        status = nln_model_ground(out, model, atoms, nln_exprs_get(&renamed, 0), err);
    nln_exprs_free(&renamed);
    return status;
}

nln_status nln_model_list_variables(nln_exprs *out, const nln_model *model, nln_error *err)
{
    nln_status status = NLN_OK;
    for (int32_t i = 0; !status && i < nln_symbols_count(model->symbols); i++) {
        status = nln_exprs_push(out, NLN_OP_VAR, i, err);
        if (!status)
            status = nln_exprs_finish(out, err);
    }
    return status;
}

/* Where each of `names` is among `known`; NULL knows none. */
static nln_status map_names(int32_t **map, const nln_symbols *known, const nln_symbols *names,
                            nln_error *err)
{
    int32_t n = nln_symbols_count(names);
    *map = nln_array_zeroed((size_t)n, sizeof **map);
    if (!*map)
        return nln_error_memory(err);
    for (int32_t i = 0; i < n; i++) {
        const char *name = nln_symbols_name(names, i);
        (*map)[i] = known ? nln_symbols_find(known, name, strlen(name)) : -1;
    }
    return NLN_OK;
}

nln_status nln_model_map(int32_t **map, const nln_model *model, const nln_symbols *names,
                         nln_error *err)
{
    return map_names(map, model->symbols, names, err);
}

nln_status nln_model_map_users(int32_t **map, const nln_model *model, const nln_symbols *names,
                               nln_error *err)
{
    return map_names(map, model->users ? model->users->names : NULL, names, err);
}

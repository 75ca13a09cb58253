#include "models/model.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "logic/normal_form.h"
#include "models/method.h"

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
    int reads = nln_method_get(config->model)->reads_grades;
    return reads && nln_task_get(config->task)->data == NLN_DATA_RATINGS ? config->grades : 0;
}

int32_t nln_model_rows(const nln_model *model)
{
    return nln_symbols_count(model->symbols) + model->grading.n;
}

void nln_model_name_tensor(char out[NLN_MODEL_NAME_ROOM], int network, const char *name)
{
    if (network)
        snprintf(out, NLN_MODEL_NAME_ROOM, "network%d.%s", network, name);
    else
        snprintf(out, NLN_MODEL_NAME_ROOM, "%s", name);
}

/* Of each network: all have the same, and none has none. */
static int count_tensors(const nln_model *m)
{
    nln_net_tensor t;
    int n = 1;
    while (nln_net_get_tensor(&t, m->net[0], n))
        n++;
    return n;
}

static nln_status name_tensors(nln_model *m, nln_error *err)
{
    int each = count_tensors(m), n = each * m->n_networks;
    if (n == each)
        return NLN_OK;
    m->tensor_name = nln_array_zeroed((size_t)(n - each), sizeof *m->tensor_name);
    for (int i = each; m->tensor_name && i < n; i++) {
        nln_net_tensor t;
        nln_net_get_tensor(&t, m->net[i / each], i % each);
        nln_model_name_tensor(m->tensor_name[i - each], i / each, t.name);
    }
    return m->tensor_name ? NLN_OK : nln_error_memory(err);
}

static nln_status create_networks(nln_model *m, nln_error *err)
{
    const nln_config *c = &m->config;
    size_t n = nln_model_variables(m) + (size_t)m->grading.n;
    nln_status status = NLN_OK;
    if (n > (size_t)(INT32_MAX / 4 / c->members / c->networks))
        return nln_error_set(err, NLN_LIMIT,
                             "%zu variables of %d members in %d networks are more than %d vectors: "
                             "use fewer members, networks or variables",
                             n, c->members, c->networks, INT32_MAX / 4);
    while (!status && m->n_networks < c->networks)
        status = nln_net_create(&m->net[m->n_networks++], c->dimension, c->hidden,
                                (int32_t)n * c->members, (nln_embedding)c->embedding,
                                (real)c->alpha, err);
    return status ? status : name_tensors(m, err);
}

static nln_status create_weights(nln_model *m, size_t n_users, nln_error *err)
{
    nln_sizes sizes = {&m->config, nln_model_variables(m), n_users};
    if (m->method == &nln_method_nln)
        return create_networks(m, err);
    nln_weights_list(&m->weights, m->method->tensor, &sizes);
    return nln_weights_allocate(&m->weights, err);
}

nln_status nln_model_create_for(nln_model **out, const nln_symbols *symbols, size_t n_users,
                                const nln_options *options, nln_error *err)
{
    nln_model *m = nln_memory_zeroed(1, sizeof *m);
    if (!m)
        return nln_error_memory(err);
    m->temperature = 1;
    nln_status status = nln_options_copy(&m->options, options, err);
    if (!status)
        status = nln_config_read(&m->config, m->options, err);
    m->method = nln_method_get(m->config.model);
    m->task = nln_task_get(m->config.task);
    if (!status)
        status = check_task(m, err);
    if (!status)
        m->grading.n = nln_model_grades(&m->config);
    if (!status && !(m->symbols = nln_symbols_copy(symbols)))
        status = nln_error_memory(err);
    if (!status)
        status = create_weights(m, n_users, err);
    if (status) {
        nln_model_free(m);
        return status;
    }
    *out = m;
    return NLN_OK;
}

void nln_model_free(nln_model *model)
{
    if (!model)
        return;
    nln_options_free(model->options);
    nln_symbols_free(model->symbols);
    for (int i = 0; i < model->n_networks; i++)
        nln_net_free(model->net[i]);
    nln_free(model->tensor_name);
    nln_weights_free(&model->weights);
    nln_users_free(model->users);
    nln_free(model);
}

nln_status nln_model_create(nln_model **out, const nln_symbols *symbols, const nln_options *options,
                            nln_error *err)
{
    return nln_model_create_for(out, symbols, 0, options, err);
}

void nln_model_draw(nln_model *m, nln_random *random)
{
    const nln_config *c = &m->config;
    nln_init init = {(real)c->init_scale, (real)c->init_variables, 1};
    for (int i = 0; i < m->n_networks; i++)
        nln_net_draw(m->net[i], init, random);
    if (!m->n_networks)
        nln_weights_draw(&m->weights, c, random);
}

static int get_tensor_of_network(nln_net_tensor *out, const nln_model *m, int index)
{
    int each = count_tensors(m);
    if (index >= each * m->n_networks)
        return 0;
    nln_net_get_tensor(out, m->net[index / each], index % each);
    if (index >= each)
        out->name = m->tensor_name[index - each];
    return 1;
}

int nln_model_get_tensor(nln_net_tensor *out, const nln_model *model, int index)
{
    const nln_weights *w = &model->weights;
    if (model->n_networks)
        return get_tensor_of_network(out, model, index);
    if (index >= w->n)
        return 0;
    *out = (nln_net_tensor){w->shape[index].name, w->shape[index].rows, w->shape[index].columns,
                            w->data[index]};
    return 1;
}

nln_status nln_model_need_network(const nln_model *model, const char *what, nln_error *err)
{
    if (model->n_networks)
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

nln_status nln_model_find(size_t *index, const nln_model *model, const char *name, nln_error *err)
{
    int32_t found = nln_symbols_find(model->symbols, name, strlen(name));
    if (found < 0)
        return nln_error_set(err, NLN_UNKNOWN, "the model does not know '%.80s'", name);
    *index = (size_t)found;
    return NLN_OK;
}

nln_status nln_model_normalize(nln_exprs *out, const nln_model *model, nln_expr e, nln_error *err)
{
    /* Implications made of ratings stay as they are. */
    int expressions = model->task->data == NLN_DATA_EXPRESSIONS;
    nln_form form = expressions ? (nln_form)model->config.form : NLN_FORM_NONE;
    return nln_normal(out, e, form, (size_t)model->config.clause_limit, err);
}

/* Appends `e` with the data's variables renumbered as the model's. */
static nln_status rename_variables(nln_exprs *out, const nln_model *model, const nln_symbols *names,
                                   nln_expr e, nln_error *err)
{
    for (int32_t i = 0; i < e.n_nodes; i++) {
        nln_node node = e.nodes[i];
        if (node.op == NLN_OP_VAR) {
            const char *name = nln_symbols_name(names, node.arg);
            node.arg = nln_symbols_find(model->symbols, name, strlen(name));
            if (node.arg < 0)
                return nln_error_set(err, NLN_UNKNOWN,
                                     "the model does not know the variable '%.80s': evaluate it on "
                                     "data with the variables it was trained on",
                                     name);
        }
        nln_status status = nln_exprs_push(out, (nln_op)node.op, node.arg, err);
        if (status)
            return status;
    }
    return nln_exprs_finish(out, err);
}

nln_status nln_model_add(nln_exprs *out, const nln_model *model, const nln_symbols *names,
                         nln_expr e, nln_error *err)
{
    nln_exprs renamed = {0};
    nln_status status = rename_variables(&renamed, model, names, e, err);
    if (!status)
        status = nln_model_normalize(out, model, nln_exprs_get(&renamed, 0), err);
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

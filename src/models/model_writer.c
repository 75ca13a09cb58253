/* Writing the model file: the tensors of the network in the safetensors format, with the options,
 * the names of the variables and the version in its metadata (very many names are a tensor).  Of
 * users it keeps the names, how many literals each has, and these literals and their grades, and of
 * rules their premises, all as numbers that a float holds exactly. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/jansson_guard.h"
#include "base/number.h"
#include "models/model_file.h"
#include "models/model_file_symbols.h"

enum { MOST_TENSORS = NLN_MOST_NETWORKS * NLN_MOST_TENSORS };

/* All but the number of threads, which does not belong to the model. */
static char *options_as_json(const nln_options *options)
{
    int n_rows;
    const nln_option *table = nln_options_table(&n_rows, options);
    json_t *object = json_object();
    int ok = object != NULL;
    for (int i = 0; ok && i < n_rows; i++)
        ok = strcmp(table[i].name, "threads") == 0 ||
             !json_object_set_new(object, table[i].name,
                                  json_string(nln_options_text(options, table[i].name)));
    char *text = ok ? nln_json_write(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return text;
}

static size_t list_tensors(nln_tensor *out, const nln_model *model)
{
    nln_net_tensor t;
    size_t n = 0;
    for (int i = 0; n < MOST_TENSORS && nln_model_get_tensor(&t, model, i); i++)
        out[n++] =
            (nln_tensor){.name = t.name,
                         .n_dims = t.rows == 1 ? 1 : 2,
                         .shape = {t.rows == 1 ? t.columns : t.rows, t.rows == 1 ? 1 : t.columns},
                         .data = (const float *)t.data};
    return n;
}

/* The numbers of the users as floats, in one block: lengths, literals and, if there are any,
 * grades; NULL when out of memory. */
static float *users_as_floats(const nln_users *users, int graded)
{
    size_t n = (size_t)nln_symbols_count(users->names), n_literals = users->start[n];
    float *block = nln_array_zeroed(n + (graded ? 2 : 1) * n_literals, sizeof *block);
    for (size_t i = 0; block && i < n; i++)
        block[i] = (float)(users->start[i + 1] - users->start[i]);
    for (size_t i = 0; block && i < n_literals; i++)
        block[n + i] = (float)users->literal[i];
    for (size_t i = 0; block && graded && i < n_literals; i++)
        block[n + n_literals + i] = (float)users->grade[i];
    return block;
}

static size_t list_users(nln_tensor out[3], const nln_users *users, const float *block, int graded)
{
    size_t n = (size_t)nln_symbols_count(users->names), n_literals = users->start[n];
    out[0] = (nln_tensor){.name = "users.length", .n_dims = 1, .shape = {n, 1}, .data = block};
    out[1] = (nln_tensor){
        .name = "users.literal", .n_dims = 1, .shape = {n_literals, 1}, .data = block + n};
    if (!graded)
        return 2;
    out[2] = (nln_tensor){.name = "users.grade",
                          .n_dims = 1,
                          .shape = {n_literals, 1},
                          .data = block + n + n_literals};
    return 3;
}

/* What goes into a file. */
typedef struct parts {
    nln_tensor tensors[MOST_TENSORS + 15 + NLN_MODELFILE_MOST_MORE];
    nln_pair metadata[21]; /* every key that there is */
    size_t n_tensors, n_metadata;
    char *options, *json[7]; /* the options; the names of variables, users, relations, predicates,
                              * entities, relations of items and things ... */
    int32_t *packed[7];      /* ... or these as a tensor */
    int32_t *facts;          /* of links */
    char *record;            /* of the training */
    char *arity;             /* of the predicates, with a space between them */
    char grades[4 * NLN_NUMBER_ROOM], reading[NLN_ORIGIN_ROOM];
    char rules[4 * NLN_NUMBER_ROOM];
    char knowledge[(NLN_KNOWLEDGE_WEIGHTS + 2) * NLN_NUMBER_ROOM];
    float *users, *premises;
} parts;

static void free_parts(parts *p)
{
    for (int i = 0; i < 7; i++) {
        nln_free(p->json[i]);
        nln_free(p->packed[i]);
    }
    nln_free(p->arity);
    nln_free(p->record);
    nln_free(p->options);
    nln_free(p->users);
    nln_free(p->premises);
    nln_free(p->facts);
}

static void add_metadata(parts *p, const char *key, const char *value)
{
    p->metadata[p->n_metadata++] = (nln_pair){key, value};
}

/* Adds names as the metadata `key` or, if they are many, as the tensor `name`; 0 when out of
 * memory. */
static int add_names(parts *p, int place, const nln_symbols *names, const char *key,
                     const char *name)
{
    size_t n = 0;
    if (!nln_model_file_symbols_are_many(names)) {
        p->json[place] = nln_model_file_symbols_text(names);
        add_metadata(p, key, p->json[place]);
        return p->json[place] != NULL;
    }
    p->packed[place] = nln_model_file_symbols_pack(&n, names);
    p->tensors[p->n_tensors++] =
        (nln_tensor){.name = name, .n_dims = 1, .shape = {n, 1}, .whole = p->packed[place]};
    return p->packed[place] != NULL;
}

/* The range of the ratings, and the usual grades of dislikes and likes. */
static void add_grades(parts *p, const nln_rating_grades *g)
{
    char least[NLN_NUMBER_ROOM], most[NLN_NUMBER_ROOM];
    nln_number_print(least, g->least);
    nln_number_print(most, g->most);
    snprintf(p->grades, sizeof p->grades, "%s %s %d %d", least, most, g->usual[0], g->usual[1]);
    add_metadata(p, "grades", p->grades);
}

static void add_origin(parts *p, const nln_data_provenance *origin)
{
    nln_data_provenance_print(p->reading, origin);
    add_metadata(p, "reading", p->reading);
}

static int add_record(parts *p, const nln_record *record)
{
    p->record = nln_training_record_print(record);
    add_metadata(p, "record", p->record);
    return p->record != NULL;
}

static int add_users(parts *p, const nln_users *users, int graded)
{
    p->users = users_as_floats(users, graded);
    if (!p->users || !add_names(p, 1, users->names, "users", "users.names"))
        return 0;
    p->n_tensors += list_users(p->tensors + p->n_tensors, users, p->users, graded);
    return 1;
}

/* The premises of each item, 1 + their numbers or 0, their weights, and the factors. */
static int add_rules(parts *p, const nln_item_rules *r)
{
    char network[NLN_NUMBER_ROOM], whole[NLN_NUMBER_ROOM], recent[NLN_NUMBER_ROOM];
    char dislike[NLN_NUMBER_ROOM];
    size_t n = r->n_items * r->width;
    p->premises = nln_array_zeroed(n, sizeof *p->premises);
    for (size_t i = 0; p->premises && i < n; i++)
        p->premises[i] = (float)(r->premise[i] + 1);
    nln_number_print(network, r->network);
    nln_number_print(whole, r->whole);
    nln_number_print(recent, r->recent);
    nln_number_print(dislike, r->dislike);
    snprintf(p->rules, sizeof p->rules, "%s %s %s %s", network, whole, recent, dislike);
    add_metadata(p, "rules", p->rules);
    p->tensors[p->n_tensors++] = (nln_tensor){
        .name = "rules.premise", .n_dims = 2, .shape = {r->n_items, r->width}, .data = p->premises};
    p->tensors[p->n_tensors++] = (nln_tensor){
        .name = "rules.weight", .n_dims = 2, .shape = {r->n_items, r->width}, .data = r->weight};
    return p->premises != NULL;
}

/* Adds the facts as a tensor of rows of head, relation, tail. */
static int add_facts(parts *p, const nln_fact_index *g, const char *name)
{
    size_t n = g->start[g->n_entities] / 2, at = 0;
    p->facts = nln_array_zeroed(3 * n, sizeof *p->facts);
    if (!p->facts)
        return 0;
    for (size_t e = 0; e < g->n_entities; e++)
        for (size_t i = g->start[e]; i < g->start[e + 1]; i++)
            if ((size_t)g->edge[i].relation < g->n_relations) {
                p->facts[at++] = (int32_t)e;
                p->facts[at++] = g->edge[i].relation;
                p->facts[at++] = g->edge[i].entity;
            }
    p->tensors[p->n_tensors++] =
        (nln_tensor){.name = name, .n_dims = 2, .shape = {n, 3}, .whole = p->facts};
    return 1;
}

/* The factor of the network, the decay and the weights; relations, things and facts. */
static int add_knowledge(parts *p, const nln_item_knowledge *k)
{
    size_t at = 0;
    for (int i = -2; i < k->n_weights; i++) {
        char number[NLN_NUMBER_ROOM];
        nln_number_print(number, i == -2 ? k->network : i == -1 ? k->decay : k->weight[i]);
        at += (size_t)snprintf(p->knowledge + at, sizeof p->knowledge - at, "%s%s", at ? " " : "",
                               number);
    }
    add_metadata(p, "knowledge", p->knowledge);
    return add_names(p, 5, k->relations, "item_relations", "item_relations.names") &&
           add_names(p, 6, k->things, "things", "things.names") &&
           add_facts(p, k->facts, "items.fact");
}

/* Relations, facts, and rules as rows of their numbers. */
static int add_links(parts *p, const nln_links *links)
{
    if (!add_names(p, 2, links->relations, "relations", "relations.names") ||
        !add_facts(p, links->facts, "links.fact"))
        return 0;
    if (links->rules && links->rules->n)
        p->tensors[p->n_tensors++] = (nln_tensor){.name = "links.rule",
                                                  .n_dims = 2,
                                                  .shape = {links->rules->n, NLN_RULE_NUMBERS},
                                                  .whole = &links->rules->list[0].head};
    return 1;
}

static int add_relations(parts *p, const nln_relations *r)
{
    size_t n = (size_t)nln_symbols_count(r->predicates), at = 0;
    p->arity = nln_array_zeroed(4 * n + 1, 1);
    for (size_t i = 0; p->arity && i < n; i++)
        at += (size_t)snprintf(p->arity + at, 5, i ? " %d" : "%d", (int)r->arity[i]);
    add_metadata(p, "arity", p->arity);
    return p->arity && add_names(p, 3, r->predicates, "predicates", "predicates.names") &&
           add_names(p, 4, r->entities, "entities", "entities.names");
}

nln_status nln_modelfile_write(const nln_model *model, const char *path, const nln_tensor *more,
                               size_t n_more, const char *training, nln_error *err)
{
    parts p = {.options = options_as_json(model->options)};
    char temperature[NLN_NUMBER_ROOM], carry[NLN_NUMBER_ROOM], by_rules[NLN_NUMBER_ROOM];
    char longest[NLN_NUMBER_ROOM], widest[NLN_NUMBER_ROOM];
    nln_number_print(temperature, model->temperature);
    nln_number_print(carry, model->carry);
    nln_number_print(longest, model->longest);
    nln_number_print(widest, model->widest);
    p.n_tensors = list_tensors(p.tensors, model);
    add_metadata(&p, "kind", NLN_MODELFILE_KIND);
    add_metadata(&p, "version", nln_version());
    add_metadata(&p, "options", p.options);
    add_metadata(&p, "temperature", temperature);
    int ok = p.options && add_names(&p, 0, model->symbols, "variables", "variables.names") &&
             (!model->relations || add_relations(&p, model->relations)) &&
             (!model->users || add_users(&p, model->users, model->grading.n > 0)) &&
             (!model->rules || add_rules(&p, model->rules)) &&
             (!model->knowledge || add_knowledge(&p, model->knowledge)) &&
             (!model->links || add_links(&p, model->links)) &&
             (!model->has_record || add_record(&p, &model->record));
    if (model->grading.n)
        add_grades(&p, &model->grading);
    if (model->origin.split[0])
        add_origin(&p, &model->origin);
    if (model->carry > 0)
        add_metadata(&p, "carry", carry);
    if (model->links && model->links->rules) {
        nln_number_print(by_rules, model->links->by_rules);
        add_metadata(&p, "link_rules", by_rules);
    }
    if (model->longest > 0)
        add_metadata(&p, "longest", longest);
    if (model->widest > 0)
        add_metadata(&p, "widest", widest);
    if (training)
        add_metadata(&p, "training", training);
    for (size_t i = 0; i < n_more; i++)
        p.tensors[p.n_tensors++] = more[i];
    nln_status status =
        ok ? nln_safetensors_write(path, p.tensors, p.n_tensors, p.metadata, p.n_metadata, err)
           : nln_error_memory(err);
    free_parts(&p);
    return status;
}

nln_status nln_model_save(const nln_model *model, const char *path, nln_error *err)
{
    return nln_modelfile_write(model, path, NULL, 0, NULL, err);
}

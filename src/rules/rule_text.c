/* Facts and rules in human words, and nln_triples_rules of nln.h. */
#include "rules/rule_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "rules/mine.h"

/* What is written, and how much room is left. */
typedef struct writer {
    char *text;
    size_t size, at;
    const nln_rule_names *names;
} writer;

static void put(writer *w, const char *format, const char *a, const char *b, const char *c)
{
    if (w->at < w->size)
        w->at += (size_t)snprintf(w->text + w->at, w->size - w->at, format, a, b, c);
}

static const char *entity_name(const writer *w, int32_t entity)
{
    return nln_symbols_name(w->names->entities, entity);
}

/* r(a, b), where an inverse relation changes its ends. */
static void put_atom(writer *w, int32_t relation, const char *a, const char *b)
{
    int32_t n = nln_symbols_count(w->names->relations);
    int inverse = relation >= n;
    const char *name = nln_symbols_name(w->names->relations, relation - (inverse ? n : 0));
    put(w, "%s(%s, %s)", name, inverse ? b : a, inverse ? a : b);
}

/* A rule in which x, y and z have these names. */
static void put_rule(writer *w, const nln_rule *r, const char *x, const char *y, const char *z)
{
    int constants = nln_rule_has_constants(r), two = r->body[1] != NLN_RULE_NONE;
    put_atom(w, r->body[0], x, constants ? entity_name(w, r->constant[0]) : two ? z : y);
    if (two)
        put(w, "%s", " & ", "", "");
    if (two && constants)
        put_atom(w, r->body[1], x, entity_name(w, r->constant[1]));
    else if (two)
        put_atom(w, r->body[1], z, y);
    put(w, "%s", " -> ", "", "");
    put_atom(w, r->head, x, constants ? entity_name(w, r->answer) : y);
}

void nln_rule_text_fact(char *text, size_t size, const nln_rule_names *names, int32_t relation,
                        int32_t a, int32_t b)
{
    writer w = {text, size, 0, names};
    put_atom(&w, relation, entity_name(&w, a), entity_name(&w, b));
}

void nln_rule_text_rule(char *text, size_t size, const nln_rule_names *names, const nln_rule *rule)
{
    writer w = {text, size, 0, names};
    put_rule(&w, rule, "x", "y", "z");
}

/* The first z that the body of a path with two atoms goes through. */
static int32_t between(const nln_rule *r, const nln_fact_index *facts, int32_t x, int32_t y)
{
    size_t first, n = nln_fact_index_find(&first, facts, x, r->body[0]);
    for (size_t i = first; i < first + n; i++) {
        int32_t z = facts->edge[i].entity;
        if (z != x && z != y && nln_fact_index_has(facts, z, r->body[1], y))
            return z;
    }
    return NLN_RULE_NONE;
}

void nln_rule_text_instance(char *text, size_t size, const nln_rule_names *names,
                            const nln_rule *rule, const nln_fact_index *facts, int32_t entity,
                            int32_t relation, int32_t answer)
{
    writer w = {text, size, 0, names};
    int forward = rule->head == relation;
    int32_t x = forward ? entity : answer, y = forward ? answer : entity, z = NLN_RULE_NONE;
    if (!nln_rule_has_constants(rule) && rule->body[1] != NLN_RULE_NONE)
        z = between(rule, facts, x, y);
    put_rule(&w, rule, entity_name(&w, x), entity_name(&w, y),
             z == NLN_RULE_NONE ? "z" : entity_name(&w, z));
}

static int better(const void *x, const void *y)
{
    const nln_rule *a = x, *b = y;
    double p = nln_rule_belief(a), q = nln_rule_belief(b);
    if (p != q)
        return p > q ? -1 : 1;
    return a->support != b->support ? (a->support > b->support ? -1 : 1) : memcmp(a, b, sizeof *a);
}

/* A path and its mirror are one rule: the one that concludes no inverse. */
static int is_wanted(const nln_rule *r, int32_t relation, int32_t n_relations)
{
    int32_t head = r->head < n_relations ? r->head : r->head - n_relations;
    return (nln_rule_has_constants(r) || r->head < n_relations) &&
           (relation < 0 || head == relation);
}

static nln_status list(nln_found_rule **out, size_t *n, nln_rules *rules, const nln_triples *t,
                       const nln_fact_index *facts, int32_t relation, nln_error *err)
{
    const nln_rule_names names = {t->entities, t->relations};
    int32_t n_relations = (int32_t)facts->n_relations;
    size_t *of_head = nln_array_zeroed(facts->n_relations, sizeof *of_head);
    *n = 0;
    for (size_t i = 0; i < rules->n; i++)
        *n += (size_t)is_wanted(&rules->list[i], relation, n_relations);
    *out = nln_array_zeroed(*n, sizeof **out);
    if (!*out || !of_head) {
        nln_free(of_head);
        nln_free(*out);
        *out = NULL;
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < t->n[NLN_TRAIN]; i++)
        of_head[t->list[NLN_TRAIN][i].relation]++;
    if (rules->n > 1)
        qsort(rules->list, rules->n, sizeof *rules->list, better);
    for (size_t i = 0, at = 0; i < rules->n; i++) {
        const nln_rule *r = &rules->list[i];
        if (!is_wanted(r, relation, n_relations))
            continue;
        nln_found_rule *f = &(*out)[at++];
        size_t facts_of = of_head[r->head < n_relations ? r->head : r->head - n_relations];
        nln_rule_text_rule(f->text, sizeof f->text, &names, r);
        f->head = r->head;
        memcpy(f->body, r->body, sizeof f->body);
        memcpy(f->constant, r->constant, sizeof f->constant);
        f->answer = r->answer;
        f->support = (size_t)r->support;
        f->bodies = (size_t)r->n_body;
        f->confidence = nln_rule_confidence(r);
        f->coverage = (double)r->support / (double)facts_of;
    }
    nln_free(of_head);
    return NLN_OK;
}

static nln_status find(nln_found_rule **out, size_t *n, const nln_triples *t, const nln_options *o,
                       nln_error *err)
{
    const char *name = nln_options_text(o, "relation");
    int32_t relation = *name ? nln_symbols_find(t->relations, name, strlen(name)) : -1;
    nln_mine_settings settings = {.least_support = (int)nln_options_number(o, "support"),
                                  .least_confidence = nln_options_number(o, "confidence"),
                                  .most_paths = 1000,
                                  .most_constants =
                                      nln_options_number(o, "constants") != 0 ? 10 : 0};
    nln_fact_index *facts = NULL;
    nln_rules *rules = NULL;
    if (*name && relation < 0)
        return nln_error_set(err, NLN_UNKNOWN, "the triples have no relation '%.80s'", name);
    nln_status status = nln_fact_index_create(
        &facts, nln_triples_entities(t), nln_triples_relations(t),
        (const nln_triple *const *)&t->list[NLN_TRAIN], &t->n[NLN_TRAIN], 1, err);
    if (!status)
        status = nln_rules_mine(&rules, facts, &settings, err);
    if (!status)
        status = list(out, n, rules, t, facts, relation, err);
    nln_rules_free(rules);
    nln_fact_index_free(facts);
    return status;
}

nln_status nln_triples_rules(nln_found_rule **rules, size_t *n, const nln_triples *triples,
                             const nln_options *options, nln_error *err)
{
    nln_options *own = NULL;
    *rules = NULL;
    *n = 0;
    nln_status status =
        options ? nln_options_check(options, "rules", err) : nln_options_create(&own, "rules", err);
    if (!status)
        status = find(rules, n, triples, options ? options : own, err);
    nln_options_free(own);
    return status;
}

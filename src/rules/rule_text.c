/* nln_triples_rules of nln.h: rules in human words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "rules/mine.h"

/* Appends r(a, b), where an inverse relation changes its ends; returns the new length. */
static size_t put_atom(char *text, size_t size, size_t at, const nln_triples *t, int32_t relation,
                       const char *a, const char *b)
{
    size_t n = nln_triples_relations(t);
    int inverse = (size_t)relation >= n;
    const char *name = nln_triples_relation(t, (size_t)relation - (inverse ? n : 0));
    if (at < size)
        at += (size_t)snprintf(text + at, size - at, "%s(%s, %s)", name, inverse ? b : a,
                               inverse ? a : b);
    return at;
}

static size_t put_word(char *text, size_t size, size_t at, const char *word)
{
    return at < size ? at + (size_t)snprintf(text + at, size - at, "%s", word) : at;
}

static void print(char *text, size_t size, const nln_triples *t, const nln_rule *r)
{
    int constants = nln_rule_has_constants(r), two = r->body[1] != NLN_RULE_NONE;
    const char *first = constants ? nln_triples_entity(t, (size_t)r->constant[0]) : two ? "z" : "y";
    size_t at = put_atom(text, size, 0, t, r->body[0], "x", first);
    if (two) {
        at = put_word(text, size, at, " & ");
        at = constants ? put_atom(text, size, at, t, r->body[1], "x",
                                  nln_triples_entity(t, (size_t)r->constant[1]))
                       : put_atom(text, size, at, t, r->body[1], "z", "y");
    }
    at = put_word(text, size, at, " -> ");
    put_atom(text, size, at, t, r->head, "x",
             constants ? nln_triples_entity(t, (size_t)r->answer) : "y");
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
        print(f->text, sizeof f->text, t, r);
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

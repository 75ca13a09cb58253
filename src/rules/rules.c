#include "rules/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Bodies without a head that are counted besides those seen. */
static const double doubt = 5;

void nln_rules_free(nln_rules *rules)
{
    if (!rules)
        return;
    nln_free(rules->list);
    nln_free(rules->by_answer);
    nln_free(rules);
}

nln_status nln_rules_create(nln_rules **out, nln_error *err)
{
    *out = nln_memory_zeroed(1, sizeof **out);
    return *out ? NLN_OK : nln_error_memory(err);
}

nln_status nln_rules_add(nln_rules *rules, const nln_rule *rule, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(rules->list, rules->room, rules->n + 1))
        return nln_error_memory(err);
    rules->list[rules->n++] = *rule;
    return NLN_OK;
}

double nln_rule_confidence(const nln_rule *rule)
{
    return (double)rule->support / (double)rule->n_body;
}

double nln_rule_belief(const nln_rule *rule)
{
    return (double)rule->support / ((double)rule->n_body + doubt);
}

nln_rule nln_rule_mirror(const nln_rule *rule, const nln_fact_index *facts)
{
    nln_rule m = *rule;
    m.head = nln_fact_index_inverse(facts, rule->head);
    if (rule->body[1] == NLN_RULE_NONE) {
        m.body[0] = nln_fact_index_inverse(facts, rule->body[0]);
    } else {
        m.body[0] = nln_fact_index_inverse(facts, rule->body[1]);
        m.body[1] = nln_fact_index_inverse(facts, rule->body[0]);
    }
    return m;
}

/* ---- order ------------------------------------------------------------------------------- */

static int by_number(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

/* Paths first; then head, first atom, constant; then whatever makes the order one. */
static int compare(const void *x, const void *y)
{
    const nln_rule *a = x, *b = y;
    int c = by_number(nln_rule_has_constants(a), nln_rule_has_constants(b));
    if (!c)
        c = by_number(a->head, b->head);
    if (!c)
        c = by_number(a->body[0], b->body[0]);
    if (!c)
        c = by_number(a->constant[0], b->constant[0]);
    return c ? c : memcmp(a, b, sizeof *a);
}

/* The key of by_answer. */
static int64_t answer_key(const nln_rule *rule)
{
    return (int64_t)rule->answer << 32 | (uint32_t)rule->head;
}

/* qsort has no context: keys beside the numbers. */
typedef struct keyed {
    int64_t key;
    int32_t rule;
} keyed;

static int compare_keyed(const void *x, const void *y)
{
    const keyed *a = x, *b = y;
    int c = by_number(a->key, b->key);
    return c ? c : by_number(a->rule, b->rule);
}

nln_status nln_rules_index(nln_rules *rules, nln_error *err)
{
    if (rules->n > 1)
        qsort(rules->list, rules->n, sizeof *rules->list, compare);
    rules->n_paths = 0;
    while (rules->n_paths < rules->n && !nln_rule_has_constants(&rules->list[rules->n_paths]))
        rules->n_paths++;
    size_t n = rules->n - rules->n_paths;
    nln_free(rules->by_answer);
    rules->by_answer = nln_array_zeroed(n, sizeof *rules->by_answer);
    keyed *keys = nln_array_zeroed(n, sizeof *keys);
    nln_status status = rules->by_answer && keys ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < n; i++)
        keys[i] =
            (keyed){answer_key(&rules->list[rules->n_paths + i]), (int32_t)(rules->n_paths + i)};
    if (!status && n > 1)
        qsort(keys, n, sizeof *keys, compare_keyed);
    for (size_t i = 0; !status && i < n; i++)
        rules->by_answer[i] = keys[i].rule;
    nln_free(keys);
    return status;
}

/* ---- answers --------------------------------------------------------------------------------- */

typedef struct question {
    const nln_rules *rules;
    const nln_fact_index *facts;
    int32_t entity, relation;
    int64_t *stamp, *clock;
    nln_rules_visit *visit;
    void *context;
} question;

static void follow(const question *q, size_t rule)
{
    const nln_fact_index *g = q->facts;
    const nln_rule *r = &q->rules->list[rule];
    size_t first, n = nln_fact_index_find(&first, g, q->entity, r->body[0]);
    int64_t now = ++*q->clock;
    for (size_t i = first; i < first + n; i++) {
        int32_t z = g->edge[i].entity;
        size_t from, m = 1;
        if (r->body[1] == NLN_RULE_NONE) {
            q->visit(q->context, z, rule);
            continue;
        }
        if (z == q->entity)
            continue;
        m = nln_fact_index_find(&from, g, z, r->body[1]);
        for (size_t j = from; j < from + m; j++) {
            int32_t y = g->edge[j].entity;
            if (y == z || q->stamp[y] == now)
                continue;
            q->stamp[y] = now;
            q->visit(q->context, y, rule);
        }
    }
}

/* Paths whose head is the relation. */
static void follow_paths(const question *q)
{
    size_t low = 0, high = q->rules->n_paths;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (q->rules->list[middle].head < q->relation)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < q->rules->n_paths && q->rules->list[low].head == q->relation; low++)
        follow(q, low);
}

static int second_holds(const question *q, const nln_rule *r, int32_t x)
{
    return r->body[1] == NLN_RULE_NONE ||
           nln_fact_index_has(q->facts, x, r->body[1], r->constant[1]);
}

/* p(x, A) -> r(x, C) where x is known: through the facts about x. */
static void conclude_answers(const question *q)
{
    const nln_rules *s = q->rules;
    const nln_fact_index *g = q->facts;
    for (size_t i = g->start[q->entity]; i < g->start[q->entity + 1]; i++) {
        nln_edge e = g->edge[i];
        size_t low = s->n_paths, high = s->n;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            const nln_rule *r = &s->list[middle];
            int c = by_number(r->head, q->relation);
            if (!c)
                c = by_number(r->body[0], e.relation);
            if (!c)
                c = by_number(r->constant[0], e.entity);
            if (c < 0)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < s->n; low++) {
            const nln_rule *r = &s->list[low];
            if (r->head != q->relation || r->body[0] != e.relation || r->constant[0] != e.entity)
                break;
            if (second_holds(q, r, q->entity))
                q->visit(q->context, r->answer, low);
        }
    }
}

/* The same where C is known, by the inverse of r: those x for which the body holds. */
static void conclude_known(const question *q)
{
    const nln_rules *s = q->rules;
    const nln_fact_index *g = q->facts;
    int64_t key = (int64_t)q->entity << 32 | (uint32_t)nln_fact_index_inverse(g, q->relation);
    size_t low = 0, high = s->n - s->n_paths, end = high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (answer_key(&s->list[s->by_answer[middle]]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < end && answer_key(&s->list[s->by_answer[low]]) == key; low++) {
        const nln_rule *r = &s->list[s->by_answer[low]];
        size_t first, n = nln_fact_index_find(&first, g, r->constant[0],
                                              nln_fact_index_inverse(g, r->body[0]));
        for (size_t i = first; i < first + n; i++)
            if (second_holds(q, r, g->edge[i].entity))
                q->visit(q->context, g->edge[i].entity, (size_t)s->by_answer[low]);
    }
}

void nln_rules_answers(const nln_rules *rules, const nln_fact_index *facts, int32_t entity,
                       int32_t relation, int64_t *stamp, int64_t *clock, nln_rules_visit *visit,
                       void *context)
{
    question q = {rules, facts, entity, relation, stamp, clock, visit, context};
    follow_paths(&q);
    conclude_answers(&q);
    conclude_known(&q);
}

typedef struct sums {
    double *score;
    const nln_rules *rules;
} sums;

static void add_score(void *context, int32_t entity, size_t rule)
{
    sums *s = context;
    s->score[entity] -= log1p(-nln_rule_belief(&s->rules->list[rule]));
}

void nln_rules_scores(double *score, const nln_rules *rules, const nln_fact_index *facts,
                      int32_t entity, int32_t relation, int64_t *stamp, int64_t *clock)
{
    sums s = {score, rules};
    nln_rules_answers(rules, facts, entity, relation, stamp, clock, add_score, &s);
}

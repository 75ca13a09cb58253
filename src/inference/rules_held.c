/* nln_rules_held of nln.h: how true a model of links holds rules.
 *
 * For instances of the body among the facts of the model's training, x and y, the entities are
 * ranked as answers to head(x, ?).  The rule is held as true as y is high: the mean share of the
 * other entities that come after it. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "models/link_scorer.h"

enum { MOST_INSTANCES = 32 };

/* A rule in the numbers of the model, and the instances of its body. */
typedef struct trial {
    nln_rule rule;
    int32_t x[MOST_INSTANCES], y[MOST_INSTANCES];
    int n;
} trial;

/* The model's number of a relation or its inverse; -1 if it does not know it. */
static int32_t map_relation(const nln_model *m, const nln_triples *t, int32_t relation)
{
    int32_t n = nln_symbols_count(t->relations), inverse = relation >= n;
    const char *name = nln_symbols_name(t->relations, relation - (inverse ? n : 0));
    int32_t found = name ? nln_symbols_find(m->links->relations, name, strlen(name)) : -1;
    return found >= 0 && inverse ? nln_fact_index_inverse(m->links->facts, found) : found;
}

static int32_t map_entity(const nln_model *m, const nln_triples *t, int32_t entity)
{
    const char *name = nln_symbols_name(t->entities, entity);
    return name ? nln_symbols_find(m->symbols, name, strlen(name)) : -1;
}

/* Whether the model knows all names of the rule. */
static int map_rule(nln_rule *out, const nln_model *m, const nln_triples *t,
                    const nln_found_rule *r)
{
    int ok = 1, constants = r->answer >= 0, two = r->body[1] >= 0;
    *out = (nln_rule){.head = map_relation(m, t, r->head),
                      .body = {map_relation(m, t, r->body[0]), NLN_RULE_NONE},
                      .constant = {NLN_RULE_NONE, NLN_RULE_NONE},
                      .answer = NLN_RULE_NONE};
    if (two)
        ok &= (out->body[1] = map_relation(m, t, r->body[1])) >= 0;
    if (constants)
        ok &= (out->answer = map_entity(m, t, r->answer)) >= 0;
    for (int i = 0; constants && i <= two; i++)
        ok &= (out->constant[i] = map_entity(m, t, r->constant[i])) >= 0;
    return ok && out->head >= 0 && out->body[0] >= 0;
}

static void add(trial *t, int32_t x, int32_t y)
{
    if (t->n < MOST_INSTANCES && x != y) {
        t->x[t->n] = x;
        t->y[t->n++] = y;
    }
}

/* One instance of the body that begins at x, if there is any. */
static void look_from(trial *t, const nln_fact_index *g, int32_t x)
{
    const nln_rule *r = &t->rule;
    size_t first, from, n = nln_fact_index_find(&first, g, x, r->body[0]), m;
    if (nln_rule_has_constants(r)) {
        if (nln_fact_index_has(g, x, r->body[0], r->constant[0]) &&
            (r->body[1] == NLN_RULE_NONE || nln_fact_index_has(g, x, r->body[1], r->constant[1])))
            add(t, x, r->answer);
        return;
    }
    for (size_t i = first; i < first + n; i++) {
        int32_t z = g->edge[i].entity;
        if (r->body[1] == NLN_RULE_NONE) {
            add(t, x, z);
            return;
        }
        m = z == x ? 0 : nln_fact_index_find(&from, g, z, r->body[1]);
        for (size_t k = 0; k < m; k++)
            if (g->edge[from + k].entity != z && g->edge[from + k].entity != x) {
                add(t, x, g->edge[from + k].entity);
                return;
            }
    }
}

/* The instances of entities in a fixed order that is spread over all of them. */
static void find_instances(trial *t, const nln_fact_index *g)
{
    size_t n = g->n_entities, step = 7919; /* a prime; of its multiples n itself may be one */
    while (n > 1 && n % step == 0)
        step += 2;
    for (size_t i = 0, x = 0; i < n && t->n < MOST_INSTANCES; i++, x = (x + step) % n)
        look_from(t, g, (int32_t)x);
}

static double share_below(const double *score, size_t n, int32_t y)
{
    double below = -0.5; /* y itself */
    for (size_t e = 0; e < n; e++)
        below += score[e] < score[y] ? 1 : score[e] == score[y] ? 0.5 : 0;
    return n > 1 ? below / (double)(n - 1) : 1;
}

static nln_status measure(double *held, nln_link_scorer *s, double *score, const trial *t,
                          nln_error *err)
{
    size_t n = nln_model_variables(s->model);
    double sum = 0;
    nln_link_question asked[MOST_INSTANCES];
    for (int i = 0; i < t->n; i++)
        asked[i] = (nln_link_question){.entity = t->x[i], .relation = t->rule.head};
    nln_status status = nln_link_scorer_read(s, asked, t->n, err);
    for (int i = 0; !status && i < t->n; i++) {
        nln_link_scorer_scores(score, s, i);
        sum += share_below(score, n, t->y[i]);
    }
    *held = t->n ? sum / t->n : (double)NAN;
    return status;
}

nln_status nln_rules_held(double *held, const nln_found_rule *rules, size_t n,
                          const nln_triples *triples, const nln_model *model, nln_error *err)
{
    nln_link_scorer *scorer = NULL;
    if (!model->links)
        return nln_error_set(err, NLN_INVALID,
                             "how true rules are held is asked of a model of links (--task link)");
    double *score = nln_array_zeroed(nln_model_variables(model), sizeof *score);
    nln_status status = score ? nln_link_scorer_create(&scorer, model, err) : nln_error_memory(err);
    for (size_t i = 0; !status && i < n; i++) {
        trial t = {.n = 0};
        held[i] = (double)NAN;
        if (!map_rule(&t.rule, model, triples, &rules[i]))
            continue;
        find_instances(&t, model->links->facts);
        status = measure(&held[i], scorer, score, &t, err);
    }
    nln_link_scorer_free(scorer);
    nln_free(score);
    return status;
}

#include "rules/mine.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/random.h"

enum {
    MOST_STEPS = 200000,
    STRIDE = 7919
}; /* of counting one body; a prime to scatter a sample by */

/* How often a head and a body were seen; the table is open, and a key of 0 is free. */
typedef struct count {
    uint64_t key; /* 1 + the three relations */
    int32_t n, last;
} count;

typedef struct miner {
    const nln_fact_index *facts;
    const nln_mine_settings *settings;
    nln_rules *rules;
    nln_edge *near; /* the edges of each entity by other end, then relation */
    count *table;
    size_t n, size; /* counts, and places: a power of two */
    int64_t *stamp; /* [entities] */
    int64_t clock;
    int32_t *user;      /* entities by relation that they have: user[start[r] .. start[r + 1]) */
    size_t *user_start; /* [2 R + 2] */
    nln_rule *found;    /* of one head */
    size_t n_found, found_room;
} miner;

static int by_end(const void *x, const void *y)
{
    const nln_edge *a = x, *b = y;
    if (a->entity != b->entity)
        return a->entity < b->entity ? -1 : 1;
    return a->relation < b->relation ? -1 : a->relation > b->relation;
}

static void release(miner *m)
{
    nln_free(m->near);
    nln_free(m->table);
    nln_free(m->stamp);
    nln_free(m->user);
    nln_free(m->user_start);
    nln_free(m->found);
}

static nln_status prepare(miner *m, nln_error *err)
{
    const nln_fact_index *g = m->facts;
    size_t n = g->start[g->n_entities], relations = 2 * g->n_relations;
    m->size = 1 << 12;
    m->near = nln_array_zeroed(n, sizeof *m->near);
    m->table = nln_array_zeroed(m->size, sizeof *m->table);
    m->stamp = nln_array_zeroed(g->n_entities, sizeof *m->stamp);
    m->user = nln_array_zeroed(n, sizeof *m->user);
    m->user_start = nln_array_zeroed(relations + 2, sizeof *m->user_start);
    if (!m->near || !m->table || !m->stamp || !m->user || !m->user_start)
        return nln_error_memory(err);
    if (n)
        memcpy(m->near, g->edge, n * sizeof *m->near);
    for (int fill = 0; fill < 2; fill++) {
        for (size_t e = 0; e < g->n_entities; e++)
            for (size_t i = g->start[e]; i < g->start[e + 1]; i++)
                if (i == g->start[e] || g->edge[i].relation != g->edge[i - 1].relation) {
                    size_t r = (size_t)g->edge[i].relation;
                    if (fill)
                        m->user[m->user_start[r + 1]++] = (int32_t)e;
                    else
                        m->user_start[r + 2]++;
                }
        for (size_t r = 2; !fill && r <= relations + 1; r++)
            m->user_start[r] += m->user_start[r - 1];
    }
    for (size_t e = 0; e < g->n_entities; e++)
        if (g->start[e + 1] - g->start[e] > 1)
            qsort(m->near + g->start[e], g->start[e + 1] - g->start[e], sizeof *m->near, by_end);
    return NLN_OK;
}

/* ---- the table of counts ------------------------------------------------------------------ */

static count *place_of(count *table, size_t size, uint64_t key)
{
    size_t at = nln_random_mix(key) & (size - 1);
    while (table[at].key && table[at].key != key)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static nln_status grow(miner *m, nln_error *err)
{
    size_t size = 2 * m->size;
    count *table = nln_array_zeroed(size, sizeof *table);
    if (!table)
        return nln_error_memory(err);
    for (size_t i = 0; i < m->size; i++)
        if (m->table[i].key)
            *place_of(table, size, m->table[i].key) = m->table[i];
    nln_free(m->table);
    m->table = table;
    m->size = size;
    return NLN_OK;
}

/* Counts a body once for fact number `fact`. */
static nln_status see(miner *m, int32_t head, int32_t a, int32_t b, int32_t fact, nln_error *err)
{
    uint64_t n = 2 * m->facts->n_relations + 1;
    uint64_t key = 1 + ((uint64_t)head * n + (uint64_t)a) * n + (uint64_t)(b + 1);
    if (2 * m->n >= m->size) {
        nln_status status = grow(m, err);
        if (status)
            return status;
    }
    count *c = place_of(m->table, m->size, key);
    m->n += !c->key;
    c->key = key;
    if (c->last != fact)
        c->n++;
    c->last = fact;
    return NLN_OK;
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* All ways from x to y of one or two steps that are not the fact itself. */
static nln_status follow(miner *m, int32_t head, int32_t x, int32_t y, int32_t fact, nln_error *err)
{
    const nln_fact_index *g = m->facts;
    size_t i = g->start[x], j = g->start[y], ends = g->start[x + 1], endt = g->start[y + 1];
    nln_status status = NLN_OK;
    for (size_t k = i; !status && k < ends; k++)
        if (m->near[k].entity == y && m->near[k].relation != head)
            status = see(m, head, m->near[k].relation, NLN_RULE_NONE, fact, err);
    while (!status && i < ends && j < endt) {
        int32_t a = m->near[i].entity, b = m->near[j].entity;
        if (a != b || a == x || a == y) {
            i += a <= b;
            j += b <= a && a != b;
            continue;
        }
        size_t last = j;
        while (last < endt && m->near[last].entity == a)
            last++;
        for (; !status && i < ends && m->near[i].entity == a; i++)
            for (size_t k = j; !status && k < last; k++)
                status = see(m, head, m->near[i].relation,
                             nln_fact_index_inverse(g, m->near[k].relation), fact, err);
        j = last;
    }
    return status;
}

static nln_status count_paths(miner *m, nln_error *err)
{
    const nln_fact_index *g = m->facts;
    int32_t fact = 0;
    nln_status status = NLN_OK;
    for (size_t e = 0; !status && e < g->n_entities; e++)
        for (size_t i = g->start[e]; !status && i < g->start[e + 1]; i++)
            if ((size_t)g->edge[i].relation < g->n_relations && g->edge[i].entity != (int32_t)e)
                status = follow(m, g->edge[i].relation, (int32_t)e, g->edge[i].entity, ++fact, err);
    return status;
}

/* The pairs (x, y) for which a body holds. */
static double count_body(miner *m, int32_t a, int32_t b)
{
    const nln_fact_index *g = m->facts;
    size_t first = m->user_start[a], n = m->user_start[a + 1] - first, steps = 0, done = 0;
    double pairs = 0;
    for (size_t k = 0; k < n && steps < MOST_STEPS; k++, done++) {
        int32_t x = m->user[first + (n % STRIDE ? k * STRIDE % n : k)];
        size_t at, many = nln_fact_index_find(&at, g, x, a);
        int64_t now = ++m->clock;
        steps += many;
        for (size_t i = at; i < at + many; i++) {
            size_t from, to;
            if (b == NLN_RULE_NONE) {
                pairs++;
                continue;
            }
            if (g->edge[i].entity == x)
                continue;
            to = nln_fact_index_find(&from, g, g->edge[i].entity, b);
            steps += to;
            for (size_t j = from; j < from + to; j++) {
                int32_t y = g->edge[j].entity;
                pairs += m->stamp[y] != now && y != x && y != g->edge[i].entity;
                m->stamp[y] = now;
            }
        }
    }
    return done ? pairs * (double)n / (double)done : 0;
}

static int better(const void *x, const void *y)
{
    const nln_rule *a = x, *b = y;
    double p = nln_rule_belief(a), q = nln_rule_belief(b);
    if (p != q)
        return p > q ? -1 : 1;
    return memcmp(a, b, sizeof *a);
}

/* Keeps the best of those found for one head, each path with its mirror. */
static nln_status keep(miner *m, int most, nln_error *err)
{
    nln_status status = NLN_OK;
    if (m->n_found > 1)
        qsort(m->found, m->n_found, sizeof *m->found, better);
    for (size_t i = 0; !status && i < m->n_found && i < (size_t)most; i++) {
        nln_rule mirror = nln_rule_mirror(&m->found[i], m->facts);
        status = nln_rules_add(m->rules, &m->found[i], err);
        if (!status && !nln_rule_has_constants(&m->found[i]))
            status = nln_rules_add(m->rules, &mirror, err);
    }
    m->n_found = 0;
    return status;
}

static nln_status offer(miner *m, const nln_rule *rule, nln_error *err)
{
    if (rule->support < m->settings->least_support ||
        nln_rule_belief(rule) < m->settings->least_confidence)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(m->found, m->found_room, m->n_found + 1))
        return nln_error_memory(err);
    m->found[m->n_found++] = *rule;
    return NLN_OK;
}

static int by_key(const void *x, const void *y)
{
    const count *a = x, *b = y;
    return a->key < b->key ? -1 : a->key > b->key;
}

static nln_status keep_paths(miner *m, nln_error *err)
{
    uint64_t n = 2 * m->facts->n_relations + 1;
    nln_status status = NLN_OK;
    int32_t head = -1;
    qsort(m->table, m->size, sizeof *m->table, by_key); /* a list from now on */
    for (size_t i = m->size - m->n; !status && i < m->size; i++) {
        uint64_t key = m->table[i].key - 1;
        nln_rule rule = {.head = (int32_t)(key / n / n),
                         .body = {(int32_t)(key / n % n), (int32_t)(key % n) - 1},
                         .constant = {NLN_RULE_NONE, NLN_RULE_NONE},
                         .answer = NLN_RULE_NONE,
                         .support = m->table[i].n};
        if (rule.head != head)
            status = keep(m, m->settings->most_paths, err);
        head = rule.head;
        if (status || rule.support < m->settings->least_support)
            continue;
        double body = count_body(m, rule.body[0], rule.body[1]);
        rule.n_body = body > INT32_MAX ? INT32_MAX : (int32_t)(body + 0.5);
        if (rule.n_body < rule.support)
            rule.n_body = rule.support;
        status = offer(m, &rule, err);
    }
    return status ? status : keep(m, m->settings->most_paths, err);
}

/* ---- constants ---------------------------------------------------------------------------------
 */

/* p(x, A) -> r(x, C): of the entities with the property (r, C), how many have each other one?  A
 * property is known by its first edge as seen from the constant. */
static nln_status mine_answer(miner *m, int32_t *together, size_t *seen, int32_t answer,
                              size_t first, size_t n, nln_error *err)
{
    const nln_fact_index *g = m->facts;
    int32_t head = nln_fact_index_inverse(g, g->edge[first].relation);
    size_t n_seen = 0, at;
    nln_status status = NLN_OK;
    for (size_t i = first; i < first + n; i++) {
        int32_t x = g->edge[i].entity;
        for (size_t k = g->start[x]; k < g->start[x + 1]; k++) {
            nln_edge p = g->edge[k];
            if (p.relation == head && p.entity == answer)
                continue;
            nln_fact_index_find(&at, g, p.entity, nln_fact_index_inverse(g, p.relation));
            if (!together[at]++)
                seen[n_seen++] = at;
        }
    }
    for (size_t k = 0; k < n_seen; k++) {
        int32_t back = g->edge[seen[k]].relation, support = together[seen[k]];
        together[seen[k]] = 0;
        if (status || support < m->settings->least_support)
            continue;
        size_t low = 0, high = g->n_entities; /* whose edge is it? */
        while (high - low > 1) {
            size_t middle = low + (high - low) / 2;
            if (g->start[middle] <= seen[k])
                low = middle;
            else
                high = middle;
        }
        size_t body = nln_fact_index_find(&at, g, (int32_t)low, back);
        nln_rule rule = {.head = head,
                         .body = {nln_fact_index_inverse(g, back), NLN_RULE_NONE},
                         .constant = {(int32_t)low, NLN_RULE_NONE},
                         .answer = answer,
                         .support = support,
                         .n_body = (int32_t)body};
        status = offer(m, &rule, err);
    }
    return status ? status : keep(m, m->settings->most_constants, err);
}

static nln_status mine_constants(miner *m, nln_error *err)
{
    const nln_fact_index *g = m->facts;
    int32_t *together = nln_array_zeroed(g->start[g->n_entities], sizeof *together);
    size_t *seen = nln_array_zeroed(g->start[g->n_entities], sizeof *seen);
    nln_status status = together && seen ? NLN_OK : nln_error_memory(err);
    for (size_t e = 0; !status && e < g->n_entities; e++)
        for (size_t i = g->start[e], end; !status && i < g->start[e + 1]; i = end) {
            for (end = i; end < g->start[e + 1] && g->edge[end].relation == g->edge[i].relation;)
                end++;
            if (end - i >= (size_t)m->settings->least_support)
                status = mine_answer(m, together, seen, (int32_t)e, i, end - i, err);
        }
    nln_free(together);
    nln_free(seen);
    return status;
}

nln_status nln_rules_mine(nln_rules **out, const nln_fact_index *facts,
                          const nln_mine_settings *settings, nln_error *err)
{
    miner m = {.facts = facts, .settings = settings};
    *out = NULL;
    nln_status status = nln_rules_create(&m.rules, err);
    if (!status)
        status = prepare(&m, err);
    if (!status)
        status = count_paths(&m, err);
    if (!status)
        status = keep_paths(&m, err);
    if (!status && settings->most_constants)
        status = mine_constants(&m, err);
    if (!status)
        status = nln_rules_index(m.rules, err);
    release(&m);
    if (status)
        nln_rules_free(m.rules);
    else
        *out = m.rules;
    return status;
}

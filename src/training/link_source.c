/* Training from triples: a unit is a question with all its answers in training. */
#include <math.h>
#include <stdio.h>

#include "base/array.h"
#include "data/triples.h"
#include "evaluation/link_evaluation.h"
#include "models/method.h"
#include "training/link_defaults.h"
#include "training/link_weights.h"
#include "training/source.h"

typedef struct unit {
    int32_t entity, relation;
    size_t first, n; /* edges of the facts */
} unit;

typedef struct link_source {
    nln_source base;
    const nln_triples *triples;
    nln_model *model;
    nln_fact_index *known; /* the facts of all splits */
    unit *units;
    nln_link_questions questions; /* of the request */
    int32_t *target;              /* of a unit */
    int32_t *candidate;           /* [candidates of a request] */
    uint8_t *competes;            /* [entities] candidates and answers of the request; 0 between */
    size_t target_room, candidate_room;
} link_source;

static uint64_t fingerprint(const nln_source *base)
{
    const nln_triples *t = ((const link_source *)base)->triples;
    uint64_t sum = 3;
    for (int s = 0; s < 3; s++)
        for (size_t i = 0; i < t->n[s]; i++) {
            nln_triple x = t->list[s][i];
            sum = nln_random_mix(sum ^ ((uint64_t)(uint32_t)x.head << 32 | (uint32_t)x.tail));
            sum = nln_random_mix(sum ^ ((uint64_t)s << 32 | (uint32_t)x.relation));
        }
    return sum;
}

static nln_status defaults(nln_options *options, const nln_source *base, nln_error *err)
{
    nln_graph_size size;
    nln_status status = nln_link_defaults_size(&size, ((const link_source *)base)->triples, err);
    return status ? status : nln_link_defaults_assign(options, &size, err);
}

/* Edges of an entity are sorted by relation, so each unit is a range of them. */
static nln_status list_units(link_source *s, nln_error *err)
{
    const nln_fact_index *g = s->model->links->facts;
    s->units = nln_array_zeroed(g->start[g->n_entities], sizeof *s->units);
    if (!s->units)
        return nln_error_memory(err);
    for (size_t e = 0; e < g->n_entities; e++)
        for (size_t i = g->start[e], end; i < g->start[e + 1]; i = end) {
            for (end = i; end < g->start[e + 1] && g->edge[end].relation == g->edge[i].relation;)
                end++;
            s->units[s->base.n++] = (unit){(int32_t)e, g->edge[i].relation, i, end - i};
        }
    return NLN_OK;
}

/* What the data decided, for the log. */
static void say_defaults(link_source *s)
{
    static const char *const names[] = {"dimension", "networks", "batch",          "negatives",
                                        "n3",        "dropout",  "relation-weight"};
    const nln_options *o = s->model->options;
    int at = snprintf(s->base.note, sizeof s->base.note,
                      "defaults for %zu triples of %zu entities:", s->triples->n[NLN_TRAIN],
                      nln_triples_entities(s->triples)),
        n = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (nln_options_source(o, names[i]) == NLN_FROM_DATA && s->model->method->links)
            at += snprintf(s->base.note + at, sizeof s->base.note - (size_t)at, "%s %s %s",
                           n++ ? "," : "", names[i], nln_options_text(o, names[i]));
    if (!n)
        s->base.note[0] = '\0';
}

static nln_status open(nln_source *base, nln_model *model, nln_error *err)
{
    link_source *s = (link_source *)base;
    const nln_triples *t = s->triples;
    s->model = model;
    nln_status status = nln_links_create(&model->links, t->relations, nln_triples_entities(t),
                                         t->list[NLN_TRAIN], t->n[NLN_TRAIN], err);
    if (!status)
        status = nln_fact_index_create(&s->known, nln_triples_entities(t), nln_triples_relations(t),
                                       (const nln_triple *const *)t->list, t->n, 3, err);
    say_defaults(s);
    if (!status && !(s->competes = nln_array_zeroed(nln_triples_entities(t), 1)))
        status = nln_error_memory(err);
    return status ? status : list_units(s, err);
}

static nln_status add_unit(link_source *s, const unit *u, uint64_t key, nln_error *err)
{
    const nln_fact_index *g = s->model->links->facts;
    const nln_config *c = &s->model->config;
    if (!NLN_ARRAY_RESERVE(s->target, s->target_room, u->n))
        return nln_error_memory(err);
    for (size_t i = 0; i < u->n; i++)
        s->target[i] = g->edge[u->first + i].entity;
    nln_status status =
        nln_link_questions_add(&s->questions, u->entity, u->relation, s->target, u->n, err);
    if (!status && s->model->method->has & NLN_HAS_PREMISES && c->premises)
        status = nln_link_questions_premises(&s->questions, g, c->premises,
                                             nln_random_mix(key ^ (uint64_t)u->relation), err);
    return status;
}

/* All answers of a batch compete with each other.  Where they are fewer than `negatives`, entities
 * are drawn beside them until that many compete, so that a batch costs the same in graphs of any
 * size.  None are drawn where all entities compete. */
static nln_status draw_candidates(int32_t *n, link_source *s, uint64_t key, nln_error *err)
{
    const nln_link_questions *q = &s->questions;
    size_t all = nln_triples_entities(s->triples), want = (size_t)s->model->config.negatives;
    size_t competing = 0;
    nln_random random = nln_random_seed(key, 3);
    *n = 0;
    if (!want || want >= all)
        return NLN_OK;
    if (!NLN_ARRAY_RESERVE(s->candidate, s->candidate_room, want))
        return nln_error_memory(err);
    for (size_t i = 0; i < q->n_targets; i++) {
        competing += !s->competes[q->target[i]];
        s->competes[q->target[i]] = 1;
    }
    while (competing < want) {
        int32_t e = (int32_t)nln_random_below(&random, all);
        if (s->competes[e])
            continue;
        s->competes[e] = 1;
        s->candidate[(*n)++] = e;
        competing++;
    }
    for (size_t i = 0; i < q->n_targets; i++)
        s->competes[q->target[i]] = 0;
    for (int32_t i = 0; i < *n; i++)
        s->competes[s->candidate[i]] = 0;
    return NLN_OK;
}

static nln_status draw(nln_request *out, nln_source *base, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err)
{
    link_source *s = (link_source *)base;
    int32_t n_candidates = 0;
    nln_status status = NLN_OK;
    nln_link_questions_clear(&s->questions);
    for (int32_t i = 0; !status && i < n; i++)
        status = add_unit(s, &s->units[units[i]], key, err);
    if (!status)
        status = draw_candidates(&n_candidates, s, key, err);
    *out = (nln_request){.loss_kind = NLN_LOSS_SOFTMAX,
                         .n = n,
                         .links = &s->questions,
                         .n_candidates = n_candidates,
                         .candidate = s->candidate,
                         .unit = units,
                         .key = key};
    return status;
}

/* A method that learns at once has the facts in its model. */
static nln_status gather(nln_queries *out, const nln_source *base, nln_error *err)
{
    (void)base, (void)err;
    *out = (nln_queries){0};
    return NLN_OK;
}

static void count(int32_t *frequency, const nln_source *base)
{
    const nln_fact_index *g = ((const link_source *)base)->model->links->facts;
    for (size_t e = 0; e < g->n_entities; e++)
        frequency[e] = (int32_t)(g->start[e + 1] - g->start[e]);
}

/* Training itself is ranked only for its curve. */
static nln_status measure(nln_metrics *out, const nln_source *base, const nln_model *model,
                          nln_split split, int quickly, nln_error *err)
{
    const link_source *s = (const link_source *)base;
    *out = (nln_metrics){0};
    if (split == NLN_TRAIN && !quickly)
        return NLN_OK;
    return nln_link_evaluation_run(&out->links, model, s->known, s->triples->list[split],
                                   s->triples->n[split], model->config.threads, err);
}

static nln_status refine(char note[NLN_NOTE_ROOM], const nln_source *base, nln_model *model,
                         double noise, nln_thread_pool *pool, nln_error *err)
{
    const link_source *s = (const link_source *)base;
    (void)noise, (void)pool;
    if (!(model->method->has & NLN_HAS_PREMISES))
        return NLN_OK;
    return nln_link_weights_fit(note, model, s->triples, s->known, err);
}

static void release(nln_source *base)
{
    link_source *s = (link_source *)base;
    nln_fact_index_free(s->known);
    nln_link_questions_free(&s->questions);
    nln_free(s->units);
    nln_free(s->target);
    nln_free(s->candidate);
    nln_free(s->competes);
    nln_free(s);
}

nln_status nln_source_of_links(nln_source **out, const nln_triples *triples, nln_error *err)
{
    link_source *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_source){.data = NLN_DATA_TRIPLES,
                           .names = triples->entities,
                           .n_users = nln_triples_relations(triples),
                           .fingerprint = fingerprint,
                           .data_name = triples->name,
                           .rows = {triples->n[0], triples->n[1], triples->n[2]},
                           .newest = NAN,
                           .defaults = defaults,
                           .open = open,
                           .loss_kind = NLN_LOSS_SOFTMAX,
                           .draw = draw,
                           .gather = gather,
                           .count = count,
                           .measure = measure,
                           .refine = refine,
                           .free = release};
    s->triples = triples;
    *out = &s->base;
    return NLN_OK;
}

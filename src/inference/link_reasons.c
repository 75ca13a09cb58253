#include "inference/link_reasons.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "math/kernels.h"
#include "models/table_learner.h"
#include "rules/rule_text.h"

enum { ENTITY, RELATION };

/* The fact in question: relation(entity, answer). */
typedef struct asked {
    const nln_model *model;
    int32_t entity, relation, answer;
    nln_rule_names names;
    nln_link_reasons *out;
    nln_status status;
    nln_error *err;
} asked;

static nln_link_reason *add(asked *a, const char *kind, double contribution)
{
    nln_link_reasons *out = a->out;
    if (!a->status && !NLN_ARRAY_RESERVE(out->list, out->room, out->n + 1))
        a->status = nln_error_memory(a->err);
    if (a->status)
        return NULL;
    nln_link_reason *r = &out->list[out->n++];
    *r = (nln_link_reason){.kind = kind, .contribution = contribution, .confidence = NAN};
    return r;
}

static void add_fact(asked *a, const char *kind, nln_edge e, double contribution)
{
    nln_link_reason *r = add(a, kind, contribution);
    if (r)
        nln_rule_text_fact(r->text, sizeof r->text, &a->names, e.relation, a->entity, e.entity);
}

static int compare(const void *x, const void *y)
{
    const nln_link_reason *a = x, *b = y;
    if (a->contribution != b->contribution)
        return a->contribution > b->contribution ? -1 : 1;
    return strcmp(a->text, b->text);
}

static void sort_from(nln_link_reasons *out, size_t first)
{
    if (out->n - first > 1)
        qsort(out->list + first, out->n - first, sizeof *out->list, compare);
}

/* ---- rules ------------------------------------------------------------------------------- */

static void add_rule(void *context, int32_t entity, size_t rule)
{
    asked *a = context;
    const nln_links *links = a->model->links;
    const nln_rule *r = &links->rules->list[rule];
    if (entity != a->answer)
        return;
    nln_link_reason *reason = add(a, "rule", -links->by_rules * log1p(-nln_rule_belief(r)));
    if (!reason)
        return;
    reason->confidence = nln_rule_confidence(r);
    reason->support = (size_t)r->support;
    reason->bodies = (size_t)r->n_body;
    nln_rule_text_instance(reason->text, sizeof reason->text, &a->names, r, links->facts, a->entity,
                           a->relation, a->answer);
}

static nln_status find_rules(asked *a)
{
    const nln_links *links = a->model->links;
    size_t first = a->out->n;
    int64_t *stamp, clock = 0;
    if (!links->rules || links->by_rules <= 0)
        return NLN_OK;
    stamp = nln_array_zeroed(nln_model_variables(a->model), sizeof *stamp);
    if (!stamp)
        return nln_error_memory(a->err);
    nln_rules_answers(links->rules, links->facts, a->entity, a->relation, stamp, &clock, add_rule,
                      a);
    nln_free(stamp);
    sort_from(a->out, first);
    return a->status;
}

/* ---- premises ------------------------------------------------------------------------------ */

/* The score by all premises but `without`, or by all for NLN_RULE_NONE. */
static nln_status score_without(double *score, nln_link_questions *q, nln_link_queries *made,
                                const asked *a, int64_t without)
{
    nln_link_questions_clear(q);
    nln_status status = nln_link_questions_add(q, a->entity, a->relation, NULL, 0, a->err);
    if (!status)
        status = nln_link_questions_premises(q, a->model->links->facts, 0, 0, a->err);
    if (!status && without != NLN_RULE_NONE)
        q->premise[without] = q->premise[--q->list[0].n_premises];
    if (!status)
        status = nln_link_queries_make(made, a->model, q, 0, 1, a->err);
    if (!status)
        *score = (double)nln_kernels_get()->dot(made->query,
                                                nln_table_learner_row(a->model, ENTITY, a->answer),
                                                nln_link_width(a->model));
    return status;
}

static nln_status find_premises(asked *a)
{
    nln_link_questions all = {0}, rest = {0};
    nln_link_queries made = {0};
    double whole = 0, part = 0;
    size_t first = a->out->n;
    nln_status status = score_without(&whole, &all, &made, a, NLN_RULE_NONE);
    for (size_t i = 0; !status && i < all.n_premises; i++) {
        status = score_without(&part, &rest, &made, a, (int64_t)i);
        if (!status)
            add_fact(a, "premise", all.premise[i], whole - part);
        status = status ? status : a->status;
    }
    nln_link_questions_free(&all);
    nln_link_questions_free(&rest);
    nln_link_queries_free(&made);
    sort_from(a->out, first);
    return status;
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* direction = what moves the entity's vector so that relation(entity, other) gains: for inner
 * products over the mean of all entities.  `query` and `unused` are scratch. */
static void pull(real *direction, real *query, real *unused, const asked *a, const real *mean,
                 nln_edge e)
{
    const nln_model *m = a->model;
    const nln_link_family *family = m->method->links;
    int dim = nln_link_width(m);
    const real *h = nln_table_learner_row(m, ENTITY, a->entity);
    const real *r = nln_table_learner_row(m, RELATION, e.relation);
    const real *t = nln_table_learner_row(m, ENTITY, e.entity);
    family->query(query, h, r, dim);
    for (int i = 0; i < dim; i++)
        query[i] = t[i] - (family->distance ? query[i] : mean[i]);
    memset(direction, 0, (size_t)dim * sizeof *direction);
    memset(unused, 0, (size_t)dim * sizeof *unused);
    family->query_back(direction, unused, query, h, r, dim);
}

static double cosine(const real *a, const real *b, int dim)
{
    double aa = 0, bb = 0, ab = 0;
    for (int i = 0; i < dim; i++) {
        aa += (double)a[i] * (double)a[i];
        bb += (double)b[i] * (double)b[i];
        ab += (double)a[i] * (double)b[i];
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

static nln_status find_facts(asked *a)
{
    const nln_model *m = a->model;
    const nln_fact_index *facts = m->links->facts;
    int dim = nln_link_width(m);
    size_t d = (size_t)dim, first = a->out->n, n = nln_model_variables(m);
    real *room = nln_array_zeroed(5 * d, sizeof *room);
    if (!room)
        return nln_error_memory(a->err);
    real *mean = room, *answer = room + d, *other = room + 2 * d;
    real *query = room + 3 * d, *unused = room + 4 * d;
    for (size_t e = 0; e < n; e++)
        nln_kernels_get()->axpy(mean, (real)(1.0 / (double)n),
                                nln_table_learner_row(m, ENTITY, (int64_t)e), d);
    pull(answer, query, unused, a, mean, (nln_edge){a->relation, a->answer});
    for (size_t i = facts->start[a->entity]; i < facts->start[a->entity + 1]; i++) {
        nln_edge e = facts->edge[i];
        if (e.relation == a->relation && e.entity == a->answer)
            continue; /* a fact is no reason for itself */
        pull(other, query, unused, a, mean, e);
        add_fact(a, "fact", e, cosine(answer, other, dim));
    }
    nln_free(room);
    sort_from(a->out, first);
    return a->status;
}

nln_status nln_link_reasons_find(nln_link_reasons *out, const nln_model *model, int32_t entity,
                                 int32_t relation, int32_t answer, nln_error *err)
{
    asked a = {.model = model,
               .entity = entity,
               .relation = relation,
               .answer = answer,
               .names = {model->symbols, model->links->relations},
               .out = out,
               .err = err};
    nln_status status = find_rules(&a);
    if (status || !model->method->links)
        return status;
    return (model->method->has & NLN_HAS_PREMISES) && model->config.premises ? find_premises(&a)
                                                                             : find_facts(&a);
}

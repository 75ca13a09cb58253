#include "models/link_scorer.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "models/table_learner.h"

enum { ENTITY };

static int has_vectors(const nln_model *m)
{
    return m->method->links != NULL;
}

void nln_link_scorer_free(nln_link_scorer *s)
{
    if (!s)
        return;
    nln_link_questions_free(&s->questions);
    nln_link_queries_free(&s->queries);
    nln_free(s->turned);
    nln_free(s->product);
    nln_free(s->square);
    nln_free(s->by_rules);
    nln_free(s->stamp);
    nln_free(s);
}

nln_status nln_link_scorer_create(nln_link_scorer **out, const nln_model *model, nln_error *err)
{
    nln_link_scorer *s = nln_memory_zeroed(1, sizeof *s);
    size_t n = nln_model_variables(model);
    *out = NULL;
    if (!s)
        return nln_error_memory(err);
    s->model = model;
    size_t d = has_vectors(model) ? (size_t)nln_link_width(model) : 0;
    s->turned = nln_array_zeroed(d * NLN_LINK_BLOCK, sizeof *s->turned);
    s->product = nln_array_zeroed(d ? n * NLN_LINK_BLOCK : 0, sizeof *s->product);
    s->square = nln_array_zeroed(n, sizeof *s->square);
    s->by_rules = nln_array_zeroed(n, sizeof *s->by_rules);
    s->stamp = nln_array_zeroed(n, sizeof *s->stamp);
    if (!s->turned || !s->product || !s->square || !s->by_rules || !s->stamp) {
        nln_link_scorer_free(s);
        return nln_error_memory(err);
    }
    for (size_t e = 0; d && model->method->links->distance && e < n; e++) {
        const real *x = nln_table_learner_row(model, ENTITY, (int64_t)e);
        s->square[e] = nln_kernels_get()->dot(x, x, (int)d);
    }
    *out = s;
    return NLN_OK;
}

nln_status nln_link_scorer_read(nln_link_scorer *s, const nln_link_question *questions, int32_t n,
                                nln_error *err)
{
    const nln_model *m = s->model;
    nln_status status = NLN_OK;
    nln_link_questions_clear(&s->questions);
    for (int32_t i = 0; !status && i < n; i++) {
        status = nln_link_questions_add(&s->questions, questions[i].entity, questions[i].relation,
                                        NULL, 0, err);
        if (!status && (m->method->has & NLN_HAS_PREMISES) && m->config.premises)
            status = nln_link_questions_premises(&s->questions, m->links->facts, 0, 0, err);
    }
    s->n_questions = n;
    if (status || !has_vectors(m) || !n)
        return status;
    status = nln_link_queries_make(&s->queries, m, &s->questions, 0, (size_t)n, err);
    if (status)
        return status;
    int dim = nln_link_width(m), rows = (int)nln_model_variables(m);
    for (int32_t i = 0; i < n; i++)
        for (int j = 0; j < dim; j++)
            s->turned[(int64_t)j * n + i] = s->queries.query[(int64_t)i * dim + j];
    nln_blas_nn(s->product, n, m->weights.data[ENTITY], dim, s->turned, n, rows, n, dim);
    return NLN_OK;
}

void nln_link_scorer_vectors(double *score, const nln_link_scorer *s, int32_t i)
{
    const nln_model *m = s->model;
    size_t n = nln_model_variables(m);
    const real *x = s->product + i;
    if (!has_vectors(m)) { /* less than any rule says */
        for (size_t e = 0; e < n; e++)
            score[e] = 1e-9 * (double)m->weights.data[ENTITY][e];
        return;
    }
    for (size_t e = 0; e < n; e++, x += s->n_questions)
        score[e] = (double)*x;
    if (!m->method->links->distance)
        return;
    int dim = nln_link_width(m);
    const real *q = s->queries.query + (int64_t)i * dim;
    double square = (double)nln_kernels_get()->dot(q, q, dim);
    for (size_t e = 0; e < n; e++)
        score[e] = -sqrt(fmax((double)s->square[e] + square - 2 * score[e], 1e-9));
}

void nln_link_scorer_rules(double *score, nln_link_scorer *s, int32_t i)
{
    const nln_links *links = s->model->links;
    const nln_link_question *q = &s->questions.list[i];
    memset(score, 0, nln_model_variables(s->model) * sizeof *score);
    if (links->rules)
        nln_rules_scores(score, links->rules, links->facts, q->entity, q->relation, s->stamp,
                         &s->clock);
}

void nln_link_scorer_scores(double *score, nln_link_scorer *s, int32_t i)
{
    const nln_links *links = s->model->links;
    size_t n = nln_model_variables(s->model);
    nln_link_scorer_vectors(score, s, i);
    if (!links->rules || links->by_rules <= 0)
        return;
    nln_link_scorer_rules(s->by_rules, s, i);
    for (size_t e = 0; e < n; e++)
        score[e] += links->by_rules * s->by_rules[e];
}

#include "task/rank.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "logic/parse.h"
#include "math/scalar.h"

nln_status nln_rank_room_create(nln_rank_room *room, const nln_model *model,
                                const nln_ranker *ranker, nln_error *err)
{
    room->cosine = nln_array_zeroed(nln_model_variables(model), sizeof *room->cosine);
    room->scratch = nln_array_zeroed(nln_ranker_scratch(ranker), sizeof *room->scratch);
    if (room->cosine && room->scratch)
        return NLN_OK;
    nln_rank_room_free(room);
    return nln_error_memory(err);
}

void nln_rank_room_free(nln_rank_room *room)
{
    free(room->cosine);
    free(room->scratch);
    *room = (nln_rank_room){0};
}

void nln_rank_one(double *p, nln_rank_room *room, const nln_ranker *ranker, const nln_model *model,
                  const real *vectors, size_t stride)
{
    int32_t n = nln_symbols_count(model->symbols), members = model->config.members;
    double alpha = (double)model->net->alpha;
    memset(p, 0, (size_t)n * sizeof *p);
    for (int32_t m = 0; m < members; m++) {
        nln_ranker_cosines(room->cosine, ranker, vectors + (size_t)m * stride, m * n, n,
                           room->scratch);
        for (int32_t i = 0; i < n; i++)
            p[i] += nln_sigmoid(alpha * (double)room->cosine[i]) / members;
    }
    for (int32_t i = 0; i < n; i++)
        p[i] = nln_sigmoid(model->temperature * nln_log_odds(p[i]));
}

nln_status nln_rank_scorer_create(nln_rank_scorer *s, const nln_model *model,
                                  const nln_ranker *ranker, size_t most, nln_error *err)
{
    size_t passes = (size_t)model->config.orders * (size_t)model->config.members;
    *s = (nln_rank_scorer){0};
    s->vectors = nln_array_zeroed(passes * most * (size_t)model->net->dim, sizeof *s->vectors);
    return s->vectors ? nln_rank_room_create(&s->room, model, ranker, err) : nln_error_memory(err);
}

void nln_rank_scorer_free(nln_rank_scorer *s)
{
    nln_rank_room_free(&s->room);
    free(s->vectors);
    *s = (nln_rank_scorer){0};
}

nln_status nln_rank_scorer_read(nln_rank_scorer *s, const nln_model *model, const nln_exprs *list,
                                nln_error *err)
{
    size_t of_order = (size_t)model->config.members * list->n * (size_t)model->net->dim;
    int orders = model->config.orders;
    nln_status status = NLN_OK;
    s->n = list->n;
    for (int o = 0; !status && o < orders; o++)
        status = nln_model_vectors(s->vectors + (size_t)o * of_order, model, list,
                                   orders > 1 ? o : -1, err);
    return status;
}

void nln_rank_scorer_scores(double *score, nln_rank_scorer *s, const nln_ranker *ranker,
                            const nln_model *model, size_t i, const int32_t *only, int32_t n)
{
    int32_t n_names = nln_symbols_count(model->symbols), members = model->config.members;
    int32_t passes = model->config.orders * members;
    double each = (double)model->net->alpha / passes;
    n = only ? n : n_names;
    for (int32_t v = 0; v < n; v++)
        score[only ? only[v] : v] = 0;
    for (int32_t p = 0; p < passes; p++) {
        const real *h = s->vectors + ((size_t)p * s->n + i) * (size_t)model->net->dim;
        nln_ranker_cosines_of(s->room.cosine, ranker, h, p % members * n_names, only, n,
                              s->room.scratch);
        for (int32_t v = 0; v < n; v++)
            score[only ? only[v] : v] += each * (double)s->room.cosine[v];
    }
}

/* The vectors of one expression given as text: [members, dim]. */
static nln_status vectors_of(real *out, const nln_model *model, const char *text, nln_error *err)
{
    nln_exprs parsed = {0}, list = {0};
    nln_status status =
        nln_parse(&parsed, model->symbols, 0, text, strlen(text), NLN_DIALECT_TEXT, err);
    if (!status)
        status = nln_model_normalize(&list, model, nln_exprs_get(&parsed, 0), err);
    if (!status)
        status = nln_model_vectors(out, model, &list, -1, err);
    nln_exprs_free(&parsed);
    nln_exprs_free(&list);
    return status;
}

nln_status nln_rank(double *p, const nln_model *model, const char *expression, nln_error *err)
{
    size_t d = (size_t)model->net->dim;
    nln_ranker *ranker = NULL;
    nln_rank_room room = {0};
    real *vectors = nln_array_zeroed((size_t)model->config.members * d, sizeof *vectors);
    nln_status status =
        vectors ? vectors_of(vectors, model, expression, err) : nln_error_memory(err);
    if (!status)
        status = nln_ranker_create(&ranker, model->net, err);
    if (!status)
        status = nln_rank_room_create(&room, model, ranker, err);
    if (!status)
        nln_rank_one(p, &room, ranker, model, vectors, d);
    nln_rank_room_free(&room);
    nln_ranker_free(ranker);
    free(vectors);
    return status;
}

#include "inference/rank_variables.h"

#include <string.h>

#include "base/array.h"
#include "logic/parse.h"
#include "math/scalar.h"

nln_status nln_rank_workspace_create(nln_rank_workspace *room, const nln_model *model,
                                     nln_error *err)
{
    *room = (nln_rank_workspace){0};
    nln_status status = nln_rankers_create(&room->rankers, model, err);
    if (status)
        return status;
    size_t scratch = nln_ranker_scratch(room->rankers.of[0]);
    room->cosine = nln_array_zeroed(nln_model_variables(model), sizeof *room->cosine);
    room->scratch = nln_array_zeroed(scratch, sizeof *room->scratch);
    if (room->cosine && room->scratch)
        return NLN_OK;
    nln_rank_workspace_free(room);
    return nln_error_memory(err);
}

void nln_rank_workspace_free(nln_rank_workspace *room)
{
    nln_rankers_free(&room->rankers);
    nln_free(room->cosine);
    nln_free(room->scratch);
    *room = (nln_rank_workspace){0};
}

void nln_rank_after_vector(double *p, nln_rank_workspace *room, const nln_model *model,
                           const real *vectors, size_t stride)
{
    int32_t n = nln_symbols_count(model->symbols), members = model->config.members;
    int32_t all = model->n_networks * members;
    int of_odds = nln_network_means_odds(model, all);
    double alpha = (double)model->net[0]->alpha;
    memset(p, 0, (size_t)n * sizeof *p);
    for (int32_t m = 0; m < all; m++) {
        nln_ranker_cosines(room->cosine, room->rankers.of[m / members],
                           vectors + (size_t)m * stride, m % members * nln_model_rows(model), n,
                           room->scratch, &room->toll);
        for (int32_t i = 0; i < n; i++) {
            double score = alpha * (double)room->cosine[i];
            p[i] += (of_odds ? score : nln_sigmoid(score)) / all;
        }
    }
    for (int32_t i = 0; i < n; i++)
        p[i] = nln_sigmoid(model->temperature * (of_odds ? p[i] : nln_log_odds(p[i])));
}

/* The vectors of one expression given as text: [networks, members, dim]. */
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
    nln_status status = nln_model_need_network(model, "ranking after an expression", err);
    if (status)
        return status;
    nln_rank_workspace room = {0};
    real *vectors = nln_array_zeroed(nln_model_vector_length(model), sizeof *vectors);
    status = vectors ? vectors_of(vectors, model, expression, err) : nln_error_memory(err);
    if (!status)
        status = nln_rank_workspace_create(&room, model, err);
    if (!status) {
        nln_rank_after_vector(p, &room, model, vectors, (size_t)model->config.dimension);
        status = nln_model_check_scores(p, nln_model_variables(model), "variable", err);
    }
    nln_rank_workspace_free(&room);
    nln_free(vectors);
    return status;
}

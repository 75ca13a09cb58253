/* Asking a model of any method. */
#include <math.h>

#include "base/array.h"
#include "base/communicator.h"
#include "math/scalar.h"
#include "models/method.h"
#include "models/model.h"

enum { BLOCK = 256 };

nln_status nln_model_check_scores(const double *score, size_t n, const char *what, nln_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(score[i]))
            return nln_error_set(err, NLN_NUMERIC,
                                 "the vectors of %s %zu left the finite range: train with a "
                                 "smaller initial scale or learning rate",
                                 what, i + 1);
    return NLN_OK;
}

/* Ranks of a job share lists in blocks of this size, a multiple of those of every method. */
enum { SHARED_BLOCK = 256 };

static nln_status finish(double *score, size_t n, const nln_model *model, const char *what,
                         nln_error *err)
{
    for (size_t i = 0; i < n; i++)
        score[i] *= model->temperature;
    return nln_model_check_scores(score, n, what, err);
}

nln_status nln_model_scores(double *score, const nln_model *model, const nln_exprs *list,
                            int orders, int n_threads, nln_error *err)
{
    if (!model->method->judge)
        return nln_error_set(err, NLN_INVALID,
                             "a model of kind %s reads histories of users, not expressions: use "
                             "nln recommend or nln evaluate",
                             model->method->name);
    nln_share own = nln_communicator_share(list->n, SHARED_BLOCK);
    nln_exprs part = *list;
    part.start += own.first;
    part.n = own.last - own.first;
    nln_status status = NLN_OK;
    if (part.n)
        status = model->method->judge(score + own.first, model, &part, orders, n_threads, err);
    if (status)
        return status;
    nln_communicator_join_shares(score, list->n, SHARED_BLOCK, sizeof *score);
    return finish(score, list->n, model, "expression", err);
}

/* The answers of a method that has only a scorer. */
static nln_status ask(double *score, const nln_model *model, const nln_queries *queries,
                      nln_error *err)
{
    nln_item_scorer *scorer = NULL;
    double *all = nln_array_zeroed(nln_model_variables(model), sizeof *all);
    nln_status status =
        all ? model->method->ask(&scorer, model, BLOCK, err) : nln_error_memory(err);
    for (size_t at = 0; !status && at < queries->n; at += BLOCK) {
        size_t n = queries->n - at < BLOCK ? queries->n - at : BLOCK;
        status = scorer->read(scorer, queries, at, n, err);
        for (size_t i = 0; !status && i < n; i++) {
            int32_t target = queries->list[at + i].target;
            scorer->scores(all, scorer, i, &target, 1);
            score[at + i] = all[target];
        }
    }
    if (scorer)
        scorer->free(scorer);
    nln_free(all);
    return status;
}

/* Answers without the surprises. */
static nln_status plain_answers(double *score, const nln_model *model, const nln_queries *queries,
                                const char *what, int n_threads, nln_error *err)
{
    const nln_method *method = model->method;
    nln_status status = method->answer ? method->answer(score, model, queries, n_threads, err)
                                       : ask(score, model, queries, err);
    return status ? status : finish(score, queries->n, model, what, err);
}

/* ---- surprises ------------------------------------------------------------------------- */

/* The most queries of a block, and the most literals. */
enum { CASES = 256, LITERALS = 1 << 18 };

/* The last literals of a history as queries, each after what came before it. */
static size_t look_back(nln_query *out, const nln_model *model, const nln_queries *queries,
                        size_t i)
{
    const nln_query *c = &queries->list[i];
    size_t most = (size_t)model->config.surprises, n = c->n < most ? c->n : most;
    for (size_t j = 0; j < n; j++) {
        size_t before = c->n - n + j;
        out[j] = (nln_query){c->user, (int32_t)queries->literal[c->first + before].item, c->first,
                             before};
    }
    return n;
}

/* The mean surprise of n earlier interactions with these scores, shrunk towards 0. */
static double surprise_of(const nln_query *back, const double *score, size_t n,
                          const nln_queries *queries)
{
    const double prior = 3; /* counted as this many literals without a surprise */
    double sum = 0;
    for (size_t j = 0; j < n; j++) {
        int liked = queries->literal[back[j].first + back[j].n].liked != 0;
        sum += liked - nln_sigmoid(score[j]);
    }
    return sum / ((double)n + prior);
}

/* The surprises of queries first .. first + n - 1, at most CASES of them; `back` and `score` have
 * room for the predicted items of all of these. */
static nln_status block_of_surprises(double *surprise, nln_query *back, double *score,
                                     const nln_model *model, const nln_queries *queries,
                                     size_t first, size_t n, int n_threads, nln_error *err)
{
    nln_queries looks = *queries; /* the literals are the same */
    size_t n_of[CASES], at = 0;
    looks.list = back;
    looks.n = 0;
    for (size_t i = 0; i < n; i++)
        looks.n += n_of[i] = look_back(back + looks.n, model, queries, first + i);
    nln_status status = NLN_OK;
    if (looks.n)
        status = plain_answers(score, model, &looks, "earlier interaction", n_threads, err);
    for (size_t i = 0; !status && i < n; at += n_of[i++])
        surprise[first + i] = surprise_of(back + at, score + at, n_of[i], queries);
    return status;
}

/* How many queries from `at` on are looked back from together. */
static size_t block_from(const nln_model *model, const nln_queries *queries, size_t at)
{
    size_t n = 0, literals = 0;
    while (at + n < queries->n && n < CASES && literals < LITERALS)
        literals += queries->list[at + n++].n * (size_t)model->config.surprises;
    return n;
}

nln_status nln_model_surprises(double *surprise, const nln_model *model, const nln_queries *queries,
                               int n_threads, nln_error *err)
{
    size_t room = CASES * (size_t)model->config.surprises;
    nln_query *back = nln_array_zeroed(room, sizeof *back);
    double *score = nln_array_zeroed(room, sizeof *score);
    nln_status status = back && score ? NLN_OK : nln_error_memory(err);
    for (size_t at = 0; !status && at < queries->n;) {
        size_t n = block_from(model, queries, at);
        status = block_of_surprises(surprise, back, score, model, queries, at, n, n_threads, err);
        at += n;
    }
    nln_free(back);
    nln_free(score);
    return status;
}

nln_status nln_model_carried(double *out, const nln_model *model, const nln_queries *queries,
                             int n_threads, nln_error *err)
{
    nln_status status = NLN_OK;
    int some = model->carry > 0 && model->config.surprises > 0;
    if (some)
        status = nln_model_surprises(out, model, queries, n_threads, err);
    for (size_t i = 0; !status && i < queries->n; i++)
        out[i] = some ? model->carry * out[i] : 0;
    return status;
}

static nln_status answers(double *score, const nln_model *model, const nln_queries *queries,
                          int n_threads, nln_error *err)
{
    double *carried = nln_array_zeroed(queries->n, sizeof *carried);
    nln_status status = carried ? nln_model_carried(carried, model, queries, n_threads, err)
                                : nln_error_memory(err);
    if (!status)
        status = plain_answers(score, model, queries, "interaction", n_threads, err);
    for (size_t i = 0; !status && i < queries->n; i++)
        score[i] += carried[i];
    nln_free(carried);
    return status;
}

nln_status nln_model_answers(double *score, const nln_model *model, const nln_queries *queries,
                             int n_threads, nln_error *err)
{
    nln_share own = nln_communicator_share(queries->n, SHARED_BLOCK);
    nln_queries part = *queries;
    part.list += own.first;
    part.n = own.last - own.first;
    nln_status status = part.n ? answers(score + own.first, model, &part, n_threads, err) : NLN_OK;
    if (!status)
        nln_communicator_join_shares(score, queries->n, SHARED_BLOCK, sizeof *score);
    return status;
}

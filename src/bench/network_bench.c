/* nln_bench_train, _predict and _rank of nln_lab.h: the speed of the network, compared with sgemm
 * on the same machine. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/communicator.h"
#include "base/memory.h"
#include "logic/parse.h"
#include "math/blas.h"
#include "math/kernels.h"
#include "models/network_learner.h"
#include "nln_lab.h"
#include "training/trainer.h"

enum { MOST_PASSES = 1000, MOST_SINGLE = 1000 };

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* n >= 1 */
static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static nln_status begin(nln_bench_report *out, const nln_options *options, int passes,
                        nln_error *err)
{
    *out = (nln_bench_report){.ratio = NAN,
                              .textbook_flop = NAN,
                              .executed_flop = NAN,
                              .rows = NAN,
                              .rows_after_sharing = NAN,
                              .plan = NAN,
                              .gather = NAN,
                              .gemm = NAN,
                              .element_wise = NAN,
                              .law_terms = NAN,
                              .adam = NAN,
                              .single_seconds = NAN,
                              .sent_bytes = NAN,
                              .waited_seconds = NAN};
    nln_status status = nln_options_check(options, NLN_CONFIG_COMMAND, err);
    if (status)
        return status;
    if (passes < 1 || passes > MOST_PASSES)
        return nln_error_set(err, NLN_INVALID, "a bench takes from 1 to %d passes, not %d",
                             MOST_PASSES, passes);
    out->blas = nln_blas_name();
    out->kernels = nln_kernels_get()->name;
    out->sgemm_flops = nln_blas_speed();
    return NLN_OK;
}

static void end(nln_bench_report *out, double *seconds, int passes)
{
    out->seconds = median(seconds, passes);
    out->peak_rss_bytes = nln_memory_peak();
    if (out->sgemm_flops > 0)
        out->ratio = out->textbook_flop / (out->seconds * out->threads * out->sgemm_flops);
}

static nln_status open_trainer(nln_trainer *t, const nln_data *data, const nln_options *options,
                               nln_error *err)
{
    nln_source *source = NULL;
    nln_status status = nln_source_of_expressions(&source, data, err);
    return status ? status : nln_trainer_create(t, source, options, err);
}

static void fill_cost(nln_bench_report *out, const nln_cost *cost)
{
    out->textbook_flop = cost->textbook_flop;
    out->executed_flop = cost->executed_flop;
    out->rows = cost->rows;
    out->rows_after_sharing = cost->shared_rows;
}

/* Shares of the processor time of one pass, which is threads times its seconds. */
static void fill_shares(nln_bench_report *out, const double sums[NLN_N_PHASES], double seconds)
{
    double *shares[NLN_N_PHASES] = {&out->plan,         &out->gather,    &out->gemm,
                                    &out->element_wise, &out->law_terms, &out->adam};
    for (int p = 0; p < NLN_N_PHASES; p++)
        *shares[p] = sums[p] / (seconds * out->threads);
}

/* ---- train ------------------------------------------------------------------------ */

/* One epoch.  With `sums`, profiles it; only a network has phases and costs. */
static nln_status timed_epoch(double *seconds, nln_trainer *t, double sums[NLN_N_PHASES],
                              nln_error *err)
{
    double loss, start = nln_profile_now();
    nln_network_learner *network = nln_network_of(t->learner);
    int n_networks = network ? t->model->n_networks : 0;
    t->profile = (nln_profile){.on = sums != NULL};
    for (int k = 0; k < n_networks; k++)
        for (int i = 0; i < network->batch[k]->n_workspaces; i++)
            network->batch[k]->workspace[i].work->profile = t->profile;
    if (network)
        network->cost = (nln_cost){0};
    nln_status status = nln_trainer_epoch(&loss, t, NULL, NULL, err);
    *seconds = nln_profile_now() - start;
    for (int p = 0; sums && p < NLN_N_PHASES; p++) {
        sums[p] = t->profile.seconds[p];
        for (int k = 0; k < n_networks; k++)
            for (int i = 0; i < network->batch[k]->n_workspaces; i++)
                sums[p] += network->batch[k]->workspace[i].work->profile.seconds[p];
    }
    return status;
}

nln_status nln_bench_train(nln_bench_report *out, const nln_data *data, const nln_options *options,
                           int passes, nln_error *err)
{
    double seconds[MOST_PASSES], profiled, sums[NLN_N_PHASES];
    nln_trainer t = {0};
    nln_status status = begin(out, options, passes, err);
    if (!status)
        status = open_trainer(&t, data, options, err);
    nln_communicator_counts before = {0}, *counts = nln_communicator_count();
    for (int i = -1; !status && i < passes; i++) { /* the first warms up caches and memory */
        status = timed_epoch(&seconds[i < 0 ? 0 : i], &t, NULL, err);
        if (i < 0)
            before = *counts;
    }
    if (!status && nln_communicator_size() > 1) {
        size_t size = (size_t)t.batch_size, batches = (t.source->n + size - 1) / size;
        double n = (double)batches * passes;
        out->sent_bytes = (counts->bytes_sent - before.bytes_sent) / n;
        out->waited_seconds = (counts->seconds_waited - before.seconds_waited) / n;
    }
    if (!status)
        status = timed_epoch(&profiled, &t, sums, err);
    if (!status) {
        const nln_network_learner *network = nln_network_of(t.learner);
        out->threads = t.model->config.threads;
        out->expressions = t.source->exprs[NLN_TRAIN].n;
        if (network) {
            fill_cost(out, &network->cost);
            fill_shares(out, sums, profiled);
        }
        end(out, seconds, passes);
    }
    nln_trainer_free(&t);
    return status;
}

/* ---- predict ---------------------------------------------------------------------- */

/* Predicts once more with a profile. */
static nln_status profile_prediction(nln_bench_report *out, double *score, const nln_model *m,
                                     const nln_exprs *list, nln_error *err)
{
    nln_cost cost;
    nln_profile profile = {.on = 1};
    double start = nln_profile_now();
    if (!(m->method->has & NLN_HAS_NETWORK))
        return NLN_OK;
    nln_status status = nln_network_measure(&cost, &profile, score, m, list, m->config.orders,
                                            m->config.threads, err);
    if (!status) {
        fill_cost(out, &cost);
        fill_shares(out, profile.seconds, nln_profile_now() - start);
    }
    return status;
}

/* The median time of nln_predict on a training expression, as text. */
static nln_status time_single(double *out, const nln_model *m, const nln_exprs *list,
                              nln_error *err)
{
    double seconds[MOST_SINGLE] = {0}, p;
    nln_status status = NLN_OK;
    int n = list->n < MOST_SINGLE ? (int)list->n : MOST_SINGLE;
    for (int i = 0; !status && i < n; i++) {
        char *text = NULL;
        status = nln_print(&text, nln_exprs_get(list, (size_t)i),
                           &(nln_vocabulary){.variables = m->symbols}, err);
        double start = nln_profile_now();
        if (!status)
            status = nln_predict(&p, m, text, err);
        seconds[i] = nln_profile_now() - start;
        nln_free(text);
    }
    *out = median(seconds, n);
    return status;
}

nln_status nln_bench_predict(nln_bench_report *out, const nln_data *data,
                             const nln_options *options, int passes, nln_error *err)
{
    double seconds[MOST_PASSES], *score = NULL;
    nln_trainer t = {0};
    nln_status status = begin(out, options, passes, err);
    if (!status)
        status = open_trainer(&t, data, options, err);
    if (status)
        return status;
    const nln_model *m = t.model;
    const nln_exprs *list = &t.source->exprs[NLN_TRAIN];
    out->threads = m->config.threads;
    out->expressions = list->n;
    if (!(score = nln_array_zeroed(list->n, sizeof *score)))
        status = nln_error_memory(err);
    for (int i = -1; !status && i < passes; i++) {
        double start = nln_profile_now();
        status = nln_model_scores(score, m, list, m->config.orders, m->config.threads, err);
        seconds[i < 0 ? 0 : i] = nln_profile_now() - start;
    }
    if (!status)
        status = profile_prediction(out, score, m, list, err);
    if (!status)
        status = time_single(&out->single_seconds, m, list, err);
    if (!status)
        end(out, seconds, passes);
    nln_free(score);
    nln_trainer_free(&t);
    return status;
}

/* ---- rank ------------------------------------------------------------------------- */

typedef struct ranking {
    nln_trainer t;
    nln_exprs list; /* the first training expressions */
    nln_item_scorer *scorer;
    nln_running_cost cost; /* of all rankings; times only if its profile is on */
    real *vectors;         /* [networks, members, list.n, dim] */
    double *p;             /* [variables] */
} ranking;

static nln_status prepare(ranking *r, const nln_data *data, const nln_options *options,
                          nln_error *err)
{
    nln_status status = open_trainer(&r->t, data, options, err);
    if (!status)
        status = nln_model_need_network(r->t.model, "ranking after an expression", err);
    if (status)
        return status;
    const nln_exprs *train = &r->t.source->exprs[NLN_TRAIN];
    for (size_t i = 0; !status && i < train->n && i < MOST_SINGLE; i++)
        status = nln_exprs_append(&r->list, nln_exprs_get(train, i), err);
    if (!status)
        status = nln_network_ask(&r->scorer, r->t.model, 1, err);
    size_t n = nln_model_vector_length(r->t.model) * r->list.n;
    r->vectors = nln_array_zeroed(n, sizeof *r->vectors);
    r->p = nln_array_zeroed(nln_model_variables(r->t.model), sizeof *r->p);
    return status || (r->vectors && r->p) ? status : nln_error_memory(err);
}

static nln_status rank_all(double *seconds, double *single, ranking *r, nln_error *err)
{
    double each[MOST_SINGLE], start = nln_profile_now();
    size_t d = (size_t)r->t.model->config.dimension;
    nln_status status = nln_model_vectors(r->vectors, r->t.model, &r->list, -1, err);
    for (size_t i = 0; !status && i < r->list.n; i++) {
        double before = nln_profile_now();
        nln_network_rank(r->p, r->scorer, r->vectors + i * d, r->list.n * d, &r->cost);
        each[i] = nln_profile_now() - before;
    }
    *seconds = nln_profile_now() - start;
    if (!status)
        *single = median(each, (int)r->list.n);
    return status;
}

nln_status nln_bench_rank(nln_bench_report *out, const nln_data *data, const nln_options *options,
                          int passes, nln_error *err)
{
    double seconds[MOST_PASSES];
    ranking r = {0};
    nln_status status = begin(out, options, passes, err);
    if (!status)
        status = prepare(&r, data, options, err);
    for (int i = -1; !status && i < passes; i++)
        status = rank_all(&seconds[i < 0 ? 0 : i], &out->single_seconds, &r, err);
    double profiled, single;
    r.cost = (nln_running_cost){.profile.on = 1};
    if (!status)
        status = rank_all(&profiled, &single, &r, err);
    if (!status) {
        const nln_model *m = r.t.model;
        double h = m->config.hidden, variables = (double)m->n_networks * m->net[0]->n_variables;
        out->threads = 1;
        out->expressions = r.list.n;
        out->rows = out->rows_after_sharing = (double)r.list.n * variables;
        out->textbook_flop = 2 * h * h * out->rows;
        out->executed_flop = out->textbook_flop - r.cost.spared;
        fill_shares(out, r.cost.profile.seconds, profiled);
        end(out, seconds, passes);
    }
    nln_exprs_free(&r.list);
    if (r.scorer)
        r.scorer->free(r.scorer);
    nln_free(r.vectors);
    nln_free(r.p);
    nln_trainer_free(&r.t);
    return status;
}

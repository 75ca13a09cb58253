#include "training/logic_refinement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "math/scalar.h"
#include "models/network_learner.h"
#include "net/probability_law.h"
#include "training/calibration.h"
#include "training/variable_messages.h"

/* Steps of the law of probabilities: the more there is to learn from, the better the modules must
 * compute.  ENOUGH of them obey the law well; a set of a few examples is not worth so many. */
enum { ENOUGH = 1200, MOST_STEPS = 8000 };
#define MOST_LOSS 0.004 /* modules that obey the law so well need no choice */

/* The trained weights, for the case that they are better. */
typedef struct trained {
    real *weights, *logit; /* of all networks, one after the other */
} trained;

static void trained_free(trained *t)
{
    nln_free(t->weights);
    nln_free(t->logit);
}

/* Copies to or from the networks. */
static void copy_networks(trained *t, const nln_model *m, int back)
{
    for (int i = 0; i < m->n_networks; i++) {
        const nln_net *net = m->net[i];
        size_t n = nln_modules_size(net->dim, net->hidden), n_logits = (size_t)net->n_variables;
        real *weights = t->weights + (size_t)i * n, *logit = t->logit + (size_t)i * n_logits;
        memcpy(back ? net->weights : weights, back ? weights : net->weights, n * sizeof(real));
        memcpy(back ? net->logit : logit, back ? logit : net->logit, n_logits * sizeof(real));
    }
}

static nln_status trained_keep(trained *t, const nln_model *m, nln_error *err)
{
    const nln_net *net = m->net[0]; /* all are of one size */
    size_t n = (size_t)m->n_networks;
    t->weights = nln_array_zeroed(n * nln_modules_size(net->dim, net->hidden), sizeof(real));
    t->logit = nln_array_zeroed(n * (size_t)net->n_variables, sizeof(real));
    if (!t->weights || !t->logit)
        return nln_error_memory(err);
    copy_networks(t, m, 0);
    return NLN_OK;
}

/* The RMSE on validation, with scores that are calibrated if the model's will be. */
static nln_status measure(double *rmse, const nln_source *s, const nln_model *m, double noise,
                          nln_error *err)
{
    size_t n = nln_source_size(s, NLN_VALID);
    nln_truths truths = s->truths[NLN_VALID];
    double *score = nln_array_zeroed(n, sizeof *score), sum = 0, mass = 0, scale = 1;
    nln_status status =
        score ? nln_source_scores(score, s, m, NLN_VALID, err) : nln_error_memory(err);
    if (!status && m->config.calibrate)
        scale = nln_calibration_temperature(score, truths, n, noise);
    for (size_t i = 0; !status && i < n; i++) {
        double weight = nln_truths_weight(&truths, i);
        double far = nln_sigmoid(scale * score[i]) - nln_truths_label(&truths, i);
        sum += weight * far * far;
        mass += weight;
    }
    *rmse = mass > 0 ? sqrt(sum / mass) : INFINITY;
    nln_free(score);
    return status;
}

typedef struct lessons {
    const nln_model *model;
    int steps;
    struct {
        double loss;
        nln_status status;
        nln_error err;
    } of[NLN_MOST_NETWORKS];
} lessons;

static void learn_law(void *context, int i)
{
    lessons *l = context;
    uint64_t seed = (uint64_t)l->model->config.seed + (uint64_t)i;
    l->of[i].status =
        nln_probability_law_learn(&l->of[i].loss, l->model->net[i], l->steps, seed, &l->of[i].err);
}

static nln_status teach_modules(double *loss, nln_model *m, size_t n_examples,
                                nln_thread_pool *pool, nln_error *err)
{
    size_t few = 2 * n_examples < ENOUGH ? 2 * n_examples : ENOUGH, half = n_examples / 2;
    size_t steps = half > few ? half : few;
    lessons l = {.model = m, .steps = steps < MOST_STEPS ? (int)steps : MOST_STEPS};
    nln_status status = NLN_OK;
    nln_thread_pool_run(pool, m->n_networks, learn_law, &l);
    for (int i = 0; !status && i < m->n_networks; i++)
        if ((status = l.of[i].status) && err)
            *err = l.of[i].err;
    *loss = 0;
    for (int i = 0; i < m->n_networks; i++)
        *loss = fmax(*loss, l.of[i].loss);
    return status;
}

static nln_status find_variables(nln_model *m, const nln_source *s, double noise,
                                 nln_thread_pool *pool, nln_error *err)
{
    size_t n = (size_t)nln_model_rows(m);
    double *log_odds = nln_array_zeroed(n, sizeof *log_odds);
    nln_status status = log_odds ? NLN_OK : nln_error_memory(err);
    for (int i = 0; !status && i < m->n_networks; i++) {
        nln_message_settings settings = {.network = i,
                                         .sweeps = m->config.message_sweeps,
                                         .noise = noise,
                                         .fit_noise = m->config.fit_noise};
        nln_net *net = m->net[i];
        status = nln_variable_messages_solve(log_odds, m, &s->exprs[NLN_TRAIN],
                                             &s->truths[NLN_TRAIN], &settings, pool, err);
        for (size_t v = 0; !status && v < (size_t)net->n_variables; v++)
            net->logit[v] = (real)nln_arc_number(log_odds[v % n], (double)net->alpha);
    }
    nln_free(log_odds);
    return status;
}

/* One member of each variable stays, since all are equal. */
static nln_status join_members(nln_model *m, nln_error *err)
{
    if (nln_options_source(m->options, "members") >= NLN_FROM_FILE)
        return NLN_OK;
    for (int i = 0; i < m->n_networks; i++)
        m->net[i]->n_variables = nln_model_rows(m);
    m->config.members = 1;
    return nln_options_assign(m->options, "members", "1", NLN_FROM_DATA, err);
}

/* Modules and variables anew; their RMSE on validation before and after. */
static nln_status make_anew(double rmse[2], double *loss, const nln_source *s, nln_model *m,
                            double noise, nln_thread_pool *pool, nln_error *err)
{
    nln_status status = measure(&rmse[0], s, m, noise, err);
    if (!status)
        status = teach_modules(loss, m, s->exprs[NLN_TRAIN].n, pool, err);
    if (!status)
        status = find_variables(m, s, noise, pool, err);
    nln_network_storage.changed(m);
    return status ? status : measure(&rmse[1], s, m, noise, err);
}

nln_status nln_logic_refinement_make(char note[NLN_NOTE_ROOM], const nln_source *source,
                                     nln_model *model, double noise, nln_thread_pool *pool,
                                     nln_error *err)
{
    trained before = {0};
    double rmse[2] = {0, 0}, loss = INFINITY;
    if (!nln_source_size(source, NLN_VALID))
        return NLN_OK; /* nothing to choose by */
    nln_status status = trained_keep(&before, model, err);
    if (!status) {
        status = make_anew(rmse, &loss, source, model, noise, pool, err);
        if (!status && (loss <= MOST_LOSS || rmse[1] < rmse[0])) {
            snprintf(
                note, NLN_NOTE_ROOM,
                "variables found by messages through the modules: RMSE on validation %.4f, and "
                "%.4f as they were trained",
                rmse[1], rmse[0]);
            status = join_members(model, err);
        } else {
            copy_networks(&before, model, 1);
            nln_network_storage.changed(model);
        }
    }
    trained_free(&before);
    return status;
}

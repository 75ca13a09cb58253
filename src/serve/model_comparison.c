#include "serve/model_comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *nln_model_comparison_name(const char *task)
{
    return strcmp(task, "topk") == 0         ? "nDCG@10"
           : strcmp(task, "preference") == 0 ? "AUC"
                                             : "accuracy";
}

double nln_model_comparison_value(const char *task, const nln_metrics *m)
{
    if (strcmp(task, "topk") == 0) {
        const nln_ranking *ranking = m->full.n ? &m->full : &m->sampled;
        for (int i = 0; i < ranking->n_cuts; i++)
            if (ranking->cut[i] == 10)
                return ranking->ndcg[i];
        return ranking->n ? ranking->mrr : NAN;
    }
    if (!m->n)
        return NAN;
    return strcmp(task, "preference") == 0 && !isnan(m->auc) ? m->auc : m->accuracy;
}

static double measure(nln_metrics *metrics, const nln_model *model, const char *task,
                      const nln_ratings *ratings, nln_error *err)
{
    nln_status status = nln_evaluate_ratings(metrics, NULL, model, ratings, NLN_TEST, NULL, err);
    return status ? NAN : nln_model_comparison_value(task, metrics);
}

void nln_model_comparison_make(nln_model_comparison *out, const nln_model *now,
                               const nln_model *before, const nln_ratings *ratings)
{
    const char *task = nln_model_abilities(now).task;
    size_t n = nln_ratings_size(ratings, NLN_TEST);
    nln_metrics old = {0};
    nln_error err = {0};
    *out = (nln_model_comparison){.name = nln_model_comparison_name(task)};
    out->now = measure(&out->metrics, now, task, ratings, &err);
    out->before = strcmp(nln_model_abilities(before).task, task) == 0
                      ? measure(&old, before, task, ratings, NULL)
                      : NAN;
    out->worse = isnan(out->now) || out->now < out->before;
    if (isnan(out->now))
        snprintf(out->verdict, sizeof out->verdict,
                 "the new model cannot be measured on the %zu newest events%s%.300s; the old one "
                 "stays in service",
                 n, err.status ? ": " : "", err.status ? err.message : "");
    else if (isnan(out->before))
        snprintf(out->verdict, sizeof out->verdict,
                 "%s on the %zu newest events, which it has not learned, is %.4f; the model before "
                 "cannot be compared",
                 out->name, n, out->now);
    else if (out->worse)
        snprintf(out->verdict, sizeof out->verdict,
                 "%s on the %zu newest events, which neither has learned, is %.4f, worse than %.4f "
                 "of the model in service, which stays",
                 out->name, n, out->now, out->before);
    else
        snprintf(out->verdict, sizeof out->verdict,
                 "%s on the %zu newest events, which neither has learned, is %.4f; it was %.4f",
                 out->name, n, out->now, out->before);
}

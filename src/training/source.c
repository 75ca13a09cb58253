#include "training/source.h"

#include "base/array.h"
#include "evaluation/metrics.h"
#include "math/scalar.h"

size_t nln_source_size(const nln_source *s, nln_split split)
{
    return s->queries[split].n ? s->queries[split].n : s->exprs[split].n;
}

nln_status nln_source_scores(double *score, const nln_source *s, const nln_model *model,
                             nln_split split, nln_error *err)
{
    const nln_config *c = &model->config;
    if (!nln_source_size(s, split))
        return NLN_OK;
    if (s->queries[split].n)
        return nln_model_answers(score, model, &s->queries[split], c->threads, err);
    return nln_model_scores(score, model, &s->exprs[split], c->orders, c->threads, err);
}

nln_status nln_source_measure_labels(nln_metrics *out, const nln_source *s, const nln_model *model,
                                     nln_split split, int quickly, nln_error *err)
{
    size_t n = nln_source_size(s, split);
    double *p = nln_array_zeroed(n, sizeof *p);
    nln_status status = p ? nln_source_scores(p, s, model, split, err) : nln_error_memory(err);
    (void)quickly;
    if (!status) {
        for (size_t i = 0; i < n; i++)
            p[i] = nln_sigmoid(p[i]);
        *out = nln_metrics_labels(p, s->truths[split], n);
        status = nln_metrics_labels_auc(&out->auc, p, s->truths[split], n, err);
    }
    nln_free(p);
    return status;
}

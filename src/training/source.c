#include "training/source.h"

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

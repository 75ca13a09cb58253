#include "training/selection.h"

#include <math.h>
#include <stdlib.h>

static int accuracy(const nln_metrics *a, const nln_metrics *b)
{
    return a->accuracy > b->accuracy || (a->accuracy == b->accuracy && a->rmse < b->rmse);
}

static int rmse(const nln_metrics *a, const nln_metrics *b)
{
    return a->rmse < b->rmse;
}

static int cross_entropy(const nln_metrics *a, const nln_metrics *b)
{
    return a->cross_entropy < b->cross_entropy;
}

/* Unknown where all labels are the same. */
static int auc(const nln_metrics *a, const nln_metrics *b)
{
    return isnan(a->auc) ? cross_entropy(a, b) : a->auc > b->auc;
}

/* nDCG@10 of the sampled ranking, or at the cut nearest to 10. */
static double ndcg_at_10(const nln_ranking *r)
{
    int best = 0;
    for (int i = 0; i < r->n_cuts; i++)
        if (abs(r->cut[i] - 10) < abs(r->cut[best] - 10))
            best = i;
    return r->ndcg[best];
}

static int ndcg(const nln_metrics *a, const nln_metrics *b)
{
    return ndcg_at_10(&a->sampled) > ndcg_at_10(&b->sampled);
}

static int mrr(const nln_metrics *a, const nln_metrics *b)
{
    return a->links.mrr > b->links.mrr;
}

static int last(const nln_metrics *a, const nln_metrics *b)
{
    (void)a, (void)b;
    return 1;
}

enum {
    OF_LABELS = 1 << NLN_MEASURE_LABELS,
    OF_RANKS = 1 << NLN_MEASURE_RANKS,
    OF_LINKS = 1 << NLN_MEASURE_LINKS
};
static const struct {
    const char *name;
    int measures; /* of the tasks that have the metric */
    int (*better)(const nln_metrics *a, const nln_metrics *b);
} rows[] = {
    [NLN_SELECT_ACCURACY] = {"accuracy", OF_LABELS, accuracy},
    [NLN_SELECT_RMSE] = {"rmse", OF_LABELS, rmse},
    [NLN_SELECT_CROSS_ENTROPY] = {"cross-entropy", OF_LABELS, cross_entropy},
    [NLN_SELECT_AUC] = {"auc", OF_LABELS, auc},
    [NLN_SELECT_NDCG] = {"ndcg", OF_RANKS, ndcg},
    [NLN_SELECT_LAST] = {"last", OF_LABELS | OF_RANKS | OF_LINKS, last},
    [NLN_SELECT_MRR] = {"mrr", OF_LINKS, mrr},
};

nln_status nln_selection_check(const nln_model *model, nln_error *err)
{
    const nln_config *c = &model->config;
    if (c->select == NLN_SELECT_LAST && c->patience)
        return nln_error_set(err, NLN_INVALID,
                             "option --patience needs a metric to wait for: with --select last "
                             "leave it out, or choose another --select");
    if (rows[c->select].measures >> model->task->measures & 1)
        return NLN_OK;
    return nln_error_set(
        err, NLN_INVALID, "task %s is measured by %s: it has no --select %s", model->task->name,
        model->task->measures == NLN_MEASURE_LINKS ? "ranks of links, --select mrr or last"
        : model->task->measures == NLN_MEASURE_RANKS
            ? "ranks alone, --select ndcg or last"
            : "labels, --select accuracy, rmse, cross-entropy, auc or last",
        rows[c->select].name);
}

int nln_selection_better(int select, const nln_metrics *a, const nln_metrics *best)
{
    return (!best->n && !best->sampled.n && !best->links.n) || rows[select].better(a, best);
}

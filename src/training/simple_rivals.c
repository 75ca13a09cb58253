#include "training/simple_rivals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/task.h"

/* A catalogue beyond this takes EASE longer than some seconds. */
enum { MOST_ITEMS_OF_EASE = 5000 };

/* Counting pairs of items takes the memory that rules take; a training without rules is spared it.
 */
static int is_too_dear(const char *name, const nln_model *model)
{
    int counts_pairs = strcmp(name, "popularity") != 0, is_ease = strcmp(name, "ease") == 0;
    return (counts_pairs && !model->config.rules) ||
           (is_ease && nln_model_variables(model) > MOST_ITEMS_OF_EASE);
}

static const struct {
    int task;
    const char *name, *title;
} rivals[] = {
    {NLN_TASK_TOPK, "popularity", "popularity"},
    {NLN_TASK_TOPK, "itemknn", "counting items liked together"},
    {NLN_TASK_TOPK, "ease", "EASE"},
    {NLN_TASK_PREFERENCE, "popularity", "the share of likes of each item"},
};

/* What decides: the AUC, or nDCG@k for the k next to 10 among all items. */
static double quality_of(const nln_metrics *m, int task, int *cut)
{
    int at = 0;
    if (task == NLN_TASK_PREFERENCE)
        return m->auc;
    for (int i = 1; i < m->full.n_cuts; i++)
        if (abs(m->full.cut[i] - 10) < abs(m->full.cut[at] - 10))
            at = i;
    *cut = m->full.n_cuts ? m->full.cut[at] : 0;
    return m->full.n ? m->full.ndcg[at] : NAN;
}

static nln_status train(nln_metrics *valid, const char *name, const nln_model *model,
                        const nln_ratings *ratings, nln_error *err)
{
    nln_options *options = NULL;
    nln_model *rival = NULL;
    nln_report report = {0};
    char threads[16];
    snprintf(threads, sizeof threads, "%d", model->config.threads);
    nln_status status = nln_options_create(&options, "train", err);
    if (!status)
        status = nln_options_set(options, "task", model->task->name, err);
    if (!status)
        status = nln_options_set(options, "model", name, err);
    if (!status)
        status = nln_options_set(options, "threads", threads, err);
    if (!status)
        status = nln_train_ratings(&rival, &report, ratings, options, NULL, err);
    *valid = report.valid;
    nln_model_free(rival);
    nln_options_free(options);
    return status;
}

nln_status nln_simple_rivals_compare(char note[NLN_NOTE_ROOM], const nln_model *model,
                                     const nln_ratings *ratings, const nln_metrics *valid,
                                     nln_error *err)
{
    nln_ratings plain = *ratings;
    int task = model->config.task, cut = 0, best = -1;
    double own = quality_of(valid, task, &cut), most = own;
    plain.facts = NULL; /* which are for the network alone */
    note[0] = '\0';
    for (int i = 0; !isnan(own) && i < (int)(sizeof rivals / sizeof *rivals); i++) {
        nln_metrics found = {0};
        if (rivals[i].task != task || is_too_dear(rivals[i].name, model))
            continue;
        nln_status status = train(&found, rivals[i].name, model, &plain, err);
        if (status)
            return status;
        double quality = quality_of(&found, task, &cut);
        if (quality >= most) {
            most = quality;
            best = i;
        }
    }
    if (best < 0)
        return NLN_OK;
    char measure[32] = "AUC";
    if (task != NLN_TASK_PREFERENCE)
        snprintf(measure, sizeof measure, "full nDCG@%d", cut);
    snprintf(note, NLN_NOTE_ROOM,
             "on validation a simpler model does %s: %s has a %s of %.4f, this model %.4f; `nln "
             "train --model %s` trains it, `nln compare` tells whether that is chance",
             most > own ? "better" : "as well", rivals[best].title, measure, most, own,
             rivals[best].name);
    return NLN_OK;
}

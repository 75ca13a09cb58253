#include "training/link_weights.h"

#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "evaluation/link_evaluation.h"
#include "models/link_learner.h"
#include "models/rules_method.h"

/* Validation, ranked with some weights of the rules at a time. */
typedef struct contest {
    nln_model *model;
    const nln_fact_index *known;
    nln_link_questions questions;
    double *rank; /* [MOST, targets] */
} contest;

enum { MOST = 9 };

static nln_status open(contest *c, const nln_triples *t, nln_error *err)
{
    nln_status status = nln_link_evaluation_questions(&c->questions, t->list[NLN_VALID],
                                                      t->n[NLN_VALID], c->known->n_relations, err);
    if (!status && !(c->rank = nln_array_zeroed(MOST * c->questions.n_targets, sizeof *c->rank)))
        status = nln_error_memory(err);
    return status;
}

/* mrr[i] with the rules' weight[i]. */
static nln_status rank(double *mrr, contest *c, const double *weight, int n, nln_error *err)
{
    nln_status status = nln_link_evaluation_ranks(c->rank, c->model, c->known, &c->questions,
                                                  weight, n, c->model->config.threads, err);
    for (int i = 0; !status && i < n; i++) {
        nln_link_ranking r;
        nln_link_evaluation_summary(&r, &c->questions, c->rank + (size_t)i * c->questions.n_targets,
                                    c->known->n_relations);
        mrr[i] = r.mrr;
    }
    return status;
}

/* The relations get the share of their inverses that ranks best without rules. */
static nln_status fit_inverses(double *weight, contest *c, nln_error *err)
{
    static const double tried[] = {0, 0.05, 0.1, 0.2, 0.3, 0.5}, no_rules = 0;
    nln_model *m = c->model;
    size_t n = nln_link_relation_numbers(m);
    real *learned = nln_array_zeroed(n, sizeof *learned);
    nln_status status = learned ? NLN_OK : nln_error_memory(err);
    double best = -1;
    if (!status)
        memcpy(learned, nln_link_relations(m), n * sizeof *learned);
    for (size_t i = 0; !status && i < sizeof tried / sizeof *tried; i++) {
        double mrr = 0;
        nln_link_mix_inverses(m, learned, tried[i]);
        status = rank(&mrr, c, &no_rules, 1, err);
        if (!status && mrr > best) {
            best = mrr;
            *weight = tried[i];
        }
    }
    if (learned)
        nln_link_mix_inverses(m, learned, status ? 0 : *weight);
    nln_free(learned);
    return status;
}

static nln_status fit_rules(contest *c, nln_error *err)
{
    static const double tried[MOST] = {0, 0.1, 0.2, 0.35, 0.6, 1, 1.7, 3, 5};
    double mrr[MOST], best = -1;
    nln_status status = nln_rules_method_find(c->model, err);
    if (!status)
        status = rank(mrr, c, tried, MOST, err);
    for (int i = 0; !status && i < MOST; i++)
        if (mrr[i] > best) {
            best = mrr[i];
            c->model->links->by_rules = tried[i];
        }
    return status;
}

nln_status nln_link_weights_fit(char note[NLN_NOTE_ROOM], nln_model *model,
                                const nln_triples *triples, const nln_fact_index *known,
                                nln_error *err)
{
    contest c = {.model = model, .known = known};
    const nln_config *config = &model->config;
    double inverses = 0;
    size_t at = 0;
    if (!triples->n[NLN_VALID] || (!config->link_inverses && !config->link_rules))
        return NLN_OK;
    nln_status status = open(&c, triples, err);
    if (!status && config->link_inverses) {
        status = fit_inverses(&inverses, &c, err);
        at = (size_t)snprintf(note, NLN_NOTE_ROOM, "inverse relations with a weight of %g%s",
                              inverses, config->link_rules ? "; " : "");
    }
    if (!status && config->link_rules) {
        status = fit_rules(&c, err);
        if (!status)
            snprintf(note + at, NLN_NOTE_ROOM - at,
                     "%zu rules found by counting, with a weight of %g", model->links->rules->n,
                     model->links->by_rules);
    }
    nln_free(c.rank);
    nln_link_questions_free(&c.questions);
    return status;
}

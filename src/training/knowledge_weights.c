#include "training/knowledge_weights.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "math/choice_fit.h"

static const double decays[] = {0.9, 0.8, 0.65};
enum {
    N_DECAYS = sizeof decays / sizeof *decays,
    MOST_CANDIDATES = 256,  /* of a case that is learned from */
    MOST_NUMBERS = 8000000, /* features that are learned from */
    FACTS = NLN_BY_FACTS,   /* the first feature of facts; those before it are kinds of scores */
    MOST_FEATURES = FACTS + NLN_KNOWLEDGE_WEIGHTS
};
static const double prior = 1e-4; /* on weights of features with a spread of 1 */

typedef struct learning {
    nln_contest *contest;
    const nln_item_knowledge *knowledge;
    nln_knowledge_walk walk;
    nln_choices choices;
    size_t step; /* every step-th like is a case */
    size_t *n_of;
    float *feature;
    double spread[MOST_FEATURES];
    double weight[MOST_FEATURES];
} learning;

static nln_status open(learning *l, nln_error *err)
{
    nln_contest *c = l->contest;
    int width = FACTS + l->knowledge->n_weights;
    size_t each = c->each < MOST_CANDIDATES ? c->each : MOST_CANDIDATES;
    size_t most = MOST_NUMBERS / (each * (size_t)width);
    l->step = c->n > most ? (c->n + most - 1) / most : 1;
    size_t n = (c->n + l->step - 1) / l->step;
    l->n_of = nln_array_zeroed(n, sizeof *l->n_of);
    l->feature = nln_array_zeroed(n * each * (size_t)width, sizeof *l->feature);
    if (!c->score[NLN_BY_FACTS])
        c->score[NLN_BY_FACTS] = nln_array_zeroed(c->n * c->each, sizeof *c->score[NLN_BY_FACTS]);
    if (!l->n_of || !l->feature || !c->score[NLN_BY_FACTS])
        return nln_error_memory(err);
    l->choices =
        (nln_choices){.n = n, .each = each, .n_of = l->n_of, .width = width, .feature = l->feature};
    return nln_knowledge_walk_open(&l->walk, l->knowledge->n_items, err);
}

static void close(learning *l)
{
    nln_knowledge_walk_close(&l->walk);
    nln_free(l->n_of);
    nln_free(l->feature);
}

/* ---- features ---------------------------------------------------------------------------------
 */

/* The candidates of a case are those of the like, evenly spread where there are too many. */
static size_t candidate_of(const learning *l, size_t like, size_t i)
{
    size_t n = l->contest->n_candidates[like], each = l->choices.each;
    return n <= each || !i ? i : 1 + (i - 1) * (n - 1) / (each - 1);
}

static void score_facts(learning *l, size_t like, const double *weight, double decay)
{
    nln_contest *c = l->contest;
    const nln_query *q = &c->queries.list[like];
    memset(c->all, 0, l->knowledge->n_items * sizeof *c->all);
    nln_item_knowledge_add(c->all, l->knowledge, c->queries.literal + q->first, q->n, weight, decay,
                           &l->walk);
}

static void fill_case(learning *l, size_t at, double decay)
{
    nln_contest *c = l->contest;
    size_t like = at * l->step, width = (size_t)l->choices.width, each = l->choices.each;
    size_t n = c->n_candidates[like] < each ? c->n_candidates[like] : each;
    float *x = l->feature + at * each * width;
    l->n_of[at] = n;
    for (size_t i = 0; i < n; i++)
        for (int kind = 0; kind < FACTS; kind++)
            x[i * width + (size_t)kind] = c->score[kind][like * c->each + candidate_of(l, like, i)];
    for (int j = 0; j < l->knowledge->n_weights; j++) {
        double one[NLN_KNOWLEDGE_WEIGHTS] = {0};
        one[j] = 1;
        score_facts(l, like, one, decay);
        for (size_t i = 0; i < n; i++)
            x[i * width + FACTS + (size_t)j] =
                (float)c->all[c->candidate[like * c->each + candidate_of(l, like, i)]];
    }
}

/* Divides every feature by its spread among the candidates of a case. */
static void scale(learning *l)
{
    size_t width = (size_t)l->choices.width, each = l->choices.each;
    for (size_t j = 0; j < width; j++) {
        double sum = 0;
        for (size_t at = 0; at < l->choices.n; at++) {
            const float *x = l->feature + at * each * width + j;
            double n = (double)l->n_of[at], of_x = 0, of_squares = 0;
            for (size_t i = 0; i < l->n_of[at]; i++) {
                of_x += (double)x[i * width];
                of_squares += (double)x[i * width] * (double)x[i * width];
            }
            sum += fmax(0, of_squares / n - of_x / n * (of_x / n));
        }
        l->spread[j] = sqrt(sum / (double)l->choices.n);
        for (size_t i = 0; l->spread[j] > 0 && i < l->choices.n * each; i++)
            l->feature[i * width + j] /= (float)l->spread[j];
    }
}

/* ---- learning ---------------------------------------------------------------------------------
 */

/* The weights at this decay, of the features as they are; returns the quality of their ranking. */
static double learn(learning *l, double decay)
{
    nln_contest *c = l->contest;
    for (size_t at = 0; at < l->choices.n; at++)
        fill_case(l, at, decay);
    scale(l);
    memset(l->weight, 0, sizeof l->weight);
    l->weight[NLN_BY_NETWORK] = 1;
    nln_choice_fit(l->weight, &l->choices, prior);
    /* The network keeps a say: bounds and calibration rest on it. */
    l->weight[NLN_BY_NETWORK] = fmax(l->weight[NLN_BY_NETWORK], 1e-3);
    for (int j = 0; j < l->choices.width; j++)
        l->weight[j] = l->spread[j] > 0 ? l->weight[j] / l->spread[j] : 0;
    for (size_t like = 0; like < c->n; like++) {
        score_facts(l, like, l->weight + FACTS, decay);
        nln_contest_keep(c, NLN_BY_FACTS, like);
    }
    double factor[NLN_BY_KINDS] = {l->weight[NLN_BY_NETWORK], l->weight[NLN_BY_WHOLE],
                                   l->weight[NLN_BY_RECENT], 1};
    return nln_contest_quality(c, factor);
}

/* Gives the weights to the knowledge and to the rules, scaled so that scores spread about as the
 * network's alone. */
static void take(nln_item_knowledge *k, double kinds[FACTS], const learning *l, double decay)
{
    double of_network = l->spread[NLN_BY_NETWORK], sum = 0;
    for (int kind = 0; kind < FACTS; kind++)
        sum += fabs(l->weight[kind]) * l->spread[kind];
    sum += nln_contest_spread(l->contest, NLN_BY_FACTS);
    double by = sum > 0 && of_network > 0 ? of_network / sum : 1;
    for (int kind = 0; kind < FACTS; kind++)
        kinds[kind] = by * l->weight[kind];
    for (int j = 0; j < k->n_weights; j++)
        k->weight[j] = by * l->weight[FACTS + j];
    k->network = kinds[NLN_BY_NETWORK];
    k->decay = decay;
}

/* By the factors that the model has so far; the scores of its rules are put in their place. */
static double quality_before(nln_contest *c, const nln_model *model)
{
    const nln_item_rules *r = model->rules;
    double factor[NLN_BY_KINDS] = {1};
    if (r) {
        nln_contest_score_rules(c, r);
        factor[NLN_BY_NETWORK] = r->network;
        factor[NLN_BY_WHOLE] = r->whole;
        factor[NLN_BY_RECENT] = r->recent;
    } else {
        memset(c->score[NLN_BY_WHOLE], 0, c->n * c->each * sizeof(float));
        memset(c->score[NLN_BY_RECENT], 0, c->n * c->each * sizeof(float));
    }
    return nln_contest_quality(c, factor);
}

nln_status nln_knowledge_weights_learn(nln_knowledge_choice *out, nln_model *model,
                                       nln_item_knowledge **knowledge, nln_contest *contest,
                                       nln_error *err)
{
    learning l = {.contest = contest, .knowledge = *knowledge};
    double kinds[FACTS] = {1};
    *out = (nln_knowledge_choice){0};
    if (!contest->n)
        return NLN_OK;
    out->with = out->without = quality_before(contest, model);
    nln_status status = open(&l, err);
    for (int i = 0; !status && i < N_DECAYS; i++) {
        double found = learn(&l, decays[i]);
        if (found > out->with) {
            out->with = found;
            take(*knowledge, kinds, &l, decays[i]);
        }
    }
    close(&l);
    if (status || !(out->with > out->without))
        return status;
    model->knowledge = *knowledge;
    *knowledge = NULL;
    if (model->rules) {
        model->rules->network = kinds[NLN_BY_NETWORK];
        model->rules->whole = kinds[NLN_BY_WHOLE];
        model->rules->recent = kinds[NLN_BY_RECENT];
    }
    return NLN_OK;
}

#include "evaluation/link_evaluation.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "base/thread_pool.h"
#include "data/split_names.h"

/* ---- questions ------------------------------------------------------------------------------ */

/* One side of a triple. */
typedef struct side {
    int32_t relation, entity, target;
} side;

static int compare(const void *x, const void *y)
{
    return memcmp(x, y, sizeof(side));
}

nln_status nln_link_evaluation_questions(nln_link_questions *out, const nln_triple *list, size_t n,
                                         size_t n_relations, nln_error *err)
{
    side *sides = nln_array_zeroed(2 * n, sizeof *sides);
    int32_t *target = nln_array_zeroed(2 * n, sizeof *target);
    nln_status status = sides && target ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < n; i++) {
        nln_triple t = list[i];
        sides[2 * i] = (side){t.relation, t.head, t.tail};
        sides[2 * i + 1] = (side){t.relation + (int32_t)n_relations, t.tail, t.head};
    }
    if (!status && n)
        qsort(sides, 2 * n, sizeof *sides, compare);
    for (size_t i = 0, end; !status && i < 2 * n; i = end) {
        for (end = i; end < 2 * n && sides[end].relation == sides[i].relation &&
                      sides[end].entity == sides[i].entity;
             end++)
            target[end] = sides[end].target;
        status = nln_link_questions_add(out, sides[i].entity, sides[i].relation, target + i,
                                        end - i, err);
    }
    nln_free(sides);
    nln_free(target);
    return status;
}

/* ---- ranks ------------------------------------------------------------------------------------
 */

/* Lane l of the threads ranks blocks l, l + lanes, ...: a rank depends on nothing else. */
typedef struct job {
    const nln_model *model;
    const nln_fact_index *known;
    const nln_link_questions *questions;
    const double *weight;
    int n_weights, lanes;
    double *rank;
    nln_status status;
    nln_error error;
} job;

/* The rank of one entity, given the scores of all. */
static double rank_of(const double *score, size_t n, const nln_fact_index *known,
                      const nln_link_question *q, int32_t target)
{
    double own = score[target];
    size_t better = 0, equal = 0, first;
    for (size_t e = 0; e < n; e++) {
        better += score[e] > own;
        equal += score[e] == own;
    }
    size_t n_known = nln_fact_index_find(&first, known, q->entity, q->relation);
    for (size_t i = first; i < first + n_known; i++) {
        double other = score[known->edge[i].entity];
        if (known->edge[i].entity == target)
            continue;
        better -= other > own;
        equal -= other == own;
    }
    return 1 + (double)better + (double)(equal - 1) / 2;
}

static void rank_question(const job *j, nln_link_scorer *s, double *score, double *rules,
                          double *mixed, int32_t i, const nln_link_question *q)
{
    size_t n = nln_model_variables(j->model);
    int some = 0;
    for (int w = 0; w < j->n_weights; w++)
        some |= j->weight[w] > 0;
    nln_link_scorer_vectors(score, s, i);
    if (some)
        nln_link_scorer_rules(rules, s, i);
    for (int w = 0; w < j->n_weights; w++) {
        double *rank = j->rank + (size_t)w * j->questions->n_targets;
        const double *used = score;
        if (j->weight[w] > 0) {
            for (size_t e = 0; e < n; e++)
                mixed[e] = score[e] + j->weight[w] * rules[e];
            used = mixed;
        }
        for (size_t k = q->target; k < q->target + q->n_targets; k++)
            rank[k] = rank_of(used, n, j->known, q, j->questions->target[k]);
    }
}

static nln_status run_lane(const job *j, int lane, nln_error *err)
{
    nln_link_scorer *s = NULL;
    size_t n = nln_model_variables(j->model), block = NLN_LINK_BLOCK;
    double *score = nln_array_zeroed(3 * n, sizeof *score);
    nln_status status = score ? nln_link_scorer_create(&s, j->model, err) : nln_error_memory(err);
    for (size_t at = (size_t)lane * block; !status && at < j->questions->n;
         at += (size_t)j->lanes * block) {
        size_t m = j->questions->n - at < block ? j->questions->n - at : block;
        const nln_link_question *q = j->questions->list + at;
        status = nln_link_scorer_read(s, q, (int32_t)m, err);
        for (size_t i = 0; !status && i < m; i++)
            rank_question(j, s, score, score + n, score + 2 * n, (int32_t)i, &q[i]);
    }
    nln_link_scorer_free(s);
    nln_free(score);
    return status;
}

static void step(void *context, int lane)
{
    job *j = (job *)context + lane;
    j->status = run_lane(j, lane, &j->error);
}

nln_status nln_link_evaluation_ranks(double *rank, const nln_model *model,
                                     const nln_fact_index *known,
                                     const nln_link_questions *questions, const double *weight,
                                     int n_weights, int n_threads, nln_error *err)
{
    int lanes = n_threads > 0 ? n_threads : nln_thread_pool_processors();
    job *jobs = nln_array_zeroed((size_t)lanes, sizeof *jobs);
    nln_thread_pool *team = NULL;
    nln_status status = jobs ? nln_thread_pool_create(&team, lanes, err) : nln_error_memory(err);
    for (int i = 0; !status && i < lanes; i++)
        jobs[i] = (job){.model = model,
                        .known = known,
                        .questions = questions,
                        .weight = weight,
                        .n_weights = n_weights,
                        .lanes = lanes,
                        .rank = rank};
    if (!status)
        nln_thread_pool_run(team, lanes, step, jobs);
    for (int i = 0; !status && i < lanes; i++)
        if (jobs[i].status) {
            status = jobs[i].status;
            if (err)
                *err = jobs[i].error;
        }
    nln_thread_pool_free(team);
    nln_free(jobs);
    return status;
}

/* ---- metrics ------------------------------------------------------------------------------------
 */

void nln_link_evaluation_summary(nln_link_ranking *out, const nln_link_questions *questions,
                                 const double *rank, size_t n_relations)
{
    static const double cuts[] = {1, 3, 10};
    double sum[2] = {0}; /* of tails, then of heads */
    size_t n = questions->n_targets;
    *out = (nln_link_ranking){.n = n};
    for (size_t i = 0; i < questions->n; i++) {
        const nln_link_question *q = &questions->list[i];
        int inverse = (size_t)q->relation >= n_relations;
        for (size_t k = q->target; k < q->target + q->n_targets; k++) {
            sum[inverse] += 1 / rank[k];
            out->mean_rank += rank[k] / (double)n;
            for (int c = 0; c < 3; c++)
                out->hits[c] += (rank[k] <= cuts[c]) / (double)n;
        }
    }
    if (!n)
        return;
    out->mrr = (sum[0] + sum[1]) / (double)n;
    out->tails = 2 * sum[0] / (double)n;
    out->heads = 2 * sum[1] / (double)n;
}

/* Entities that occur in the triples and in no fact of training. */
static nln_status count_unseen(size_t *out, const nln_model *model, const nln_triple *list,
                               size_t n, nln_error *err)
{
    const nln_fact_index *facts = model->links->facts;
    uint8_t *counted = nln_array_zeroed(facts->n_entities, 1);
    if (!counted)
        return nln_error_memory(err);
    *out = 0;
    for (size_t i = 0; i < 2 * n; i++) {
        int32_t e = i % 2 ? list[i / 2].tail : list[i / 2].head;
        if (!counted[e] && facts->start[e] == facts->start[e + 1])
            ++*out;
        counted[e] = 1;
    }
    nln_free(counted);
    return NLN_OK;
}

nln_status nln_link_evaluation_run(nln_link_ranking *out, const nln_model *model,
                                   const nln_fact_index *known, const nln_triple *list, size_t n,
                                   int n_threads, nln_error *err)
{
    nln_link_questions questions = {0};
    double weight = model->links->rules ? model->links->by_rules : 0, *rank = NULL;
    size_t unseen = 0, n_relations = known->n_relations;
    nln_status status = nln_link_evaluation_questions(&questions, list, n, n_relations, err);
    if (!status && !(rank = nln_array_zeroed(questions.n_targets, sizeof *rank)))
        status = nln_error_memory(err);
    if (!status)
        status =
            nln_link_evaluation_ranks(rank, model, known, &questions, &weight, 1, n_threads, err);
    if (!status)
        status = count_unseen(&unseen, model, list, n, err);
    if (!status) {
        nln_link_evaluation_summary(out, &questions, rank, n_relations);
        out->unseen = unseen;
    }
    nln_free(rank);
    nln_link_questions_free(&questions);
    return status;
}

/* ---- triples that were read apart from the model ------------------------------------------------
 */

/* Appends the triples of a split with the model's numbers. */
static nln_status translate(nln_triple *out, const nln_model *model, const nln_triples *t,
                            int split, nln_error *err)
{
    for (size_t i = 0; i < t->n[split]; i++) {
        const int32_t id[] = {t->list[split][i].head, t->list[split][i].relation,
                              t->list[split][i].tail};
        int32_t known[3];
        for (int k = 0; k < 3; k++) {
            const nln_symbols *from = k == 1 ? t->relations : t->entities;
            const nln_symbols *to = k == 1 ? model->links->relations : model->symbols;
            const char *name = nln_symbols_name(from, id[k]);
            known[k] = nln_symbols_find(to, name, strlen(name));
            if (known[k] < 0)
                return nln_error_set(err, NLN_UNKNOWN,
                                     "the model does not know the %s '%.80s': evaluate it on data "
                                     "with the names it was trained with",
                                     k == 1 ? "relation" : "entity", name);
        }
        out[i] = (nln_triple){known[0], known[1], known[2]};
    }
    return NLN_OK;
}

/* A split with the model's numbers, and the facts of all splits. */
typedef struct translation {
    nln_triple *list[3];
    nln_fact_index *known;
} translation;

static void translation_free(translation *t)
{
    nln_fact_index_free(t->known);
    for (int s = 0; s < 3; s++)
        nln_free(t->list[s]);
}

static nln_status translate_all(translation *out, const nln_model *model,
                                const nln_triples *triples, nln_split split,
                                const nln_options *options, nln_error *err)
{
    nln_status status = nln_split_check(split, err);
    if (!status && options)
        status = nln_options_check(options, "predict", err);
    if (!status && !model->links)
        status = nln_error_set(err, NLN_INVALID, "the model was not trained on triples: task %s",
                               model->task->name);
    for (int s = 0; !status && s < 3; s++) {
        out->list[s] = nln_array_zeroed(triples->n[s], sizeof *out->list[s]);
        status =
            out->list[s] ? translate(out->list[s], model, triples, s, err) : nln_error_memory(err);
    }
    if (!status)
        status = nln_fact_index_create(&out->known, nln_model_variables(model),
                                       (size_t)nln_symbols_count(model->links->relations),
                                       (const nln_triple *const *)out->list, triples->n, 3, err);
    return status;
}

static int threads_of(const nln_options *options)
{
    return options ? (int)nln_options_number(options, "threads") : 0;
}

nln_status nln_evaluate_links(nln_metrics *out, const nln_model *model, const nln_triples *triples,
                              nln_split split, const nln_options *options, nln_error *err)
{
    translation t = {0};
    nln_status status = translate_all(&t, model, triples, split, options, err);
    if (!status) {
        *out = (nln_metrics){0};
        status = nln_link_evaluation_run(&out->links, model, t.known, t.list[split],
                                         triples->n[split], threads_of(options), err);
    }
    translation_free(&t);
    return status;
}

/* Both questions of every triple, each with one answer, in the order of the triples. */
static nln_status ask_one_by_one(nln_link_questions *out, const nln_triple *list, size_t n,
                                 size_t n_relations, nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t i = 0; !status && i < n; i++) {
        nln_triple t = list[i];
        status = nln_link_questions_add(out, t.head, t.relation, &t.tail, 1, err);
        if (!status)
            status = nln_link_questions_add(out, t.tail, t.relation + (int32_t)n_relations, &t.head,
                                            1, err);
    }
    return status;
}

nln_status nln_place_links(nln_link_placing **out, const nln_model *model,
                           const nln_triples *triples, nln_split split, const nln_options *options,
                           nln_error *err)
{
    translation t = {0};
    nln_link_questions questions = {0};
    double *rank = NULL;
    *out = NULL;
    nln_status status = translate_all(&t, model, triples, split, options, err);
    size_t n = status ? 0 : triples->n[split];
    if (!status)
        status = ask_one_by_one(&questions, t.list[split], n, t.known->n_relations, err);
    if (!status) {
        rank = nln_array_zeroed(2 * n, sizeof *rank);
        *out = nln_array_zeroed(n, sizeof **out);
        status = rank && *out ? NLN_OK : nln_error_memory(err);
    }
    if (!status) {
        double weight = model->links->rules ? model->links->by_rules : 0;
        status = nln_link_evaluation_ranks(rank, model, t.known, &questions, &weight, 1,
                                           threads_of(options), err);
    }
    for (size_t i = 0; !status && i < n; i++) {
        nln_triple own = triples->list[split][i];
        (*out)[i] = (nln_link_placing){.head = (size_t)own.head,
                                       .relation = (size_t)own.relation,
                                       .tail = (size_t)own.tail,
                                       .head_rank = rank[2 * i + 1],
                                       .tail_rank = rank[2 * i]};
    }
    if (status) {
        nln_free(*out);
        *out = NULL;
    }
    nln_free(rank);
    nln_link_questions_free(&questions);
    translation_free(&t);
    return status;
}

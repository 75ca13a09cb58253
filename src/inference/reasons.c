/* Why an item has its score: Shapley values of the literals of a history.
 *
 * The value of a coalition, which is a part of the history in its order, is the item's score after
 * it; for task topk its lead over the mean of some items.  Ten literals have at most 1,024
 * coalitions, and all of them are scored.  More literals join one by one in sampled orders: every
 * second order is the reverse of the one before it, so that a literal that comes early in one comes
 * late in the other.  What the literals add in one order sums to the whole effect of the history,
 * and so does the mean over orders. */
#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "inference/scorer.h"

enum {
    EXACT = 10,       /* literals whose coalitions are all scored */
    COALITIONS = 200, /* scored for more literals, or a few more: whole pairs of orders */
    REFERENCES = 64   /* items that a lead is measured against */
};

/* The histories that are scored, by their place in the list: the whole one, none, one without each
 * literal, one with each literal negated; then the coalitions. */
enum { WHOLE, NONE, REMOVED };

typedef struct inquiry {
    nln_scorer_session *session;
    const nln_model *model;
    const nln_literal *history; /* [n] that the model takes */
    size_t n;
    int32_t user;
    size_t n_orders;     /* sampled; 0: all coalitions are scored */
    nln_queries scored;  /* the changed histories */
    uint8_t *member;     /* [n] scratch: the literals of a coalition ... */
    nln_literal *part;   /* [n] ... and their list */
    int32_t *order;      /* [n_orders, n] the literals in the order in which they join */
    const size_t *items; /* [n_items] in question */
    size_t n_items;
    size_t n_list;      /* items of session->list that are scored */
    size_t n_reference; /* 0: scores are values by themselves */
    double *carried;    /* [scored] */
    double *score;      /* [n_items] after the whole history */
    double *value;      /* [scored, n_items] */
} inquiry;

static size_t negated_from(const inquiry *q)
{
    return REMOVED + q->n;
}

static size_t coalitions_from(const inquiry *q)
{
    return REMOVED + 2 * q->n;
}

/* ---- the histories that are scored ------------------------------------------------------- */

static nln_status append_members(inquiry *q, nln_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < q->n; i++)
        if (q->member[i])
            q->part[n++] = q->history[i];
    return nln_queries_append(&q->scored, q->user, q->part, n, -1, err);
}

static nln_status append_changed(inquiry *q, nln_error *err)
{
    memset(q->member, 1, q->n);
    nln_status status = append_members(q, err);
    if (!status)
        status = nln_queries_append(&q->scored, q->user, NULL, 0, -1, err);
    for (size_t i = 0; !status && i < q->n; i++) {
        q->member[i] = 0;
        status = append_members(q, err);
        q->member[i] = 1;
    }
    for (size_t i = 0; !status && i < q->n; i++) {
        memcpy(q->part, q->history, q->n * sizeof *q->part);
        q->part[i] = (nln_literal){q->history[i].item, !q->history[i].liked, 0};
        status = nln_queries_append(&q->scored, q->user, q->part, q->n, -1, err);
    }
    return status;
}

/* Coalitions as numbers: the first literal is the highest bit, so that neighbours in the list begin
 * alike and share their ANDs. */
static size_t bit_of(const inquiry *q, size_t literal)
{
    return (size_t)1 << (q->n - 1 - literal);
}

static nln_status append_every_coalition(inquiry *q, nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t set = 0; !status && set < (size_t)1 << q->n; set++) {
        for (size_t i = 0; i < q->n; i++)
            q->member[i] = (set & bit_of(q, i)) != 0;
        status = append_members(q, err);
    }
    return status;
}

/* In each order the coalitions of 1 to n - 1 literals. */
static nln_status append_orders(inquiry *q, nln_error *err)
{
    nln_random random = nln_random_seed(1, q->n);
    int32_t n = (int32_t)q->n;
    nln_status status = NLN_OK;
    for (size_t o = 0; !status && o < q->n_orders; o++) {
        int32_t *order = q->order + o * q->n;
        for (int32_t i = 0; i < n; i++)
            order[i] = o % 2 ? order[-1 - i] : i;
        if (o % 2 == 0)
            nln_random_shuffle(&random, order, n);
        memset(q->member, 0, q->n);
        for (int32_t i = 0; !status && i < n - 1; i++) {
            q->member[order[i]] = 1;
            status = append_members(q, err);
        }
    }
    return status;
}

/* ---- their values ------------------------------------------------------------------------ */

static void add_to_list(inquiry *q, size_t item)
{
    nln_scorer_session *s = q->session;
    if (!s->excluded[item])
        s->list[q->n_list++] = (int32_t)item;
    s->excluded[item] = 1;
}

static size_t reference(const inquiry *q, size_t i)
{
    return i * nln_model_variables(q->model) / q->n_reference;
}

/* Lists the items in question and those that a lead is measured against, each once. */
static void list_items(inquiry *q)
{
    size_t n = nln_model_variables(q->model);
    if (q->model->task->measures == NLN_MEASURE_RANKS)
        q->n_reference = n < REFERENCES ? n : REFERENCES;
    for (size_t i = 0; i < q->n_items; i++)
        add_to_list(q, q->items[i]);
    for (size_t i = 0; i < q->n_reference; i++)
        add_to_list(q, reference(q, i));
    for (size_t i = 0; i < q->n_list; i++)
        q->session->excluded[q->session->list[i]] = 0;
}

static void set_values(inquiry *q, size_t scored)
{
    const double *score = q->session->score;
    double scale = q->model->temperature, mean = 0;
    for (size_t i = 0; i < q->n_reference; i++)
        mean += score[reference(q, i)] / (double)q->n_reference;
    for (size_t i = 0; i < q->n_items; i++) {
        double own = score[q->items[i]];
        if (scored == WHOLE)
            q->score[i] = scale * own + q->carried[scored];
        q->value[scored * q->n_items + i] =
            q->n_reference ? scale * (own - mean) : scale * own + q->carried[scored];
    }
}

static nln_status score_all(inquiry *q, nln_error *err)
{
    nln_scorer_session *s = q->session;
    size_t n = q->scored.n;
    q->carried = nln_array_zeroed(n, sizeof *q->carried);
    q->score = nln_array_zeroed(q->n_items, sizeof *q->score);
    q->value = nln_array_zeroed(n, q->n_items * sizeof *q->value);
    if (!q->carried || !q->score || !q->value)
        return nln_error_memory(err);
    list_items(q);
    nln_status status = nln_model_carried(q->carried, q->model, &q->scored, 1, err);
    for (size_t at = 0; !status && at < n; at += NLN_SCORER_BLOCK) {
        size_t block = n - at < NLN_SCORER_BLOCK ? n - at : NLN_SCORER_BLOCK;
        status = s->items->read(s->items, &q->scored, at, block, err);
        for (size_t i = 0; !status && i < block; i++) {
            s->items->scores(s->score, s->items, i, s->list, (int32_t)q->n_list);
            set_values(q, at + i);
        }
    }
    return status ? status : nln_model_check_scores(q->value, n * q->n_items, "history", err);
}

/* ---- contributions ----------------------------------------------------------------------- */

static double value(const inquiry *q, size_t scored, size_t item)
{
    return q->value[scored * q->n_items + item];
}

/* The mean over all orders: a coalition of s others stands before the literal in
 * s! (n - s - 1)! of the n! orders. */
static void exact_contributions(nln_reason *reasons, const inquiry *q, size_t item)
{
    size_t first = coalitions_from(q), all = ((size_t)1 << q->n) - 1;
    double weight[EXACT] = {1.0 / (double)(q->n ? q->n : 1)};
    for (size_t s = 1; s < q->n; s++)
        weight[s] = weight[s - 1] * (double)s / (double)(q->n - s);
    for (size_t set = 0; set < all; set++) {
        size_t size = (size_t)__builtin_popcountll(set);
        for (size_t i = 0; i < q->n; i++)
            if (!(set & bit_of(q, i)))
                reasons[i].contribution +=
                    weight[size] *
                    (value(q, first + (set | bit_of(q, i)), item) - value(q, first + set, item));
    }
}

static void sampled_contributions(nln_reason *reasons, const inquiry *q, size_t item)
{
    size_t at = coalitions_from(q);
    for (size_t o = 0; o < q->n_orders; o++) {
        double before = value(q, NONE, item);
        for (size_t i = 0; i < q->n; i++) {
            double after = value(q, i + 1 < q->n ? at++ : WHOLE, item);
            reasons[q->order[o * q->n + i]].contribution += (after - before) / (double)q->n_orders;
            before = after;
        }
    }
}

static void set_explanation(nln_explanation *out, const inquiry *q, size_t item)
{
    out->n = q->n;
    out->score = q->score[item];
    out->with_history = value(q, WHOLE, item);
    out->without_history = value(q, NONE, item);
    for (size_t i = 0; i < q->n; i++)
        out->reasons[i] =
            (nln_reason){.literal = q->history[i],
                         .removed = out->with_history - value(q, REMOVED + i, item),
                         .negated = out->with_history - value(q, negated_from(q) + i, item)};
    if (q->n_orders)
        sampled_contributions(out->reasons, q, item);
    else
        exact_contributions(out->reasons, q, item);
}

/* ---- explaining -------------------------------------------------------------------------- */

static nln_status check_explainable(const nln_model *model, const size_t *items, size_t n_items,
                                    nln_error *err)
{
    if (!model->method->reads_history)
        return nln_error_set(err, NLN_INVALID,
                             "a model of kind %s does not look at histories: there is nothing to "
                             "explain",
                             model->method->name);
    for (size_t i = 0; i < n_items; i++)
        if (items[i] >= nln_model_variables(model))
            return nln_error_set(err, NLN_INVALID,
                                 "item number %zu is not below the %zu items of the model",
                                 items[i], nln_model_variables(model));
    return NLN_OK;
}

static nln_status append_all(inquiry *q, nln_error *err)
{
    if (q->n > EXACT)
        q->n_orders = 2 * (1 + (COALITIONS - 1) / (2 * q->n));
    q->member = nln_array_zeroed(q->n, sizeof *q->member);
    q->part = nln_array_zeroed(q->n, sizeof *q->part);
    q->order = nln_array_zeroed(q->n_orders * q->n, sizeof *q->order);
    if (!q->member || !q->part || !q->order)
        return nln_error_memory(err);
    nln_status status = append_changed(q, err);
    if (status)
        return status;
    return q->n_orders ? append_orders(q, err) : append_every_coalition(q, err);
}

nln_status nln_scorer_explain(nln_explanation *out, const nln_scorer *scorer,
                              const nln_question *question, const size_t *items, size_t n_items,
                              nln_error *err)
{
    nln_queries asked = {0};
    inquiry q = {.model = scorer->model, .items = items, .n_items = n_items};
    nln_status status = nln_scorer_append_question(&asked, scorer, question, err);
    if (!status)
        status = check_explainable(scorer->model, items, n_items, err);
    if (!status) {
        q.history = asked.literal;
        q.n = asked.list->n;
        q.user = asked.list->user;
        status = append_all(&q, err);
    }
    if (!status)
        status = nln_scorer_borrow(&q.session, scorer, err);
    if (!status)
        status = score_all(&q, err);
    for (size_t i = 0; !status && i < n_items; i++)
        set_explanation(&out[i], &q, i);
    nln_scorer_give_back(scorer, q.session);
    nln_queries_free(&asked);
    nln_queries_free(&q.scored);
    nln_free(q.member);
    nln_free(q.part);
    nln_free(q.order);
    nln_free(q.carried);
    nln_free(q.score);
    nln_free(q.value);
    return status;
}

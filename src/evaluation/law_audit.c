/* Looking into a model: its tensors, and how well its modules obey the laws of
 * logic on the vectors of its own data. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "data/logic_data.h"
#include "math/kernels.h"
#include "math/scalar.h"
#include "models/model.h"
#include "net/laws.h"
#include "net/propagation.h"
#include "nln_lab.h"

/* The rules that training obeys only through random order and normal forms.  Each
 * compares two expressions over three rows a, b, c, in postfix. */
typedef struct rule {
    const char *name, *formula, *left, *right;
} rule;

static const rule rules[] = {
    {"and_associativity", "(a AND b) AND c = a AND (b AND c)", "ab&c&", "abc&&"},
    {"or_associativity", "(a OR b) OR c = a OR (b OR c)", "ab|c|", "abc||"},
    {"and_commutativity", "a AND b = b AND a", "ab&", "ba&"},
    {"or_commutativity", "a OR b = b OR a", "ab|", "ba|"},
    {"and_distributivity", "a AND (b OR c) = (a AND b) OR (a AND c)", "abc|&", "ab&ac&|"},
    {"or_distributivity", "a OR (b AND c) = (a OR b) AND (a OR c)", "abc&|", "ab|ac|&"},
    {"de_morgan_and", "NOT (a AND b) = NOT a OR NOT b", "ab&!", "a!b!|"},
    {"de_morgan_or", "NOT (a OR b) = NOT a AND NOT b", "ab|!", "a!b!&"},
};
enum { N_RULES = (int)(sizeof rules / sizeof *rules), N_SCORES = NLN_N_LAWS + N_RULES };

/* A running mean of similarities. */
static void add(nln_law_score *s, double cosine, double alpha)
{
    double sim = nln_sigmoid(alpha * cosine);
    s->n++;
    s->mean_cosine += (cosine - s->mean_cosine) / (double)s->n;
    s->mean_similarity += (sim - s->mean_similarity) / (double)s->n;
    s->kept += (((sim > 0.5) != s->far_apart) - s->kept) / (double)s->n;
}

/* ---- the ten laws ------------------------------------------------------------------ */

/* Of the rows from `from` on. */
static nln_status score_laws(nln_law_score *scores, nln_workspace *work, const nln_net *net,
                             const nln_plan *plan, int32_t from, nln_error *err)
{
    real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED];
    int32_t rows[NLN_LAW_TILE_UNSORTED];
    nln_law_workspace room;
    nln_status status = nln_law_workspace_create(&room, net->dim, net->hidden, err);
    if (status)
        return status;
    nln_laws_begin(&room, work, net);
    for (int32_t first = from; first < plan->n_rows; first += NLN_LAW_TILE_UNSORTED) {
        int32_t n = plan->n_rows - first < NLN_LAW_TILE_UNSORTED ? plan->n_rows - first
                                                                 : NLN_LAW_TILE_UNSORTED;
        for (int32_t i = 0; i < n; i++)
            rows[i] = first + i;
        nln_laws_cosines(cosine, &room, work, net, rows, n);
        for (int law = 0; law < NLN_N_LAWS; law++)
            for (int32_t i = 0; i < n; i++)
                add(&scores[law], (double)cosine[law][i], (double)net->alpha);
    }
    nln_law_workspace_free(&room);
    return NLN_OK;
}

/* ---- the other rules ------------------------------------------------------------------ */

static nln_status push_side(nln_exprs *list, const char *side, const nln_expr operand[3],
                            nln_error *err)
{
    nln_status status = NLN_OK;
    for (; !status && *side; side++)
        switch (*side) {
        case '&':
            status = nln_exprs_push(list, NLN_OP_AND, 2, err);
            break;
        case '|':
            status = nln_exprs_push(list, NLN_OP_OR, 2, err);
            break;
        case '!':
            status = nln_exprs_push(list, NLN_OP_NOT, 0, err);
            break;
        default:
            status = nln_exprs_push_all(list, operand[*side - 'a'], err);
        }
    return status ? status : nln_exprs_finish(list, err);
}

enum { N_TRIPLES = 512, TRIPLES_OF_A_PLAN = 32 };

/* Both sides of every rule for random triples of what is looked at, in one list: rule by
 * rule, left and right in turn.  With data, half of the operands are its expressions. */
static nln_status list_rules(nln_exprs *list, const nln_exprs *variables, const nln_exprs *test,
                             nln_random *random, nln_error *err)
{
    nln_status status = NLN_OK;
    list->n = list->n_nodes = 0;
    for (int i = 0; !status && i < TRIPLES_OF_A_PLAN; i++) {
        nln_expr operand[3];
        for (int j = 0; j < 3; j++) {
            const nln_exprs *from = test->n && nln_random_next(random) >> 63 ? test : variables;
            operand[j] = nln_exprs_get(from, (size_t)nln_random_below(random, from->n));
        }
        for (int r = 0; !status && r < N_RULES; r++) {
            status = push_side(list, rules[r].left, operand, err);
            if (!status)
                status = push_side(list, rules[r].right, operand, err);
        }
    }
    return status;
}

static void score_rules(nln_law_score *scores, const nln_workspace *work, const nln_net *net,
                        const nln_plan *plan)
{
    size_t d = (size_t)net->dim;
    for (int32_t i = 0; i + 1 < plan->n_roots; i += 2) {
        const real *left = work->H + (size_t)plan->root[i] * d;
        const real *right = work->H + (size_t)plan->root[i + 1] * d;
        real cosine, inverse[2];
        nln_kernels_get()->inverse_length(&inverse[1], right, 1, net->dim);
        nln_kernels_get()->cosine(&cosine, inverse, left, right, &inverse[1], 0, 1, net->dim);
        add(&scores[i / 2 % N_RULES], (double)cosine, (double)net->alpha);
    }
}

/* ---- both ------------------------------------------------------------------------------ */

typedef struct looker {
    const nln_model *model;
    nln_planner *planner;
    nln_workspace *work;
    nln_exprs variables, test; /* what is looked at */
    nln_exprs list;            /* scratch */
    nln_law_score scores[N_SCORES];
} looker;

static nln_status make_plan(const nln_plan **plan, looker *l, const nln_exprs *list,
                            const int32_t *index, int32_t n, nln_error *err)
{
    nln_status status =
        nln_planner_plan(plan, l->planner, list, index, n, NLN_ASSOCIATE_PAIRS, NULL, err);
    return status ? status : nln_workspace_fit(l->work, (*plan)->n_rows, err);
}

/* What is planned as network number i computes it. */
static const nln_net *compute(looker *l, int i, const nln_plan *plan)
{
    nln_propagation_forward(l->work, l->model->net[i], plan, (nln_noise){0});
    return l->model->net[i];
}

/* The laws on the variables, or on what the expressions of the test set make of them, block by
 * block so that memory stays small. */
static nln_status look_at_laws(looker *l, const nln_exprs *list, nln_error *err)
{
    enum { BLOCK = 1024 };
    int32_t index[BLOCK];
    nln_status status = NLN_OK;
    for (size_t at = 0; !status && at < list->n; at += BLOCK) {
        const nln_plan *plan;
        int32_t n = (int32_t)(list->n - at < BLOCK ? list->n - at : BLOCK);
        for (int32_t i = 0; i < n; i++)
            index[i] = (int32_t)at + i;
        status = make_plan(&plan, l, list, index, n, err);
        for (int i = 0; !status && i < l->model->n_networks; i++)
            status = score_laws(l->scores, l->work, compute(l, i, plan), plan,
                                NLN_ROW_LEAF + (list == &l->test ? plan->n_leaves : 0), err);
    }
    return status;
}

static nln_status look_at_rules(looker *l, nln_error *err)
{
    nln_random random = nln_random_seed(0, 4);
    nln_status status = NLN_OK;
    for (int i = 0; !status && l->variables.n && i < N_TRIPLES; i += TRIPLES_OF_A_PLAN) {
        const nln_plan *plan;
        status = list_rules(&l->list, &l->variables, &l->test, &random, err);
        if (!status)
            status = make_plan(&plan, l, &l->list, NULL, (int32_t)l->list.n, err);
        for (int k = 0; !status && k < l->model->n_networks; k++)
            score_rules(l->scores + NLN_N_LAWS, l->work, compute(l, k, plan), plan);
    }
    return status;
}

static nln_status prepare(looker *l, const nln_data *data, nln_error *err)
{
    const nln_exprs *test = data ? &data->split[NLN_TEST].exprs : NULL;
    nln_status status = nln_planner_create(&l->planner, err);
    if (!status)
        status = nln_workspace_create(&l->work, l->model->net[0], 0, err);
    if (!status)
        status = nln_model_list_variables(&l->variables, l->model, err);
    for (size_t i = 0; !status && test && i < test->n; i++)
        status = nln_model_add(&l->test, l->model, data->symbols, nln_exprs_get(test, i), err);
    if (!status)
        nln_planner_set_members(l->planner, l->model->config.members, nln_model_rows(l->model));
    return status;
}

static void name_scores(nln_law_score *scores)
{
    memset(scores, 0, N_SCORES * sizeof *scores);
    for (int i = 0; i < NLN_N_LAWS; i++) {
        scores[i].name = nln_law_table[i].name;
        scores[i].formula = nln_law_table[i].formula;
        scores[i].far_apart = nln_law_table[i].far_apart;
    }
    for (int i = 0; i < N_RULES; i++) {
        scores[NLN_N_LAWS + i].name = rules[i].name;
        scores[NLN_N_LAWS + i].formula = rules[i].formula;
    }
}

nln_status nln_inspect(nln_law_score *scores, size_t room, size_t *n_laws, const nln_model *model,
                       const nln_data *data, nln_error *err)
{
    looker l = {.model = model};
    *n_laws = 0;
    if (!model->n_networks)
        return NLN_OK;
    name_scores(l.scores);
    nln_status status = prepare(&l, data, err);
    if (!status)
        status = look_at_laws(&l, &l.variables, err);
    if (!status)
        status = look_at_laws(&l, &l.test, err);
    if (!status)
        status = look_at_rules(&l, err);
    for (size_t i = 0; !status && i < room && i < N_SCORES; i++)
        scores[i] = l.scores[i];
    *n_laws = N_SCORES;
    nln_planner_free(l.planner);
    nln_workspace_free(l.work);
    nln_exprs_free(&l.variables);
    nln_exprs_free(&l.test);
    nln_exprs_free(&l.list);
    return status;
}

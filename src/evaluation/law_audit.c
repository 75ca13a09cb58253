/* nln_inspect and nln_inspect_worst of nln_lab.h: how well the modules of a model keep the laws of
 * logic. */
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/random.h"
#include "data/logic_data.h"
#include "math/kernels.h"
#include "math/scalar.h"
#include "models/method.h"
#include "models/model.h"
#include "net/laws.h"
#include "net/propagation.h"
#include "nln_lab.h"

enum { N_SCORES = NLN_N_LAWS + NLN_N_COMPOUND_LAWS };

enum { N_TRIPLES = 512, TRIPLES_OF_A_PLAN = 32 };

typedef struct audit {
    const nln_model *model;
    nln_atoms *atoms; /* of the test set */
    nln_planner *planner;
    nln_workspace *work;
    nln_exprs variables, test; /* the expressions that are measured */
    nln_exprs list;            /* scratch */
    nln_law_score scores[N_SCORES];
    size_t triple[TRIPLES_OF_A_PLAN][3]; /* variables of the triples in a plan */
    nln_law_case *worst;                 /* [N_SCORES, k], worst first, or NULL */
    size_t k, n_worst[N_SCORES];
} audit;

/* Keeps the case if it is one of the k worst of its law.  Of the members and networks the worst
 * counts. */
static void keep_worst(audit *a, int law, double similarity, const size_t operand[3])
{
    nln_law_case *list = a->worst + (size_t)law * a->k;
    size_t n = a->n_worst[law], at = 0;
    double sign = a->scores[law].far_apart ? -1 : 1;
    while (at < n && sign * list[at].similarity <= sign * similarity) {
        if (memcmp(list[at].operand, operand, sizeof list[at].operand) == 0)
            return; /* it is there, and worse */
        at++;
    }
    size_t end = at; /* the place that is given up: the same case, or the last */
    while (end < n && memcmp(list[end].operand, operand, sizeof list[end].operand) != 0)
        end++;
    if (end == n && n < a->k)
        a->n_worst[law]++;
    else if (end == n)
        end--;
    if (at >= a->k)
        return;
    memmove(list + at + 1, list + at, (end - at) * sizeof *list);
    list[at].similarity = similarity;
    memcpy(list[at].operand, operand, sizeof list[at].operand);
}

/* Updates the running means, and the worst cases where they are asked for. */
static void add(audit *a, int law, double cosine, double alpha, const size_t operand[3])
{
    nln_law_score *s = &a->scores[law];
    double sim = nln_sigmoid(alpha * cosine);
    s->n++;
    s->mean_cosine += (cosine - s->mean_cosine) / (double)s->n;
    s->mean_similarity += (sim - s->mean_similarity) / (double)s->n;
    s->kept += (((sim > 0.5) != s->far_apart) - s->kept) / (double)s->n;
    if (a->worst)
        keep_worst(a, law, sim, operand);
}

/* The variable of a row, in the form of a case; of no use for other rows than leaves. */
static void name_row(size_t operand[3], const audit *a, const nln_plan *plan, int32_t row)
{
    int32_t variable = plan->operand[0][row], n = nln_model_rows(a->model);
    operand[0] = variable < 0 || !n ? SIZE_MAX : (size_t)(variable % n);
    operand[1] = operand[2] = SIZE_MAX;
}

/* Adds the ten laws of the rows from `from` on. */
static nln_status score_laws(audit *a, const nln_net *net, const nln_plan *plan, int32_t from,
                             nln_error *err)
{
    nln_workspace *work = a->work;
    real cosine[NLN_N_LAWS][NLN_LAW_TILE_UNSORTED];
    int32_t rows[NLN_LAW_TILE_UNSORTED];
    nln_law_workspace laws;
    nln_status status = nln_law_workspace_create(&laws, net->dim, net->hidden, err);
    if (status)
        return status;
    nln_laws_begin(&laws, work, net);
    for (int32_t n = 0, first = from; first < plan->n_rows; first += n) {
        for (n = 0; n < NLN_LAW_TILE_UNSORTED && first + n < plan->n_rows; n++)
            rows[n] = first + n;
        nln_laws_cosines(cosine, &laws, work, net, rows, n);
        for (int law = 0; law < NLN_N_LAWS; law++)
            for (int32_t i = 0; i < n; i++) {
                size_t operand[3];
                name_row(operand, a, plan, rows[i]);
                add(a, law, (double)cosine[law][i], (double)net->alpha, operand);
            }
    }
    nln_law_workspace_free(&laws);
    return NLN_OK;
}

static nln_status push_side(nln_exprs *list, const char *side, const nln_expr operand[3],
                            nln_error *err)
{
    nln_status status = NLN_OK;
    for (; !status && *side; side++)
        if (*side == '!')
            status = nln_exprs_push(list, NLN_OP_NOT, 0, err);
        else if (*side == '&' || *side == '|')
            status = nln_exprs_push(list, *side == '&' ? NLN_OP_AND : NLN_OP_OR, 2, err);
        else
            status = nln_exprs_push_all(list, operand[*side - 'a'], err);
    return status ? status : nln_exprs_finish(list, err);
}

/* Both sides of every compound law for random triples: law by law, left and right in turn.  Half of
 * the operands are atoms and test expressions, if there are any, or all where there are no
 * variables. */
static nln_status list_compound_laws(audit *a, nln_random *random, nln_error *err)
{
    nln_exprs *list = &a->list;
    nln_status status = NLN_OK;
    list->n = list->n_nodes = 0;
    list->atoms = a->atoms;
    for (int i = 0; !status && i < TRIPLES_OF_A_PLAN; i++) {
        nln_expr operand[3];
        for (int j = 0; j < 3; j++) {
            int other = a->test.n && (nln_random_next(random) >> 63 || !a->variables.n);
            const nln_exprs *from = other ? &a->test : &a->variables;
            size_t which = (size_t)nln_random_below(random, from->n);
            operand[j] = nln_exprs_get(from, which);
            a->triple[i][j] = from == &a->variables ? which : SIZE_MAX;
        }
        for (int r = 0; !status && r < NLN_N_COMPOUND_LAWS; r++) {
            status = push_side(list, nln_compound_law_table[r].left, operand, err);
            if (!status)
                status = push_side(list, nln_compound_law_table[r].right, operand, err);
        }
    }
    return status;
}

static void score_compound_laws(audit *a, const nln_net *net, const nln_plan *plan)
{
    const nln_workspace *work = a->work;
    size_t d = (size_t)net->dim;
    for (int32_t i = 0; i + 1 < plan->n_roots; i += 2) {
        const real *left = work->H + (size_t)plan->root[i] * d;
        const real *right = work->H + (size_t)plan->root[i + 1] * d;
        real cosine, inverse[2];
        nln_kernels_get()->inverse_length(&inverse[1], right, 1, net->dim);
        nln_kernels_get()->cosine(&cosine, inverse, left, right, &inverse[1], 0, 1, net->dim);
        int32_t case_of_law = i / 2 % (NLN_N_COMPOUND_LAWS * TRIPLES_OF_A_PLAN);
        size_t operand[3];
        int r = (int)(case_of_law % NLN_N_COMPOUND_LAWS);
        memcpy(operand, a->triple[case_of_law / NLN_N_COMPOUND_LAWS], sizeof operand);
        if (!strchr(nln_compound_law_table[r].left, 'c'))
            operand[2] = SIZE_MAX;
        add(a, NLN_N_LAWS + r, (double)cosine, (double)net->alpha, operand);
    }
}

static nln_status make_plan(const nln_plan **plan, audit *a, const nln_exprs *list,
                            const int32_t *index, int32_t n, nln_error *err)
{
    nln_status status =
        nln_planner_plan(plan, a->planner, list, index, n, NLN_ASSOCIATE_PAIRS, NULL, err);
    if (!status)
        status = nln_workspace_fit(a->work, (*plan)->n_rows, err);
    return status ? status : nln_atom_workspace_fit(&a->work->atoms, a->model->net[0], *plan, err);
}

/* Computes the plan with network i. */
static const nln_net *compute(audit *a, int i, const nln_plan *plan)
{
    nln_propagation_forward(a->work, a->model->net[i], plan, (nln_noise){0});
    return a->model->net[i];
}

/* The laws on the variables, or on every sub-expression of the test set, in blocks so that memory
 * stays small. */
static nln_status audit_laws(audit *a, const nln_exprs *list, nln_error *err)
{
    enum { BLOCK = 1024 };
    int32_t index[BLOCK], n = 0;
    nln_status status = NLN_OK;
    for (size_t at = 0; !status && at < list->n; at += (size_t)n) {
        const nln_plan *plan;
        for (n = 0; n < BLOCK && at + (size_t)n < list->n; n++)
            index[n] = (int32_t)at + n;
        status = make_plan(&plan, a, list, index, n, err);
        for (int i = 0; !status && i < a->model->n_networks; i++)
            status = score_laws(a, compute(a, i, plan), plan,
                                NLN_ROW_LEAF + (list == &a->test ? plan->n_leaves : 0), err);
    }
    return status;
}

static nln_status audit_compound_laws(audit *a, nln_error *err)
{
    nln_random random = nln_random_seed(0, 4);
    nln_status status = NLN_OK;
    for (int i = 0; !status && (a->variables.n || a->test.n) && i < N_TRIPLES;
         i += TRIPLES_OF_A_PLAN) {
        const nln_plan *plan;
        status = list_compound_laws(a, &random, err);
        if (!status)
            status = make_plan(&plan, a, &a->list, NULL, (int32_t)a->list.n, err);
        for (int k = 0; !status && k < a->model->n_networks; k++)
            score_compound_laws(a, compute(a, k, plan), plan);
    }
    return status;
}

enum { ATOMS_OF_A_PREDICATE = 64 };

/* Appends atoms of every predicate with drawn entities: truths that are no variables. */
static nln_status list_atoms(audit *a, nln_error *err)
{
    const nln_relations *r = a->model->relations;
    nln_random random = nln_random_seed(1, 1);
    nln_status status = NLN_OK;
    uint64_t n_entities = (uint64_t)nln_model_entity_rows(a->model);
    for (int32_t p = 0; !status && n_entities && p < nln_model_predicate_rows(a->model); p++)
        for (int i = 0; !status && i < ATOMS_OF_A_PREDICATE; i++) {
            int32_t argument[NLN_MOST_ARGUMENTS], known = a->atoms->n;
            for (int32_t k = 0; k < r->arity[p]; k++)
                argument[k] = (int32_t)nln_random_below(&random, n_entities);
            int32_t atom = nln_atoms_intern(a->atoms, p, argument, r->arity[p]);
            if (atom < 0)
                status = nln_error_memory(err);
            else if (atom == known) /* each once */
                status = nln_exprs_push(&a->test, NLN_OP_ATOM, atom, err);
            if (!status && atom == known)
                status = nln_exprs_finish(&a->test, err);
        }
    a->test.atoms = a->atoms;
    return status;
}

static nln_status prepare(audit *a, const nln_data *data, nln_error *err)
{
    const nln_exprs *test = data ? &data->split[NLN_TEST].exprs : NULL;
    for (int i = 0; i < NLN_N_LAWS; i++)
        a->scores[i] = (nln_law_score){.name = nln_law_table[i].name,
                                       .formula = nln_law_table[i].formula,
                                       .far_apart = nln_law_table[i].far_apart};
    for (int i = 0; i < NLN_N_COMPOUND_LAWS; i++)
        a->scores[NLN_N_LAWS + i] = (nln_law_score){.name = nln_compound_law_table[i].name,
                                                    .formula = nln_compound_law_table[i].formula};
    nln_status status = nln_planner_create(&a->planner, err);
    if (!status)
        status = nln_workspace_create(&a->work, a->model->net[0], 0, err);
    if (!status)
        status = nln_model_list_variables(&a->variables, a->model, err);
    if (!status)
        status = nln_atoms_create(&a->atoms, err);
    if (!status && a->model->relations && !a->k) /* the worst cases are those of variables */
        status = list_atoms(a, err);
    for (size_t i = 0; !status && test && i < test->n; i++) {
        nln_vocabulary names = nln_data_names(data);
        status = nln_model_add(&a->test, a->model, a->atoms, &names, nln_exprs_get(test, i), err);
    }
    if (!status) {
        nln_planner_set_members(a->planner, a->model->config.members, nln_model_rows(a->model));
        nln_planner_set_relations(a->planner, nln_model_entity_rows(a->model),
                                  nln_model_predicate_rows(a->model));
    }
    return status;
}

static nln_status run_audit(audit *a, const nln_data *data, nln_error *err)
{
    nln_status status = prepare(a, data, err);
    if (!status)
        status = audit_laws(a, &a->variables, err);
    if (!status)
        status = audit_laws(a, &a->test, err);
    if (!status)
        status = audit_compound_laws(a, err);
    nln_atoms_free(a->atoms);
    nln_planner_free(a->planner);
    nln_workspace_free(a->work);
    nln_exprs_free(&a->variables);
    nln_exprs_free(&a->test);
    nln_exprs_free(&a->list);
    return status;
}

nln_status nln_inspect(nln_law_score *scores, size_t room, size_t *n_laws, const nln_model *model,
                       const nln_data *data, nln_error *err)
{
    audit a = {.model = model};
    *n_laws = 0;
    if (!(model->method->has & NLN_HAS_NETWORK))
        return NLN_OK;
    nln_status status = run_audit(&a, data, err);
    for (size_t i = 0; !status && i < room && i < N_SCORES; i++)
        scores[i] = a.scores[i];
    *n_laws = N_SCORES;
    return status;
}

nln_status nln_inspect_worst(nln_law_case *cases, size_t *n, size_t k, size_t n_laws,
                             const nln_model *model, nln_error *err)
{
    audit a = {.model = model, .k = k};
    size_t asked = n_laws < N_SCORES ? n_laws : N_SCORES;
    for (size_t i = 0; i < n_laws; i++)
        n[i] = 0;
    if (!(model->method->has & NLN_HAS_NETWORK) || !k)
        return NLN_OK;
    if (k > SIZE_MAX / N_SCORES || !(a.worst = nln_array_zeroed(N_SCORES * k, sizeof *a.worst)))
        return nln_error_memory(err);
    nln_status status = run_audit(&a, NULL, err);
    for (size_t i = 0; !status && i < asked; i++) {
        n[i] = a.n_worst[i];
        memcpy(cases + i * k, a.worst + i * k, n[i] * sizeof *cases);
    }
    nln_free(a.worst);
    return status;
}

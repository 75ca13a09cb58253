/* The gradient of every method that learns step by step, for every task and loss_kind it has,
 * against central differences in double: all parameters, with dropout, noise and l2.  Of the
 * Neural Logic Network, which has a test of its own in gradient_objective.c, two side by side. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/method.h"
#include "models/model.h"
#include "trees.h"

enum { USERS = 5, VARIABLES = 11, UNITS = 9, NEGATIVES = 3, LONGEST = 5, KEY = 77 };

static const struct {
    int task;
    nln_loss_kind loss_kind;
} lessons[] = {{NLN_TASK_LOGIC, NLN_LOSS_LABELS},      {NLN_TASK_PREFERENCE, NLN_LOSS_LABELS},
               {NLN_TASK_TOPK, NLN_LOSS_PAIRS},        {NLN_TASK_TOPK, NLN_LOSS_PROBABILITY_PAIRS},
               {NLN_TASK_TOPK, NLN_LOSS_BINARY_PAIRS}, {NLN_TASK_TOPK, NLN_LOSS_SOFTMAX}};

typedef struct fixture {
    nln_model *model;
    nln_thread_pool *team;
    nln_learner *learner;
    nln_request request;
    nln_exprs exprs;
    nln_queries queries;
    int32_t index[UNITS], unit[UNITS], candidate[UNITS * NEGATIVES], frequency[VARIABLES];
    real truth[UNITS];
    uint8_t refused[UNITS * NEGATIVES];
    real *gradient[NLN_MOST_PARAMETERS]; /* of all rows, those that are not touched 0 */
    uint8_t *touched[NLN_MOST_PARAMETERS];
} fixture;

/* ---- a model ------------------------------------------------------------------------- */

/* The default recipe would set these, so all that matters is set here. */
static nln_options *make_options(const char *model, int task, const char *reduce)
{
    static const char *const tasks[] = {"logic", "preference", "topk"};
    const char *const settings[][2] = {{"model", model},
                                       {"task", tasks[task]},
                                       {"reduce", reduce},
                                       {"dimension", "6"},
                                       {"hidden", "5"},
                                       {"init-variables", "0.5"},
                                       {"init-scale", "0.4"},
                                       {"dropout", "0.3"},
                                       {"dropout-variables", "0.2"},
                                       {"l2", "0.05"},
                                       {"l2-variables", "0.03"},
                                       {"l2-logit", "0.2"},
                                       {"noise", "0.1"},
                                       {"history", "5"},
                                       {"threads", "2"},
                                       {"normal-form", "nnf"},
                                       {"learning-rate-logit", "0.1"}};
    nln_options *o = NULL;
    int n_rows;
    const nln_option *rows = nln_config_table(&n_rows);
    assert_int_equal(nln_options_create_from(&o, rows, n_rows, NULL), NLN_OK);
    const char *const of_network[][2] = {
        {"networks", "2"}, {"members", "1"}, {"embedding", "arc"}, {"grades", "0"}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(nln_options_set(o, settings[i][0], settings[i][1], NULL), NLN_OK);
    for (size_t i = 0; strcmp(model, "nln") == 0 && i < sizeof of_network / sizeof *of_network; i++)
        assert_int_equal(nln_options_set(o, of_network[i][0], of_network[i][1], NULL), NLN_OK);
    return o;
}

/* What starts at 0 is moved too: there the gradient of l2 is 0 and that of relu has a kink. */
static void shake(nln_model *m, nln_random *random)
{
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, m, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] += 0.2 * nln_random_normal(random);
}

static void make_model(fixture *f, const nln_method *method, int task, const char *reduce)
{
    nln_options *o = make_options(method->name, task, reduce);
    nln_symbols *names = trees_names(VARIABLES);
    nln_random random = nln_random_seed(4, 2);
    nln_error err = {0};
    if (nln_model_create_for(&f->model, names, USERS, o, &err))
        fail_msg("%s", err.message);
    nln_model_draw(f->model, &random);
    shake(f->model, &random);
    nln_symbols_free(names);
    nln_options_free(o);
}

/* ---- a request --------------------------------------------------------------------------- */

/* The first is a variable alone, which always keeps some gradient; the others may be constant. */
static void make_exprs(fixture *f, nln_random *random)
{
    nln_exprs raw = {0};
    nln_exprs_push(&raw, NLN_OP_VAR, 1, NULL);
    nln_exprs_finish(&raw, NULL);
    while (raw.n < UNITS)
        trees_random(&raw, random, VARIABLES - 2, 3);
    for (size_t i = 0; i < raw.n; i++)
        assert_int_equal(nln_model_normalize(&f->exprs, f->model, nln_exprs_get(&raw, i), NULL),
                         NLN_OK);
    for (size_t i = 0; i < f->exprs.n_nodes; i++)
        if (f->exprs.nodes[i].op == NLN_OP_VAR)
            f->frequency[f->exprs.nodes[i].arg]++;
    nln_exprs_free(&raw);
}

/* Histories of every length, the first empty; the last user and the last two items are in no
 * case. */
static void make_cases(fixture *f, nln_random *random)
{
    for (int i = 0; i < UNITS; i++) {
        nln_literal history[LONGEST];
        size_t n = f->model->method->reads_history ? (size_t)i % (LONGEST + 1) : 0;
        for (size_t j = 0; j < n; j++)
            history[j] = (nln_literal){nln_random_below(random, VARIABLES - 2),
                                       (int)nln_random_below(random, 2), 0};
        assert_int_equal(nln_queries_append(&f->queries, i % 7 % (USERS - 1), history, n,
                                            (int32_t)nln_random_below(random, VARIABLES - 2), NULL),
                         NLN_OK);
    }
}

/* The shared items of a choice are distinct; the others need not be. */
static void make_lot(fixture *f, int task, nln_loss_kind loss_kind)
{
    nln_random random = nln_random_seed(8, (uint64_t)loss_kind);
    if (task == NLN_TASK_LOGIC)
        make_exprs(f, &random);
    else
        make_cases(f, &random);
    for (int32_t i = 0; i < UNITS; i++) {
        f->index[i] = i / 2; /* some twice, some never */
        f->unit[i] = 10 * i;
        f->truth[i] = task == NLN_TASK_LOGIC ? (real)nln_random_below(&random, 2)
                                             : (real)nln_random_below(&random, 5) / 4;
    }
    for (int32_t j = 0; j < UNITS * NEGATIVES; j++) {
        int32_t drawn = (int32_t)nln_random_below(&random, VARIABLES - 2);
        f->candidate[j] = loss_kind == NLN_LOSS_SOFTMAX ? 2 * j % VARIABLES : drawn;
        f->refused[j] = j / NEGATIVES == 3 || nln_random_below(&random, 4) == 0;
    }
    f->request = (nln_request){.loss_kind = loss_kind,
                               .n = UNITS,
                               .exprs = task == NLN_TASK_LOGIC ? &f->exprs : NULL,
                               .index = task == NLN_TASK_LOGIC ? f->index : NULL,
                               .queries = task == NLN_TASK_LOGIC ? NULL : &f->queries,
                               .truth = loss_kind == NLN_LOSS_LABELS ? f->truth : NULL,
                               .n_candidates = loss_kind == NLN_LOSS_LABELS ? 0 : NEGATIVES,
                               .candidate = f->candidate,
                               .refused = loss_kind == NLN_LOSS_SOFTMAX ? f->refused : NULL,
                               .unit = f->unit,
                               .key = 5};
}

/* ---- the check ------------------------------------------------------------------------ */

static double total(fixture *f)
{
    nln_learner *l = f->learner;
    nln_error err = {0};
    if (l->changed)
        l->changed(l);
    if (l->plan(l, &f->request, &err))
        fail_msg("%s", err.message);
    nln_loss loss = l->gradient(l, KEY);
    return loss.data + loss.laws + loss.length + loss.l2;
}

/* Rows are distinct and inside. */
static void keep_gradient(fixture *f)
{
    for (int i = 0; i < f->learner->n_parameters; i++) {
        const nln_parameter *p = &f->learner->parameter[i];
        size_t width = (size_t)p->width;
        f->gradient[i] = calloc(p->n * width + 1, sizeof(real));
        f->touched[i] = calloc(p->n + 1, 1);
        for (int32_t k = 0; k < p->n_rows; k++) {
            size_t row = (size_t)(p->row ? p->row[k] : k);
            assert_true(row < p->n);
            assert_int_equal(f->touched[i][row]++, 0);
            memcpy(f->gradient[i] + row * width, p->gradient + (size_t)k * width,
                   width * sizeof(real));
        }
    }
}

static double numeric(fixture *f, real *x)
{
    const double step = 3e-6;
    double old = *x;
    *x = old + step;
    double above = total(f);
    *x = old - step;
    double below = total(f);
    *x = old;
    return (above - below) / (2 * step);
}

/* Relative to the larger of the two, with an absolute floor for gradients of 0. */
static double difference(double a, double b)
{
    return fabs(a - b) / fmax(fmax(fabs(a), fabs(b)), 1e-2);
}

static void check_part(fixture *f, int i, const char *what)
{
    const nln_parameter *p = &f->learner->parameter[i];
    int n = f->model->n_networks ? f->model->n_networks : 1;
    for (size_t j = 0; j < p->n * (size_t)p->width; j++) {
        /* The loss is the mean of the networks', and a gradient that of one. */
        double wanted = n * numeric(f, p->x + j), got = f->gradient[i][j];
        if (!(difference(got, wanted) < 1e-6))
            fail_msg("%s: number %zu of part %d, row %s: gradient %.9g, difference %.9g", what, j,
                     i, f->touched[i][j / (size_t)p->width] ? "touched" : "not touched", got,
                     wanted);
    }
}

/* Marks in moved[] the parts that have a gradient; returns how many parts there are. */
static int check(uint8_t *moved, const nln_method *method, size_t k, const char *reduce)
{
    fixture f = {0};
    char what[64];
    snprintf(what, sizeof what, "%s, loss_kind %zu, %s", method->name, k, reduce);
    make_model(&f, method, lessons[k].task, reduce);
    make_lot(&f, lessons[k].task, lessons[k].loss_kind);
    for (int v = 0; v < VARIABLES; v++)
        f.frequency[v] += 1 + v % 3;
    assert_int_equal(nln_thread_pool_create(&f.team, 2, NULL), NLN_OK);
    assert_int_equal(method->learn(&f.learner, f.model, f.team, f.frequency, NULL), NLN_OK);
    f.learner->noise = 0.1;
    total(&f);
    keep_gradient(&f);
    for (int i = 0; i < f.learner->n_parameters; i++)
        check_part(&f, i, what);
    int n_parameters = f.learner->n_parameters;
    for (int i = 0; i < n_parameters; i++) {
        const nln_parameter *p = &f.learner->parameter[i];
        for (size_t j = 0; j < p->n * (size_t)p->width; j++)
            moved[i] |= fabs(f.gradient[i][j]) > 1e-8;
        free(f.gradient[i]);
        free(f.touched[i]);
    }
    f.learner->free(f.learner);
    nln_thread_pool_free(f.team);
    nln_model_free(f.model);
    nln_exprs_free(&f.exprs);
    nln_queries_free(&f.queries);
    return n_parameters;
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    for (int m = 0; m < nln_method_count(); m++) {
        const nln_method *method = nln_method_get(m);
        uint8_t moved[NLN_MOST_PARAMETERS] = {0};
        if (!method || !method->learn || method->links) /* gradient_link_learner.c */
            continue;
        int n_parameters = 0;
        for (size_t k = 0; k < sizeof lessons / sizeof *lessons; k++)
            if (method->tasks >> lessons[k].task & 1) {
                n_parameters = check(moved, method, k, "sum");
                check(moved, method, k, "mean");
            }
        assert_true(n_parameters > 0);
        for (int i = 0; i < n_parameters; i++)
            assert_true(moved[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_are_slopes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* nln_cnf_solve of nln_lab.h: an assignment of clauses by training.
 *
 * Clauses are expressions that are all true.  The Neural Logic Network is of no use for these: an
 * OR that is always true fits them.  So the truth of a variable is one number, and OR the exact one
 * for independent variables (--model marginals).  After each epoch every variable takes the value
 * that it is nearer to, and a single flip is made as long as one leaves fewer clauses false.
 * Trainings begin anew from other random values, with one more copy of each clause that the
 * training before left false: what is hard to satisfy weighs more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/options.h"
#include "data/logic_data.h"
#include "exact/sat_solver.h"
#include "net/profile.h"

typedef struct search {
    const nln_cnf *cnf;
    nln_data *data;
    const nln_watch *watch;
    size_t *first;        /* [variables + 1] of `occurs` */
    size_t *occurs;       /* [literals] the clauses that each variable occurs in */
    int32_t *n_true;      /* [clauses] literals that are true */
    uint8_t *value;       /* [variables] the current assignment ... */
    uint8_t *best;        /* ... that of this training ... */
    uint8_t *best_of_all; /* ... and that of all */
    double *confidence;   /* [variables of the data] */
    size_t n_best, n_best_of_all, n_rounded;
    nln_status failed;
} search;

static void search_free(search *s)
{
    nln_data_free(s->data);
    nln_free(s->first);
    nln_free(s->occurs);
    nln_free(s->n_true);
    nln_free(s->value);
    nln_free(s->best);
    nln_free(s->best_of_all);
    nln_free(s->confidence);
}

static nln_status search_create(search *s, const nln_cnf *cnf, const nln_watch *watch,
                                nln_error *err)
{
    size_t n = cnf->n_variables;
    *s = (search){.cnf = cnf, .watch = watch};
    nln_status status = nln_cnf_data(&s->data, cnf, err);
    if (status)
        return status;
    s->first = nln_array_zeroed(n + 1, sizeof *s->first);
    s->occurs = nln_array_zeroed(cnf->n_literals, sizeof *s->occurs);
    s->n_true = nln_array_zeroed(cnf->n_clauses, sizeof *s->n_true);
    s->value = nln_array_zeroed(n, 1);
    s->best = nln_array_zeroed(n, 1);
    s->best_of_all = nln_array_zeroed(n, 1);
    s->confidence = nln_array_zeroed(nln_data_variables(s->data), sizeof *s->confidence);
    if (!s->first || !s->occurs || !s->n_true || !s->value || !s->best || !s->best_of_all ||
        !s->confidence) {
        search_free(s);
        *s = (search){0};
        return nln_error_memory(err);
    }
    for (size_t i = 0; i < cnf->n_literals; i++)
        s->first[abs(cnf->literal[i])]++;
    for (size_t v = 0; v < n; v++)
        s->first[v + 1] += s->first[v];
    for (size_t c = cnf->n_clauses; c-- > 0;) /* backwards: each entry takes the last free place */
        for (size_t i = cnf->start[c]; i < cnf->start[c + 1]; i++)
            s->occurs[--s->first[abs(cnf->literal[i])]] = c;
    for (size_t v = 0; v < n; v++) /* which has moved every beginning by one variable */
        s->first[v] = s->first[v + 1];
    s->first[n] = cnf->n_literals;
    return NLN_OK;
}

/* ---- rounding -------------------------------------------------------------------------------- */

/* How many more clauses hold after flipping variable v; with `apply` it is flipped. */
static int64_t flip(search *s, size_t v, int apply)
{
    const nln_cnf *cnf = s->cnf;
    int64_t gain = 0;
    for (size_t k = s->first[v]; k < s->first[v + 1]; k++) {
        size_t c = s->occurs[k];
        int32_t before = s->n_true[c], change = 0;
        if (k > s->first[v] && s->occurs[k - 1] == c)
            continue; /* a clause that has the variable twice is counted once, with both */
        for (size_t i = cnf->start[c]; i < cnf->start[c + 1]; i++)
            if ((size_t)abs(cnf->literal[i]) == v + 1)
                change += s->value[v] == (cnf->literal[i] > 0) ? -1 : 1;
        gain += (before + change > 0) - (before > 0);
        if (apply)
            s->n_true[c] = before + change;
    }
    if (apply)
        s->value[v] = !s->value[v];
    return gain;
}

static size_t count(search *s)
{
    const nln_cnf *cnf = s->cnf;
    size_t n = 0;
    for (size_t c = 0; c < cnf->n_clauses; c++) {
        s->n_true[c] = 0;
        for (size_t i = cnf->start[c]; i < cnf->start[c + 1]; i++)
            s->n_true[c] += s->value[abs(cnf->literal[i]) - 1] == (cnf->literal[i] > 0);
        n += s->n_true[c] > 0;
    }
    return n;
}

/* Flips variables of false clauses while that gains; returns the clauses that hold then. */
static size_t improve(search *s, size_t n)
{
    const nln_cnf *cnf = s->cnf;
    for (int moved = 1; moved && n < cnf->n_clauses;) {
        moved = 0;
        for (size_t c = 0; c < cnf->n_clauses; c++)
            for (size_t i = cnf->start[c]; i < cnf->start[c + 1] && !s->n_true[c]; i++) {
                size_t v = (size_t)abs(cnf->literal[i]) - 1;
                if (flip(s, v, 0) <= 0)
                    continue;
                n += (size_t)flip(s, v, 1);
                moved = 1;
            }
    }
    return n;
}

/* The assignment of the model as it is now; whether it is worth going on. */
static int look(void *context, const nln_progress *p)
{
    search *s = context;
    const nln_cnf *cnf = s->cnf;
    if (s->watch && s->watch->progress && s->watch->progress(s->watch->context, p)) {
        s->failed = NLN_CANCELLED;
        return 1;
    }
    if (!p->model)
        return 0;
    if (nln_solve(s->confidence, p->model, NULL)) {
        s->failed = NLN_MEMORY;
        return 1;
    }
    for (size_t i = 0; i < nln_model_variables(p->model); i++) /* the names are the numbers */
        s->value[strtol(nln_model_variable(p->model, i), NULL, 10) - 1] = s->confidence[i] > 0.5;
    size_t n = count(s);
    s->n_rounded = n > s->n_rounded ? n : s->n_rounded;
    n = improve(s, n);
    if (n > s->n_best || (n == s->n_best && n == 0)) {
        s->n_best = n;
        memcpy(s->best, s->value, cnf->n_variables);
    }
    return n == cnf->n_clauses;
}

/* ---- trainings ------------------------------------------------------------------------------- */

static nln_status make_options(nln_options **out, const nln_options *o, int round, nln_error *err)
{
    char seed[32];
    snprintf(seed, sizeof seed, "%.0f", nln_options_number(o, "seed") + round);
    const struct {
        const char *name, *value;
    } set[] = {
        {"task", "logic"},
        {"model", "marginals"},
        {"normal-form", "none"},
        {"noise", "0"},
        {"fit-noise", "false"},
        {"select", "last"},
        {"patience", "0"},
        {"threads", "1"},
        {"init-variables", nln_options_text(o, "spread")},
        {"epochs", nln_options_text(o, "epochs")},
        {"learning-rate-logit", nln_options_text(o, "learning-rate")},
        {"seed", seed},
    };
    nln_status status = nln_options_create(out, "train", err);
    for (size_t i = 0; !status && i < sizeof set / sizeof *set; i++)
        status = nln_options_set(*out, set[i].name, set[i].value, err);
    return status;
}

static nln_status train_once(search *s, const nln_options *o, int round, nln_error *err)
{
    nln_options *settings = NULL;
    nln_model *model = NULL;
    nln_watch watch = {.context = s, .progress = look};
    s->n_best = 0;
    nln_status status = make_options(&settings, o, round, err);
    if (!status) {
        status = nln_train(&model, NULL, s->data, settings, &watch, err);
        if (status == NLN_CANCELLED && !s->failed)
            status = NLN_OK; /* every clause holds */
        else if (s->failed == NLN_MEMORY)
            status = nln_error_memory(err);
    }
    nln_model_free(model);
    nln_options_free(settings);
    if (status)
        return status;
    if (s->n_best > s->n_best_of_all || round == 0) {
        s->n_best_of_all = s->n_best;
        memcpy(s->best_of_all, s->best, s->cnf->n_variables);
    }
    return NLN_OK;
}

/* One more copy of each clause that the last training left false. */
static nln_status repeat_false(search *s, nln_error *err)
{
    nln_labelled *train = &s->data->split[NLN_TRAIN];
    nln_exprs copies = {0};
    nln_status status = NLN_OK;
    memcpy(s->value, s->best, s->cnf->n_variables);
    count(s);
    for (size_t c = 0; !status && c < s->cnf->n_clauses; c++)
        if (!s->n_true[c])
            status = nln_exprs_append(&copies, nln_exprs_get(&train->exprs, c), err);
    for (size_t i = 0; !status && i < copies.n; i++) {
        status = nln_exprs_append(&train->exprs, nln_exprs_get(&copies, i), err);
        if (!status)
            status = nln_labelled_add(train, 1, 1, err);
    }
    nln_exprs_free(&copies);
    return status;
}

static nln_status search_run(nln_sat_report *out, search *s, const nln_options *o, nln_error *err)
{
    nln_status status = NLN_OK;
    int most = (int)nln_options_number(o, "trainings");
    double start = nln_profile_now();
    if (!s->cnf->n_literals) { /* nothing to learn from */
        out->satisfied = out->rounded = nln_cnf_count(NULL, s->cnf, s->best_of_all);
        return NLN_OK;
    }
    while (!status && out->trainings < most && s->n_best_of_all < s->cnf->n_clauses) {
        if (out->trainings)
            status = repeat_false(s, err);
        if (!status)
            status = train_once(s, o, out->trainings, err);
        out->trainings++;
    }
    out->satisfied = s->n_best_of_all;
    out->rounded = s->n_rounded;
    out->seconds = nln_profile_now() - start;
    return status;
}

/* CaDiCaL from its own first phases, and from those that were learned. */
static nln_status compare(nln_sat_report *out, uint8_t *value, const nln_cnf *cnf,
                          const nln_options *o, nln_error *err)
{
    size_t most = (size_t)nln_options_number(o, "conflicts");
    uint8_t *found = nln_array_zeroed(cnf->n_variables, 1);
    nln_status status = found ? NLN_OK : nln_error_memory(err);
    if (!status)
        status = nln_sat_solver_run(&out->plain, found, cnf, NULL, most, err);
    if (!status)
        status = nln_sat_solver_run(&out->phased, out->plain.answer == 1 ? NULL : found, cnf, value,
                                    most, err);
    if (!status && out->satisfied < cnf->n_clauses &&
        (out->plain.answer == 1 || out->phased.answer == 1))
        memcpy(value, found, cnf->n_variables);
    nln_free(found);
    return status;
}

nln_status nln_cnf_solve(uint8_t *value, nln_sat_report *report, const nln_cnf *cnf,
                         const nln_options *options, const nln_watch *watch, nln_error *err)
{
    nln_options *own = NULL;
    search s = {0};
    nln_status status =
        options ? nln_options_check(options, "sat", err) : nln_options_create(&own, "sat", err);
    const nln_options *o = options ? options : own;
    *report = (nln_sat_report){.plain = {.answer = -1}, .phased = {.answer = -1}};
    if (!status)
        status = search_create(&s, cnf, watch, err);
    if (!status) {
        status = search_run(report, &s, o, err);
        memcpy(value, s.best_of_all, cnf->n_variables);
    }
    if (!status && nln_options_number(o, "cadical") != 0)
        status = compare(report, value, cnf, o, err);
    if (!status)
        report->answer = nln_cnf_count(NULL, cnf, value) == cnf->n_clauses         ? 1
                         : report->plain.answer == 0 || report->phased.answer == 0 ? 0
                                                                                   : -1;
    search_free(&s);
    nln_options_free(own);
    return status;
}

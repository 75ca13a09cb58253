/* nln evaluate: the network, and exact reasoning from the same training set; judge.h has
 * the models that learnt from ratings. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "commands/evaluate_ratings.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/durations.h"
#include "show/files.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/text_table.h"

typedef struct method {
    const char *key, *title; /* in JSON and in the table */
    nln_metrics metrics;
    double recovered; /* share of variables; NaN if unknown */
    double seconds;
} method;

enum { NETWORK, SAT, POSTERIOR, N_METHODS };

typedef struct evaluation {
    nln_split part;
    method methods[N_METHODS];
    nln_exact_report exact;
    int has_exact;
} evaluation;

static double known(double share)
{
    return share < 0 ? NAN : share;
}

/* Data without known values of the variables has no score; that is no failure.
 * A malformed file of values has been refused when the data was read. */
static int measure_network(evaluation *result, const cli_call *call, const nln_model *model,
                           const nln_data *data)
{
    nln_error err = {0};
    method *network = &result->methods[NETWORK];
    size_t n = 0;
    double start = cli_clock_seconds();

    if (nln_evaluate(&network->metrics, model, data, result->part,
                     cli_call_library(call, "predict"), &err))
        return cli_message_error(&err);
    network->seconds = cli_clock_seconds() - start;
    nln_status status = nln_solve_score(&network->recovered, &n, model, call->operands[1], &err);
    if (status == NLN_IO || status == NLN_MEMORY)
        return cli_message_error(&err);
    if (status || n == 0)
        network->recovered = NAN;
    return CLI_OK;
}

static int measure_exact(evaluation *result, const cli_call *call, const nln_data *data)
{
    nln_error err = {0};
    nln_exact_report *exact = &result->exact;

    if (nln_exact(exact, data, cli_call_library(call, "exact"), &err))
        return cli_message_error(&err);
    result->methods[SAT].metrics = exact->sat;
    result->methods[SAT].recovered = known(exact->sat_recovered);
    result->methods[SAT].seconds = exact->sat_seconds;
    result->methods[POSTERIOR].metrics = exact->posterior;
    result->methods[POSTERIOR].recovered = known(exact->posterior_recovered);
    result->methods[POSTERIOR].seconds = exact->posterior_seconds;
    return CLI_OK;
}

static void print_json(const cli_call *call, const evaluation *result)
{
    json_t *object = cli_json_object();

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(call->operands[0]));
    cli_json_put(object, "data", cli_json_text(call->operands[1]));
    cli_json_put(object, "split", cli_json_text(cli_metrics_split_name(result->part)));
    for (int i = 0; i < (result->has_exact ? N_METHODS : SAT); i++) {
        const method *m = &result->methods[i];
        json_t *values = cli_metrics_json(&m->metrics, CLI_LOGIC, CLI_SHOW_BOTH);
        cli_json_put(values, "recovered", cli_json_number(m->recovered));
        cli_json_put(values, "seconds", cli_json_number(m->seconds));
        if (i == SAT)
            cli_json_put(values, "consistent", json_boolean(result->exact.consistent));
        if (i == POSTERIOR)
            cli_json_put(values, "noise", cli_json_number(result->exact.noise));
        cli_json_put(object, m->key, values);
    }
    cli_json_print(object);
}

static void print_table(const evaluation *result)
{
    static const cli_column columns[] = {
        {"", 0},       {"expressions", 1},   {"accuracy", 1},
        {"RMSE", 1},   {"cross-entropy", 1}, {"variables recovered", 1},
        {"seconds", 1}};
    cli_table table;

    cli_table_open(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < (result->has_exact ? N_METHODS : SAT); i++) {
        const method *m = &result->methods[i];
        cli_table_add(&table, "%s", m->title);
        cli_table_count(&table, m->metrics.n);
        cli_table_number(&table, 4, m->metrics.n ? m->metrics.accuracy : NAN);
        cli_table_number(&table, 4, m->metrics.n ? m->metrics.rmse : NAN);
        cli_table_number(&table, 4, m->metrics.n ? m->metrics.cross_entropy : NAN);
        cli_table_number(&table, 4, m->recovered);
        cli_table_number(&table, 3, m->seconds);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    if (result->has_exact)
        puts("The seconds are those of answering; exact reasoning learns while it answers, the "
             "network\nhas learnt before.");
    if (result->has_exact && !result->exact.consistent)
        puts("No assignment explains every training label, so the solver has no answer.");
}

static int evaluate(evaluation *result, const cli_call *call, const nln_model *model,
                    const nln_data *data)
{
    int code = measure_network(result, call, model, data);
    if (!code && result->has_exact)
        code = measure_exact(result, call, data);
    if (!code && cli_call_flag(call, "json"))
        print_json(call, result);
    else if (!code)
        print_table(result);
    return code;
}

/* ---- a model of labelled expressions -------------------------------------------- */

static int check(const evaluation *result, const cli_call *call)
{
    static const char why[] = "is for models of ratings; this one learnt from expressions";
    int code = CLI_OK;

    if (result->has_exact && result->part != NLN_TEST)
        return cli_message_usage("--exact measures the test set; leave out --part");
    if (cli_call_has(call, "per-user") || cli_call_has(call, "ranking"))
        return cli_message_usage("--per-user and --ranking are for models of --task topk; this "
                                 "one learnt from expressions");
    code = cli_call_refuse(call, "ratings", why);
    return code ? code : cli_call_refuse(call, "ranking", why);
}

static int evaluate_logic(const cli_call *call, const nln_model *model, nln_split part)
{
    evaluation result = {
        .part = part,
        .methods = {
            [NETWORK] = {.key = "network", .title = "network"},
            [SAT] = {.key = "sat", .title = "one satisfying assignment (CaDiCaL)"},
            [POSTERIOR] = {.key = "posterior", .title = "posterior (belief propagation)"},
        }};
    nln_error err = {0};
    nln_data *data = NULL;

    result.has_exact = cli_call_flag(call, "exact");
    int code = check(&result, call);
    if (!code && nln_data_read(&data, call->operands[1], &err))
        code = cli_message_error(&err);
    else if (!code)
        code = evaluate(&result, call, model, data);
    nln_data_free(data);
    return code;
}

/* ---- any model -------------------------------------------------------------------- */

/* The part to measure is --part; --split, which deals ratings, also takes its words. */
static int find_part(nln_split *part, const cli_call *call)
{
    const char *split = cli_call_text(call, "split");

    *part = (nln_split)nln_options_number(call->options, "part");
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        if (strcmp(split, cli_metrics_split_name((nln_split)s)) != 0)
            continue;
        if (cli_call_has(call, "part") && *part != (nln_split)s)
            return cli_message_usage("--part %s and --split %s contradict each other; leave out "
                                     "one of them",
                                     cli_metrics_split_name(*part), split);
        *part = (nln_split)s;
    }
    return CLI_OK;
}

int cli_evaluate(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    nln_split part = NLN_TEST;
    const cli_named_path paths[] = {{"--per-user", cli_call_text(call, "per-user"), 0},
                                    {"MODEL", call->operands[0], 1},
                                    {"DATA", call->operands[1], 1},
                                    {"--config", cli_call_text(call, "config"), 1}};
    int code = cli_file_apart(paths, sizeof paths / sizeof *paths);

    if (!code)
        code = find_part(&part, call);
    if (code)
        return code;
    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    if (cli_metrics_task(nln_model_options(model)) == CLI_LOGIC)
        code = evaluate_logic(call, model, part);
    else
        code = cli_judge(call, model, part);
    nln_model_free(model);
    return code;
}

/* nln evaluate: the network, and exact reasoning from the same training set. */
#include <math.h>
#include <stdio.h>

#include "call.h"
#include "clock.h"
#include "json.h"
#include "message.h"
#include "table.h"

typedef struct method {
    const char *key, *title; /* in JSON and in the table */
    nln_metrics metrics;
    double recovered; /* share of variables; NaN if unknown */
    double seconds;
} method;

enum { NETWORK, SAT, POSTERIOR, N_METHODS };

typedef struct evaluation {
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
static int measure_network(method *network, const cli_call *call, const nln_model *model,
                           const nln_data *data)
{
    nln_error err = {0};
    size_t n = 0;
    nln_split split = (nln_split)nln_options_number(call->options, "split");
    double start = cli_clock_seconds();

    if (nln_evaluate(&network->metrics, model, data, split, call->library[0], &err))
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

    if (nln_exact(exact, data, call->library[1], &err))
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
    cli_json_put(object, "split", cli_json_text(cli_call_text(call, "split")));
    for (int i = 0; i < (result->has_exact ? N_METHODS : SAT); i++) {
        const method *m = &result->methods[i];
        json_t *values = cli_json_metrics(&m->metrics);
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
    int code = measure_network(&result->methods[NETWORK], call, model, data);
    if (!code && result->has_exact)
        code = measure_exact(result, call, data);
    if (!code && cli_call_flag(call, "json"))
        print_json(call, result);
    else if (!code)
        print_table(result);
    return code;
}

int cli_evaluate(const cli_call *call)
{
    evaluation result = {
        .methods = {
            [NETWORK] = {.key = "network", .title = "network"},
            [SAT] = {.key = "sat", .title = "one satisfying assignment (CaDiCaL)"},
            [POSTERIOR] = {.key = "posterior", .title = "posterior (belief propagation)"},
        }};
    nln_error err = {0};
    nln_model *model = NULL;
    nln_data *data = NULL;
    int code;

    result.has_exact = cli_call_flag(call, "exact");
    if (result.has_exact && nln_options_number(call->options, "split") != NLN_TEST)
        return cli_message_usage("--exact measures the test set; leave out --split");
    if (nln_model_load(&model, call->operands[0], &err) ||
        nln_data_read(&data, call->operands[1], &err))
        code = cli_message_error(&err);
    else
        code = evaluate(&result, call, model, data);
    nln_data_free(data);
    nln_model_free(model);
    return code;
}

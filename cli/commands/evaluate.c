/* nln evaluate: measures a network, and exact reasoning from the same training set;
 * evaluate_ratings.h does it for models of ratings. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command_line.h"
#include "commands/evaluate_ratings.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/metrics_table.h"
#include "show/output_file.h"
#include "show/struct_fields.h"
#include "show/terminal.h"
#include "show/user_ranks.h"

/* A row of the table: the network, or a way of exact reasoning. */
typedef struct method {
    const char *key, *title; /* in JSON and in the table */
    nln_metrics metrics;
    double recovered; /* share of variables; NaN if unknown */
    double seconds;
} method;

enum { NETWORK, SAT, POSTERIOR, N_METHODS };

static const cli_field columns[] = {
    CLI_FIELD(method, title, TEXT, NULL, "", 0),
    CLI_FIELD(method, metrics.n, COUNT, NULL, "expressions", 0),
    CLI_FIELD(method, metrics.accuracy, NUMBER, NULL, "accuracy", 4),
    CLI_FIELD(method, metrics.rmse, NUMBER, NULL, "RMSE", 4),
    CLI_FIELD(method, metrics.cross_entropy, NUMBER, NULL, "cross-entropy", 4),
    CLI_FIELD(method, recovered, NUMBER, "recovered", "recovered", 4),
    CLI_FIELD(method, seconds, NUMBER, "seconds", "seconds", 3),
};

enum { MOST_LENGTHS = 64, OF_A_LENGTH = 200 };

static const cli_field length_columns[] = {
    CLI_FIELD(nln_length_score, kind, TEXT, "kind", "kind", 0),
    CLI_FIELD(nln_length_score, size, INT, "size", "size", 0),
    CLI_FIELD(nln_length_score, right, NUMBER, "right", "share right", 4),
};

typedef struct evaluation {
    nln_split part;
    nln_length_score lengths[MOST_LENGTHS];
    size_t n_lengths;
    method methods[N_METHODS];
    int n_methods;
    nln_exact_report exact;
} evaluation;

/* Data without known values of the variables has no score, which is not a failure: a malformed
 * file of values was refused when the data was read. */
static int measure_network(evaluation *result, const cli_call *call, const nln_model *model,
                           const nln_data *data)
{
    nln_error err = {0};
    method *network = &result->methods[NETWORK];
    size_t n = 0;
    struct stat about;
    double start = cli_terminal_clock();

    if (nln_evaluate(&network->metrics, model, data, result->part,
                     cli_call_library(call, "predict"), &err))
        return cli_message_error(&err);
    network->seconds = cli_terminal_clock() - start;
    network->recovered = NAN;
    if (stat(call->operands[1], &about) || !S_ISDIR(about.st_mode))
        return CLI_OK; /* one file of expressions knows no values */
    nln_status status = nln_solve_score(&network->recovered, &n, model, call->operands[1], &err);
    if (status == NLN_IO || status == NLN_MEMORY)
        return cli_message_error(&err);
    if (status || n == 0)
        network->recovered = NAN;
    return CLI_OK;
}

/* Unlike the share of variables recovered, lengths were asked for: without known values they are
 * an error. */
static int measure_lengths(evaluation *result, const cli_call *call, const nln_model *model)
{
    nln_error err = {0};
    return nln_measure_lengths(result->lengths, MOST_LENGTHS, &result->n_lengths, model,
                               call->operands[1], OF_A_LENGTH, cli_call_library(call, "predict"),
                               &err)
               ? cli_message_error(&err)
               : CLI_OK;
}

static int measure_exact(evaluation *result, const cli_call *call, const nln_data *data)
{
    nln_error err = {0};
    nln_exact_report *e = &result->exact;

    if (nln_exact(e, data, cli_call_library(call, "exact"), &err))
        return cli_message_error(&err);
    result->methods[SAT] =
        (method){"sat", "an assignment (CaDiCaL)", e->sat, e->sat_recovered, e->sat_seconds};
    result->methods[POSTERIOR] =
        (method){"posterior", "posterior (belief propagation)", e->posterior,
                 e->posterior_recovered, e->posterior_seconds};
    for (int i = SAT; i <= POSTERIOR; i++)
        if (result->methods[i].recovered < 0)
            result->methods[i].recovered = NAN;
    return CLI_OK;
}

static void print_json(const cli_call *call, const evaluation *result)
{
    json_t *object = cli_json_result("model", call->operands[0]);

    cli_json_put(object, "data", cli_json_text(call->operands[1]));
    cli_json_put(object, "split", cli_json_text(cli_metrics_split_name(result->part)));
    for (int i = 0; i < result->n_methods; i++) {
        const method *m = &result->methods[i];
        json_t *values = cli_metrics_json(&m->metrics, CLI_LOGIC, CLI_SHOW_BOTH);
        cli_fields_put(values, columns, CLI_COUNT(columns), m);
        if (i == SAT)
            cli_json_put(values, "consistent", json_boolean(result->exact.consistent));
        if (i == POSTERIOR)
            cli_json_put(values, "noise", cli_json_number(result->exact.noise));
        cli_json_put(object, m->key, values);
    }
    if (result->n_lengths)
        cli_json_put(object, "lengths",
                     cli_fields_array(length_columns, CLI_COUNT(length_columns), result->lengths,
                                      result->n_lengths, sizeof *result->lengths));
    cli_json_print(object);
}

static void print_lengths(const evaluation *result)
{
    puts("\nExpressions of any length, of variables that the model solves rightly:");
    cli_fields_print(length_columns, CLI_COUNT(length_columns), result->lengths, result->n_lengths,
                     sizeof *result->lengths);
    printf(
        "Each is the share of %d expressions.  Of size N, `and` has N true literals, `or` N false "
        "ones,\n`nested` is N levels deep, and `clauses` is an OR of N ANDs of N literals.\n",
        OF_A_LENGTH);
}

static void print_table(evaluation *result)
{
    for (int i = 0; i < result->n_methods; i++) {
        nln_metrics *m = &result->methods[i].metrics;
        if (!m->n)
            m->accuracy = m->rmse = m->cross_entropy = NAN;
    }
    cli_fields_print(columns, CLI_COUNT(columns), result->methods, (size_t)result->n_methods,
                     sizeof *result->methods);
    if (result->n_methods == 1)
        return;
    puts("The seconds are those of answering; exact reasoning learns while it answers, the "
         "network\nhas learned before.");
    if (!result->exact.consistent)
        puts("No assignment explains every training label, so the solver has no answer.");
}

static int check(const evaluation *result, const cli_call *call)
{
    static const char why[] = "is for models of ratings; this one learned from expressions";

    if (result->n_methods > 1 && result->part != NLN_TEST)
        return cli_message_usage("--exact measures the test set; leave out --part");
    if (cli_call_has(call, "lists"))
        return cli_message_usage("--lists %s", why);
    if (cli_call_has(call, "per-user") || cli_call_has(call, "ranking"))
        return cli_message_usage("--per-user and --ranking are for models of --task topk; this "
                                 "one learned from expressions");
    int code = cli_call_refuse(call, "ratings", why);
    return code ? code : cli_call_refuse(call, "ranking", why);
}

/* A model of labelled expressions. */
static int evaluate_logic(const cli_call *call, const nln_model *model, nln_split part)
{
    evaluation result = {.part = part,
                         .methods = {{.key = "network", .title = "network"}},
                         .n_methods = cli_call_flag(call, "exact") ? N_METHODS : 1};
    nln_error err = {0};
    nln_data *data = NULL;
    int is_same = 0, code = check(&result, call);

    if (code)
        return code;
    if (nln_data_read_for(&data, &is_same, model, call->operands[1], &err))
        return cli_message_error(&err);
    if (nln_data_size(data, NLN_TRAIN) == 0 && !is_same &&
        (result.n_methods > 1 || part != NLN_TEST))
        code = cli_message_usage("%s is not the file that the model learned from, so all of it is "
                                 "test; leave out --part and --exact",
                                 call->operands[1]);
    if (!code)
        code = measure_network(&result, call, model, data);
    if (!code && result.n_methods > 1)
        code = measure_exact(&result, call, data);
    if (!code && cli_call_flag(call, "lengths"))
        code = measure_lengths(&result, call, model);
    if (!code && cli_call_flag(call, "json")) {
        print_json(call, &result);
    } else if (!code) {
        print_table(&result);
        if (result.n_lengths)
            print_lengths(&result);
    }
    nln_data_free(data);
    return code;
}

static int write_placings(const cli_call *call, const nln_model *model, const nln_triples *triples,
                          nln_split part)
{
    nln_link_placing *placings = NULL;
    nln_error err = {0};

    if (nln_place_links(&placings, model, triples, part, cli_call_library(call, "predict"), &err))
        return cli_message_error(&err);
    int code = cli_user_ranks_write_links(placings, nln_triples_size(triples, part), triples,
                                          cli_call_text(call, "per-triple"));
    nln_free(placings);
    return code;
}

/* A model of links. */
static int evaluate_links(const cli_call *call, const nln_model *model, nln_split part)
{
    static const char why[] = "is for models of ratings; this one learned from triples";
    nln_triples *triples = NULL;
    nln_metrics metrics = {0};
    nln_error err = {0};
    double start = cli_terminal_clock();
    int code = cli_call_refuse(call, "ratings", why);

    if (!code)
        code = cli_call_refuse(call, "ranking", why);
    if (!code && (cli_call_has(call, "lists") || cli_call_has(call, "per-user")))
        code =
            cli_message_usage("%s %s", cli_call_has(call, "lists") ? "--lists" : "--per-user", why);
    if (!code && (cli_call_flag(call, "exact") || cli_call_flag(call, "lengths")))
        code = cli_message_usage("--exact and --lengths are for models of expressions");
    if (code)
        return code;
    if (nln_triples_read(&triples, call->operands[1], cli_call_library(call, "triples"), &err))
        return cli_message_error(&err);
    if (nln_evaluate_links(&metrics, model, triples, part, cli_call_library(call, "predict"), &err))
        code = cli_message_error(&err);
    if (!code && cli_call_text(call, "per-triple")[0])
        code = write_placings(call, model, triples, part);
    if (!code && cli_call_flag(call, "json")) {
        json_t *object = cli_json_result("model", call->operands[0]);
        cli_json_put(object, "data", cli_json_text(call->operands[1]));
        cli_json_put(object, "split", cli_json_text(cli_metrics_split_name(part)));
        cli_json_put(object, "seconds", cli_json_number(cli_terminal_clock() - start));
        cli_json_put(object, "links", cli_metrics_json(&metrics, CLI_LINK, CLI_SHOW_BOTH));
        cli_json_print(object);
    } else if (!code) {
        cli_metrics_print(&(cli_measured){cli_metrics_split_name(part), &metrics}, 1, CLI_LINK);
        printf("MRR of r(?, t) %.4f, of r(h, ?) %.4f; %zu entities unseen in training\n",
               metrics.links.heads, metrics.links.tails, metrics.links.unseen);
    }
    nln_triples_free(triples);
    return code;
}

/* The part to measure is --part; --split, which splits ratings, also accepts its words. */
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
                                    {"--per-triple", cli_call_text(call, "per-triple"), 0},
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
    if (cli_call_has(call, "per-triple") && cli_metrics_task(nln_model_options(model)) != CLI_LINK)
        code = cli_message_usage("--per-triple is for models of --task link, which rank entities");
    else if (cli_metrics_task(nln_model_options(model)) == CLI_LINK)
        code = evaluate_links(call, model, part);
    else if (cli_metrics_task(nln_model_options(model)) == CLI_LOGIC)
        code = evaluate_logic(call, model, part);
    else
        code = cli_evaluate_ratings(call, model, part);
    nln_model_free(model);
    return code;
}

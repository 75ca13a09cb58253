#include "commands/evaluate_ratings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "commands/rank_dump.h"
#include "commands/ratings_input.h"
#include "messages.h"
#include "show/durations.h"
#include "show/json_output.h"
#include "show/metrics_table.h"

typedef struct judgement {
    const cli_call *call;
    cli_task task;
    cli_shown shown;
    nln_split part;
    cli_ratings ratings;
    nln_metrics metrics;
    double seconds;
} judgement;

/* ---- printing --------------------------------------------------------------------- */

static void print_json(const judgement *j)
{
    json_t *object = cli_json_object();
    json_t *values = cli_metrics_json(&j->metrics, j->task, j->shown);

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(j->call->operands[0]));
    cli_json_put(object, "data", cli_json_text(j->call->operands[1]));
    cli_json_put(object, "split", cli_json_text(cli_metrics_split_name(j->part)));
    cli_json_put(values, "seconds", cli_json_number(j->seconds));
    cli_json_put(object, "network", values);
    cli_json_put(object, "reading", cli_ratings_reading(&j->ratings));
    if (j->task == CLI_TOPK)
        cli_json_put(object, "options", cli_json_options(cli_call_library(j->call, "ranking")));
    cli_json_print(object);
}

static void print_ranking(const char *name, const nln_ranking *r)
{
    if (r->n)
        printf("%s: MRR %.4f, mean rank %.1f\n", name, r->mrr, r->mean_rank);
}

static void print_table(const judgement *j)
{
    const cli_measured row = {cli_metrics_split_name(j->part), &j->metrics};
    const nln_ranking *r = &j->metrics.full;

    if (j->task != CLI_TOPK) {
        cli_metrics_print(&row, 1, j->task);
        printf("%.3f s\n", j->seconds);
        return;
    }
    cli_metrics_print_cuts(&j->metrics, j->shown);
    if (j->shown != CLI_SHOW_FULL)
        print_ranking("among sampled items", &j->metrics.sampled);
    if (j->shown != CLI_SHOW_SAMPLED)
        print_ranking("among all items", r);
    printf("%zu liked item%s of %zu user%s in %s, %.3f s\n", r->n, cli_message_plural(r->n),
           r->n_users, cli_message_plural(r->n_users), row.split, j->seconds);
}

/* ---- measuring --------------------------------------------------------------------- */

static int measure(judgement *j, const nln_model *model)
{
    nln_error err = {0};
    nln_placing *placings = NULL;
    const char *per_user = cli_call_text(j->call, "per-user");
    double start = cli_clock_seconds();
    int code = CLI_OK;

    if (nln_evaluate_ratings(&j->metrics, per_user[0] ? &placings : NULL, model, j->ratings.ratings,
                             j->part, cli_call_library(j->call, "ranking"), &err))
        return cli_message_cause(&err);
    j->seconds = cli_clock_seconds() - start;
    if (per_user[0])
        code = cli_placings_write(placings, j->metrics.full.n, j->ratings.ratings, per_user);
    nln_free(placings);
    return code;
}

/* What the model has never met is ranked last, or cannot be judged at all. */
static void tell_unknown(const judgement *j, const nln_model *model)
{
    const nln_ratings *r = j->ratings.ratings;
    static const char *const consequence[2][2] = {{"they are left out", "it is left out"},
                                                  {"they rank last", "it ranks last"}};
    size_t n = 0, item;

    for (size_t i = 0; i < nln_ratings_items(r); i++)
        n += nln_model_find(&item, model, nln_ratings_item(r, i), NULL) != NLN_OK;
    if (n > 0)
        cli_message_note("%s: the model does not know %zu of the %zu item%s; %s",
                         j->call->operands[1], n, nln_ratings_items(r),
                         cli_message_plural(nln_ratings_items(r)),
                         consequence[j->task == CLI_TOPK][n == 1]);
}

/* A part without rows has no numbers, and somebody may wonder why. */
static void tell_empty(const judgement *j)
{
    size_t n = j->task == CLI_TOPK ? j->metrics.full.n : j->metrics.n;

    if (n == 0)
        cli_message_note("%s: there is nothing to measure in %s", j->call->operands[1],
                         cli_metrics_split_name(j->part));
}

/* Methods that have learnt about each user say of somebody else what they say of anyone. */
static void tell_unknown_users(const judgement *j, const nln_model *model)
{
    static const char *const methods[] = {"biasedmf", "svdpp", "ncf"};
    const nln_ratings *r = j->ratings.ratings;
    const char *kind = nln_options_text(nln_model_options(model), "model");
    nln_literal *literals = NULL;
    size_t unknown = 0, n;
    int learns = 0;

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        learns |= strcmp(kind, methods[i]) == 0;
    for (size_t u = 0; learns && u < nln_ratings_users(r); u++)
        if (nln_model_history(&literals, &n, model, nln_ratings_user(r, u), NULL))
            unknown++;
        else
            nln_free(literals);
    if (unknown > 0)
        cli_message_note("%s: the model does not know %zu of the %zu users; for them it answers "
                         "without what it learnt of each user",
                         j->call->operands[1], unknown, nln_ratings_users(r));
}

static int check(const judgement *j)
{
    static const char why[] = "is for models of labelled expressions; this one learnt from ratings";
    int code = CLI_OK;

    if (cli_call_flag(j->call, "exact"))
        return cli_message_usage("--exact %s", why);
    if (j->task != CLI_TOPK && cli_call_has(j->call, "per-user"))
        return cli_message_usage("--per-user shows ranks, which only a model of --task topk has");
    if (j->task != CLI_TOPK && cli_call_has(j->call, "ranking"))
        return cli_message_usage("--ranking chooses ranks, which only a model of --task topk has");
    if (j->task != CLI_TOPK)
        code = cli_call_refuse(j->call, "ranking",
                               "is about ranks, which only a model of --task topk has");
    if (code)
        return code;
    code = cli_call_refuse(j->call, "predict", why);
    return code ? code : cli_call_refuse(j->call, "exact", why);
}

int cli_judge(const cli_call *call, const nln_model *model, nln_split part)
{
    judgement j = {.call = call,
                   .task = cli_metrics_task(nln_model_options(model)),
                   .shown = (cli_shown)nln_options_number(call->options, "ranking"),
                   .part = part};
    int code = check(&j);

    if (!code)
        code = cli_ratings_read_for(&j.ratings, call, call->operands[1], model);
    if (!code)
        code = measure(&j, model);
    if (!code && !cli_call_flag(call, "quiet")) {
        tell_unknown(&j, model);
        tell_unknown_users(&j, model);
        cli_ratings_tell_missing(&j.ratings, call->operands[1]);
        tell_empty(&j);
    }
    if (!code && cli_call_flag(call, "json"))
        print_json(&j);
    else if (!code)
        print_table(&j);
    cli_ratings_free(&j.ratings);
    return code;
}

#include "commands/evaluate_ratings.h"

#include <math.h>
#include <stdio.h>

#include "command_line.h"
#include "commands/ratings_input.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/terminal.h"
#include "show/user_ranks.h"

typedef struct evaluation {
    const cli_call *call;
    cli_task task;
    cli_shown shown;
    nln_split part;
    cli_ratings ratings;
    nln_metrics metrics;
    nln_list_report lists; /* of --lists */
    double seconds;
    size_t n_learned; /* interactions of the part that the model was trained on */
} evaluation;

static void print_json(const evaluation *e)
{
    json_t *object = cli_json_result("model", e->call->operands[0]);
    json_t *values = cli_metrics_json(&e->metrics, e->task, e->shown);

    cli_json_put(object, "data", cli_json_text(e->call->operands[1]));
    cli_json_put(object, "split", cli_json_text(cli_metrics_split_name(e->part)));
    cli_json_put(values, "seconds", cli_json_number(e->seconds));
    cli_json_put(object, "network", values);
    cli_json_put(object, "learned", cli_json_count(e->n_learned));
    cli_json_put(object, "reading", cli_ratings_reading(&e->ratings));
    if (e->lists.k) {
        json_t *lists = cli_json_object();
        cli_json_put(lists, "k", cli_json_count(e->lists.k));
        cli_json_put(lists, "n", cli_json_count(e->lists.n_lists));
        cli_json_put(lists, "coverage", cli_json_number(e->lists.coverage));
        cli_json_put(lists, "novelty", cli_json_number(e->lists.novelty));
        cli_json_put(lists, "diversity", cli_json_number(e->lists.diversity));
        cli_json_put(object, "lists", lists);
    }
    if (e->task == CLI_TOPK)
        cli_json_put(object, "options", cli_json_options(cli_call_library(e->call, "ranking")));
    cli_json_print(object);
}

static void print_table(const evaluation *e)
{
    const cli_measured row = {cli_metrics_split_name(e->part), &e->metrics};
    const nln_ranking *sampled = &e->metrics.sampled, *full = &e->metrics.full;

    if (e->task != CLI_TOPK) {
        cli_metrics_print(&row, 1, e->task);
        printf("%.3f s\n", e->seconds);
        return;
    }
    cli_metrics_print_cuts(&e->metrics, e->shown);
    if (e->shown != CLI_SHOW_FULL && sampled->n)
        printf("among sampled items: MRR %.4f, mean rank %.1f\n", sampled->mrr, sampled->mean_rank);
    if (e->shown != CLI_SHOW_SAMPLED && full->n)
        printf("among all items: MRR %.4f, mean rank %.1f\n", full->mrr, full->mean_rank);
    printf("%zu liked item%s of %zu user%s in %s, %.3f s\n", full->n, cli_message_plural(full->n),
           full->n_users, cli_message_plural(full->n_users), row.split, e->seconds);
}

static void print_lists(const nln_list_report *l)
{
    if (l->k)
        printf("lists of %zu for %zu users: coverage %.4f, novelty %.2f bits, diversity %.4f\n",
               l->k, l->n_lists, l->coverage, l->novelty, l->diversity);
}

static int measure(evaluation *e, const nln_model *model)
{
    nln_error err = {0};
    nln_placing *placings = NULL;
    const char *per_user = cli_call_text(e->call, "per-user");
    double start = cli_terminal_clock();
    int code = CLI_OK;

    if (nln_evaluate_ratings(&e->metrics, per_user[0] ? &placings : NULL, model, e->ratings.ratings,
                             e->part, cli_call_library(e->call, "ranking"), &err))
        return cli_message_cause(&err);
    e->seconds = cli_terminal_clock() - start;
    if (nln_ratings_learned(&e->n_learned, model, e->ratings.ratings, e->part, &err))
        return cli_message_error(&err);
    size_t k = (size_t)nln_options_number(e->call->options, "lists");
    if (k && nln_evaluate_lists(&e->lists, model, e->ratings.ratings, e->part, k, 0,
                                (int)nln_options_number(e->call->options, "threads"), &err))
        code = cli_message_error(&err);
    if (!code && per_user[0])
        code = cli_user_ranks_write(placings, e->metrics.full.n, e->ratings.ratings, per_user);
    nln_free(placings);
    return code;
}

/* Notes about items and users that the model does not know, and about an empty part. */
static void tell(const evaluation *e, const nln_model *model)
{
    static const char *const consequence[2][2] = {{"they are left out", "it is left out"},
                                                  {"they rank last", "it ranks last"}};
    const nln_ratings *r = e->ratings.ratings;
    const char *data = e->call->operands[1];
    size_t items = 0, users = 0, index, n, n_items = nln_ratings_items(r);
    nln_literal *literals = NULL;
    int knows_users = nln_model_abilities(model).knows_users;

    for (size_t i = 0; i < n_items; i++)
        items += nln_model_find(&index, model, nln_ratings_item(r, i), NULL) != NLN_OK;
    if (items > 0)
        cli_message_note("%s: the model does not know %zu of the %zu item%s; %s", data, items,
                         n_items, cli_message_plural(n_items),
                         consequence[e->task == CLI_TOPK][items == 1]);
    for (size_t u = 0; knows_users && u < nln_ratings_users(r); u++)
        if (nln_model_history(&literals, &n, model, nln_ratings_user(r, u), NULL))
            users++;
        else
            nln_free(literals);
    if (users > 0)
        cli_message_note("%s: the model does not know %zu of the %zu users; for them it answers "
                         "without what it learned about each user",
                         data, users, nln_ratings_users(r));
    cli_ratings_tell_reading(&e->ratings, data);
    if (e->n_learned > 0 && e->part != NLN_TRAIN)
        cli_message_note("%s: the model was trained on %zu of the %zu interactions of %s; it does "
                         "better on these than on new ones",
                         data, e->n_learned, nln_ratings_size(r, e->part),
                         cli_metrics_split_name(e->part));
    if ((e->task == CLI_TOPK ? e->metrics.full.n : e->metrics.n) == 0)
        cli_message_note("%s: there is nothing to measure in %s", data,
                         cli_metrics_split_name(e->part));
}

static int check(const evaluation *e)
{
    static const char why[] =
        "is for models of labelled expressions; this one learned from ratings";
    int code = CLI_OK;

    if (cli_call_flag(e->call, "exact") || cli_call_flag(e->call, "lengths"))
        return cli_message_usage("--%s %s", cli_call_flag(e->call, "exact") ? "exact" : "lengths",
                                 why);
    if (e->task != CLI_TOPK && cli_call_has(e->call, "per-user"))
        return cli_message_usage("--per-user shows ranks, which only a model of --task topk has");
    if (e->task != CLI_TOPK && cli_call_has(e->call, "ranking"))
        return cli_message_usage("--ranking chooses ranks, which only a model of --task topk has");
    if (e->task != CLI_TOPK)
        code = cli_call_refuse(e->call, "ranking",
                               "is about ranks, which only a model of --task topk has");
    if (!code)
        code = cli_call_refuse(e->call, "predict", why);
    return code ? code : cli_call_refuse(e->call, "exact", why);
}

int cli_evaluate_ratings(const cli_call *call, const nln_model *model, nln_split part)
{
    evaluation e = {.call = call,
                    .task = cli_metrics_task(nln_model_options(model)),
                    .shown = (cli_shown)nln_options_number(call->options, "ranking"),
                    .part = part};
    int code = check(&e);

    if (!code)
        code = cli_ratings_read_for(&e.ratings, call, call->operands[1], model);
    if (!code)
        code = measure(&e, model);
    if (!code && !cli_call_flag(call, "quiet"))
        tell(&e, model);
    if (!code && cli_call_flag(call, "json"))
        print_json(&e);
    else if (!code)
        print_table(&e);
    if (!code && !cli_call_flag(call, "json"))
        print_lists(&e.lists);
    cli_ratings_free(&e.ratings);
    return code;
}

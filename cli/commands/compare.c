/* nln compare: trains the network and simpler models on one split, in a process each, and prints
 * one table: quality, paired tests, time and memory.  Where a simpler model does better, a sentence
 * says so. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "reproduce/tuned_options.h"
#include "runs/run_store.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/text_table.h"
#include "show/user_ranks.h"

enum { MOST_SEEDS = 1000, MOST_MEASURES = 4 };

/* A model to compare with; the simplest come first. */
typedef struct rival {
    cli_task task;
    const char *name;
    const char *words; /* of its training; values of share/tuned are added to them */
    const char *tuned; /* the name of these, or NULL */
    int is_quick;      /* it takes part with --quick */
} rival;

static const rival rivals[] = {
    {CLI_TOPK, "popularity", "--model=popularity", NULL, 1},
    {CLI_TOPK, "itemknn", "--model=itemknn", NULL, 1},
    {CLI_TOPK, "ease", "--model=ease", "ease", 1},
    {CLI_TOPK, "biasedmf", "--model=biasedmf", "biasedmf", 0},
    {CLI_TOPK, "svdpp-last", "", "svdpp-last", 0},
    {CLI_TOPK, "gru", "--model=gru", "gru", 0},
    {CLI_TOPK, "sasrec", "--model=sasrec", NULL, 0},
    {CLI_TOPK, "sasrec-softmax", "", "sasrec-softmax", 0},
    {CLI_PREFERENCE, "popularity", "--model=popularity", NULL, 1},
    {CLI_PREFERENCE, "biasedmf", "--model=biasedmf", "biasedmf", 1},
    {CLI_PREFERENCE, "svdpp", "--model=svdpp", "svdpp", 0},
    {CLI_PREFERENCE, "ncf", "--model=ncf", "ncf", 0},
    {CLI_LOGIC, "marginals", "--model=marginals", "marginals", 1},
    {CLI_LOGIC, "birnn", "--model=birnn", "birnn", 0},
    {CLI_LOGIC, "exact", NULL, NULL, 0},
};
enum { N_RIVALS = sizeof rivals / sizeof *rivals };

/* The measures of a task; the last one decides. */
typedef struct measure {
    const char *title, *key; /* the key is a path in the JSON of train; of exact, of its part */
    const char *column;      /* of the file of ranks, where each user has a value */
    int lower;
} measure;

static const measure measures[][MOST_MEASURES] = {
    [CLI_LOGIC] = {{"accuracy", "accuracy", NULL, 0}, {"RMSE", "rmse", NULL, 1}},
    [CLI_PREFERENCE] = {{"accuracy", "accuracy", NULL, 0}, {"AUC", "auc", NULL, 0}},
    [CLI_TOPK] = {{"HR@10", "hit@10", "hit@10_sampled", 0},
                  {"nDCG@10", "ndcg@10", "ndcg@10_sampled", 0},
                  {"full HR@10", "full.hit@10", "hit@10_full", 0},
                  {"full nDCG@10", "full.ndcg@10", "ndcg@10_full", 0}},
};

typedef struct entrant {
    const char *name;
    const rival *rival; /* NULL: the network */
    cli_run *runs[MOST_SEEDS];
    double mean[MOST_MEASURES];
    nln_paired against[MOST_MEASURES]; /* of the network's values and these, user by user or seed
                                        * by seed */
    double seconds, peak_rss;          /* the mean, and the most */
} entrant;

typedef struct comparison {
    const cli_call *call;
    cli_task task;
    const measure *measures;
    int n_measures, n_seeds;
    cli_runs runs;
    entrant *entrants; /* the network first */
    int n;
} comparison;

/* ---- who takes part ------------------------------------------------------------------------- */

static int is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, name, length) == 0)
            return 1;
    return 0;
}

static int check_names(const comparison *c, const char *list)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        size_t length = strcspn(at, ",");
        cli_text text;
        int known = 0;
        for (int i = 0; i < N_RIVALS; i++)
            known |= rivals[i].task == c->task && strlen(rivals[i].name) == length &&
                     strncmp(rivals[i].name, at, length) == 0;
        if (known)
            continue;
        cli_text_open(&text);
        for (int i = 0; i < N_RIVALS; i++)
            if (rivals[i].task == c->task)
                fprintf(text.stream, " %s", rivals[i].name);
        char *names = cli_text_close(&text);
        int code = cli_message_usage("--rivals has no '%.*s' for --task %s, only:%s",
                                     (int)(length < 80 ? length : 80), at,
                                     cli_metrics_task_name(c->task), names);
        free(names);
        return code;
    }
    return CLI_OK;
}

static int list_entrants(comparison *c)
{
    const char *list = cli_call_text(c->call, "rivals");
    int all = strcmp(list, "auto") == 0, code = all ? CLI_OK : check_names(c, list);
    int quick = cli_call_flag(c->call, "quick");

    c->entrants = cli_memory_resize(NULL, N_RIVALS + 1, sizeof *c->entrants);
    memset(c->entrants, 0, (N_RIVALS + 1) * sizeof *c->entrants);
    c->entrants[c->n++].name = "nln";
    for (int i = 0; i < N_RIVALS; i++)
        if (rivals[i].task == c->task &&
            (all ? !quick || rivals[i].is_quick : is_listed(list, rivals[i].name))) {
            c->entrants[c->n].rival = &rivals[i];
            c->entrants[c->n++].name = rivals[i].name;
        }
    return code;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Options of reading are for all; those of training for the network alone, but for the task. */
static void add_shared(cli_run *run, const comparison *c, int is_network)
{
    static const char *const own[] = {"out",  "seed",   "threads", "json",  "quiet", "config",
                                      "jobs", "resume", "rivals",  "seeds", "task",  "quick"};
    const nln_options *reading = cli_call_library(c->call, "ratings");

    for (int i = 0; i < c->call->n_rows; i++) {
        const char *name = c->call->rows[i].name;
        int is_own = 0, reads = c->task != CLI_LOGIC && nln_options_text(reading, name) != NULL;
        for (size_t k = 0; k < sizeof own / sizeof *own; k++)
            is_own |= strcmp(name, own[k]) == 0;
        if (!is_own && cli_call_has(c->call, name) && (reads || is_network))
            cli_runs_word(run, "--%s=%s", name, cli_call_text(c->call, name));
    }
}

static void add_training(cli_run *run, const comparison *c, const rival *of, double seed)
{
    const char *task = cli_metrics_task_name(c->task);
    const char *source = c->task == CLI_LOGIC ? "1k-5k" : "ml100k";
    const char *tuned = of && of->tuned ? cli_tuned_find(task, source, of->tuned) : NULL;

    cli_runs_words(run, "train");
    cli_runs_word(run, "--task=%s", task);
    if (of)
        cli_runs_words(run, of->words);
    while (tuned) {
        char *word = cli_tuned_next(&tuned);
        int is_said = word && (strncmp(word, "--task=", 7) == 0 ||
                               (of->words[0] && strncmp(word, "--model=", 8) == 0));
        if (word && !is_said)
            cli_runs_word(run, "%s", word);
        if (!word)
            tuned = NULL;
        free(word);
    }
    if (!of && cli_call_flag(c->call, "quick") && !cli_call_has(c->call, "recipe"))
        cli_runs_word(run, "--recipe=fast");
    add_shared(run, c, !of);
    if (c->task == CLI_TOPK)
        cli_runs_word(run, "--per-user=@/ranks.tsv");
    cli_runs_word(run, of ? "--out=/dev/null" : "--out=@/model");
    cli_runs_word(run, "--seed=%.0f", seed);
    cli_runs_word(run, "--");
    cli_runs_word(run, "%s", c->call->operands[0]);
}

static void add_runs(comparison *c)
{
    double seed = nln_options_number(c->call->options, "seed");
    for (int i = 0; i < c->n; i++)
        for (int s = 0; s < c->n_seeds; s++) {
            entrant *e = &c->entrants[i];
            cli_run *run = cli_runs_add(&c->runs, "%s/seed-%.0f", e->name, seed + s);
            e->runs[s] = run;
            run->weight = e->rival ? 1 : 10;
            if (!e->rival || e->rival->words) {
                add_training(run, c, e->rival, seed + s);
                continue;
            }
            run->stage = 1;
            run->after = c->entrants[0].runs[s];
            cli_runs_words(run, "evaluate --exact --");
            cli_runs_word(run, "+/nln/seed-%.0f/model", seed + s);
            cli_runs_word(run, "%s", c->call->operands[0]);
        }
}

/* ---- results -------------------------------------------------------------------------------- */

static double value_of(const entrant *e, int seed, const measure *m)
{
    int is_exact = e->rival && !e->rival->words;
    char *path = cli_memory_print("%s.%s", is_exact ? "posterior" : "test", m->key);
    double value = cli_runs_number(e->runs[seed], path);
    free(path);
    return value;
}

static void add_ranks(cli_user_ranks *ranks, const comparison *c, const entrant *e,
                      const char *column)
{
    for (int s = 0; s < c->n_seeds; s++) {
        char *path = cli_runs_path(&c->runs, e->runs[s], "ranks.tsv");
        cli_user_ranks_add(ranks, path, column);
        free(path);
    }
    cli_user_ranks_settle(ranks);
}

/* The network against an entrant: over users, where each has a value, else over seeds. */
static nln_paired compare(const comparison *c, const entrant *e, const measure *m)
{
    if (m->column) {
        cli_user_ranks own = {0}, other = {0};
        add_ranks(&own, c, &c->entrants[0], m->column);
        add_ranks(&other, c, e, m->column);
        nln_paired paired = cli_user_ranks_compare(&own, &other);
        cli_user_ranks_free(&own);
        cli_user_ranks_free(&other);
        return paired;
    }
    double x[MOST_SEEDS], y[MOST_SEEDS];
    for (int s = 0; s < c->n_seeds; s++) {
        x[s] = value_of(&c->entrants[0], s, m);
        y[s] = value_of(e, s, m);
    }
    return nln_statistics_paired(x, y, (size_t)c->n_seeds);
}

static void summarize(comparison *c)
{
    for (int i = 0; i < c->n; i++) {
        entrant *e = &c->entrants[i];
        int n_timed = 0;
        for (int k = 0; k < c->n_measures; k++) {
            for (int s = 0; s < c->n_seeds; s++)
                e->mean[k] += value_of(e, s, &c->measures[k]) / c->n_seeds;
            if (i)
                e->against[k] = compare(c, e, &c->measures[k]);
        }
        for (int s = 0; s < c->n_seeds; s++) {
            const cli_run *run = e->runs[s];
            if (isnan(run->seconds))
                continue;
            e->seconds += run->seconds;
            e->peak_rss = fmax(e->peak_rss, run->peak_rss);
            n_timed++;
        }
        e->seconds = n_timed ? e->seconds / n_timed : NAN;
    }
}

/* How far ahead of the network an entrant is, by measure k. */
static double lead(const comparison *c, const entrant *e, int k)
{
    double ahead = e->mean[k] - c->entrants[0].mean[k];
    return c->measures[k].lower ? -ahead : ahead;
}

/* What a user should know: the entrants that are better than the network, and those that cannot be
 * told from it and are simpler. */
static char *conclusion(const comparison *c)
{
    int k = c->n_measures - 1, n = 0;
    const measure *m = &c->measures[k];
    const entrant *network = &c->entrants[0], *best = NULL, *level = NULL;
    cli_text text;

    for (int i = 1; i < c->n; i++) {
        const entrant *e = &c->entrants[i];
        double p = e->against[k].p;
        n += !isnan(e->mean[k]);
        if (lead(c, e, k) > 0 && (!best || lead(c, e, k) > lead(c, best, k)))
            best = e;
        if (!level && !(lead(c, e, k) > 0) && p >= 0.05)
            level = e;
    }
    cli_text_open(&text);
    if (isnan(network->mean[k]) || !n)
        fprintf(text.stream, "There is nothing to compare.");
    else if (best && best->against[k].p < 0.05)
        fprintf(text.stream,
                "%s does better than the network on the test set: %s %.4f against %.4f (p = "
                "%.2g).  It is simpler: use it, unless you need the network's reasons or its "
                "logic.",
                best->name, m->title, best->mean[k], network->mean[k], best->against[k].p);
    else if (best)
        fprintf(text.stream,
                "%s is ahead on the test set, but cannot be told from the network: %s %.4f against "
                "%.4f (p = %.2g).  It is simpler.",
                best->name, m->title, best->mean[k], network->mean[k], best->against[k].p);
    else if (level)
        fprintf(text.stream,
                "The network is best, but %s, which is simpler, cannot be told from it: %s %.4f "
                "against %.4f (p = %.2g).",
                level->name, m->title, level->mean[k], network->mean[k], level->against[k].p);
    else
        fprintf(text.stream, "The network is ahead of every model it was compared with (%s).",
                m->title);
    return cli_text_close(&text);
}

static void print_table(const comparison *c, const char *sentence)
{
    cli_column columns[2 * MOST_MEASURES + 3] = {{"model", 0}};
    cli_table table;
    int n = 1;

    for (int k = 0; k < c->n_measures; k++)
        columns[n++] = (cli_column){c->measures[k].title, 1};
    for (int k = 1; k < c->n_measures; k += 2) /* one of each two measures is tested */
        columns[n++] = (cli_column){k == c->n_measures - 1 ? "p" : "p sampled", 1};
    columns[n++] = (cli_column){"seconds", 1};
    columns[n++] = (cli_column){"MB", 1};
    cli_table_open(&table, columns, (size_t)n);
    for (int i = 0; i < c->n; i++) {
        const entrant *e = &c->entrants[i];
        cli_table_add(&table, "%s", e->name);
        for (int k = 0; k < c->n_measures; k++)
            cli_table_number(&table, 4, e->mean[k]);
        for (int k = 1; k < c->n_measures; k += 2) {
            double p = i ? e->against[k].p : NAN;
            if (isnan(p))
                cli_table_number(&table, 4, p);
            else
                cli_table_add(&table, "%s%.4f", p < 1e-4 ? "< " : "", fmax(p, 1e-4));
        }
        cli_table_number(&table, 1, e->seconds);
        cli_table_number(&table, 0, e->peak_rss / 1e6);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    printf("p: paired t-test against the network, %s\n%s\n",
           c->task == CLI_TOPK ? "over users" : "over seeds", sentence);
}

static void print_json(const comparison *c, const char *sentence)
{
    json_t *object = cli_json_result("data", c->call->operands[0]), *models = cli_json_array();

    for (int i = 0; i < c->n; i++) {
        const entrant *e = &c->entrants[i];
        json_t *row = cli_json_object();
        cli_json_put(row, "model", cli_json_text(e->name));
        for (int k = 0; k < c->n_measures; k++) {
            json_t *value = cli_json_object();
            cli_json_put(value, "mean", cli_json_number(e->mean[k]));
            if (i) {
                cli_json_put(value, "behind_network",
                             cli_json_number(e->against[k].difference.mean));
                cli_json_put(value, "error", cli_json_number(e->against[k].difference.error));
                cli_json_put(value, "p", cli_json_number(e->against[k].p));
                cli_json_put(value, "pairs", cli_json_count(e->against[k].difference.n));
            }
            cli_json_put(row, c->measures[k].key, value);
        }
        cli_json_put(row, "seconds", cli_json_number(e->seconds));
        cli_json_put(row, "peak_rss_bytes", cli_json_number(e->peak_rss));
        cli_json_append(models, row);
    }
    cli_json_put(object, "task", cli_json_text(cli_metrics_task_name(c->task)));
    cli_json_put(object, "seeds", cli_json_count((size_t)c->n_seeds));
    cli_json_put(object, "models", models);
    cli_json_put(object, "conclusion", cli_json_text(sentence));
    cli_json_print(object);
}

static int work(comparison *c)
{
    const cli_call *call = c->call;
    int code = cli_runs_open(&c->runs, cli_call_text(call, "out"), cli_call_flag(call, "resume"));
    if (code)
        return code;
    c->runs.threads = (int)nln_options_number(call->options, "threads");
    add_runs(c);
    code = cli_runs_do(&c->runs, (int)nln_options_number(call->options, "jobs"),
                       cli_call_flag(call, "quiet"));
    if (c->runs.interrupted || nln_cluster_rank())
        return code;
    summarize(c);
    int n = 0;
    for (int i = 0; i < c->n; i++)
        n += !isnan(c->entrants[i].mean[0]);
    if (code && !n && !cli_call_flag(call, "json")) /* the reasons are the last that is said */
        return code;
    char *sentence = conclusion(c);
    if (cli_call_flag(call, "json"))
        print_json(c, sentence);
    else
        print_table(c, sentence);
    free(sentence);
    return code;
}

int cli_compare(const cli_call *call)
{
    int seeds = (int)nln_options_number(call->options, "seeds");
    comparison c = {.call = call, .task = cli_metrics_task(call->options), .runs = {.lock = -1}};
    int code = list_entrants(&c);

    c.measures = measures[c.task];
    while (c.n_measures < MOST_MEASURES && c.measures[c.n_measures].title)
        c.n_measures++;
    c.n_seeds = seeds ? seeds : c.task == CLI_TOPK ? 1 : 3;
    if (!code && cli_call_has(call, "facts") && c.task != CLI_TOPK)
        code = cli_message_usage("--facts is for --task topk, which ranks items");
    if (!code)
        code = work(&c);
    cli_runs_close(&c.runs);
    free(c.entrants);
    return code;
}

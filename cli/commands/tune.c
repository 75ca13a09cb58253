/* nln tune: tries many values of some options, and says which did best on validation.  Scores on
 * the test set are never shown: a choice by them would fit the test set. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/tune_ranking.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/output_file.h"

typedef struct tuning {
    const cli_call *call;
    cli_call tuned; /* the verb whose options are tried */
    cli_tune_goal goal;
    cli_grid grid;
    cli_runs runs;
    cli_trials trials;
} tuning;

/* ---- the grid -------------------------------------------------------------- */

static int read_grid(tuning *t)
{
    const char *alone = cli_call_text(t->call, "grid");
    int code = CLI_OK, n = 0;

    for (size_t i = 0; i < t->call->n_given && !code; i++)
        if (strcmp(t->call->given[i].row->name, "grid") == 0) {
            code = cli_grid_add(&t->grid, t->call->given[i].value, &t->tuned);
            n++;
        }
    if (n == 0 && alone[0]) /* of the config file */
        return cli_grid_add(&t->grid, alone, &t->tuned);
    if (n == 0)
        return cli_message_usage("say what to try, such as --grid learning-rate=0.001,0.003");
    return code;
}

/* Whether an option of this call is passed to all trials. */
static int is_shared(const tuning *t, const char *name)
{
    static const char *const own[] = {"out",   "seed",   "threads", "json",
                                      "quiet", "config", "resume",  "metric"};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i]) == 0)
            return 0;
    return cli_call_has(t->call, name) && nln_options_text(t->tuned.options, name) &&
           !cli_grid_axis(&t->grid, name);
}

/* ---- runs ---------------------------------------------------------------------- */

/* The name of a trial's folder: its values, with a hash (FNV-1a) where the text is too long or not
 * plain enough for a folder. */
static char *name_of(const cli_grid *grid, size_t trial)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "=,.+-_";
    enum { MOST = 120 };
    uint32_t hash = 2166136261u;
    cli_text text;

    cli_text_open(&text);
    for (size_t a = 0; a < grid->n_axes; a++)
        fprintf(text.stream, "%s%s=%s", a ? "," : "", grid->axes[a].row->name,
                cli_grid_text(grid, trial, a));
    char *name = cli_text_close(&text);
    if (text.length <= MOST && strspn(name, plain) == text.length)
        return name;
    for (char *c = name; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * 16777619u;
        *c = strchr(plain, *c) ? *c : '_';
    }
    char *hashed = cli_memory_print("%.*s-%08x", (int)MOST, name, (unsigned)hash);
    free(name);
    return hashed;
}

static int is_training(const tuning *t)
{
    return t->tuned.command->run == cli_train;
}

/* The files of a trial are not kept: the best model can be trained again. */
static void add_words(cli_run *run, const tuning *t, size_t trial)
{
    cli_runs_words(run, t->tuned.command->name);
    for (int i = 0; i < t->call->n_rows; i++) {
        const char *name = t->call->rows[i].name;
        if (is_shared(t, name))
            cli_runs_word(run, "--%s=%s", name, cli_call_text(t->call, name));
    }
    for (size_t a = 0; a < t->grid.n_axes; a++)
        cli_runs_word(run, "--%s=%s", t->grid.axes[a].row->name, cli_grid_text(&t->grid, trial, a));
    if (is_training(t))
        cli_runs_word(run, "--log=@/epochs.tsv");
    if (t->tuned.command->run == cli_evaluate) /* never by the test set */
        cli_runs_word(run, "--part=valid");
    if (t->tuned.command->needs_out)
        cli_runs_word(run, is_training(t) ? "--out=/dev/null" : "--out=@/out");
}

static void add_runs(tuning *t)
{
    double seed = nln_options_number(t->call->options, "seed");

    for (size_t i = 0; i < t->trials.n; i++) {
        char *name = name_of(&t->grid, i);
        for (int s = 0; s < t->trials.n_seeds; s++) {
            cli_run *run = cli_runs_add(&t->runs, "%s/seed-%.0f", name, seed + s);
            add_words(run, t, i);
            cli_runs_word(run, "--seed=%.0f", seed + s);
            cli_runs_word(run, "--");
            for (int o = 0; o < t->call->n_operands; o++)
                cli_runs_word(run, "%s", t->call->operands[o]);
            t->trials.all[i].runs[s] = run;
        }
        free(name);
    }
}

/* ---- results ------------------------------------------------------------------- */

/* A value that the reader of config files would split needs quotes. */
static void put_setting(FILE *out, const char *name, const char *value)
{
    int quote = strchr(value, '"') ? '\'' : '"';
    int plain = value[0] && !strpbrk(value, "#\"' \t");

    if (plain)
        fprintf(out, "%s = %s\n", name, value);
    else
        fprintf(out, "%s = %c%s%c\n", name, quote, value, quote);
}

/* Writes the options of the best trial, for --config. */
static int write_best(const tuning *t, const cli_trial *best)
{
    const char *path = cli_call_text(t->call, "best");
    cli_file file;

    if (!path[0] || !best)
        return CLI_OK;
    int code = cli_file_open(&file, path, "--best");
    if (code)
        return code;
    FILE *out = file.stream;
    fprintf(out, "# chosen by nln %s tune out of %zu trials with %d seed%s each,\n", nln_version(),
            t->trials.n, t->trials.n_seeds, cli_message_plural((size_t)t->trials.n_seeds));
    fprintf(out, "# by the mean %s: %.6g", t->trials.criterion.title, best->score.mean);
    if (!isnan(best->score.error))
        fprintf(out, " (standard error %.2g)", best->score.error);
    fprintf(out, "\n# tried:");
    for (size_t a = 0; a < t->grid.n_axes; a++)
        fprintf(out, "%s %s", a ? "," : "", t->grid.axes[a].row->name);
    fputc('\n', out);
    for (int i = 0; i < t->call->n_rows; i++) {
        const char *name = t->call->rows[i].name;
        if (is_shared(t, name))
            put_setting(out, name, cli_call_text(t->call, name));
    }
    for (size_t a = 0; a < t->grid.n_axes; a++)
        put_setting(out, t->grid.axes[a].row->name, cli_grid_text(&t->grid, best->index, a));
    return cli_file_finish(&file);
}

static void print_json(const tuning *t, const cli_trial *best)
{
    const cli_trials *trials = &t->trials;
    json_t *object = cli_json_result("verb", t->tuned.command->name);

    if (t->call->n_operands > 0) /* the last operand is the data */
        cli_json_put(object, "data", cli_json_text(t->call->operands[t->call->n_operands - 1]));
    cli_json_put(object, "folder", cli_json_text(t->runs.folder));
    cli_json_put(object, "metric", cli_json_text(trials->criterion.path));
    cli_json_put(object, "better", cli_json_text(trials->criterion.lower ? "lower" : "higher"));
    cli_json_put(object, "seeds", cli_json_count((size_t)trials->n_seeds));
    cli_json_put(object, "best", best ? cli_trials_options(trials, best) : json_null());
    cli_json_put(object, "trials", cli_trials_json(trials));
    cli_json_print(object);
}

static int show(tuning *t)
{
    cli_trials_score(&t->trials, &t->goal);
    const cli_trial *best = cli_trials_best(&t->trials);
    char *path = cli_memory_print("%s/trials.tsv", t->runs.folder);
    int code = cli_trials_write(&t->trials, path);

    free(path);
    if (!code)
        code = write_best(t, best);
    if (code)
        return code;
    if (cli_call_flag(t->call, "json"))
        print_json(t, best);
    else
        cli_trials_print(&t->trials);
    return best ? CLI_OK
                : cli_message_failed("no trial has a value of %s for every seed",
                                     t->trials.criterion.title);
}

/* ---- the verb ------------------------------------------------------------------- */

/* The verb of --verb, with as many arguments as it needs. */
static int open_tuned(tuning *t)
{
    char text[64], *words[2], *rest = NULL;
    int n = 0, used = 0;

    snprintf(text, sizeof text, "%s", t->goal.verb);
    for (char *word = strtok_r(text, " ", &rest); word && n < 2; word = strtok_r(NULL, " ", &rest))
        words[n++] = word;
    const cli_command *command = n > 0 ? cli_command_find(&used, words, n) : NULL;
    if (!command || used < n)
        return cli_message_usage("--verb %s: there is no such verb; `nln help` lists them",
                                 t->goal.verb);
    if (command->run == cli_tune || command->run == cli_reproduce)
        return cli_message_usage("nln %s cannot be tuned: it makes runs of its own", command->name);
    if (t->call->n_operands < command->least_operands ||
        t->call->n_operands > command->most_operands)
        return cli_message_usage("the arguments are those of: nln %s %s", command->name,
                                 command->operands);
    return cli_call_open(&t->tuned, command);
}

/* Everything that can be wrong with the command line is found before anything is written. */
static int prepare(tuning *t)
{
    const char *best = cli_call_text(t->call, "best");
    const cli_named_path paths[] = {{"--best", best, 0},
                                    {"the first argument", t->call->operands[0], 1},
                                    {"the second argument", t->call->operands[1], 1},
                                    {"--config", cli_call_text(t->call, "config"), 1}};
    int code = open_tuned(t);

    if (!code)
        code = cli_trials_check(&t->goal);
    if (!code)
        code = read_grid(t);
    /* NOLINTNEXTLINE: open_tuned has set the command, or returned the code of a message */
    if (!code && t->tuned.command->run == cli_evaluate && cli_grid_axis(&t->grid, "part"))
        code = cli_message_usage("nln tune measures on validation alone: leave --grid part out");
    size_t n = (size_t)nln_options_number(t->call->options, "random");
    if (!code && n > 0)
        cli_grid_draw(&t->grid, n, nln_options_number(t->call->options, "seed"));
    else if (!code)
        code = cli_grid_product(&t->grid);
    if (!code)
        code = cli_file_apart(paths, sizeof paths / sizeof *paths);
    if (!code && best[0])
        code = cli_file_try(best, "--best");
    return code;
}

static int work(tuning *t)
{
    int jobs = (int)nln_options_number(t->call->options, "jobs");
    int code =
        cli_runs_open(&t->runs, cli_call_text(t->call, "out"), cli_call_flag(t->call, "resume"));
    if (code)
        return code;
    t->runs.threads = (int)nln_options_number(t->call->options, "threads");
    add_runs(t);
    code = cli_runs_do(&t->runs, jobs, cli_call_flag(t->call, "quiet"));
    if (t->runs.interrupted || nln_cluster_rank())
        return code;
    int shown = show(t);
    return code ? code : shown;
}

int cli_tune(const cli_call *call)
{
    tuning t = {.call = call,
                .goal = {.metric = cli_call_text(call, "metric"),
                         .verb = cli_call_text(call, "verb"),
                         .task = cli_metrics_task(call->options),
                         .lower = cli_call_flag(call, "least")},
                .runs = {.lock = -1}};
    int code = prepare(&t);

    if (!code) {
        cli_trials_open(&t.trials, &t.grid, (int)nln_options_number(call->options, "seeds"));
        code = work(&t);
    }
    cli_trials_close(&t.trials);
    cli_runs_close(&t.runs);
    cli_grid_free(&t.grid);
    cli_call_close(&t.tuned);
    return code;
}

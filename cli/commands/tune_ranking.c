#include "commands/tune_ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"
#include "show/output_file.h"
#include "show/struct_fields.h"

/* ---- the criterion -------------------------------------------------------------- */

static const char *const usual[] = {
    [CLI_LOGIC] = "rmse", [CLI_PREFERENCE] = "auc", [CLI_TOPK] = "ndcg", [CLI_LINK] = "mrr"};

/* The metric of a task that --metric and --select call so, or NULL. */
static const cli_metric *find_metric(cli_task task, const char *name)
{
    const cli_metric *metric;
    for (int i = 0; (metric = cli_metrics_row(task, i)); i++)
        if (metric->name && strcmp(metric->name, name) == 0)
            return metric;
    return NULL;
}

static int is_training(const cli_tune_goal *goal)
{
    return strcmp(goal->verb, "train") == 0;
}

int cli_trials_check(const cli_tune_goal *goal)
{
    int is_auto = strcmp(goal->metric, "auto") == 0;

    if (!is_training(goal) && is_auto)
        return cli_message_usage("say which number of the result of nln %s --json is compared: "
                                 "--metric NAME, with points before the names of inner objects",
                                 goal->verb);
    if (!is_training(goal) && strlen(goal->metric) >= CLI_MOST_PATH)
        return cli_message_usage("--metric %.20s... is too long", goal->metric);
    if (!is_training(goal))
        return CLI_OK;
    if (goal->lower)
        return cli_message_usage("--least is for a verb of your own; for a metric it is known");
    if (is_auto || find_metric(goal->task, goal->metric))
        return CLI_OK;
    if (!find_metric(CLI_PREFERENCE, goal->metric) && !find_metric(CLI_TOPK, goal->metric))
        return cli_message_usage("--metric may be auto, accuracy, rmse, cross-entropy, auc, ndcg, "
                                 "hit or mrr, not %s",
                                 goal->metric);
    return cli_message_usage("--metric %s is not measured for the task %s; its usual metric is %s",
                             goal->metric, cli_metrics_task_name(goal->task), usual[goal->task]);
}

/* The metric by which all finished runs selected their best epoch, or NULL if they differ. */
static const char *common_selection(const cli_trials *trials)
{
    const char *common = NULL;

    for (size_t i = 0; i < trials->n; i++)
        for (int s = 0; s < trials->n_seeds; s++) {
            const json_t *options = json_object_get(trials->all[i].runs[s]->result, "options");
            const char *select = json_string_value(json_object_get(options, "select"));
            if (select && common && strcmp(select, common) != 0)
                return NULL;
            common = select ? select : common;
        }
    return common;
}

static cli_criterion choose_criterion(const cli_trials *trials, const cli_tune_goal *goal)
{
    cli_criterion c = {.lower = goal->lower};

    if (!is_training(goal)) {
        snprintf(c.title, sizeof c.title, "%s", goal->metric);
        snprintf(c.path, sizeof c.path, "%s", goal->metric);
        return c;
    }
    const cli_metric *metric = find_metric(goal->task, goal->metric);
    const char *common = metric ? NULL : common_selection(trials);
    if (common)
        metric = find_metric(goal->task, common);
    if (!metric)
        metric = find_metric(goal->task, usual[goal->task]);
    snprintf(c.title, sizeof c.title, "valid %s", metric->title);
    snprintf(c.path, sizeof c.path, "valid.%s", metric->key);
    c.lower = metric->lower_is_better;
    return c;
}

/* ---- trials -------------------------------------------------------------------- */

void cli_trials_open(cli_trials *trials, const cli_grid *grid, int n_seeds)
{
    *trials = (cli_trials){.grid = grid, .n = grid->n_trials, .n_seeds = n_seeds};
    trials->all = cli_memory_resize(NULL, trials->n, sizeof *trials->all);
    for (size_t i = 0; i < trials->n; i++) {
        cli_run **runs = cli_memory_resize(NULL, (size_t)n_seeds, sizeof(cli_run *));
        trials->all[i] = (cli_trial){.index = i, .runs = runs, .n_seeds = n_seeds};
    }
}

void cli_trials_close(cli_trials *trials)
{
    for (size_t i = 0; i < trials->n; i++)
        free(trials->all[i].runs);
    free(trials->all);
    *trials = (cli_trials){0};
}

/* The mean over the seeds that have the number. */
static nln_summary summary_of(size_t *n, const cli_trial *trial, const char *path)
{
    double *x = cli_memory_resize(NULL, (size_t)trial->n_seeds, sizeof *x);

    *n = 0;
    for (int s = 0; s < trial->n_seeds; s++) {
        double number = cli_runs_number(trial->runs[s], path);
        if (!isnan(number))
            x[(*n)++] = number;
    }
    nln_summary summary = nln_statistics_summary(x, *n);
    free(x);
    return summary;
}

/* Trials that lack seeds come last, since their means say less. */
static int by_score(const void *a, const void *b)
{
    const cli_trial *x = a, *y = b;

    if (x->n_done != y->n_done)
        return x->n_done > y->n_done ? -1 : 1;
    if (x->n_done > 0 && x->goodness != y->goodness)
        return x->goodness > y->goodness ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

void cli_trials_score(cli_trials *trials, const cli_tune_goal *goal)
{
    size_t n;

    trials->criterion = choose_criterion(trials, goal);
    for (size_t i = 0; i < trials->n; i++) {
        cli_trial *trial = &trials->all[i];
        trial->best_epoch = summary_of(&n, trial, "best_epoch").mean;
        trial->seconds = summary_of(&n, trial, "seconds").mean;
        trial->score = summary_of(&trial->n_done, trial, trials->criterion.path);
        trial->goodness = trials->criterion.lower ? -trial->score.mean : trial->score.mean;
    }
    qsort(trials->all, trials->n, sizeof *trials->all, by_score);
}

const cli_trial *cli_trials_best(const cli_trials *trials)
{
    return trials->n > 0 && trials->all[0].n_done == (size_t)trials->n_seeds ? trials->all : NULL;
}

/* ---- output --------------------------------------------------------------------- */

static const cli_field score_fields[] = {
    CLI_FIELD(cli_trial, score.mean, NUMBER, "mean", "", 4),
    CLI_FIELD(cli_trial, score.error, NUMBER, "standard_error", "s.e.", 4),
};
static const cli_field run_fields[] = {
    CLI_FIELD(cli_trial, n_done, COUNT, "seeds", "seeds", 0),
    CLI_FIELD(cli_trial, best_epoch, NUMBER, "best_epoch", "best epoch", 1),
    CLI_FIELD(cli_trial, seconds, NUMBER, "seconds", "seconds", 1),
};

void cli_trials_print(const cli_trials *trials)
{
    const cli_column last[] = {
        {trials->criterion.title, 1}, {"s.e.", 1}, {"seeds", 1}, {"best epoch", 1}, {"seconds", 1}};
    const cli_grid *grid = trials->grid;
    cli_column *columns = cli_memory_resize(NULL, grid->n_axes + CLI_COUNT(last), sizeof *columns);
    cli_table table;

    for (size_t a = 0; a < grid->n_axes; a++) {
        nln_option_type type = grid->axes[a].row->type;
        columns[a] = (cli_column){grid->axes[a].row->name,
                                  type == NLN_OPTION_INT || type == NLN_OPTION_REAL};
    }
    memcpy(columns + grid->n_axes, last, sizeof last);
    cli_table_open(&table, columns, grid->n_axes + CLI_COUNT(last));
    for (size_t i = 0; i < trials->n; i++) {
        for (size_t a = 0; a < grid->n_axes; a++)
            cli_table_add(&table, "%s", cli_grid_text(grid, trials->all[i].index, a));
        cli_fields_add(&table, score_fields, CLI_COUNT(score_fields), &trials->all[i]);
        cli_fields_add(&table, run_fields, CLI_COUNT(run_fields), &trials->all[i]);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    free(columns);
}

static void put_number(FILE *out, double value)
{
    if (isnan(value))
        fputc('\t', out);
    else
        fprintf(out, "\t%.10g", value);
}

int cli_trials_write(const cli_trials *trials, const char *path)
{
    const cli_grid *grid = trials->grid;
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (code)
        return code;
    for (size_t a = 0; a < grid->n_axes; a++)
        fprintf(file.stream, "%s%s", a ? "\t" : "", grid->axes[a].row->name);
    fprintf(file.stream, "\t%s\tstandard_error\tseeds\tbest_epoch\tseconds\n",
            trials->criterion.path);
    for (size_t i = 0; i < trials->n; i++) {
        const cli_trial *trial = &trials->all[i];
        for (size_t a = 0; a < grid->n_axes; a++)
            fprintf(file.stream, "%s%s", a ? "\t" : "", cli_grid_text(grid, trial->index, a));
        put_number(file.stream, trial->score.mean);
        put_number(file.stream, trial->score.error);
        put_number(file.stream, (double)trial->n_done);
        put_number(file.stream, trial->best_epoch);
        put_number(file.stream, trial->seconds);
        fputc('\n', file.stream);
    }
    return cli_file_finish(&file);
}

json_t *cli_trials_options(const cli_trials *trials, const cli_trial *trial)
{
    json_t *options = cli_json_object();
    for (size_t a = 0; a < trials->grid->n_axes; a++) {
        const nln_option *row = trials->grid->axes[a].row;
        const char *text = cli_grid_text(trials->grid, trial->index, a);
        cli_json_put(options, row->name, cli_json_option(row, text));
    }
    return options;
}

json_t *cli_trials_json(const cli_trials *trials)
{
    json_t *array = cli_json_array();

    for (size_t i = 0; i < trials->n; i++) {
        const cli_trial *trial = &trials->all[i];
        json_t *object = cli_json_object(), *valid = cli_json_object();
        json_t *values = cli_json_array(), *names = cli_json_array();
        for (int s = 0; s < trial->n_seeds; s++) {
            double number = cli_runs_number(trial->runs[s], trials->criterion.path);
            cli_json_append(values, cli_json_number(number));
            cli_json_append(names, cli_json_text(trial->runs[s]->name));
        }
        cli_fields_put(valid, score_fields, CLI_COUNT(score_fields), trial);
        cli_json_put(valid, "values", values);
        cli_json_put(object, "options", cli_trials_options(trials, trial));
        cli_json_put(object, "valid", valid);
        cli_fields_put(object, run_fields, CLI_COUNT(run_fields), trial);
        cli_json_put(object, "runs", names);
        cli_json_append(array, object);
    }
    return array;
}

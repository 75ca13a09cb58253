#include "commands/tune_trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"
#include "show/files.h"
#include "show/json_output.h"
#include "show/text_table.h"

/* ---- criteria ------------------------------------------------------------------ */

enum { LOGIC = 1 << CLI_LOGIC, PREFERENCE = 1 << CLI_PREFERENCE, TOPK = 1 << CLI_TOPK };

/* The metrics of models. */
typedef struct metric {
    const char *name; /* as --metric and --select have it */
    const char *title;
    const char *field; /* of the JSON object of a split */
    int lower;
    int tasks; /* bit 1 << task for each that has it */
} metric;

static const metric metrics[] = {
    {"accuracy", "accuracy", "accuracy", 0, LOGIC | PREFERENCE},
    {"rmse", "RMSE", "rmse", 1, LOGIC | PREFERENCE},
    {"cross-entropy", "cross-entropy", "cross_entropy", 1, LOGIC | PREFERENCE},
    {"auc", "AUC", "auc", 0, PREFERENCE},
    {"ndcg", "nDCG@10", "ndcg@10", 0, TOPK},
    {"hit", "HR@10", "hit@10", 0, TOPK},
    {"mrr", "MRR", "mrr", 0, TOPK},
};

static const char *const usual[] = {
    [CLI_LOGIC] = "rmse", [CLI_PREFERENCE] = "auc", [CLI_TOPK] = "ndcg"};

static const metric *find_metric(const char *name)
{
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

static int is_training(const cli_tune_goal *aim)
{
    return strcmp(aim->verb, "train") == 0;
}

static int check_path(const cli_tune_goal *aim)
{
    if (strcmp(aim->metric, "auto") == 0)
        return cli_message_usage("say which number of the result of nln %s --json is compared: "
                                 "--metric NAME, with points before the names of inner objects",
                                 aim->verb);
    if (strlen(aim->metric) >= CLI_MOST_PATH)
        return cli_message_usage("--metric %.20s... is too long", aim->metric);
    return CLI_OK;
}

int cli_trials_check(const cli_tune_goal *aim)
{
    static const char *const tasks[] = {"logic", "preference", "topk"};
    const metric *m = find_metric(aim->metric);

    if (!is_training(aim))
        return check_path(aim);
    if (aim->lower)
        return cli_message_usage("--least is for a verb of your own; a metric knows by itself");
    if (!m && strcmp(aim->metric, "auto") != 0)
        return cli_message_usage("--metric may be auto, accuracy, rmse, cross-entropy, auc, ndcg, "
                                 "hit or mrr, not %s",
                                 aim->metric);
    if (!m || (m->tasks & 1 << aim->task))
        return CLI_OK;
    return cli_message_usage("--metric %s is not measured for the task %s; its usual metric is %s",
                             aim->metric, tasks[aim->task], usual[aim->task]);
}

/* What all finished runs selected their best epoch by, or NULL. */
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

static cli_criterion choose_criterion(const cli_trials *trials, const cli_tune_goal *aim)
{
    cli_criterion c = {.lower = aim->lower};
    const metric *m = find_metric(aim->metric);

    if (!is_training(aim)) {
        snprintf(c.title, sizeof c.title, "%s", aim->metric);
        snprintf(c.path, sizeof c.path, "%s", aim->metric);
        return c;
    }
    const char *common = common_selection(trials);
    if (!m && common)
        m = find_metric(common);
    if (!m || !(m->tasks & 1 << aim->task))
        m = find_metric(usual[aim->task]);
    snprintf(c.title, sizeof c.title, "valid %s", m->title);
    snprintf(c.path, sizeof c.path, "valid.%s", m->field);
    c.lower = m->lower;
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

/* Those with fewer seeds than asked for come last, since their means say less. */
static int by_score(const void *a, const void *b)
{
    const cli_trial *x = a, *y = b;

    if (x->n_done != y->n_done)
        return x->n_done > y->n_done ? -1 : 1;
    if (x->n_done > 0 && x->score.mean != y->score.mean)
        return x->score.mean > y->score.mean ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

/* The sign makes more of it better, for the order alone. */
static void flip(cli_trials *trials)
{
    for (size_t i = 0; trials->criterion.lower && i < trials->n; i++)
        trials->all[i].score.mean = -trials->all[i].score.mean;
}

void cli_trials_score(cli_trials *trials, const cli_tune_goal *aim)
{
    size_t n;

    trials->criterion = choose_criterion(trials, aim);
    for (size_t i = 0; i < trials->n; i++) {
        cli_trial *trial = &trials->all[i];
        trial->best_epoch = summary_of(&n, trial, "best_epoch").mean;
        trial->seconds = summary_of(&n, trial, "seconds").mean;
        trial->score = summary_of(&trial->n_done, trial, trials->criterion.path);
    }
    flip(trials);
    qsort(trials->all, trials->n, sizeof *trials->all, by_score);
    flip(trials);
}

const cli_trial *cli_trials_best(const cli_trials *trials)
{
    return trials->n > 0 && trials->all[0].n_done == (size_t)trials->n_seeds ? trials->all : NULL;
}

/* ---- output -------------------------------------------------------------------- */

static cli_column *make_columns(size_t *n, const cli_trials *trials)
{
    const cli_column last[] = {
        {trials->criterion.title, 1}, {"s.e.", 1}, {"seeds", 1}, {"best epoch", 1}, {"seconds", 1}};
    size_t n_axes = trials->grid->n_axes, n_last = sizeof last / sizeof *last;
    cli_column *columns = cli_memory_resize(NULL, n_axes + n_last, sizeof *columns);

    for (size_t a = 0; a < n_axes; a++) {
        const nln_option *row = trials->grid->axes[a].row;
        int is_number = row->type == NLN_OPTION_INT || row->type == NLN_OPTION_REAL;
        columns[a] = (cli_column){row->name, is_number};
    }
    memcpy(columns + n_axes, last, sizeof last);
    *n = n_axes + n_last;
    return columns;
}

static void add_row(cli_table *table, const cli_trials *trials, const cli_trial *trial)
{
    for (size_t a = 0; a < trials->grid->n_axes; a++)
        cli_table_add(table, "%s", cli_grid_text(trials->grid, trial->index, a));
    cli_table_number(table, 4, trial->score.mean);
    cli_table_number(table, 4, trial->score.error);
    cli_table_count(table, trial->n_done);
    cli_table_number(table, 1, trial->best_epoch);
    cli_table_number(table, 1, trial->seconds);
}

void cli_trials_print(const cli_trials *trials)
{
    size_t n;
    cli_column *columns = make_columns(&n, trials);
    cli_table table;

    cli_table_open(&table, columns, n);
    for (size_t i = 0; i < trials->n; i++)
        add_row(&table, trials, &trials->all[i]);
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

static void write_row(FILE *out, const cli_trials *trials, const cli_trial *trial)
{
    for (size_t a = 0; a < trials->grid->n_axes; a++)
        fprintf(out, "%s%s", a ? "\t" : "", cli_grid_text(trials->grid, trial->index, a));
    put_number(out, trial->score.mean);
    put_number(out, trial->score.error);
    fprintf(out, "\t%zu", trial->n_done);
    put_number(out, trial->best_epoch);
    put_number(out, trial->seconds);
    fputc('\n', out);
}

int cli_trials_write(const cli_trials *trials, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (code)
        return code;
    for (size_t a = 0; a < trials->grid->n_axes; a++)
        fprintf(file.stream, "%s%s", a ? "\t" : "", trials->grid->axes[a].row->name);
    fprintf(file.stream, "\t%s\tstandard_error\tseeds\tbest_epoch\tseconds\n",
            trials->criterion.path);
    for (size_t i = 0; i < trials->n; i++)
        write_row(file.stream, trials, &trials->all[i]);
    return cli_file_finish(&file);
}

static json_t *value_json(const nln_option *row, const char *text)
{
    if (row->type == NLN_OPTION_INT)
        return json_integer(strtoll(text, NULL, 10));
    if (row->type == NLN_OPTION_REAL)
        return cli_json_number(strtod(text, NULL));
    if (row->type == NLN_OPTION_FLAG)
        return json_boolean(strcmp(text, "true") == 0);
    return cli_json_text(text);
}

json_t *cli_trials_options(const cli_trials *trials, const cli_trial *trial)
{
    json_t *options = cli_json_object();
    for (size_t a = 0; a < trials->grid->n_axes; a++) {
        const nln_option *row = trials->grid->axes[a].row;
        const char *text = cli_grid_text(trials->grid, trial->index, a);
        cli_json_put(options, row->name, value_json(row, text));
    }
    return options;
}

static json_t *trial_json(const cli_trials *trials, const cli_trial *trial)
{
    json_t *object = cli_json_object(), *valid = cli_json_object();
    json_t *values = cli_json_array(), *names = cli_json_array();

    for (int s = 0; s < trial->n_seeds; s++) {
        double number = cli_runs_number(trial->runs[s], trials->criterion.path);
        cli_json_append(values, cli_json_number(number));
        cli_json_append(names, cli_json_text(trial->runs[s]->name));
    }
    cli_json_put(valid, "mean", cli_json_number(trial->score.mean));
    cli_json_put(valid, "standard_error", cli_json_number(trial->score.error));
    cli_json_put(valid, "values", values);
    cli_json_put(object, "options", cli_trials_options(trials, trial));
    cli_json_put(object, "valid", valid);
    cli_json_put(object, "seeds", cli_json_count(trial->n_done));
    cli_json_put(object, "best_epoch", cli_json_number(trial->best_epoch));
    cli_json_put(object, "seconds", cli_json_number(trial->seconds));
    cli_json_put(object, "runs", names);
    return object;
}

json_t *cli_trials_json(const cli_trials *trials)
{
    json_t *array = cli_json_array();
    for (size_t i = 0; i < trials->n; i++)
        cli_json_append(array, trial_json(trials, &trials->all[i]));
    return array;
}

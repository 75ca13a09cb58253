/* The trials of nln tune: the validation score of each, and which is best. */
#ifndef CLI_COMMANDS_TUNE_RANKING_H
#define CLI_COMMANDS_TUNE_RANKING_H

#include "commands/tune_grid.h"
#include "nln_lab.h"
#include "runs/run_store.h"
#include "show/metrics_table.h"

/* A number of a run's result that chooses between trials. */
enum { CLI_MOST_PATH = 128 };
typedef struct cli_criterion {
    char title[CLI_MOST_PATH]; /* in tables */
    char path[CLI_MOST_PATH];  /* in the result: names, with points between them */
    int lower;                 /* whether less is better */
} cli_criterion;

/* What is compared: --metric and --least, of the verb that is tuned. */
typedef struct cli_tune_goal {
    const char *metric; /* a metric of the task; or, of verbs but train, a path */
    const char *verb;
    cli_task task;
    int lower; /* for a path */
} cli_tune_goal;

typedef struct cli_trial {
    size_t index;   /* in the grid */
    cli_run **runs; /* [n_seeds], borrowed */
    int n_seeds;
    size_t n_done;     /* seeds with a result */
    nln_summary score; /* of the criterion over seeds */
    double best_epoch; /* the means of these */
    double seconds;
    double goodness; /* the score, negated where less is better */
} cli_trial;

typedef struct cli_trials {
    const cli_grid *grid;
    cli_criterion criterion; /* known after cli_trials_score */
    cli_trial *all;          /* [n], after cli_trials_score best first */
    size_t n;
    int n_seeds;
} cli_trials;

/* A usage message if the number cannot be measured.  Returns an exit code. */
int cli_trials_check(const cli_tune_goal *goal);
/* Makes a trial, without runs, for each trial of the grid. */
void cli_trials_open(cli_trials *trials, const cli_grid *grid, int n_seeds);
void cli_trials_close(cli_trials *trials);
/* Measures the trials and sorts them, those that lack seeds last.  The metric `auto` is the one by
 * which every run chose its best epoch or, where they differ, the usual one of the task. */
void cli_trials_score(cli_trials *trials, const cli_tune_goal *goal);
/* The best trial, or NULL when none has a score of all seeds. */
const cli_trial *cli_trials_best(const cli_trials *trials);

/* Prints a table on standard output. */
void cli_trials_print(const cli_trials *trials);
/* Writes the table as TSV.  Returns an exit code. */
int cli_trials_write(const cli_trials *trials, const char *path);
/* An array of objects {options, valid: {mean, standard_error, values}, best_epoch, seconds,
 * seeds, runs}. */
json_t *cli_trials_json(const cli_trials *trials);
/* The values of a trial by option. */
json_t *cli_trials_options(const cli_trials *trials, const cli_trial *trial);

#endif

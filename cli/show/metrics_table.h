/* The metrics of a model as tables and as JSON.  The task decides which metrics there are. */
#ifndef CLI_SHOW_METRICS_TABLE_H
#define CLI_SHOW_METRICS_TABLE_H

#include <jansson.h>

#include "nln.h"

/* The choices of the option task, and those of evaluate's option ranking. */
typedef enum cli_task { CLI_LOGIC, CLI_PREFERENCE, CLI_TOPK, CLI_LINK } cli_task;
typedef enum cli_shown { CLI_SHOW_BOTH, CLI_SHOW_SAMPLED, CLI_SHOW_FULL } cli_shown;

typedef struct cli_measured {
    const char *split;
    const nln_metrics *metrics;
} cli_measured;

/* A metric of a task.  Rankings are at cut 10. */
typedef struct cli_metric {
    const char *key;   /* in files, and of the sampled ranking in JSON: accuracy, ndcg@10, ... */
    const char *title; /* in tables */
    const char *name;  /* of the options --metric and --select; NULL: it cannot be selected */
    int lower_is_better;
    size_t offset; /* in nln_metrics; for rankings, in nln_ranking */
    enum { CLI_OF_LABELS, CLI_OF_SAMPLED, CLI_OF_FULL, CLI_OF_LINKS } kind;
    int at_cut; /* the offset is that of an array over the cuts */
} cli_metric;

const char *cli_metrics_split_name(nln_split split);
/* From the options of training, or from those that a model keeps. */
cli_task cli_metrics_task(const nln_options *options);
const char *cli_metrics_task_name(cli_task task);
/* Row `index` of the metrics of a task; NULL past the last. */
const cli_metric *cli_metrics_row(cli_task task, int index);
/* The metric that progress is shown by. */
const cli_metric *cli_metrics_main(cli_task task);
/* NaN if it was not measured. */
double cli_metrics_value(const nln_metrics *metrics, const cli_metric *metric);
/* Whether anything was measured. */
int cli_metrics_known(const nln_metrics *metrics);

/* logic: {n, accuracy, rmse, cross_entropy}; preference: these and auc; topk: {n, n_users,
 * ndcg@k, hit@k, recall@k for each cut, mrr, mean_rank} of the sampled ranking and the same
 * under "full".  What was not measured is null. */
json_t *cli_metrics_json(const nln_metrics *metrics, cli_task task, cli_shown shown);
/* Prints a table on standard output with a row for each split. */
void cli_metrics_print(const cli_measured *rows, int n_rows, cli_task task);
/* Prints a table of one ranking, or of both side by side, with a row for each cut. */
void cli_metrics_print_cuts(const nln_metrics *metrics, cli_shown shown);

#endif

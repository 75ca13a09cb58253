/* What a model is measured by, as tables and as JSON.  The task says which numbers. */
#ifndef CLI_SHOW_METRICS_TABLE_H
#define CLI_SHOW_METRICS_TABLE_H

#include <jansson.h>

#include "nln.h"

/* The choices of the option task, and those of evaluate's option ranking. */
typedef enum cli_task { CLI_LOGIC, CLI_PREFERENCE, CLI_TOPK } cli_task;
typedef enum cli_shown { CLI_SHOW_BOTH, CLI_SHOW_SAMPLED, CLI_SHOW_FULL } cli_shown;

typedef struct cli_measured {
    const char *split;
    const nln_metrics *metrics;
} cli_measured;

const char *cli_metrics_split_name(nln_split split);
/* Of the options of training, or of those that a model keeps. */
cli_task cli_metrics_task(const nln_options *options);
/* The number that tells most about a task, NaN when it was not measured, and its name. */
double cli_metrics_main(const nln_metrics *metrics, cli_task task);
const char *cli_metrics_main_name(cli_task task);
/* All the numbers of a task, by index, NaN where not measured; and what a file calls them:
 * accuracy, ndcg@10, full_ndcg@10, ... */
int cli_metrics_count(cli_task task);
double cli_metrics_value(const nln_metrics *metrics, cli_task task, int index);
const char *cli_metrics_key(cli_task task, int index);
/* Whether anything was measured. */
int cli_metrics_known(const nln_metrics *metrics);

/* logic: {n, accuracy, rmse, cross_entropy}; preference: these and auc; topk: {n, n_users,
 * ndcg@k, hit@k, recall@k for each cut, mrr, mean_rank} of the sampled ranking and the same
 * under "full".  What was not measured is null. */
json_t *cli_metrics_json(const nln_metrics *metrics, cli_task task, cli_shown shown);
/* Prints a table on standard output, a row for each split. */
void cli_metrics_print(const cli_measured *rows, int n_rows, cli_task task);
/* Prints a table of a ranking, or of both side by side, a row for each cut. */
void cli_metrics_print_cuts(const nln_metrics *metrics, cli_shown shown);

#endif

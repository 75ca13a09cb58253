/* The results of a table of the study: for each source a part with a row for each method and
 * a column for each measure.  Means and standard errors are over seeds. */
#ifndef CLI_REPRODUCE_RESULT_SUMMARY_H
#define CLI_REPRODUCE_RESULT_SUMMARY_H

#include <stdio.h>

#include "nln_lab.h"
#include "reproduce/experiment_plan.h"

/* Two methods compared on one measure; where there is nothing to compare, n is 0. */
typedef struct cli_comparison {
    nln_paired seeds; /* of the first minus the second, seed by seed */
    nln_paired users; /* user by user, or triple by triple, of the means over seeds */
    const char *of;   /* "users" or "triples" */
} cli_comparison;

typedef struct cli_cell {
    double *values;      /* [n_seeds], NaN where there is none */
    nln_summary summary; /* of those that there are */
    const cli_published *published;
    int is_best;         /* of all but the limits */
    int is_baseline;     /* the best of the baselines */
    cli_comparison lead; /* of ours over the best baseline */
} cli_cell;

typedef struct cli_part {
    const cli_source *source;
    const cli_extent *extent;
    const cli_method **methods; /* [n_methods] */
    int n_methods;
    const cli_measure *measures[CLI_MOST_MEASURES];
    int n_measures;
    cli_cell *cells;                 /* [n_methods, n_measures] */
    int baseline[CLI_MOST_MEASURES]; /* the row of the best baseline, or -1 */
} cli_part;

typedef struct cli_result_summary {
    const cli_plan *plan;
    const cli_exhibit *exhibit;
    cli_part parts[CLI_MOST_SOURCES];
    int n_parts;
    size_t n_values; /* how many numbers there are at all */
} cli_result_summary;

/* The mean over the seeds that have the value; values[i], unless NULL, gets that of seed i + 1. */
nln_summary cli_result_summary_summary(double *values, const cli_plan *plan,
                                       const cli_source *source, const cli_method *method,
                                       const cli_measure *measure);
/* Gathers the results of the runs; missing ones stay missing. */
void cli_result_summary_open(cli_result_summary *sheet, const cli_plan *plan,
                             const cli_exhibit *exhibit);
void cli_result_summary_close(cli_result_summary *sheet);

cli_cell *cli_result_summary_cell(const cli_part *part, int method, int measure);
/* The row of a method, or -1. */
int cli_result_summary_row(const cli_part *part, const char *method);
/* Writes the name of a row, with a remark if its recipe has switched the laws off. */
void cli_result_summary_title(FILE *out, const cli_result_summary *sheet, const cli_part *part,
                              int row);
/* Whether a row that is not NLN-Rl was trained without laws all the same, by its recipe. */
int cli_result_summary_is_lawless(const cli_result_summary *sheet, const cli_part *part, int row);
/* Whether a value is better than another by this measure. */
int cli_result_summary_is_better(const cli_measure *measure, double a, double b);
/* Compares two rows on a measure. */
cli_comparison cli_result_summary_compare(const cli_result_summary *sheet, const cli_part *part,
                                          int row, int other, int measure);

#endif

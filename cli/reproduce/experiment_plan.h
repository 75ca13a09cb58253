/* The runs that tables and figures need, and their results: a method on a source with a seed is the
 * run SOURCE/METHOD/seed-N of the store; evaluations and maps of its model are runs beside it. */
#ifndef CLI_REPRODUCE_EXPERIMENT_PLAN_H
#define CLI_REPRODUCE_EXPERIMENT_PLAN_H

#include "reproduce/paper_experiments.h"
#include "runs/run_store.h"

typedef struct cli_plan {
    cli_runs *runs;
    cli_scale scale;
    int n_seeds;             /* seeds are 1 ... n_seeds */
    const char *data;        /* the folder of published data; "" if there is none */
    const char *electronics; /* the file of ratings; "" if there is none */
} cli_plan;

/* Whether the source is part of this scale, and its data at hand. */
int cli_plan_has(const cli_plan *plan, const cli_source *source);
/* Why it is not, as the end of a sentence that begins with the title of the source. */
const char *cli_plan_why_not(const cli_plan *plan, const cli_source *source);
/* Adds the runs of a table or figure that are not in the plan yet. */
void cli_plan_exhibit(const cli_plan *plan, const cli_exhibit *exhibit);
/* The option values of a method that `nln tune` chose for this source, or NULL. */
const char *cli_plan_tuned(const cli_plan *plan, const cli_source *source,
                           const cli_method *method);
/* Whether a step of a sweep belongs to the scale. */
int cli_plan_takes(const cli_plan *plan, const cli_step *step);

/* Runs of the plan, NULL where there is none; the last is t-SNE of the vectors after an
 * epoch, or of the finished model for epoch 0. */
const cli_run *cli_plan_training(const cli_plan *plan, const cli_source *source,
                                 const cli_method *method, int seed);
const cli_run *cli_plan_map(const cli_plan *plan, const cli_source *source,
                            const cli_method *method, int epoch);
/* `nln evaluate --lengths` of its model. */
const cli_run *cli_plan_lengths(const cli_plan *plan, const cli_source *source,
                                const cli_method *method, int seed);
/* The value of a measure; NaN where it is not known. */
double cli_plan_value(const cli_plan *plan, const cli_source *source, const cli_method *method,
                      const cli_measure *measure, int seed);

#endif

#include "reproduce/result_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "show/user_ranks.h"

cli_cell *cli_result_summary_cell(const cli_part *part, int method, int measure)
{
    return &part->cells[method * part->n_measures + measure];
}

int cli_result_summary_row(const cli_part *part, const char *method)
{
    for (int row = 0; row < part->n_methods; row++)
        if (strcmp(part->methods[row]->name, method) == 0)
            return row;
    return -1;
}

int cli_result_summary_is_better(const cli_measure *measure, double a, double b)
{
    return measure->lower_is_better ? a < b : a > b;
}

int cli_result_summary_is_lawless(const cli_result_summary *sheet, const cli_part *part, int row)
{
    const cli_method *method = part->methods[row];

    if (method->standing != CLI_OURS || strstr(method->words, "--law-weight") ||
        strcmp(part->source->task, "link") == 0) /* which has no laws to switch off */
        return 0;
    for (int seed = 1; seed <= sheet->plan->n_seeds; seed++) {
        const cli_run *run = cli_plan_training(sheet->plan, part->source, method, seed);
        if (run && run->result && cli_runs_number(run, "options.law-weight") == 0)
            return 1;
    }
    return 0;
}

void cli_result_summary_title(FILE *out, const cli_result_summary *sheet, const cli_part *part,
                              int row)
{
    fprintf(out, "%s%s", part->methods[row]->title,
            cli_result_summary_is_lawless(sheet, part, row) ? ", laws off" : "");
}

static void choose_rows(cli_part *part, const cli_exhibit *exhibit)
{
    const cli_method *method;
    const cli_measure *measure;

    for (int i = 0; (method = cli_paper_method(i)); i++) {
        if (!cli_paper_shows(exhibit, method, part->source))
            continue;
        part->methods =
            cli_memory_resize(part->methods, (size_t)part->n_methods + 1, sizeof *part->methods);
        part->methods[part->n_methods++] = method;
    }
    for (int i = 0; (measure = cli_paper_measure(i)); i++)
        if (strcmp(measure->task, part->source->task) == 0 && part->n_measures < CLI_MOST_MEASURES)
            part->measures[part->n_measures++] = measure;
}

nln_summary cli_result_summary_summary(double *values, const cli_plan *plan,
                                       const cli_source *source, const cli_method *method,
                                       const cli_measure *measure)
{
    double *known = cli_memory_resize(NULL, (size_t)plan->n_seeds, sizeof *known);
    size_t n = 0;

    for (int seed = 1; seed <= plan->n_seeds; seed++) {
        double value = cli_plan_value(plan, source, method, measure, seed);
        if (!isnan(value))
            known[n++] = value;
        if (values)
            values[seed - 1] = value;
    }
    nln_summary summary = nln_statistics_summary(known, n);
    free(known);
    return summary;
}

/* The best row of a measure, of the baselines or of all that compete; -1 if none is known. */
static int best_row(const cli_part *part, int measure, int only_baselines)
{
    int best = -1;

    for (int row = 0; row < part->n_methods; row++) {
        cli_standing standing = part->methods[row]->standing;
        double mean = cli_result_summary_cell(part, row, measure)->summary.mean;
        if (isnan(mean) || standing == CLI_LIMIT || (only_baselines && standing != CLI_BASELINE))
            continue;
        if (best < 0 || cli_result_summary_is_better(
                            part->measures[measure], mean,
                            cli_result_summary_cell(part, best, measure)->summary.mean))
            best = row;
    }
    return best;
}

static nln_paired compare_seeds(const cli_cell *a, const cli_cell *b, int n_seeds)
{
    double *x = cli_memory_resize(NULL, (size_t)n_seeds, sizeof *x);
    double *y = cli_memory_resize(NULL, (size_t)n_seeds, sizeof *y);
    size_t n = 0;

    for (int i = 0; i < n_seeds; i++)
        if (!isnan(a->values[i]) && !isnan(b->values[i])) {
            x[n] = a->values[i];
            y[n++] = b->values[i];
        }
    nln_paired paired = nln_statistics_paired(x, y, n);
    free(x);
    free(y);
    return paired;
}

/* Ranks of the users, or of the triples, over the seeds that are finished. */
static void read_ranks(cli_user_ranks *ranks, const cli_plan *plan, const cli_part *part, int row,
                       const char *column)
{
    *ranks = (cli_user_ranks){0};
    for (int seed = 1; seed <= plan->n_seeds; seed++) {
        const cli_run *run = cli_plan_training(plan, part->source, part->methods[row], seed);
        if (!run || !run->result)
            continue;
        char *path = cli_runs_path(
            plan->runs, run, strcmp(part->source->task, "link") == 0 ? "triples.tsv" : "users.tsv");
        cli_user_ranks_add(ranks, path, column);
        free(path);
    }
    cli_user_ranks_settle(ranks);
}

cli_comparison cli_result_summary_compare(const cli_result_summary *sheet, const cli_part *part,
                                          int row, int other, int measure)
{
    const char *column = part->measures[measure]->per_user;
    cli_user_ranks a, b;
    cli_comparison comparison = {
        .seeds = compare_seeds(cli_result_summary_cell(part, row, measure),
                               cli_result_summary_cell(part, other, measure), sheet->plan->n_seeds),
        .of = strcmp(part->source->task, "link") == 0 ? "triples" : "users"};
    if (!column)
        return comparison;
    read_ranks(&a, sheet->plan, part, row, column);
    read_ranks(&b, sheet->plan, part, other, column);
    comparison.users = cli_user_ranks_compare(&a, &b);
    cli_user_ranks_free(&a);
    cli_user_ranks_free(&b);
    return comparison;
}

/* Whether a row has the same number as another, as tables print it. */
static int is_level(const cli_part *part, int row, int other, int measure)
{
    double mean = cli_result_summary_cell(part, row, measure)->summary.mean;
    return other >= 0 && !isnan(mean) &&
           lround(mean * 1e4) ==
               lround(cli_result_summary_cell(part, other, measure)->summary.mean * 1e4);
}

/* Finds the best rows of a measure, and compares ours with the best baseline. */
static void rate(const cli_result_summary *sheet, cli_part *part, int measure)
{
    int best = best_row(part, measure, 0), baseline = best_row(part, measure, 1);

    part->baseline[measure] = baseline;
    for (int row = 0; row < part->n_methods; row++) {
        cli_standing standing = part->methods[row]->standing;
        cli_cell *cell = cli_result_summary_cell(part, row, measure);
        cell->is_best = standing != CLI_LIMIT && is_level(part, row, best, measure);
        cell->is_baseline = standing == CLI_BASELINE && is_level(part, row, baseline, measure);
    }
    if (baseline < 0)
        return;
    for (int row = 0; row < part->n_methods; row++)
        if (part->methods[row]->standing == CLI_OURS || part->methods[row]->standing == CLI_ASIDE)
            cli_result_summary_cell(part, row, measure)->lead =
                cli_result_summary_compare(sheet, part, row, baseline, measure);
}

static void fill_part(cli_result_summary *sheet, cli_part *part)
{
    const cli_plan *plan = sheet->plan;

    choose_rows(part, sheet->exhibit);
    part->cells = cli_memory_resize(NULL, (size_t)part->n_methods * (size_t)part->n_measures,
                                    sizeof *part->cells);
    for (int row = 0; row < part->n_methods; row++)
        for (int m = 0; m < part->n_measures; m++) {
            cli_cell *cell = cli_result_summary_cell(part, row, m);
            double *values = cli_memory_resize(NULL, (size_t)plan->n_seeds, sizeof *values);
            *cell = (cli_cell){.values = values};
            cell->summary = cli_result_summary_summary(values, plan, part->source,
                                                       part->methods[row], part->measures[m]);
            if (part->extent->published)
                cell->published =
                    cli_paper_published(part->source, part->methods[row], part->measures[m]);
            sheet->n_values += cell->summary.n;
        }
    for (int m = 0; m < part->n_measures; m++)
        rate(sheet, part, m);
}

void cli_result_summary_open(cli_result_summary *sheet, const cli_plan *plan,
                             const cli_exhibit *exhibit)
{
    *sheet = (cli_result_summary){.plan = plan, .exhibit = exhibit};
    for (int i = 0; i < CLI_MOST_SOURCES; i++) {
        const cli_source *source = cli_paper_source(exhibit->sources[i]);
        if (!source || !cli_plan_has(plan, source))
            continue;
        cli_part *part = &sheet->parts[sheet->n_parts++];
        *part = (cli_part){.source = source, .extent = &source->at[plan->scale]};
        fill_part(sheet, part);
    }
}

void cli_result_summary_close(cli_result_summary *sheet)
{
    for (int i = 0; i < sheet->n_parts; i++) {
        cli_part *part = &sheet->parts[i];
        for (int c = 0; c < part->n_methods * part->n_measures; c++)
            free(part->cells[c].values);
        free(part->cells);
        free(part->methods);
    }
    *sheet = (cli_result_summary){0};
}

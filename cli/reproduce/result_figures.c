#include "reproduce/result_figures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"
#include "nln_lab.h"
#include "reproduce/result_summary.h"
#include "show/gnuplot_figure.h"
#include "show/output_file.h"
#include "show/tsv_file.h"

enum { MOST_PANELS = 8, MOST_SERIES = 3, MOST_TITLE = 128 };

/* A figure that is being made: the file of its data, and its panels with room for their parts. */
typedef struct drawing {
    const cli_plan *plan;
    const cli_exhibit *exhibit;
    FILE *out;
    cli_figure figure;
    cli_panel panels[MOST_PANELS];
    cli_series series[MOST_PANELS][MOST_SERIES];
    char titles[MOST_PANELS][MOST_TITLE];
    char names[MOST_PANELS][MOST_SERIES][64]; /* of columns and groups */
} drawing;

static cli_panel *add_panel(drawing *d, const char *x_label, const char *y_label, int n_series)
{
    int at = d->figure.n_panels++;
    d->panels[at] = (cli_panel){.title = d->titles[at],
                                .x_label = x_label,
                                .y_label = y_label,
                                .series = d->series[at],
                                .n_series = n_series};
    return &d->panels[at];
}

/* ---- sweeps -------------------------------------------------------------------------- */

static void add_sweep_panel(drawing *d, const cli_source *source, const cli_measure *measure)
{
    int at = d->figure.n_panels;
    cli_panel *panel = add_panel(d, "weight of the laws, λ", measure->title, 1);

    snprintf(d->titles[at], MOST_TITLE, "%s", source->at[d->plan->scale].title);
    snprintf(d->names[at][0], sizeof d->names[at][0], "%s", measure->key);
    snprintf(d->names[at][1], sizeof d->names[at][1], "%s_error", measure->key);
    d->series[at][0] = (cli_series){.drawing = CLI_DRAW_CURVE,
                                    .x = "place",
                                    .y = d->names[at][0],
                                    .error = d->plan->n_seeds > 1 ? d->names[at][1] : NULL,
                                    .colour = 1};
    panel->labels = "weight";
    fprintf(d->out, "\t%s\t%s", d->names[at][0], d->names[at][1]);
}

/* A row for each weight, and two columns for each panel.  Returns the number of values. */
static int draw_sweep(drawing *d)
{
    const cli_exhibit *e = d->exhibit;
    const cli_source *sources[CLI_MOST_SOURCES];
    const cli_measure *measures[CLI_MOST_SOURCES];
    int n = 0, known = 0, place = 0;

    fputs("place\tweight", d->out);
    for (int i = 0; i < CLI_MOST_SOURCES && e->sources[i]; i++) {
        sources[n] = cli_paper_source(e->sources[i]);
        if (!cli_plan_has(d->plan, sources[n]))
            continue;
        measures[n] = cli_paper_measure_of(sources[n], e->keys[i]);
        add_sweep_panel(d, sources[n], measures[n]);
        n++;
    }
    putc('\n', d->out);
    for (int s = 0; s < CLI_MOST_STEPS; s++) {
        if (!cli_plan_takes(d->plan, &e->steps[s]))
            continue;
        fprintf(d->out, "%d\t%s", place++, e->steps[s].label);
        for (int i = 0; i < n; i++) {
            const cli_method *method = cli_paper_method_named(e->steps[s].method);
            nln_summary found =
                cli_result_summary_summary(NULL, d->plan, sources[i], method, measures[i]);
            known += found.n > 0;
            cli_tsv_put_number(d->out, found.mean);
            cli_tsv_put_number(d->out, found.error);
        }
        putc('\n', d->out);
    }
    return known;
}

/* ---- curves -------------------------------------------------------------------------- */

static const struct {
    const char *title, *column;
} splits[] = {{"training", "train_rmse"}, {"validation", "valid_rmse"}, {"test", "test_rmse"}};

static void add_curves_panel(drawing *d, const cli_method *method)
{
    int at = d->figure.n_panels;

    add_panel(d, "epoch", "RMSE", MOST_SERIES);
    snprintf(d->titles[at], MOST_TITLE, "%s", method->title);
    snprintf(d->names[at][0], sizeof d->names[at][0], "%s", method->name);
    for (int s = 0; s < MOST_SERIES; s++)
        d->series[at][s] = (cli_series){.title = splits[s].title,
                                        .drawing = CLI_DRAW_LINE,
                                        .x = "epoch",
                                        .y = splits[s].column,
                                        .where = "run",
                                        .equals = d->names[at][0]};
}

/* Copies the columns that are drawn from the log of a training. */
static int copy_log(drawing *d, const cli_run *run, const char *name)
{
    char *path = cli_runs_path(d->plan->runs, run, "epochs.tsv");
    cli_tsv log;
    cli_tsv_read(&log, path);

    for (size_t row = 0; row < log.n_rows; row++) {
        fprintf(d->out, "%s\t%s", name, cli_tsv_text(&log, row, cli_tsv_column(&log, "epoch")));
        for (int s = 0; s < MOST_SERIES; s++)
            cli_tsv_put_number(d->out,
                               cli_tsv_number(&log, row, cli_tsv_column(&log, splits[s].column)));
        putc('\n', d->out);
    }
    int n = (int)log.n_rows;
    cli_tsv_free(&log);
    free(path);
    return n;
}

static int draw_curves(drawing *d)
{
    int known = 0;

    fputs("run\tepoch", d->out);
    for (int s = 0; s < MOST_SERIES; s++)
        fprintf(d->out, "\t%s", splits[s].column);
    putc('\n', d->out);
    for (int i = 0; i < CLI_MOST_SOURCES && d->exhibit->sources[i]; i++) {
        const cli_source *source = cli_paper_source(d->exhibit->sources[i]);
        const cli_method *method = cli_paper_method_named(d->exhibit->steps[i].method);
        const cli_run *run = cli_plan_training(d->plan, source, method, 1);
        if (!run || !run->result)
            continue;
        add_curves_panel(d, method);
        known += copy_log(d, run, method->name);
    }
    return known;
}

/* ---- maps ---------------------------------------------------------------------------- */

static void add_map_panel(drawing *d, const cli_run *run, int epoch)
{
    static const char *const values[] = {"T", "F"};
    int at = d->figure.n_panels;
    double accuracy = cli_runs_number(run, "cluster_accuracy");
    char clusters[64] = "";

    if (!isnan(accuracy))
        snprintf(clusters, sizeof clusters, "two clusters: %.1f %%", 100 * accuracy);
    if (epoch)
        snprintf(d->titles[at], MOST_TITLE, "epoch %d%s%s", epoch, clusters[0] ? "; " : "",
                 clusters);
    else
        snprintf(d->titles[at], MOST_TITLE, "%s", clusters);
    for (int v = 0; v < 2; v++) {
        snprintf(d->names[at][v], sizeof d->names[at][v], "%d %s", epoch, values[v]);
        d->series[at][v] = (cli_series){.title = values[v],
                                        .drawing = CLI_DRAW_POINTS,
                                        .x = "x",
                                        .y = "y",
                                        .where = "group",
                                        .equals = d->names[at][v]};
    }
    add_panel(d, NULL, NULL, 2)->bare = 1;
}

static int copy_map(drawing *d, const cli_run *run, int epoch)
{
    char *path = cli_runs_path(d->plan->runs, run, "map.tsv");
    static const char *const columns[] = {"name", "x", "y", "value", "cluster"};
    cli_tsv map;
    cli_tsv_read(&map, path);

    for (size_t row = 0; row < map.n_rows; row++) {
        fprintf(d->out, "%d %s", epoch, cli_tsv_text(&map, row, cli_tsv_column(&map, "value")));
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
            putc('\t', d->out);
            cli_tsv_put_text(d->out, cli_tsv_text(&map, row, cli_tsv_column(&map, columns[c])));
        }
        putc('\n', d->out);
    }
    int n = (int)map.n_rows;
    cli_tsv_free(&map);
    free(path);
    return n;
}

/* One map of the finished model, or one for each snapshot of the training. */
static int draw_maps(drawing *d)
{
    const cli_source *source = cli_paper_source(d->exhibit->sources[0]);
    const cli_method *method = cli_paper_method_named(d->exhibit->steps[0].method);
    int known = 0;

    fputs("group\tname\tx\ty\tvalue\tcluster\n", d->out);
    for (int i = 0; i < MOST_PANELS; i++) {
        int epoch = d->exhibit->kind == CLI_MAPS ? cli_paper_snapshot(d->plan->scale, i) : 0;
        if ((d->exhibit->kind == CLI_MAPS) != (epoch > 0) || (!epoch && i > 0))
            break;
        const cli_run *run = cli_plan_map(d->plan, source, method, epoch);
        if (!run || !run->result)
            continue;
        add_map_panel(d, run, epoch);
        known += copy_map(d, run, epoch);
    }
    d->figure.columns = d->figure.n_panels > 3 ? 3 : 0;
    d->figure.point_size = known > 5000 ? 0.25 : 0.5;
    return known;
}

/* ---- lengths ------------------------------------------------------------------------- */

static const struct {
    const char *kind, *title, *x_label;
} length_panels[] = {
    {"and", "AND of true literals", "literals"},
    {"or", "OR of false literals", "literals"},
    {"nested", "AND and OR in turn", "levels"},
    {"clauses", "N clauses of N literals", "N"},
};
enum { N_LENGTH_PANELS = sizeof length_panels / sizeof *length_panels };

/* The share that a run has for a kind and size, or NaN. */
static double length_share(const cli_run *run, const char *kind, double size)
{
    const json_t *row, *rows = run && run->result ? json_object_get(run->result, "lengths") : NULL;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *name = json_string_value(json_object_get(row, "kind"));
        const json_t *right = json_object_get(row, "right");
        if (name && strcmp(name, kind) == 0 && json_is_number(right) &&
            json_number_value(json_object_get(row, "size")) == size)
            return json_number_value(right);
    }
    return (double)NAN;
}

/* Writes the rows of one curve: the means over seeds of every size that the first run has.  Returns
 * how many there are. */
static int copy_lengths(drawing *d, const cli_source *source, const cli_method *method,
                        const char *kind, const char *name)
{
    const cli_run *first = cli_plan_lengths(d->plan, source, method, 1);
    const json_t *row,
        *rows = first && first->result ? json_object_get(first->result, "lengths") : NULL;
    double *shares = cli_memory_resize(NULL, (size_t)d->plan->n_seeds, sizeof *shares);
    int known = 0;
    size_t i;
    json_array_foreach(rows, i, row)
    {
        const char *of = json_string_value(json_object_get(row, "kind"));
        double size = json_number_value(json_object_get(row, "size"));
        size_t n = 0;
        for (int seed = 1; of && strcmp(of, kind) == 0 && seed <= d->plan->n_seeds; seed++) {
            shares[n] = length_share(cli_plan_lengths(d->plan, source, method, seed), kind, size);
            n += isnan(shares[n]) ? 0 : 1;
        }
        if (!n)
            continue;
        nln_summary found = nln_statistics_summary(shares, n);
        fprintf(d->out, "%s\t%g", name, size);
        cli_tsv_put_number(d->out, found.mean);
        cli_tsv_put_number(d->out, found.error);
        putc('\n', d->out);
        known++;
    }
    free(shares);
    return known;
}

/* A panel for each kind of expressions, with a curve for each method. */
static int draw_lengths(drawing *d)
{
    const cli_source *source = cli_paper_source(d->exhibit->sources[0]);
    int known = 0;

    fputs("curve\tsize\tright\tright_error\n", d->out);
    for (int p = 0; p < N_LENGTH_PANELS; p++) {
        int n = 0, here = 0;
        for (int s = 0; s < MOST_SERIES; s++) {
            const cli_step *step = &d->exhibit->steps[s];
            if (!cli_plan_takes(d->plan, step))
                continue;
            const cli_method *method = cli_paper_method_named(step->method);
            snprintf(d->names[d->figure.n_panels][n], sizeof d->names[0][0], "%s %s",
                     length_panels[p].kind, method->name);
            int rows = copy_lengths(d, source, method, length_panels[p].kind,
                                    d->names[d->figure.n_panels][n]);
            if (!rows)
                continue;
            d->series[d->figure.n_panels][n] =
                (cli_series){.title = step->label,
                             .drawing = CLI_DRAW_CURVE,
                             .x = "size",
                             .y = "right",
                             .error = d->plan->n_seeds > 1 ? "right_error" : NULL,
                             .where = "curve",
                             .equals = d->names[d->figure.n_panels][n]};
            n++;
            here += rows;
        }
        if (!here)
            continue;
        snprintf(d->titles[d->figure.n_panels], MOST_TITLE, "%s", length_panels[p].title);
        add_panel(d, length_panels[p].x_label, "share right", n);
        known += here;
    }
    d->figure.columns = d->figure.n_panels > 2 ? 2 : 0;
    return known;
}

/* ---- any figure ---------------------------------------------------------------------- */

int cli_drawing_make(int *there, int *drawn, const cli_plan *plan, const cli_exhibit *exhibit,
                     const char *prefix)
{
    static int (*const draw[])(drawing *) = {[CLI_SWEEP] = draw_sweep,
                                             [CLI_MAP] = draw_maps,
                                             [CLI_CURVES] = draw_curves,
                                             [CLI_MAPS] = draw_maps,
                                             [CLI_LENGTHS] = draw_lengths};
    drawing d = {.plan = plan, .exhibit = exhibit};
    cli_file file;
    char *path = cli_memory_print("%s.tsv", prefix);

    *there = *drawn = 0;
    int code = cli_file_open(&file, path, "--out");
    if (!code) {
        d.out = file.stream;
        *there = draw[exhibit->kind](&d) > 0;
        d.figure.panels = d.panels;
        code = cli_file_finish(&file);
    }
    if (!code && *there)
        code = cli_figure_draw(drawn, &d.figure, prefix);
    else if (!code)
        remove(path);
    free(path);
    return code;
}

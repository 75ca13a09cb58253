/* nln plot curves: draws a metric over the epochs of a training, from its log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/gnuplot_figure.h"
#include "show/metrics_table.h"
#include "show/output_file.h"
#include "show/struct_fields.h"
#include "show/tsv_file.h"

enum { MOST_NAME = 64, MOST_CURVES = 4 };

typedef struct curves {
    const char *path, *out; /* of the log, and the prefix of the figure */
    cli_tsv log;
    const char *metric;
    char column[MOST_CURVES][MOST_NAME + 8]; /* with the part before it */
    cli_series series[MOST_CURVES];
    int n, drawn;
} curves;

static const cli_field fields[] = {
    CLI_FIELD(curves, out, TEXT, "out", NULL, 0),
    CLI_FIELD(curves, drawn, FLAG, "drawn", NULL, 0),
    CLI_FIELD(curves, metric, TEXT, "metric", NULL, 0),
    CLI_FIELD(curves, n, INT, "curves", NULL, 0),
    CLI_FIELD(curves, log.n_rows, COUNT, "epochs", NULL, 0),
};

/* The first metric of validation, or the loss of a training without any. */
static void choose_metric(curves *c, const char *wanted)
{
    static const char head[] = "valid_";

    c->metric = strcmp(wanted, "auto") ? wanted : "loss";
    for (size_t i = 0; !strcmp(wanted, "auto") && i < c->log.n_columns; i++)
        if (!strncmp(c->log.cells[i], head, sizeof head - 1)) {
            c->metric = c->log.cells[i] + sizeof head - 1;
            return;
        }
}

static void add_curve(curves *c, const char *split)
{
    char *column = c->column[c->n];

    snprintf(column, sizeof c->column[0], "%s%s%s", split, split[0] ? "_" : "", c->metric);
    if (cli_tsv_column(&c->log, column) < 0)
        return;
    c->series[c->n++] = (cli_series){
        .title = split[0] ? split : NULL, .drawing = CLI_DRAW_CURVE, .x = "epoch", .y = column};
}

/* The columns of the metric in the log: one for each part of the data, or one by itself, as for the
 * loss. */
static int list_curves(curves *c, const char *metric)
{
    if (!cli_tsv_read(&c->log, c->path) || cli_tsv_column(&c->log, "epoch") < 0)
        return cli_message_failed(
            "%s: this is not the log of a training; make one with nln train --log", c->path);
    if (!c->log.n_rows)
        return cli_message_failed("%s: this log has no epochs yet", c->path);
    choose_metric(c, metric);
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        add_curve(c, cli_metrics_split_name((nln_split)split));
    add_curve(c, "");
    return c->n ? CLI_OK
                : cli_message_failed("%s: this log has no %s; give --metric one of its columns, "
                                     "without valid_",
                                     c->path, c->metric);
}

/* The log without NA, which gnuplot does not know. */
static int write_table(const curves *c, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    for (size_t i = 0; !code && i < (c->log.n_rows + 1) * c->log.n_columns; i++) {
        cli_tsv_put_text(file.stream, strcmp(c->log.cells[i], "NA") ? c->log.cells[i] : "");
        putc((i + 1) % c->log.n_columns ? '\t' : '\n', file.stream);
    }
    return code ? code : cli_file_finish(&file);
}

int cli_plot_curves(const cli_call *call)
{
    curves c = {.path = call->operands[0], .out = cli_call_text(call, "out")};
    char *path = cli_memory_print("%s.tsv", c.out);
    cli_panel panel = {.x_label = "epoch", .series = c.series};
    const cli_figure figure = {.panels = &panel, .n_panels = 1};
    int code = cli_figure_apart(c.out, "LOG", c.path);

    if (!code)
        code = list_curves(&c, cli_call_text(call, "metric"));
    if (!code)
        code = write_table(&c, path);
    panel.y_label = c.metric;
    panel.n_series = c.n;
    if (!code)
        code = cli_figure_draw(&c.drawn, &figure, c.out);
    if (!code && cli_call_flag(call, "json")) {
        json_t *object = cli_json_result("log", c.path);
        cli_fields_put(object, fields, CLI_COUNT(fields), &c);
        cli_json_print(object);
    } else if (!code) {
        printf("%s over %zu epochs; written to %s.tsv, .gp%s\n", c.metric, c.log.n_rows, c.out,
               c.drawn ? ", .svg, .png, .pdf" : "");
    }
    cli_tsv_free(&c.log);
    free(path);
    return code;
}

/* nln plot curves: a metric over the epochs of a training, from its log. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/plot_tsne.h"
#include "messages.h"
#include "show/figure.h"
#include "show/files.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/tsv_file.h"

enum { MOST_NAME = 64, MOST_CURVES = 4 };

typedef struct curves {
    cli_tsv log;
    char metric[MOST_NAME];
    char column[MOST_CURVES][MOST_NAME + 8]; /* with the part before it */
    cli_series series[MOST_CURVES];
    int n, drawn;
} curves;

/* The first metric of validation, or the loss of a training without any. */
static void choose_metric(curves *c, const char *wanted)
{
    static const char head[] = "valid_";

    snprintf(c->metric, sizeof c->metric, "%s", strcmp(wanted, "auto") ? wanted : "loss");
    for (size_t i = 0; !strcmp(wanted, "auto") && i < c->log.n_columns; i++)
        if (!strncmp(c->log.cells[i], head, sizeof head - 1)) {
            snprintf(c->metric, sizeof c->metric, "%s", c->log.cells[i] + sizeof head - 1);
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

/* What the log has of the metric: of each part of the data, or by itself, as the loss. */
static int list_curves(curves *c, const cli_call *call)
{
    const char *path = call->operands[0];

    if (!cli_tsv_read(&c->log, path) || cli_tsv_column(&c->log, "epoch") < 0)
        return cli_message_failed("%s: this is no log of a training; make one with nln train --log",
                                  path);
    if (!c->log.n_rows)
        return cli_message_failed("%s: this log has no epochs yet", path);
    choose_metric(c, cli_call_text(call, "metric"));
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        add_curve(c, cli_metrics_split_name((nln_split)split));
    add_curve(c, "");
    return c->n ? CLI_OK
                : cli_message_failed("%s: this log has no %s; give --metric one of its columns, "
                                     "without valid_",
                                     path, c->metric);
}

/* The log as it is, but for NA, which gnuplot does not know. */
static int write_table(const curves *c, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    for (size_t i = 0; !code && i < (c->log.n_rows + 1) * c->log.n_columns; i++) {
        cli_figure_cell(file.stream, strcmp(c->log.cells[i], "NA") ? c->log.cells[i] : "");
        putc((i + 1) % c->log.n_columns ? '\t' : '\n', file.stream);
    }
    return code ? code : cli_file_finish(&file);
}

static int draw(curves *c, const char *prefix)
{
    cli_panel panel = {
        .x_label = "epoch", .y_label = c->metric, .series = c->series, .n_series = c->n};
    cli_figure figure = {.panels = &panel, .n_panels = 1};
    return cli_figure_draw(&c->drawn, &figure, prefix);
}

static void tell(const cli_call *call, const curves *c)
{
    const char *out = cli_call_text(call, "out");
    json_t *object;

    if (!cli_call_flag(call, "json")) {
        printf("%s over %zu epochs; written to %s.tsv, .gp%s\n", c->metric, c->log.n_rows, out,
               c->drawn ? ", .svg, .png, .pdf" : "");
        return;
    }
    object = cli_json_object();
    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "log", cli_json_text(call->operands[0]));
    cli_json_put(object, "out", cli_json_text(out));
    cli_json_put(object, "drawn", json_boolean(c->drawn));
    cli_json_put(object, "metric", cli_json_text(c->metric));
    cli_json_put(object, "curves", cli_json_count((size_t)c->n));
    cli_json_put(object, "epochs", cli_json_count(c->log.n_rows));
    cli_json_print(object);
}

int cli_plot_curves(const cli_call *call)
{
    curves c = {0};
    char *path = cli_plot_path(cli_call_text(call, "out"));
    int code = cli_plot_apart(cli_call_text(call, "out"), "LOG", call->operands[0]);

    if (!code)
        code = list_curves(&c, call);
    if (!code)
        code = write_table(&c, path);
    if (!code)
        code = draw(&c, cli_call_text(call, "out"));
    if (!code)
        tell(call, &c);
    cli_tsv_free(&c.log);
    free(path);
    return code;
}

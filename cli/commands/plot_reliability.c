/* nln plot reliability: draws how often what a model predicts with a probability is true. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/ratings_input.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/gnuplot_figure.h"
#include "show/metrics_table.h"
#include "show/output_file.h"
#include "show/struct_fields.h"

typedef struct reliability {
    const char *out, *part;
    nln_reliability_bin *bins; /* [n_bins] */
    size_t n_bins, n;
    double error;
    int drawn;
} reliability;

static const cli_field fields[] = {
    CLI_FIELD(reliability, out, TEXT, "out", NULL, 0),
    CLI_FIELD(reliability, drawn, FLAG, "drawn", NULL, 0),
    CLI_FIELD(reliability, part, TEXT, "split", NULL, 0),
    CLI_FIELD(reliability, n, COUNT, "n", NULL, 0),
    CLI_FIELD(reliability, error, NUMBER, "calibration_error", NULL, 0),
};
static const cli_field bin_fields[] = {
    CLI_FIELD(nln_reliability_bin, n, COUNT, "n", NULL, 0),
    CLI_FIELD(nln_reliability_bin, mean, NUMBER, "mean", NULL, 0),
    CLI_FIELD(nln_reliability_bin, true_share, NUMBER, "true_share", NULL, 0),
};

static int measure_data(reliability *r, const cli_call *call, const nln_model *model,
                        nln_split part)
{
    nln_error err = {0};
    nln_data *data = NULL;
    int code = cli_call_refuse(call, "ratings",
                               "is for ratings, and this model has learned from "
                               "expressions");

    if (!code && (nln_data_read_for(&data, NULL, model, call->operands[1], &err) ||
                  nln_reliability(r->bins, r->n_bins, &r->error, model, data, part, NULL, &err)))
        code = cli_message_error(&err);
    nln_data_free(data);
    return code;
}

static int measure_ratings(reliability *r, const cli_call *call, const nln_model *model,
                           nln_split part)
{
    nln_error err = {0};
    cli_ratings ratings = {0};
    int code = cli_ratings_read_for(&ratings, call, call->operands[1], model);

    if (!code &&
        nln_reliability_ratings(r->bins, r->n_bins, &r->error, model, ratings.ratings, part, &err))
        code = cli_message_error(&err);
    cli_ratings_free(&ratings);
    return code;
}

/* The column `ideal` goes from 0 to 1: there a probability would be what came true. */
static int write_table(const reliability *r, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (code)
        return code;
    fputs("from\tto\tn\tmean\ttrue_share\tideal\n", file.stream);
    for (size_t b = 0; b < r->n_bins; b++) {
        double from = (double)b / (double)r->n_bins, to = (double)(b + 1) / (double)r->n_bins;
        fprintf(file.stream, "%g\t%g\t%zu\t", from, to, r->bins[b].n);
        if (r->bins[b].n)
            fprintf(file.stream, "%.6g\t%.6g", r->bins[b].mean, r->bins[b].true_share);
        else
            putc('\t', file.stream);
        fprintf(file.stream, "\t%g\n", r->n_bins > 1 ? (double)b / (double)(r->n_bins - 1) : 0.5);
    }
    return cli_file_finish(&file);
}

static int draw(reliability *r)
{
    const cli_series series[] = {
        {.title = "calibrated", .drawing = CLI_DRAW_LINE, .x = "ideal", .y = "ideal", .colour = 2},
        {.title = "model", .drawing = CLI_DRAW_CURVE, .x = "mean", .y = "true_share", .colour = 1},
    };
    const cli_panel panel = {.x_label = "mean predicted probability",
                             .y_label = "share that is true",
                             .series = series,
                             .n_series = 2};
    const cli_figure figure = {.panels = &panel, .n_panels = 1};
    return cli_figure_draw(&r->drawn, &figure, r->out);
}

static void print(const cli_call *call, const reliability *r)
{
    if (!cli_call_flag(call, "json")) {
        printf("calibration error %.4f over %zu predictions of %s; written to %s.tsv, .gp%s\n",
               r->error, r->n, r->part, r->out, r->drawn ? ", .svg, .png, .pdf" : "");
        return;
    }
    json_t *object = cli_json_result("model", call->operands[0]);
    cli_json_put(object, "data", cli_json_text(call->operands[1]));
    cli_fields_put(object, fields, CLI_COUNT(fields), r);
    cli_json_put(
        object, "bins",
        cli_fields_array(bin_fields, CLI_COUNT(bin_fields), r->bins, r->n_bins, sizeof *r->bins));
    cli_json_print(object);
}

int cli_plot_reliability(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    nln_split part = (nln_split)nln_options_number(call->options, "part");
    reliability r = {.out = cli_call_text(call, "out"),
                     .part = cli_metrics_split_name(part),
                     .n_bins = (size_t)nln_options_number(call->options, "bins")};
    char *path = cli_memory_print("%s.tsv", r.out);
    int code = cli_figure_apart(r.out, "DATA", call->operands[1]);

    r.bins = cli_memory_resize(NULL, r.n_bins, sizeof *r.bins);
    if (!code && nln_model_load(&model, call->operands[0], &err))
        code = cli_message_error(&err);
    if (!code)
        code = cli_metrics_task(nln_model_options(model)) == CLI_LOGIC
                   ? measure_data(&r, call, model, part)
                   : measure_ratings(&r, call, model, part);
    for (size_t b = 0; !code && b < r.n_bins; b++)
        r.n += r.bins[b].n;
    if (!code)
        code = write_table(&r, path);
    if (!code)
        code = draw(&r);
    if (!code)
        print(call, &r);
    nln_model_free(model);
    free(r.bins);
    free(path);
    return code;
}

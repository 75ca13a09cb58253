/* nln plot tsne: draws the vectors of a model's variables on a plane. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/gnuplot_figure.h"
#include "show/output_file.h"
#include "show/struct_fields.h"
#include "show/terminal.h"
#include "show/tsv_file.h"

typedef struct map {
    const nln_model *model;
    const char *out;
    size_t n, length; /* variables, and numbers of a vector */
    double *plane;    /* [n, 2] */
    int *cluster;     /* [n] */
    int8_t *value;    /* [n], or NULL without --truth */
    size_t n_known;
    double accuracy; /* of the clusters; NaN without values */
    nln_tsne_report report;
    int drawn; /* there are pictures */
} map;

static const cli_field fields[] = {
    CLI_FIELD(map, out, TEXT, "out", NULL, 0),
    CLI_FIELD(map, drawn, FLAG, "drawn", NULL, 0),
    CLI_FIELD(map, n, COUNT, "variables", NULL, 0),
    CLI_FIELD(map, length, COUNT, "vector_length", NULL, 0),
    CLI_FIELD(map, report.exact, FLAG, "exact", NULL, 0),
    CLI_FIELD(map, report.perplexity, NUMBER, "perplexity", NULL, 0),
    CLI_FIELD(map, report.iterations, INT, "iterations", NULL, 0),
    CLI_FIELD(map, report.kl, NUMBER, "kl", "KL divergence", 4),
    CLI_FIELD(map, report.trustworthiness, NUMBER, "trustworthiness", "trustworthiness", 4),
    CLI_FIELD(map, accuracy, NUMBER, "cluster_accuracy", "accuracy of two clusters", 4),
    CLI_FIELD(map, n_known, COUNT, "cluster_accuracy_n", NULL, 0),
    CLI_FIELD(map, report.seconds, NUMBER, "seconds", NULL, 0),
};

/* Shows the progress of the descent on a terminal. */
static int show_step(void *context, const nln_progress *now)
{
    (void)context;
    fprintf(stderr, "\rt-SNE: step %d of %d, divergence %.4f\033[K", now->epoch, now->n_epochs,
            now->loss);
    fflush(stderr);
    return 0;
}

static int find_plane(map *m, const cli_call *call)
{
    nln_error err = {0};
    int live = cli_terminal_is_live() && !cli_call_flag(call, "quiet");
    nln_watch watch = {.progress = show_step};
    float *points = cli_memory_resize(NULL, m->n * m->length, sizeof *points);

    nln_status status = nln_model_embedding(points, m->model, &err);
    if (!status)
        status = nln_tsne(m->plane, &m->report, points, m->n, m->length,
                          cli_call_library(call, "tsne"), live ? &watch : NULL, &err);
    if (live)
        fputs("\r\033[K", stderr);
    free(points);
    return status ? cli_message_cause(&err) : CLI_OK;
}

static int read_truth(map *m, const char *path)
{
    nln_error err = {0};

    m->value = cli_memory_resize(NULL, m->n, sizeof *m->value);
    if (nln_model_truth(m->value, &m->n_known, m->model, path, &err))
        return cli_message_error(&err);
    if (!m->n_known)
        return cli_message_failed("%s: this file has no value for any variable of the model", path);
    return CLI_OK;
}

static int make_map(map *m, const cli_call *call)
{
    const char *truth = cli_call_text(call, "truth");
    uint64_t seed = (uint64_t)nln_options_number(call->options, "seed");
    nln_error err = {0};
    int code = CLI_OK;

    m->n = nln_model_variables(m->model);
    m->length = nln_model_vector_length(m->model);
    m->plane = cli_memory_resize(NULL, m->n, 2 * sizeof *m->plane);
    m->cluster = cli_memory_resize(NULL, m->n, sizeof *m->cluster);
    if (truth[0])
        code = read_truth(m, truth);
    if (!code)
        code = find_plane(m, call);
    if (!code && nln_two_clusters(m->cluster, &m->accuracy, m->plane, m->n, m->value, seed, &err))
        code = cli_message_error(&err);
    return code;
}

static int write_table(const map *m, const char *path)
{
    static const char *const values[] = {"?", "F", "T"};
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (code)
        return code;
    fputs("name\tx\ty\tvalue\tcluster\n", file.stream);
    for (size_t i = 0; i < m->n; i++) {
        cli_tsv_put_text(file.stream, nln_model_variable(m->model, i));
        fprintf(file.stream, "\t%.6g\t%.6g\t%s\t%d\n", m->plane[2 * i], m->plane[2 * i + 1],
                values[m->value ? m->value[i] + 1 : 0], m->cluster[i] + 1);
    }
    return cli_file_finish(&file);
}

/* Points by their value or, where none is known, all alike. */
static int draw(map *m)
{
    const cli_series all[] = {
        {.title = "T", .x = "x", .y = "y", .where = "value", .equals = "T"},
        {.title = "F", .x = "x", .y = "y", .where = "value", .equals = "F"},
        {.title = "unknown", .x = "x", .y = "y", .where = "value", .equals = "?"},
        {.x = "x", .y = "y"},
    };
    char title[64] = "";
    cli_panel panel = {.title = title, .series = all + 3, .n_series = 1, .bare = 1};
    cli_figure figure = {.panels = &panel, .n_panels = 1, .point_size = m->n > 5000 ? 0.25 : 0.5};

    if (m->value) {
        panel.series = all;
        panel.n_series = m->n_known < m->n ? 3 : 2;
        snprintf(title, sizeof title, "two clusters: %.1f %%", 100 * m->accuracy);
    }
    return cli_figure_draw(&m->drawn, &figure, m->out);
}

static void print(const cli_call *call, const map *m)
{
    const nln_tsne_report *r = &m->report;

    if (cli_call_flag(call, "json")) {
        json_t *object = cli_json_result("model", call->operands[0]);
        cli_fields_put(object, fields, CLI_COUNT(fields), m);
        cli_json_put(object, "options", cli_json_options(cli_call_library(call, "tsne")));
        cli_json_print(object);
        return;
    }
    cli_fields_print_list(fields, CLI_COUNT(fields), m);
    printf("%zu vectors of %zu numbers, %s, perplexity %g, %d steps in %.1f s; written to %s.tsv, "
           ".gp%s\n",
           m->n, m->length, r->exact ? "all pairs" : "Barnes-Hut", r->perplexity, r->iterations,
           r->seconds, m->out, m->drawn ? ", .svg, .png, .pdf" : "");
}

int cli_plot_tsne(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    map m = {.accuracy = NAN, .out = cli_call_text(call, "out")};
    char *path = cli_memory_print("%s.tsv", m.out);
    int code = cli_figure_apart(m.out, "MODEL", call->operands[0]);

    if (!code)
        code = cli_figure_apart(m.out, "--truth", cli_call_text(call, "truth"));
    if (!code)
        code = cli_file_try(path, "--out");
    if (!code && nln_model_load(&model, call->operands[0], &err))
        code = cli_message_error(&err);
    m.model = model;
    if (!code)
        code = make_map(&m, call);
    if (!code)
        code = write_table(&m, path);
    if (!code)
        code = draw(&m);
    if (!code)
        print(call, &m);
    free(m.plane);
    free(m.cluster);
    free(m.value);
    free(path);
    nln_model_free(model);
    return code;
}

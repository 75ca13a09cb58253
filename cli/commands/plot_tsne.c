/* nln plot tsne: the vectors of a model's variables on a plane, as a figure. */
#include "commands/plot_tsne.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/figure.h"
#include "show/files.h"
#include "show/json_output.h"
#include "show/terminal.h"
#include "show/text_table.h"

typedef struct map {
    const nln_model *model;
    size_t n, length; /* variables, and numbers of a vector */
    double *plane;    /* [n, 2] */
    int *cluster;     /* [n] */
    int8_t *value;    /* [n], or NULL without --truth */
    size_t n_known;
    double accuracy; /* of the clusters; NaN without values */
    nln_tsne_report report;
    int drawn; /* there are pictures */
} map;

/* ---- making it ------------------------------------------------------------------- */

/* On a terminal: how far the descent is. */
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

static int find_clusters(map *m, const cli_call *call)
{
    nln_error err = {0};
    uint64_t seed = (uint64_t)nln_options_number(call->options, "seed");

    if (nln_two_clusters(m->cluster, &m->accuracy, m->plane, m->n, m->value, seed, &err))
        return cli_message_error(&err);
    return CLI_OK;
}

static int make_map(map *m, const cli_call *call)
{
    const char *truth = cli_call_text(call, "truth");
    int code = CLI_OK;

    m->n = nln_model_variables(m->model);
    m->length = nln_model_vector_length(m->model);
    m->plane = cli_memory_resize(NULL, m->n, 2 * sizeof *m->plane);
    m->cluster = cli_memory_resize(NULL, m->n, sizeof *m->cluster);
    if (truth[0])
        code = read_truth(m, truth);
    if (!code)
        code = find_plane(m, call);
    return code ? code : find_clusters(m, call);
}

/* ---- the figure ------------------------------------------------------------------ */

static const char *value_of(const map *m, size_t i)
{
    static const char *const names[] = {"?", "F", "T"};
    return m->value ? names[m->value[i] + 1] : "?";
}

static int write_table(const map *m, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (code)
        return code;
    fputs("name\tx\ty\tvalue\tcluster\n", file.stream);
    for (size_t i = 0; i < m->n; i++) {
        cli_figure_cell(file.stream, nln_model_variable(m->model, i));
        fprintf(file.stream, "\t%.6g\t%.6g\t%s\t%d\n", m->plane[2 * i], m->plane[2 * i + 1],
                value_of(m, i), m->cluster[i] + 1);
    }
    return cli_file_finish(&file);
}

/* Points by their value or, where none is known, all alike. */
static int draw(map *m, const char *prefix)
{
    const cli_series all[] = {
        {.title = "T", .x = "x", .y = "y", .where = "value", .equals = "T"},
        {.title = "F", .x = "x", .y = "y", .where = "value", .equals = "F"},
        {.title = "unknown", .x = "x", .y = "y", .where = "value", .equals = "?"},
        {.x = "x", .y = "y"},
    };
    char title[64] = "";
    cli_panel panel = {.title = title, .series = all, .n_series = 2, .bare = 1};
    cli_figure figure = {.panels = &panel, .n_panels = 1, .point_size = m->n > 5000 ? 0.25 : 0.5};

    if (!m->value) {
        panel.series = all + 3;
        panel.n_series = 1;
    } else {
        panel.n_series = m->n_known < m->n ? 3 : 2;
        snprintf(title, sizeof title, "two clusters: %.1f %%", 100 * m->accuracy);
    }
    return cli_figure_draw(&m->drawn, &figure, prefix);
}

/* ---- telling about it -------------------------------------------------------------- */

static void print_json(const cli_call *call, const map *m)
{
    json_t *object = cli_json_object();
    const nln_tsne_report *r = &m->report;

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(call->operands[0]));
    cli_json_put(object, "out", cli_json_text(cli_call_text(call, "out")));
    cli_json_put(object, "drawn", json_boolean(m->drawn));
    cli_json_put(object, "variables", cli_json_count(m->n));
    cli_json_put(object, "vector_length", cli_json_count(m->length));
    cli_json_put(object, "exact", json_boolean(r->exact));
    cli_json_put(object, "perplexity", cli_json_number(r->perplexity));
    cli_json_put(object, "iterations", cli_json_count((size_t)r->iterations));
    cli_json_put(object, "kl", cli_json_number(r->kl));
    cli_json_put(object, "trustworthiness", cli_json_number(r->trustworthiness));
    cli_json_put(object, "cluster_accuracy", cli_json_number(m->accuracy));
    cli_json_put(object, "cluster_accuracy_n", cli_json_count(m->n_known));
    cli_json_put(object, "seconds", cli_json_number(r->seconds));
    cli_json_put(object, "options", cli_json_options(cli_call_library(call, "tsne")));
    cli_json_print(object);
}

static void print_table(const cli_call *call, const map *m)
{
    static const cli_column columns[] = {{"figure", 0}, {"value", 1}};
    const nln_tsne_report *r = &m->report;
    const struct {
        const char *name;
        double value;
        int decimals;
    } rows[] = {{"KL divergence", r->kl, 4},
                {"trustworthiness", r->trustworthiness, 4},
                {"accuracy of two clusters", m->accuracy, 4}};
    cli_table table;

    cli_table_open(&table, columns, 2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cli_table_add(&table, "%s", rows[i].name);
        cli_table_number(&table, rows[i].decimals, rows[i].value);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    printf("%zu vectors of %zu numbers, %s, perplexity %g, %d steps in %.1f s; written to %s.tsv, "
           ".gp%s\n",
           m->n, m->length, r->exact ? "all pairs" : "Barnes-Hut", r->perplexity, r->iterations,
           r->seconds, cli_call_text(call, "out"), m->drawn ? ", .svg, .png, .pdf" : "");
}

/* ---- the files ------------------------------------------------------------------- */

static char *path_with(const char *prefix, const char *ending)
{
    size_t size = strlen(prefix) + strlen(ending) + 1;
    char *path = cli_memory_resize(NULL, size, 1);
    snprintf(path, size, "%s%s", prefix, ending);
    return path;
}

char *cli_plot_path(const char *prefix)
{
    return path_with(prefix, ".tsv");
}

int cli_plot_apart(const char *prefix, const char *name, const char *input)
{
    static const char *const endings[] = {".tsv", ".gp", ".svg", ".png", ".pdf"};
    int code = CLI_OK;

    for (size_t i = 0; !code && i < sizeof endings / sizeof *endings; i++) {
        char *path = path_with(prefix, endings[i]);
        const cli_named_path paths[] = {{"--out", path, 0}, {name, input, 1}};
        code = cli_file_apart(paths, 2);
        free(path);
    }
    return code;
}

/* ---- the verb ------------------------------------------------------------------------ */

static int plot(map *m, const cli_call *call, const char *path)
{
    int code = make_map(m, call);
    if (!code)
        code = write_table(m, path);
    if (!code)
        code = draw(m, cli_call_text(call, "out"));
    if (!code && cli_call_flag(call, "json"))
        print_json(call, m);
    else if (!code)
        print_table(call, m);
    return code;
}

int cli_plot_tsne(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    map m = {.accuracy = NAN};
    const char *out = cli_call_text(call, "out");
    char *path = cli_plot_path(out);
    int code = cli_plot_apart(out, "MODEL", call->operands[0]);

    if (!code)
        code = cli_plot_apart(out, "--truth", cli_call_text(call, "truth"));
    if (!code)
        code = cli_file_try(path, "--out");
    if (!code && nln_model_load(&model, call->operands[0], &err))
        code = cli_message_error(&err);
    m.model = model;
    if (!code)
        code = plot(&m, call, path);
    free(m.plane);
    free(m.cluster);
    free(m.value);
    free(path);
    nln_model_free(model);
    return code;
}

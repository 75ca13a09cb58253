/* nln plot laws: draws how often a model keeps each law of logic, as nln inspect measures it. */
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/gnuplot_figure.h"
#include "show/output_file.h"
#include "show/struct_fields.h"
#include "show/tsv_file.h"

enum { MOST_LAWS = 64 };

typedef struct audit {
    const char *out;
    nln_law_score laws[MOST_LAWS];
    size_t n_laws;
    double least;      /* kept, of all laws ... */
    const char *worst; /* ... and the law */
    int drawn;
} audit;

static const cli_field fields[] = {
    CLI_FIELD(audit, out, TEXT, "out", NULL, 0),
    CLI_FIELD(audit, drawn, FLAG, "drawn", NULL, 0),
    CLI_FIELD(audit, n_laws, COUNT, "laws", NULL, 0),
    CLI_FIELD(audit, least, NUMBER, "least_kept", NULL, 0),
    CLI_FIELD(audit, worst, TEXT, "worst", NULL, 0),
};

static int measure(audit *a, const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    nln_data *data = NULL;
    int code = CLI_OK;

    if (nln_model_load(&model, call->operands[0], &err) ||
        (call->operands[1] && nln_data_read_for(&data, NULL, model, call->operands[1], &err)) ||
        nln_inspect(a->laws, MOST_LAWS, &a->n_laws, model, data, &err))
        code = cli_message_error(&err);
    a->n_laws = a->n_laws < MOST_LAWS ? a->n_laws : MOST_LAWS;
    a->least = 2;
    for (size_t i = 0; !code && i < a->n_laws; i++)
        if (a->laws[i].n && a->laws[i].kept < a->least) {
            a->least = a->laws[i].kept;
            a->worst = a->laws[i].name;
        }
    if (!code && !a->worst)
        code = cli_message_failed("%s: no law can be measured; only a Neural Logic Network has "
                                  "modules that keep laws",
                                  call->operands[0]);
    nln_data_free(data);
    nln_model_free(model);
    return code;
}

/* The first law is drawn at the top. */
static int write_table(const audit *a, const char *path)
{
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (code)
        return code;
    fputs("row\tlaw\tformula\twanted\tn\tmean_similarity\tkept\n", file.stream);
    for (size_t i = 0; i < a->n_laws; i++) {
        const nln_law_score *s = &a->laws[i];
        if (!s->n)
            continue;
        fprintf(file.stream, "%zu\t", a->n_laws - i);
        cli_tsv_put_text(file.stream, s->name);
        putc('\t', file.stream);
        cli_tsv_put_text(file.stream, s->formula);
        fprintf(file.stream, "\t%s\t%zu\t%.6g\t%.6g\n", s->far_apart ? "far" : "near", s->n,
                s->mean_similarity, s->kept);
    }
    return cli_file_finish(&file);
}

static int draw(audit *a)
{
    const cli_series series[] = {
        {.title = "kept", .x = "kept", .y = "row", .colour = 1},
        {.title = "mean similarity", .x = "mean_similarity", .y = "row", .colour = 2},
    };
    const cli_panel panel = {.series = series, .n_series = 2, .labels = "formula", .labels_y = 1};
    const cli_figure figure = {.panels = &panel, .n_panels = 1};
    return cli_figure_draw(&a->drawn, &figure, a->out);
}

int cli_plot_laws(const cli_call *call)
{
    audit a = {.out = cli_call_text(call, "out")};
    char *path = cli_memory_print("%s.tsv", a.out);
    int code = call->operands[1] ? cli_figure_apart(a.out, "DATA", call->operands[1]) : CLI_OK;

    if (!code)
        code = measure(&a, call);
    if (!code)
        code = write_table(&a, path);
    if (!code)
        code = draw(&a);
    if (!code && cli_call_flag(call, "json")) {
        json_t *object = cli_json_result("model", call->operands[0]);
        cli_fields_put(object, fields, CLI_COUNT(fields), &a);
        cli_json_print(object);
    } else if (!code) {
        printf("%zu laws, the least kept is %s in %.1f %% of its cases; written to %s.tsv, .gp%s\n",
               a.n_laws, a.worst, 100 * a.least, a.out, a.drawn ? ", .svg, .png, .pdf" : "");
    }
    free(path);
    return code;
}

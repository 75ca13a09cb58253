#include "commands/folds.h"

#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/progress_bar.h"
#include "show/text_table.h"

/* A copy of the options of "expressions" with another fold. */
static int options_of(nln_options **out, const cli_call *call, int fold)
{
    static const char *const copied[] = {"holdout", "holdout-seed", "folds"};
    const nln_options *given = cli_call_library(call, "expressions");
    nln_error err = {0};
    char text[16];
    nln_status status = nln_options_create(out, "expressions", &err);

    for (size_t i = 0; !status && i < sizeof copied / sizeof *copied; i++)
        status = nln_options_set(*out, copied[i], nln_options_text(given, copied[i]), &err);
    snprintf(text, sizeof text, "%d", fold);
    if (!status)
        status = nln_options_set(*out, "fold", text, &err);
    return status ? cli_message_error(&err) : CLI_OK;
}

static int train_fold(nln_metrics *test, const cli_call *call, int fold)
{
    cli_progress progress = {0};
    nln_watch watch = {.context = &progress, .progress = cli_progress_step};
    nln_options *options = NULL;
    nln_data *data = NULL;
    nln_model *model = NULL;
    nln_report report = {0};
    nln_error err = {0};
    int code = options_of(&options, call, fold);

    if (!code && nln_data_read_with(&data, call->operands[0], options, &err))
        code = cli_message_error(&err);
    if (!code) {
        cli_progress_open(&progress, CLI_LOGIC, cli_call_flag(call, "quiet"));
        nln_status status =
            nln_train(&model, &report, data, cli_call_library(call, "train"), &watch, &err);
        cli_progress_close(&progress);
        if (status == NLN_CANCELLED)
            code = cli_message_failed("training was interrupted in fold %d; nothing was written",
                                      fold);
        else if (status)
            code = cli_message_error(&err);
    }
    *test = report.test;
    nln_model_free(model);
    nln_data_free(data);
    nln_options_free(options);
    return code;
}

int cli_folds_train(cli_folds *out, const cli_call *call)
{
    int n = (int)nln_options_number(call->options, "folds"), code = CLI_OK;

    *out = (cli_folds){0};
    if (n == 0 || nln_options_number(call->options, "fold") > 0)
        return CLI_OK;
    out->test = cli_memory_resize(NULL, (size_t)n, sizeof *out->test);
    for (out->n = 0; !code && out->n < n; out->n++) {
        if (!cli_call_flag(call, "quiet"))
            cli_message_note("fold %d of %d", out->n + 1, n);
        code = train_fold(&out->test[out->n], call, out->n + 1);
    }
    return code;
}

static nln_summary summarize(const cli_folds *folds, const cli_metric *metric)
{
    double *x = cli_memory_resize(NULL, (size_t)folds->n, sizeof *x);
    for (int i = 0; i < folds->n; i++)
        x[i] = cli_metrics_value(&folds->test[i], metric);
    nln_summary summary = nln_statistics_summary(x, (size_t)folds->n);
    free(x);
    return summary;
}

void cli_folds_print(const cli_folds *folds)
{
    const cli_metric *metric;
    cli_column columns[8] = {{"fold", 0}, {"expressions", 1}};
    size_t n = 2;
    cli_table table;

    for (int i = 0; (metric = cli_metrics_row(CLI_LOGIC, i)); i++)
        columns[n++] = (cli_column){metric->title, 1};
    cli_table_open(&table, columns, n);
    for (int f = 0; f < folds->n; f++) {
        cli_table_add(&table, "%d", f + 1);
        cli_table_count(&table, folds->test[f].n);
        for (int i = 0; (metric = cli_metrics_row(CLI_LOGIC, i)); i++)
            cli_table_number(&table, 4, cli_metrics_value(&folds->test[f], metric));
    }
    for (int row = 0; row < 2; row++) {
        cli_table_add(&table, "%s", row ? "standard error" : "mean");
        cli_table_add(&table, "%s", "");
        for (int i = 0; (metric = cli_metrics_row(CLI_LOGIC, i)); i++) {
            nln_summary s = summarize(folds, metric);
            cli_table_number(&table, 4, row ? s.error : s.mean);
        }
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

json_t *cli_folds_json(const cli_folds *folds)
{
    json_t *object = cli_json_object(), *test = cli_json_array();
    json_t *mean = cli_json_object(), *error = cli_json_object();
    const cli_metric *metric;

    for (int i = 0; i < folds->n; i++)
        cli_json_append(test, cli_metrics_json(&folds->test[i], CLI_LOGIC, CLI_SHOW_BOTH));
    for (int i = 0; (metric = cli_metrics_row(CLI_LOGIC, i)); i++) {
        nln_summary s = summarize(folds, metric);
        cli_json_put(mean, metric->key, cli_json_number(s.mean));
        cli_json_put(error, metric->key, cli_json_number(s.error));
    }
    cli_json_put(object, "test", test);
    cli_json_put(object, "mean", mean);
    cli_json_put(object, "standard_error", error);
    return object;
}

void cli_folds_free(cli_folds *folds)
{
    free(folds->test);
    *folds = (cli_folds){0};
}

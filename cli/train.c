/* nln train: reads data, trains, writes the model, and says how good it is. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "call.h"
#include "json.h"
#include "memory.h"
#include "message.h"
#include "progress.h"
#include "table.h"

/* Training may take hours, so the place of the model is tried before it. */
static int check_writable(const char *path)
{
    static const char name[] = ".nln-XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
    struct stat about;

    if ((slash && !slash[1]) || (stat(path, &about) == 0 && S_ISDIR(about.st_mode)))
        return cli_message_failed("%s: this is a folder; give --out the name of a file", path);
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) /* devices are written directly */
        return access(path, W_OK) == 0
                   ? CLI_OK
                   : cli_message_failed("%s: cannot write here (%s)", path, strerror(errno));
    char *trial = cli_memory_resize(NULL, folder + sizeof name, 1);
    memcpy(trial, path, folder);
    memcpy(trial + folder, name, sizeof name);
    int file = mkstemp(trial);
    int problem = errno;
    if (file >= 0) {
        close(file);
        unlink(trial);
    }
    free(trial);
    if (file < 0)
        return cli_message_failed("%s: cannot write here (%s); choose another --out", path,
                                  strerror(problem));
    return CLI_OK;
}

static void print_json(const cli_call *call, const nln_model *model, const nln_report *report)
{
    json_t *object = cli_json_object(), *options = cli_json_options(nln_model_options(model));
    json_t *seed = json_object_get(options, "seed");

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(cli_call_text(call, "out")));
    cli_json_put(object, "data", cli_json_text(call->operands[0]));
    cli_json_put(object, "seed", seed ? json_incref(seed) : json_null());
    cli_json_put(object, "variables", cli_json_count(nln_model_variables(model)));
    cli_json_put(object, "epochs", cli_json_count((size_t)report->epochs));
    cli_json_put(object, "best_epoch", cli_json_count((size_t)report->best_epoch));
    cli_json_put(object, "seconds", cli_json_number(report->seconds));
    cli_json_put(object, "seconds_per_epoch", cli_json_number(report->seconds_per_epoch));
    cli_json_put(object, "peak_rss_bytes", cli_json_count(report->peak_rss_bytes));
    cli_json_put(object, "train", cli_json_metrics(&report->train));
    cli_json_put(object, "valid", cli_json_metrics(&report->valid));
    cli_json_put(object, "test", cli_json_metrics(&report->test));
    cli_json_put(object, "options", options);
    cli_json_print(object);
}

static void add_split(cli_table *table, const char *name, const nln_metrics *metrics)
{
    int known = metrics->n > 0;
    cli_table_add(table, "%s", name);
    cli_table_count(table, metrics->n);
    cli_table_number(table, 4, known ? metrics->accuracy : NAN);
    cli_table_number(table, 4, known ? metrics->rmse : NAN);
    cli_table_number(table, 4, known ? metrics->cross_entropy : NAN);
}

static void print_table(const cli_call *call, const nln_report *report)
{
    static const cli_column columns[] = {
        {"split", 0}, {"expressions", 1}, {"accuracy", 1}, {"RMSE", 1}, {"cross-entropy", 1}};
    cli_table table;

    cli_table_open(&table, columns, 5);
    add_split(&table, "train", &report->train);
    add_split(&table, "valid", &report->valid);
    add_split(&table, "test", &report->test);
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    printf("best epoch %d of %d; %.1f s, %.2f s per epoch, %.0f MB; written to %s\n",
           report->best_epoch, report->epochs, report->seconds, report->seconds_per_epoch,
           (double)report->peak_rss_bytes / 1e6, cli_call_text(call, "out"));
}

static int train(nln_model **model, nln_report *report, const cli_call *call, const nln_data *data)
{
    nln_error err = {0};
    cli_progress progress;
    nln_watch watch = {&progress, cli_progress_step};

    cli_progress_open(&progress, cli_call_flag(call, "quiet"));
    nln_status status = nln_train(model, report, data, call->library[0], &watch, &err);
    cli_progress_close(&progress);
    if (status == NLN_CANCELLED)
        return cli_message_failed("training was interrupted in epoch %d; nothing was written",
                                  progress.last.epoch);
    if (status)
        return cli_message_error(&err);
    if (nln_model_save(*model, cli_call_text(call, "out"), &err))
        return cli_message_error(&err);
    return CLI_OK;
}

int cli_train(const cli_call *call)
{
    nln_error err = {0};
    nln_data *data = NULL;
    nln_model *model = NULL;
    nln_report report = {0};
    int code = check_writable(cli_call_text(call, "out"));

    if (!code && nln_data_read(&data, call->operands[0], &err))
        code = cli_message_error(&err);
    if (!code)
        code = train(&model, &report, call, data);
    if (!code && cli_call_flag(call, "json"))
        print_json(call, model, &report);
    else if (!code)
        print_table(call, &report);
    nln_model_free(model);
    nln_data_free(data);
    return code;
}

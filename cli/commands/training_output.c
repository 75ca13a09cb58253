#include "commands/training_output.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"

/* The header of the log, with its end of line. */
enum { MOST_HEAD = 1024 };
static void make_head(char head[MOST_HEAD], const cli_training_output *log)
{
    const cli_metric *metric;
    int n = snprintf(head, MOST_HEAD, "epoch\tseconds\tloss");

    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        for (int i = 0;
             (log->curves || split == NLN_VALID) && (metric = cli_metrics_row(log->task, i)); i++)
            n += snprintf(head + n, MOST_HEAD - (size_t)n, "\t%s_%s",
                          cli_metrics_split_name((nln_split)split), metric->key);
    snprintf(head + n, MOST_HEAD - (size_t)n, "\n");
}

static void write_metrics(const cli_training_output *log, const nln_metrics *m)
{
    const cli_metric *metric;

    for (int i = 0; (metric = cli_metrics_row(log->task, i)); i++) {
        double value = cli_metrics_value(m, metric);
        if (isnan(value))
            fputs("\tNA", log->stream);
        else
            fprintf(log->stream, "\t%.6f", value);
    }
}

/* Where the line of this epoch belongs in an old log: after the header and the earlier epochs.
 * 0 if the file begins with another header, or with none. */
static long place_of(FILE *stream, const char *head, int epoch)
{
    char line[MOST_HEAD];
    if (!fgets(line, sizeof line, stream) || strcmp(line, head) != 0)
        return 0;
    long at = ftell(stream);
    while (fgets(line, sizeof line, stream) && strchr(line, '\n')) {
        long number = strtol(line, NULL, 10);
        if (number < 1 || number >= epoch)
            break;
        at = ftell(stream);
    }
    return at;
}

/* Writes the header.  With --resume, lines that a killed training logged after its last checkpoint
 * are cut off, because these epochs run again. */
static void begin(cli_training_output *log, int epoch)
{
    char head[MOST_HEAD];
    long at = 0;

    make_head(head, log);
    if (log->resumed) {
        at = place_of(log->stream, head, epoch);
        if (fseek(log->stream, at, SEEK_SET) || ftruncate(fileno(log->stream), at))
            at = 0;
    }
    if (at == 0)
        fputs(head, log->stream);
    log->begun = 1;
}

/* A write that failed earlier shows here too; the message comes once. */
static int flush(cli_training_output *log)
{
    errno = 0;
    if (!fflush(log->stream) && !ferror(log->stream))
        return CLI_OK;
    if (!log->told)
        cli_message_failed(
            "%s: cannot be written: %s; the training stops here, and --resume goes on", log->path,
            strerror(errno ? errno : EIO));
    log->told = 1;
    return CLI_FAILED;
}

static int write_line(cli_training_output *log, const nln_progress *p)
{
    if (!log->begun)
        begin(log, p->epoch);
    fprintf(log->stream, "%d\t%.3f\t%.6f", p->epoch, p->seconds, p->loss);
    if (p->curves)
        write_metrics(log, &p->train);
    write_metrics(log, &p->valid);
    if (p->curves)
        write_metrics(log, &p->test);
    fputc('\n', log->stream);
    return flush(log);
}

/* ---- copies of the model ---------------------------------------------------------- */

/* The next number of a list; 0 if there is none.  Moves *text behind it. */
static long next_number(const char **text)
{
    char *end;
    long number = strtol(*text, &end, 10);
    if (end == *text || number < 1 || (*end && *end != ','))
        return 0;
    *text = *end ? end + 1 : end;
    return number;
}

static int write_copy(const cli_training_output *log, const nln_progress *p)
{
    nln_error err = {0};
    int wanted = 0;

    for (const char *at = log->snapshots; *at && !wanted;)
        wanted = next_number(&at) == p->epoch;
    if (!wanted || nln_cluster_rank())
        return CLI_OK;
    char *path = cli_memory_print("%s-epoch-%d", log->out, p->epoch);
    nln_status status = nln_model_save(p->model, path, &err);
    free(path);
    return status ? cli_message_failed("%s; the training stops here, and --resume goes on",
                                       err.message)
                  : CLI_OK;
}

/* ---- a training -------------------------------------------------------------------- */

int cli_training_output_open(cli_training_output *log, const cli_call *call, cli_task task)
{
    struct stat about;

    *log = (cli_training_output){.path = cli_call_text(call, "log"),
                                 .task = task,
                                 .out = cli_call_text(call, "out"),
                                 .snapshots = cli_call_text(call, "snapshots")};
    for (const char *at = log->snapshots; *at;)
        if (!next_number(&at))
            return cli_message_usage("--snapshots wants numbers of epochs such as 1,5,20, not %s",
                                     log->snapshots);
    if (!log->path[0] || nln_cluster_rank())
        return CLI_OK;
    log->curves = cli_call_flag(call, "curves");
    log->resumed =
        cli_call_flag(call, "resume") && !stat(log->path, &about) && S_ISREG(about.st_mode);
    log->stream = fopen(log->path, log->resumed ? "r+" : "w");
    if (!log->stream)
        return cli_message_failed("%s: cannot be written, as --log asks: %s", log->path,
                                  strerror(errno));
    return CLI_OK;
}

int cli_training_output_step(cli_training_output *log, const nln_progress *now)
{
    if (!now->model || now->epoch == log->last)
        return CLI_OK;
    log->last = now->epoch;
    int code = log->stream ? write_line(log, now) : CLI_OK;
    return code ? code : write_copy(log, now);
}

int cli_training_output_close(cli_training_output *log)
{
    if (!log->stream)
        return CLI_OK;
    int code = flush(log);
    if (fclose(log->stream) && !code)
        code = cli_message_failed("%s: cannot be written: %s", log->path, strerror(errno));
    return code;
}

#include "commands/epoch_log.h"

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

/* ---- the log -------------------------------------------------------------------- */

/* The head of the log, with its end of line. */
enum { MOST_HEAD = 1024 };
static void make_head(char head[MOST_HEAD], const cli_epochs *e)
{
    int n = snprintf(head, MOST_HEAD, "epoch\tseconds\tloss");
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        for (int i = 0; (e->curves || split == NLN_VALID) && i < cli_metrics_count(e->task); i++)
            n += snprintf(head + n, MOST_HEAD - (size_t)n, "\t%s_%s",
                          cli_metrics_split_name((nln_split)split), cli_metrics_key(e->task, i));
    snprintf(head + n, MOST_HEAD - (size_t)n, "\n");
}

static void write_metrics(const cli_epochs *e, const nln_metrics *m)
{
    for (int i = 0; i < cli_metrics_count(e->task); i++) {
        double value = cli_metrics_value(m, e->task, i);
        if (isnan(value))
            fputs("\tNA", e->stream);
        else
            fprintf(e->stream, "\t%.6f", value);
    }
}

/* Where the line of this epoch belongs in a log of earlier epochs: behind the head and the epochs
 * before it.  0 where the file begins with another head, or none. */
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

/* What a killed training had logged after its last checkpoint is cut off, and told anew. */
static void begin(cli_epochs *e, int epoch)
{
    char head[MOST_HEAD];
    long at = 0;
    if (e->begun)
        return;
    e->begun = 1;
    make_head(head, e);
    if (e->resumed) {
        at = place_of(e->stream, head, epoch);
        if (fseek(e->stream, at, SEEK_SET) || ftruncate(fileno(e->stream), at))
            at = 0;
    }
    if (at == 0)
        fputs(head, e->stream);
}

/* A write that failed earlier shows here too; it is told once. */
static int flush(cli_epochs *e)
{
    errno = 0;
    if (!fflush(e->stream) && !ferror(e->stream))
        return CLI_OK;
    if (!e->told)
        cli_message_failed(
            "%s: cannot be written: %s; the training stops here, and --resume goes on", e->log,
            strerror(errno ? errno : EIO));
    e->told = 1;
    return CLI_FAILED;
}

static int write_line(cli_epochs *e, const nln_progress *p)
{
    begin(e, p->epoch);
    fprintf(e->stream, "%d\t%.3f\t%.6f", p->epoch, p->seconds, p->loss);
    if (p->curves)
        write_metrics(e, &p->train);
    write_metrics(e, &p->valid);
    if (p->curves)
        write_metrics(e, &p->test);
    fputc('\n', e->stream);
    return flush(e);
}

/* ---- copies of the model ---------------------------------------------------------- */

/* The next number of a list, which ends it at its last; 0 where there is none. */
static long next_number(const char **text)
{
    char *end;
    long number = strtol(*text, &end, 10);
    if (end == *text || number < 1 || (*end && *end != ','))
        return 0;
    *text = *end ? end + 1 : end;
    return number;
}

static int check_list(const char *text)
{
    for (const char *at = text; *at;)
        if (!next_number(&at))
            return cli_message_usage("--snapshots wants numbers of epochs such as 1,5,20, not %s",
                                     text);
    return CLI_OK;
}

static int wants_copy(const cli_epochs *e, int epoch)
{
    for (const char *at = e->snapshots; *at;)
        if (next_number(&at) == epoch)
            return 1;
    return 0;
}

static int write_copy(const cli_epochs *e, const nln_progress *p)
{
    size_t size = strlen(e->out) + 32;
    char *path = cli_memory_resize(NULL, size, 1);
    nln_error err = {0};
    snprintf(path, size, "%s-epoch-%d", e->out, p->epoch);
    int code = CLI_OK;
    if (nln_model_save(p->model, path, &err))
        code = cli_message_failed("%s; the training stops here, and --resume goes on", err.message);
    free(path);
    return code;
}

/* ---- a training -------------------------------------------------------------------- */

int cli_epochs_open(cli_epochs *e, const cli_call *call, cli_task task)
{
    *e = (cli_epochs){.log = cli_call_text(call, "log"),
                      .task = task,
                      .out = cli_call_text(call, "out"),
                      .snapshots = cli_call_text(call, "snapshots")};
    struct stat about;
    int code = check_list(e->snapshots);
    if (code || !e->log[0])
        return code;
    e->curves = cli_call_flag(call, "curves");
    e->resumed = cli_call_flag(call, "resume") && !stat(e->log, &about) && S_ISREG(about.st_mode);
    e->stream = fopen(e->log, e->resumed ? "r+" : "w");
    if (!e->stream)
        return cli_message_failed("%s: cannot be written, as --log asks: %s", e->log,
                                  strerror(errno));
    return CLI_OK;
}

int cli_epochs_step(cli_epochs *e, const nln_progress *now)
{
    int code = CLI_OK;
    if (!now->model || now->epoch == e->last)
        return CLI_OK;
    e->last = now->epoch;
    if (e->stream)
        code = write_line(e, now);
    if (!code && wants_copy(e, now->epoch))
        code = write_copy(e, now);
    return code;
}

int cli_epochs_close(cli_epochs *e)
{
    if (!e->stream)
        return CLI_OK;
    int code = flush(e);
    if (fclose(e->stream) && !code)
        code = cli_message_failed("%s: cannot be written: %s", e->log, strerror(errno));
    return code;
}

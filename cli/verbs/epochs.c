#include "verbs/epochs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "call.h"
#include "memory.h"
#include "message.h"

/* ---- the log -------------------------------------------------------------------- */

static void write_head(const cli_epochs *e)
{
    fputs("epoch\tseconds\tloss", e->stream);
    for (int split = NLN_TRAIN; split <= NLN_TEST; split++)
        for (int i = 0; (e->curves || split == NLN_VALID) && i < cli_metrics_count(e->task); i++)
            fprintf(e->stream, "\t%s_%s", cli_metrics_split_name((nln_split)split),
                    cli_metrics_key(e->task, i));
    fputc('\n', e->stream);
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

/* Where the line of this epoch belongs in a log that may have lines already: behind the head
 * and the epochs before it.  0 in an empty file. */
static long place_of(FILE *stream, int epoch)
{
    char line[4096];
    long at = 0;
    while (fgets(line, sizeof line, stream) && strchr(line, '\n')) {
        long number = strtol(line, NULL, 10);
        if (at > 0 && (number < 1 || number >= epoch))
            break;
        at = ftell(stream);
    }
    return at;
}

/* What a killed training had logged after its last checkpoint is cut off, and told anew. */
static void begin(cli_epochs *e, int epoch)
{
    if (e->begun)
        return;
    long at = place_of(e->stream, epoch);
    e->begun = 1;
    if (fseek(e->stream, at, SEEK_SET) == 0 && ftruncate(fileno(e->stream), at) == 0 && at == 0)
        write_head(e);
}

/* A write that failed earlier shows here too; it is told once. */
static int flush(cli_epochs *e)
{
    errno = 0;
    if (!fflush(e->stream) && !ferror(e->stream))
        return CLI_OK;
    if (!e->told)
        cli_message_failed("%s: cannot be written: %s", e->log, strerror(errno ? errno : EIO));
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
    int code = nln_model_save(p->model, path, &err) ? cli_message_error(&err) : CLI_OK;
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
    int code = check_list(e->snapshots);
    if (code || !e->log[0])
        return code;
    e->curves = cli_call_flag(call, "curves");
    if (cli_call_flag(call, "resume"))
        e->stream = fopen(e->log, "r+");
    if (!e->stream)
        e->stream = fopen(e->log, "w+");
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

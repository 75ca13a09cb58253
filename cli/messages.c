#include "messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "show/terminal.h"

/* Of a job on several machines; errors of other ranks go where standard error was. */
static struct {
    int rank;
    const char *host;
    FILE *errors;
} job;

void cli_message_join(int rank, const char *host)
{
    job.rank = rank;
    job.host = host;
    job.errors = NULL;
    if (!rank)
        return;
    int kept = dup(STDERR_FILENO);
    job.errors = kept < 0 ? NULL : fdopen(kept, "w");
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        fclose(stdout);
}

/* Where messages go.  What is wrong here is probably wrong on rank 0 too, which says it and ends
 * the job; so wait for that. */
static FILE *begin(int code)
{
    FILE *out = job.errors && code ? job.errors : stderr;
    if (job.errors && code)
        sleep(1);
    fprintf(out, "%snln:%s ", cli_terminal_ink(out, code ? CLI_RED : CLI_YELLOW),
            cli_terminal_ink(out, CLI_PLAIN));
    if (job.host && code)
        fprintf(out, "%s: ", job.host);
    return out;
}

static void end(FILE *out)
{
    putc('\n', out);
    fflush(out);
}

/* Control characters in text from files would break the line or steer the terminal. */
static void put_plain(const char *text, FILE *out)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        putc(*c < 0x20 || *c == 0x7f ? '?' : *c, out);
}

/* The file is not repeated where the sentence already names it in quotes; a long name may be
 * shortened there. */
static int has_place(const nln_error *err)
{
    enum { ENOUGH = 64 };
    char quoted[ENOUGH + 4];
    int is_long = strnlen(err->file, ENOUGH + 1) > ENOUGH;

    snprintf(quoted, sizeof quoted, "'%.*s%s", (int)ENOUGH, err->file, is_long ? "" : "'");
    return err->file[0] && (err->line > 0 || !strstr(err->message, quoted));
}

int cli_message_error(const nln_error *err)
{
    FILE *out = begin(CLI_FAILED);
    if (has_place(err)) {
        put_plain(err->file, out);
        if (err->line > 0)
            fprintf(out, ":%ld", err->line);
        if (err->line > 0 && err->column > 0)
            fprintf(out, ":%ld", err->column);
        fputs(": ", out);
    }
    put_plain(err->message[0] ? err->message : nln_status_text(err->status), out);
    end(out);
    return CLI_FAILED;
}

int cli_message_misuse(const nln_error *err)
{
    int code = cli_message_error(err);
    return err->status == NLN_MEMORY ? code : CLI_USAGE;
}

int cli_message_cause(const nln_error *err)
{
    return err->status == NLN_INVALID && !err->file[0] ? cli_message_misuse(err)
                                                       : cli_message_error(err);
}

/* A long text is cut when there is no memory for it. */
int cli_message_say(int code, const char *format, ...)
{
    char text[1024], *whole = NULL;
    va_list args, again;

    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(text, sizeof text, format, args);
    if (n >= (int)sizeof text && (whole = malloc((size_t)n + 1)))
        vsnprintf(whole, (size_t)n + 1, format, again);
    va_end(again);
    va_end(args);
    FILE *out = begin(code);
    put_plain(whole ? whole : text, out);
    end(out);
    free(whole);
    return code;
}

const char *cli_message_plural(size_t n)
{
    return n == 1 ? "" : "s";
}

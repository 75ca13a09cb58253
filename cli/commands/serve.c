/* nln serve: a model behind HTTP, until SIGTERM or Ctrl-C. */
#include <errno.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "command_line.h"
#include "messages.h"
#include "nln_serve.h"

/* One write for each line, so that lines of several threads do not mix. */
static void write_line(void *context, const char *line)
{
    char text[2048];
    int n = snprintf(text, sizeof text, "%s\n", line);
    (void)context;
    if (n >= (int)sizeof text) {
        n = (int)sizeof text;
        text[n - 1] = '\n';
    }
    ssize_t written = write(STDERR_FILENO, text, (size_t)n);
    (void)written; /* a log that cannot be written stops no server */
}

/* Every connection is a descriptor. */
static void allow_descriptors(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit))
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

/* Models and trainings come and go.  Left to itself, the C library learns from the first large
 * block that is freed to keep such blocks in its heap, where they leave holes that nobody fills. */
static void return_large_blocks(void)
{
#ifdef __GLIBC__
    enum { LARGE = 256 * 1024 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, 8 * LARGE);
#endif
}

/* `--retrain every 6h` is two words for the shell: the second one became an operand. */
static int join_interval(const cli_call *call, char *out, size_t size, const char **model)
{
    const char *value = cli_call_text(call, "retrain");
    int interval = -1;
    *model = call->operands[0];
    snprintf(out, size, "%s", value);
    if (call->n_operands < 2)
        return CLI_OK;
    for (int i = 0; i < 2; i++)
        if (strcmp(value, "every") == 0 && strchr("0123456789", call->operands[i][0]))
            interval = i;
    if (interval < 0)
        return cli_message_usage("unexpected argument '%.80s'; the usage is: nln serve %s",
                                 call->operands[1], call->command->operands);
    snprintf(out, size, "every %s", call->operands[interval]);
    *model = call->operands[!interval];
    return CLI_OK;
}

static int set_options(nln_serve *server, const cli_call *call, const char *retrain)
{
    int n_rows;
    nln_error err = {0};
    const nln_option *rows = nln_serve_options(&n_rows);
    for (int i = 0; i < n_rows; i++) {
        const char *value =
            strcmp(rows[i].name, "retrain") == 0 ? retrain : cli_call_text(call, rows[i].name);
        if (nln_serve_set(server, rows[i].name, value, &err))
            return cli_message_misuse(&err);
    }
    return CLI_OK;
}

/* Serves until a signal says to stop; SIGHUP loads the model again. */
static void wait_for_signals(nln_serve *server, const sigset_t *signals)
{
    for (int signal = 0; signal != SIGTERM && signal != SIGINT;) {
        if (sigwait(signals, &signal))
            break;
        if (signal == SIGHUP)
            nln_serve_reload(server, NULL); /* the log says how it went */
    }
}

static int serve(nln_serve *server, const cli_call *call)
{
    nln_error err = {0};
    sigset_t signals;
    /* All threads of the server inherit the mask, so that only this one takes signals. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    signal(SIGPIPE, SIG_IGN);
    allow_descriptors();
    return_large_blocks();
    if (!cli_call_flag(call, "quiet"))
        nln_serve_log(server, write_line, NULL);
    if (nln_serve_start(server, &err))
        return cli_message_cause(&err);
    const char *listen = cli_call_text(call, "listen"), *colon = strrchr(listen, ':');
    int n = colon ? (int)(colon - listen) : 0;
    printf("http://%.*s:%d/\n", n ? n : 9, n ? listen : "127.0.0.1", nln_serve_port(server));
    fflush(stdout);
    wait_for_signals(server, &signals);
    return CLI_OK;
}

int cli_serve(const cli_call *call)
{
    nln_error err = {0};
    nln_serve *server = NULL;
    const char *model;
    char retrain[80];
    int code = join_interval(call, retrain, sizeof retrain, &model);
    if (!code && nln_serve_create(&server, model, &err))
        code = cli_message_error(&err);
    if (!code)
        code = set_options(server, call, retrain);
    if (!code)
        code = serve(server, call);
    nln_serve_free(server);
    return code;
}

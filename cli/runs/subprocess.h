/* Processes that run this program with another command line.  They die with their parent,
 * however it dies.  The parent must have no threads. */
#ifndef CLI_RUNS_SUBPROCESS_H
#define CLI_RUNS_SUBPROCESS_H

#include <sys/types.h>

/* How a process ended, and what it took. */
typedef struct cli_ending {
    pid_t pid;
    int code;   /* exit code; -1 if a signal killed it */
    int signal; /* that signal, or 0 */
    double processor_seconds;
    double peak_rss; /* bytes */
} cli_ending;

/* From here to cli_child_leave SIGINT and SIGTERM wait for cli_child_wait. */
void cli_child_enter(void);
void cli_child_leave(void);

/* Starts the command line with standard output and standard error in these files, and nothing
 * to read.  Returns the process, or -1 with errno. */
pid_t cli_child_start(char *const *words, int n_words, const char *output, const char *log);
/* Waits until a process has ended, a signal has come or the time is up.  Returns SIGINT or
 * SIGTERM, else 0. */
int cli_child_wait(double seconds);
/* Takes a process that has ended; 0 when there is none. */
int cli_child_reap(cli_ending *ending);

#endif

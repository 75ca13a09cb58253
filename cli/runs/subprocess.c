/* wait4, which knows the memory of one process, is not in POSIX. */
#define _DEFAULT_SOURCE
#include "runs/subprocess.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "main.h"
#include "messages.h"

/* Blocked signals stay pending until sigtimedwait takes them: there is no moment at which one
 * could be missed. */

static sigset_t before; /* the mask that cli_child_leave restores and children have */

static sigset_t awaited(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

void cli_child_enter(void)
{
    sigset_t set = awaited();
    signal(SIGCHLD, SIG_DFL); /* If it is ignored, the end of a process is never reported. */
    sigprocmask(SIG_BLOCK, &set, &before);
}

void cli_child_leave(void)
{
    sigprocmask(SIG_SETMASK, &before, NULL);
}

static int redirect(const char *path, int flags, int descriptor)
{
    int opened = open(path, flags, 0666);
    if (opened < 0 || dup2(opened, descriptor) < 0)
        return -1;
    return opened == descriptor ? 0 : close(opened);
}

static void be_child(pid_t parent, char *const *words, int n_words, const char *output,
                     const char *log)
{
    enum { FRESH = O_WRONLY | O_CREAT | O_TRUNC };

#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent) /* it died before that call */
        _exit(CLI_FAILED);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    cli_child_leave();
    if (redirect("/dev/null", O_RDONLY, STDIN_FILENO) || redirect(log, FRESH, STDERR_FILENO) ||
        redirect(output, FRESH, STDOUT_FILENO))
        _exit(CLI_FAILED);
    cli_message_join(0, NULL); /* what it says is its own, whatever rank started it */
    int code = cli_main(words, n_words);
    fflush(stderr);
    _exit(code);
}

pid_t cli_child_start(char *const *words, int n_words, const char *output, const char *log)
{
    pid_t parent = getpid();

    fflush(NULL); /* What is in a buffer would be written by both. */
    pid_t child = fork();
    if (child == 0)
        be_child(parent, words, n_words, output, log);
    return child;
}

int cli_child_wait(double seconds)
{
    sigset_t set = awaited();
    struct timespec most = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    int number = sigtimedwait(&set, NULL, &most);
    return number == SIGINT || number == SIGTERM ? number : 0;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

int cli_child_reap(cli_ending *ending)
{
    struct rusage usage;
    int status = 0;
    pid_t pid = wait4(-1, &status, WNOHANG, &usage);

    if (pid <= 0)
        return 0;
    *ending = (cli_ending){
        .pid = pid,
        .code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
        .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
        .processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime),
        .peak_rss = (double)usage.ru_maxrss * 1024, /* kilobytes on Linux */
    };
    return 1;
}

#include "runs/worker_pool.h"

#include <signal.h>
#include <stdlib.h>

#include "allocate.h"
#include "runs/run_folder.h"
#include "runs/run_progress.h"
#include "runs/subprocess.h"
#include "show/terminal.h"

/* Seconds between a request to stop and the end by force. */
#define PATIENCE 10

typedef struct crew {
    cli_runs *store;
    cli_run **waiting;     /* [n], sorted by stage */
    size_t n, next;        /* waiting[next] is to be started next */
    cli_running_job *busy; /* [n_busy], at most `jobs` */
    size_t n_busy;
    int jobs, threads;
    int signal;        /* that asked to stop, or 0 */
    double stop_after; /* when processes are killed that have been asked to stop */
    cli_run_progress tally;
} crew;

/* ---- starting ------------------------------------------------------------------ */

static void start(crew *c, cli_run *run)
{
    double now = cli_terminal_clock();
    pid_t pid = -1;

    if (!cli_runfolder_begin(c->store, run))
        pid = cli_runfolder_start(c->store, run, c->threads);
    run->seconds = 0;
    if (pid > 0)
        c->busy[c->n_busy++] = (cli_running_job){run, (long)pid, now};
    else
        cli_run_progress_end(&c->tally, run, c->busy, c->n_busy, c->jobs);
}

/* A stage begins when nobody is busy with the one before. */
static int can_start(const crew *c)
{
    return !c->signal && c->next < c->n && c->n_busy < (size_t)c->jobs &&
           (c->n_busy == 0 || c->waiting[c->next]->stage == c->busy[0].run->stage);
}

/* ---- stopping ------------------------------------------------------------------ */

static void send_all(const crew *c, int number)
{
    for (size_t i = 0; i < c->n_busy; i++)
        kill((pid_t)c->busy[i].pid, number);
}

/* The first signal asks the processes to stop, the second or lost patience kills them. */
static void heed(crew *c, int number)
{
    if (number && !c->signal) {
        c->signal = number;
        c->stop_after = cli_terminal_clock() + PATIENCE;
        send_all(c, SIGTERM);
    } else if (c->signal && (number || cli_terminal_clock() > c->stop_after)) {
        send_all(c, SIGKILL);
    }
}

/* ---- ending -------------------------------------------------------------------- */

static size_t find(const crew *c, pid_t pid)
{
    size_t i = 0;
    while (i < c->n_busy && c->busy[i].pid != (long)pid)
        i++;
    return i;
}

/* A run that did not end well because it was asked to stop has not failed. */
static void end(crew *c, const cli_ending *ending)
{
    size_t i = find(c, ending->pid);
    if (i == c->n_busy)
        return;
    cli_running_job was = c->busy[i];
    c->busy[i] = c->busy[--c->n_busy];
    was.run->seconds = cli_terminal_clock() - was.began;
    if (c->signal && ending->code != 0)
        return;
    cli_runfolder_finish(c->store, was.run, ending);
    cli_run_progress_end(&c->tally, was.run, c->busy, c->n_busy, c->jobs);
}

int cli_worker_pool_work(cli_runs *store, cli_run **runs, size_t n, int jobs, int threads,
                         int quiet)
{
    crew c = {.store = store, .waiting = runs, .n = n, .jobs = jobs, .threads = threads};
    cli_ending ending;

    c.busy = cli_memory_resize(NULL, (size_t)jobs, sizeof *c.busy);
    cli_run_progress_open(&c.tally, store, quiet);
    cli_child_enter();
    while (can_start(&c) || c.n_busy > 0) {
        while (can_start(&c))
            start(&c, c.waiting[c.next++]);
        cli_run_progress_show(&c.tally, c.busy, c.n_busy, jobs);
        if (c.n_busy > 0)
            heed(&c, cli_child_wait(0.2));
        while (cli_child_reap(&ending))
            end(&c, &ending);
    }
    cli_child_leave();
    cli_run_progress_close(&c.tally);
    free(c.busy);
    return c.signal;
}

#include "runs/worker_pool.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "messages.h"
#include "runs/run_claims.h"
#include "runs/run_folder.h"
#include "runs/subprocess.h"
#include "show/terminal.h"

/* Seconds between the request to stop and the kill. */
#define PATIENCE 10

typedef struct job {
    cli_run *run;
    pid_t pid;
    double began;
} job;

typedef struct pool {
    cli_runs *store;
    cli_run **waiting; /* [n], sorted by stage */
    size_t n, next;    /* waiting[next] starts next */
    job *busy;         /* [n_busy], at most `jobs` */
    size_t n_busy;
    int jobs, threads;
    int signal;        /* that asked to stop, or 0 */
    double stop_after; /* when processes that were asked to stop are killed */

    int quiet, live;     /* for the progress on standard error */
    size_t there, done;  /* runs that were there before, and all that have ended */
    double began, drawn; /* when */
    double weight_done, seconds_done, weight_left; /* of runs that ended here, and of the others */
} pool;

/* ---- progress: one live line on a terminal, a line for each run elsewhere --------- */

static void open_progress(pool *p)
{
    const cli_runs *runs = p->store;

    p->live = cli_terminal_is_live();
    for (size_t i = 0; i < runs->n; i++) {
        p->there += runs->all[i]->was_there != 0;
        p->done += runs->all[i]->result || runs->all[i]->failure;
        p->weight_left += runs->all[i]->was_there ? 0 : runs->all[i]->weight;
    }
    p->began = cli_terminal_clock();
    if (!p->quiet && p->there > 0)
        cli_message_note("%zu of %zu runs are there already", p->there, runs->n);
}

/* ", 1:05 left", or "" while nothing is known: the remaining weight at the pace of the runs that
 * are done, less the time that the busy ones have had, divided by the jobs. */
static void format_left(char out[48], const pool *p)
{
    char time[32];

    out[0] = '\0';
    if (p->weight_done <= 0 || p->done == p->store->n)
        return;
    double pace = p->seconds_done / p->weight_done, left = p->weight_left * pace;
    for (size_t i = 0; i < p->n_busy; i++)
        left -= fmin(cli_terminal_clock() - p->busy[i].began, p->busy[i].run->weight * pace);
    cli_terminal_time(time, sizeof time, lround(fmax(left, 0) / p->jobs));
    snprintf(out, 48, ", %s left", time);
}

static void draw_progress(pool *p)
{
    char line[512], left[48];

    if (p->quiet || !p->live || cli_terminal_clock() < p->drawn + 0.1)
        return;
    format_left(left, p);
    int n =
        snprintf(line, sizeof line, "%zu of %zu runs done%s; running", p->done, p->store->n, left);
    for (size_t i = 0; i < p->n_busy && n < (int)sizeof line; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %s", i ? "," : "",
                      p->busy[i].run->name);
    fprintf(stderr, "\r%.*s\033[K", cli_terminal_columns() - 1, line);
    fflush(stderr);
    p->drawn = cli_terminal_clock();
}

/* A run has ended, well or not. */
static void count_run(pool *p, const cli_run *run)
{
    char left[48];

    p->done++;
    p->weight_done += run->weight;
    p->seconds_done += run->seconds;
    p->weight_left -= run->weight;
    format_left(left, p);
    if (!p->quiet && !p->live)
        fprintf(stderr, "run %zu/%zu  %s  %s%.1f s%s\n", p->done, p->store->n, run->name,
                run->failure ? "failed after " : "", run->seconds, left);
}

static void close_progress(const pool *p)
{
    char time[32];

    if (p->quiet || !p->live || p->done == p->there)
        return;
    cli_terminal_time(time, sizeof time, lround(cli_terminal_clock() - p->began));
    fprintf(stderr, "\r%zu of %zu runs done in %s\033[K\n", p->done, p->store->n, time);
}

/* ---- processes ------------------------------------------------------------------- */

static void start(pool *p, cli_run *run)
{
    double now = cli_terminal_clock();
    pid_t pid = -1;

    if (!cli_runfolder_begin(p->store, run))
        pid = cli_runfolder_start(p->store, run, p->threads);
    run->seconds = 0;
    if (pid > 0)
        p->busy[p->n_busy++] = (job){run, pid, now};
    else
        count_run(p, run);
}

/* A stage begins when no run of the one before is busy. */
static int can_start(const pool *p)
{
    return !p->signal && p->next < p->n && p->n_busy < (size_t)p->jobs &&
           (p->n_busy == 0 || p->waiting[p->next]->stage == p->busy[0].run->stage);
}

/* The first signal asks the processes to stop; the second, or the end of the patience, kills
 * them. */
static void stop(pool *p, int number)
{
    int first = number && !p->signal;

    if (first) {
        p->signal = number;
        p->stop_after = cli_terminal_clock() + PATIENCE;
    } else if (!p->signal || (!number && cli_terminal_clock() <= p->stop_after)) {
        return;
    }
    for (size_t i = 0; i < p->n_busy; i++)
        kill(p->busy[i].pid, first ? SIGTERM : SIGKILL);
}

/* A run that ended badly because it was asked to stop has not failed. */
static void end(pool *p, const cli_ending *ending)
{
    size_t i = 0;

    while (i < p->n_busy && p->busy[i].pid != ending->pid)
        i++;
    if (i == p->n_busy)
        return;
    job was = p->busy[i];
    p->busy[i] = p->busy[--p->n_busy];
    was.run->seconds = cli_terminal_clock() - was.began;
    if (p->signal && ending->code != 0)
        return;
    cli_runfolder_finish(p->store, was.run, ending);
    count_run(p, was.run);
}

int cli_worker_pool_work(cli_runs *store, cli_run **runs, size_t n, int jobs, int threads,
                         int quiet)
{
    pool p = {.store = store,
              .waiting = runs,
              .n = n,
              .jobs = jobs,
              .threads = threads,
              .quiet = quiet,
              .busy = cli_memory_resize(NULL, (size_t)jobs, sizeof *p.busy)};
    cli_ending ending;

    open_progress(&p);
    cli_child_enter();
    while (can_start(&p) || p.n_busy > 0) {
        while (can_start(&p)) {
            cli_run *next = p.waiting[p.next++];
            if (cli_run_claims_claim(store, next))
                start(&p, next);
        }
        draw_progress(&p);
        if (p.n_busy > 0)
            stop(&p, cli_child_wait(0.2));
        while (cli_child_reap(&ending))
            end(&p, &ending);
    }
    cli_child_leave();
    close_progress(&p);
    free(p.busy);
    return p.signal;
}

#include "runs/run_progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "messages.h"
#include "show/terminal.h"

void cli_run_progress_open(cli_run_progress *tally, const cli_runs *runs, int quiet)
{
    *tally = (cli_run_progress){.quiet = quiet, .live = cli_terminal_is_live(), .total = runs->n};
    for (size_t i = 0; i < runs->n; i++) {
        tally->there += runs->all[i]->was_there != 0;
        tally->weight_left += runs->all[i]->was_there ? 0 : runs->all[i]->weight;
    }
    tally->done = tally->there;
    tally->began = cli_terminal_clock();
    if (!quiet && tally->there > 0)
        cli_message_note("%zu of %zu runs are there already", tally->there, tally->total);
}

/* Seconds until all is done, or NaN: what the weights left would take at the pace of those that
 * are done, less what the busy ones have behind them, shared by the jobs. */
static double seconds_left(const cli_run_progress *tally, const cli_running_job *busy,
                           size_t n_busy, int jobs)
{
    if (tally->weight_done <= 0)
        return NAN;
    double pace = tally->seconds_done / tally->weight_done, left = tally->weight_left * pace;
    for (size_t i = 0; i < n_busy; i++)
        left -= fmin(cli_terminal_clock() - busy[i].began, busy[i].run->weight * pace);
    return fmax(left, 0) / jobs;
}

static void format_left(char *out, size_t size, double seconds)
{
    char time[32];
    out[0] = '\0';
    if (isnan(seconds))
        return;
    cli_terminal_time(time, sizeof time, lround(seconds));
    snprintf(out, size, ", %s left", time);
}

static void draw(cli_run_progress *tally, const cli_running_job *busy, size_t n_busy, int jobs)
{
    char line[512], left[48];
    int n;

    format_left(left, sizeof left, seconds_left(tally, busy, n_busy, jobs));
    n = snprintf(line, sizeof line, "%zu of %zu runs done%s; running", tally->done, tally->total,
                 left);
    for (size_t i = 0; i < n_busy && n < (int)sizeof line; i++)
        n += snprintf(line + n, sizeof line - (size_t)n, "%s %s", i ? "," : "", busy[i].run->name);
    fprintf(stderr, "\r%.*s\033[K", cli_terminal_columns() - 1, line);
    fflush(stderr);
    tally->drawn = cli_terminal_clock();
}

static void print_end(const cli_run_progress *tally, const cli_run *run, double left)
{
    char text[48];
    format_left(text, sizeof text, tally->done < tally->total ? left : NAN);
    fprintf(stderr, "run %zu/%zu  %s  %s%.1f s%s\n", tally->done, tally->total, run->name,
            run->failure ? "failed after " : "", run->seconds, text);
}

void cli_run_progress_end(cli_run_progress *tally, const cli_run *run, const cli_running_job *busy,
                          size_t n_busy, int jobs)
{
    tally->done++;
    tally->weight_done += run->weight;
    tally->seconds_done += run->seconds;
    tally->weight_left -= run->weight;
    if (!tally->quiet && !tally->live)
        print_end(tally, run, seconds_left(tally, busy, n_busy, jobs));
}

void cli_run_progress_show(cli_run_progress *tally, const cli_running_job *busy, size_t n_busy,
                           int jobs)
{
    if (!tally->quiet && tally->live && cli_terminal_clock() >= tally->drawn + 0.1)
        draw(tally, busy, n_busy, jobs);
}

void cli_run_progress_close(cli_run_progress *tally)
{
    char time[32];
    if (tally->quiet || !tally->live || tally->done == tally->there)
        return;
    cli_terminal_time(time, sizeof time, lround(cli_terminal_clock() - tally->began));
    fprintf(stderr, "\r%zu of %zu runs done in %s\033[K\n", tally->done, tally->total, time);
}

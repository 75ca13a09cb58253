#include "show/progress_bar.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "show/terminal.h"

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void cli_progress_open(cli_progress *progress, cli_task task, int quiet)
{
    struct sigaction action;

    *progress =
        (cli_progress){.quiet = quiet, .live = cli_terminal_is_live(), .task = task, .drawn = -1};
    memset(&action, 0, sizeof action);
    action.sa_handler = interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* The share of all epochs that is done. */
static double share_done(const nln_progress *p)
{
    double epoch = p->total ? (double)p->done / (double)p->total : 1;
    return p->n_epochs > 0 ? (p->epoch - 1 + epoch) / p->n_epochs : 1;
}

static void format_metric(char out[32], const nln_metrics *metrics, cli_task task)
{
    double value = cli_metrics_value(metrics, cli_metrics_main(task));
    if (isnan(value))
        snprintf(out, 32, "-");
    else
        snprintf(out, 32, "%.4f", value);
}

/* Loss, validation, best, speed and time left, in about 90 or in 50 characters.  The time left
 * assumes that no early stop saves an epoch. */
static void format_state(char *out, size_t size, const cli_progress *progress, int brief)
{
    const nln_progress *p = &progress->last;
    double share = share_done(p), done = (double)p->total * (p->epoch - 1) + (double)p->done;
    double speed = p->seconds > 0 ? done / p->seconds : 0;
    char valid[32], best[32], left[32];

    format_metric(valid, &progress->valid, progress->task);
    format_metric(best, &p->best, progress->task);
    cli_terminal_time(left, sizeof left, share > 0 ? lround(p->seconds * (1 - share) / share) : 0);
    if (brief)
        snprintf(out, size, "loss %.4f valid %s best %s@%d %.0f/s %s left", p->loss, valid, best,
                 p->best_epoch, speed, left);
    else
        snprintf(out, size,
                 "loss %.4f  valid %s %s  best %s (epoch %d)  %.0f expressions/s  %s left", p->loss,
                 cli_metrics_main(progress->task)->title, valid, best, p->best_epoch, speed, left);
}

/* The bar takes the columns that the words leave, 4 to 30.  A line longer than the terminal is
 * cut, because a wrapped line cannot be redrawn. */
static void draw(cli_progress *progress)
{
    enum { LEAST = 4, MOST = 30, ROOMY = 120 };
    const nln_progress *p = &progress->last;
    int columns = cli_terminal_columns();
    char state[256], head[64], line[512], bar[MOST + 1];

    format_state(state, sizeof state, progress, columns < ROOMY);
    snprintf(head, sizeof head, "epoch %d/%d", p->epoch, p->n_epochs);
    int width = columns - (int)strlen(state) - (int)strlen(head) - 6;
    width = width < LEAST ? LEAST : width > MOST ? MOST : width;
    for (int i = 0; i < width; i++)
        bar[i] = i < share_done(p) * width ? '#' : '.';
    bar[width] = '\0';
    snprintf(line, sizeof line, "%s [%s] %s", head, bar, state);
    fprintf(stderr, "\r%.*s\033[K", columns - 1, line);
    fflush(stderr);
    progress->drawn = p->seconds;
}

static void print_epoch(cli_progress *progress)
{
    char state[256];
    format_state(state, sizeof state, progress, 0);
    fprintf(stderr, "epoch %d/%d  %s\n", progress->last.epoch, progress->last.n_epochs, state);
    progress->reported = progress->last.epoch;
}

/* Without validation data no call marks the end of an epoch, so an epoch is also printed when the
 * next one begins. */
int cli_progress_step(void *context, const nln_progress *now)
{
    cli_progress *progress = context;
    int plain = !progress->quiet && !progress->live;

    if (cli_metrics_known(&now->valid))
        progress->valid = now->valid;
    if (plain && progress->last.epoch > progress->reported && now->epoch > progress->last.epoch)
        print_epoch(progress);
    progress->last = *now;
    if (plain && cli_metrics_known(&now->valid) && progress->reported < now->epoch)
        print_epoch(progress);
    if (!progress->quiet && progress->live &&
        (progress->drawn < 0 || now->seconds >= progress->drawn + 0.1))
        draw(progress);
    return interrupted;
}

void cli_progress_say(cli_progress *progress, const char *sentence)
{
    if (!progress->quiet)
        fprintf(stderr, "%s%s\n", progress->live ? "\r\033[K" : "", sentence);
}

void cli_progress_close(cli_progress *progress)
{
    if (progress->quiet || progress->last.epoch == 0)
        return;
    if (progress->live) {
        draw(progress);
        putc('\n', stderr);
    } else if (progress->reported < progress->last.epoch && !interrupted) {
        print_epoch(progress);
    }
}

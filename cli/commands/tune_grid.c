#include "commands/tune_grid.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "messages.h"

enum { MOST_TRIALS = 100000 };

/* Options that a trial cannot choose, and why. */
static const struct {
    const char *name, *why;
} fixed[] = {
    {"seed", "is not tuned; --seeds N repeats every trial with N seeds"},
    {"task", "cannot be in a --grid, because the tasks have different metrics"},
    {"threads", "cannot be in a --grid; the result does not depend on it"},
    {"config", "cannot be in a --grid; give it once, for all trials"},
    {"out", "cannot be in a --grid"},
    {"log", "cannot be in a --grid; every run has its own"},
    {"per-user", "cannot be in a --grid"},
    {"snapshots", "cannot be in a --grid"},
    {"checkpoint", "cannot be in a --grid"},
    {"every", "cannot be in a --grid"},
    {"resume", "cannot be in a --grid; --resume goes on with the trials"},
    {"json", "cannot be in a --grid"},
    {"quiet", "cannot be in a --grid"},
};

/* Options that change what is measured on validation, by verb.  Training with other --negatives
 * does not: the ranking stays the same. */
static const struct {
    const char *name;
    int train, evaluate;
} measured[] = {
    {"split", 1, 1},     {"split-seed", 1, 1},     {"like-from", 1, 1}, {"rating-range", 1, 1},
    {"negatives", 0, 1}, {"negatives-seed", 0, 1}, {"most", 0, 1},      {"with-seen", 0, 1},
};

static int changes_measure(const char *name, const cli_call *tuned)
{
    int train = tuned->command->run == cli_train, evaluate = tuned->command->run == cli_evaluate;

    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++)
        if (strcmp(name, measured[i].name) == 0)
            return (train && measured[i].train) || (evaluate && measured[i].evaluate);
    return 0;
}

const cli_axis *cli_grid_axis(const cli_grid *grid, const char *name)
{
    for (size_t i = 0; i < grid->n_axes; i++)
        if (strcmp(grid->axes[i].row->name, name) == 0)
            return &grid->axes[i];
    return NULL;
}

const char *cli_grid_text(const cli_grid *grid, size_t trial, size_t axis)
{
    return grid->texts[trial * grid->n_axes + axis];
}

void cli_grid_free(cli_grid *grid)
{
    for (size_t a = 0; a < grid->n_axes; a++) {
        for (size_t i = 0; i < grid->axes[a].n_values; i++)
            free(grid->axes[a].values[i]);
        free(grid->axes[a].values);
    }
    for (size_t i = 0; i < grid->n_texts; i++)
        free(grid->texts[i]);
    free(grid->axes);
    free(grid->texts);
    *grid = (cli_grid){0};
}

/* ---- axes ---------------------------------------------------------------------- */

/* Takes over the value, which the option must accept. */
static int add_value(cli_axis *axis, char *value, cli_call *tuned)
{
    nln_error err = {0};

    axis->values = cli_memory_grow(axis->values, axis->n_values, &axis->room, sizeof(char *));
    axis->values[axis->n_values++] = value;
    for (size_t i = 0; i + 1 < axis->n_values; i++)
        if (strcmp(axis->values[i], value) == 0)
            return cli_message_usage("--grid has the value %s of %s twice", value, axis->row->name);
    return nln_options_set(tuned->options, axis->row->name, value, &err) ? cli_message_misuse(&err)
                                                                         : CLI_OK;
}

static int read_list(cli_axis *axis, const char *text, cli_call *tuned)
{
    const char *separator = strchr(text, ';') ? ";" : ",";
    int code = CLI_OK;

    for (const char *at = text; at && !code;) {
        size_t length = strcspn(at, separator);
        code = add_value(axis, cli_memory_copy(at, length), tuned);
        at = at[length] ? at + length + 1 : NULL;
    }
    return code;
}

/* Both ends are checked as values of the option, and kept as such. */
static int read_range(cli_axis *axis, const char *text, const char *dots, cli_call *tuned)
{
    const char *name = axis->row->name;
    int code = add_value(axis, cli_memory_copy(text, (size_t)(dots - text)), tuned);

    if (!code) {
        axis->least = nln_options_number(tuned->options, name);
        code = add_value(axis, cli_memory_copy(dots + 2, strlen(dots + 2)), tuned);
    }
    if (code)
        return code;
    axis->most = nln_options_number(tuned->options, name);
    axis->is_range = 1;
    return axis->least < axis->most
               ? CLI_OK
               : cli_message_usage("the range %s of %s in --grid must go upwards", text, name);
}

/* Finds the row of a name, written with - or with _.  The library has the message for an unknown
 * one. */
static int find_row(const nln_option **row, char *name, cli_call *tuned)
{
    nln_error err = {0};

    for (char *c = name; *c; c++)
        *c = *c == '_' ? '-' : *c;
    for (int i = 0; i < tuned->n_rows && !*row; i++)
        if (strcmp(tuned->rows[i].name, name) == 0)
            *row = &tuned->rows[i];
    if (!*row) {
        nln_options_set(tuned->options, name, "", &err);
        return cli_message_misuse(&err);
    }
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strcmp(name, fixed[i].name) == 0)
            return cli_message_usage("--%s %s", fixed[i].name, fixed[i].why);
    if (changes_measure(name, tuned))
        return cli_message_usage(
            "--%s cannot be in a --grid: the trials would be measured on "
            "different likes and dislikes, or among different items, and "
            "their numbers could not be compared; give it once, for all trials",
            name);
    return CLI_OK;
}

int cli_grid_add(cli_grid *grid, const char *text, cli_call *tuned)
{
    const char *equals = strchr(text, '=');
    const nln_option *row = NULL;

    if (!equals || equals == text)
        return cli_message_usage(
            "--grid must be NAME=VALUE,VALUE,... or NAME=LEAST..MOST, not '%.80s'", text);
    char *name = cli_memory_copy(text, (size_t)(equals - text));
    int code = find_row(&row, strncmp(name, "--", 2) == 0 ? name + 2 : name, tuned);
    free(name);
    if (code)
        return code;
    if (cli_grid_axis(grid, row->name)) // NOLINT: found, since a message is never 0
        return cli_message_usage("--grid has %s twice; give all its values at once", row->name);
    grid->axes = cli_memory_grow(grid->axes, grid->n_axes, &grid->axes_room, sizeof *grid->axes);
    cli_axis *axis = &grid->axes[grid->n_axes++];
    *axis = (cli_axis){.row = row};
    int is_number = row->type == NLN_OPTION_INT || row->type == NLN_OPTION_REAL;
    const char *dots = is_number ? strstr(equals + 1, "..") : NULL;
    return dots ? read_range(axis, equals + 1, dots, tuned) : read_list(axis, equals + 1, tuned);
}

/* ---- trials -------------------------------------------------------------------- */

static void add_text(cli_grid *grid, const char *text)
{
    grid->texts = cli_memory_grow(grid->texts, grid->n_texts, &grid->texts_room, sizeof(char *));
    grid->texts[grid->n_texts++] = cli_memory_copy(text, strlen(text));
}

/* The last axis runs fastest. */
int cli_grid_product(cli_grid *grid)
{
    size_t n = 1;

    for (size_t a = 0; a < grid->n_axes; a++) {
        if (grid->axes[a].is_range)
            return cli_message_usage("the range of %s in --grid needs --random N, the number of "
                                     "trials to draw",
                                     grid->axes[a].row->name);
        n *= n <= MOST_TRIALS ? grid->axes[a].n_values : 1;
    }
    if (n > MOST_TRIALS)
        return cli_message_usage("--grid makes more than %d trials; draw some by --random N",
                                 (int)MOST_TRIALS);
    for (size_t trial = 0; trial < n; trial++) {
        size_t below = n, rest = trial;
        for (size_t a = 0; a < grid->n_axes; a++) {
            below /= grid->axes[a].n_values;
            add_text(grid, grid->axes[a].values[rest / below]);
            rest %= below;
        }
    }
    grid->n_trials = n;
    return CLI_OK;
}

/* The next of a sequence of random numbers in [0, 1): SplitMix64. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A number of the range.  Its logarithm is uniform where the range spans a power of ten.  Four
 * digits are enough, unless they leave the range. */
static void draw_number(char *out, size_t size, const cli_axis *axis, double u)
{
    int whole = axis->row->type == NLN_OPTION_INT;
    double least = axis->least, most = axis->most;
    int by_powers = least > 0 && most / least >= 10;
    double low = whole ? least - 0.5 : least, high = whole ? most + 0.5 : most;
    double x = by_powers ? low * pow(high / low, u) : low + (high - low) * u;

    if (whole) {
        snprintf(out, size, "%.0f", fmin(fmax(round(x), least), most));
        return;
    }
    snprintf(out, size, "%.4g", x);
    double shown = strtod(out, NULL);
    if (shown < least || shown > most)
        snprintf(out, size, "%.17g", x);
}

static void draw_trial(cli_grid *grid, uint64_t *state)
{
    char number[64];
    for (size_t a = 0; a < grid->n_axes; a++) {
        const cli_axis *axis = &grid->axes[a];
        double u = uniform(state);
        if (axis->is_range)
            draw_number(number, sizeof number, axis, u);
        add_text(grid,
                 axis->is_range ? number : axis->values[(size_t)(u * (double)axis->n_values)]);
    }
}

/* Whether the trial after the last is one of those before it. */
static int is_repeated(const cli_grid *grid)
{
    size_t a = 0;

    for (size_t trial = 0; trial < grid->n_trials; trial++) {
        for (a = 0; a < grid->n_axes; a++)
            if (strcmp(cli_grid_text(grid, trial, a), cli_grid_text(grid, grid->n_trials, a)) != 0)
                break;
        if (a == grid->n_axes)
            return 1;
    }
    return 0;
}

/* Many repeated draws in a row mean that hardly any trial is new. */
void cli_grid_draw(cli_grid *grid, size_t n, double seed)
{
    enum { MOST_REPEATED = 1000 };
    uint64_t state = (uint64_t)seed;

    for (int repeated = 0; grid->n_trials < n && repeated < MOST_REPEATED;) {
        draw_trial(grid, &state);
        if (is_repeated(grid)) {
            for (size_t a = 0; a < grid->n_axes; a++)
                free(grid->texts[--grid->n_texts]);
            repeated++;
        } else {
            grid->n_trials++;
            repeated = 0;
        }
    }
}

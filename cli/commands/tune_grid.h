/* The grid of nln tune: options of a verb with several values each, and the trials made of them. */
#ifndef CLI_COMMANDS_TUNE_GRID_H
#define CLI_COMMANDS_TUNE_GRID_H

#include "command_table.h"

/* An option that varies, over a list of values or, when drawn at random, over a range. */
typedef struct cli_axis {
    const nln_option *row;
    char **values; /* [n_values], texts that the option accepts */
    size_t n_values, room;
    int is_range;
    double least, most; /* of a range */
} cli_axis;

typedef struct cli_grid {
    cli_axis *axes; /* [n_axes] */
    size_t n_axes, axes_room;
    char **texts; /* [n_trials * n_axes], trial by trial */
    size_t n_texts, texts_room;
    size_t n_trials;
} cli_grid;

/* Adds the axis `name=value,value,...`, separated by ; where a value has a comma, or
 * `name=least..most`.  The name and the values must be of the verb that `tuned` has opened,
 * which the grid borrows rows from.  Returns an exit code. */
int cli_grid_add(cli_grid *grid, const char *text, cli_call *tuned);
/* Makes a trial of each combination of values; there may be no range. */
int cli_grid_product(cli_grid *grid);
/* Draws n different trials, or all if there are fewer.  With the same seed, a smaller n gives the
 * first of the same trials. */
void cli_grid_draw(cli_grid *grid, size_t n, double seed);
const char *cli_grid_text(const cli_grid *grid, size_t trial, size_t axis);
const cli_axis *cli_grid_axis(const cli_grid *grid, const char *name); /* or NULL */
void cli_grid_free(cli_grid *grid);

#endif

/* The terminal: ink for what should be found first, the line of progress on standard error, and the
 * clock for what is shown there. */
#ifndef CLI_SHOW_TERMINAL_H
#define CLI_SHOW_TERMINAL_H

#include <stddef.h>
#include <stdio.h>

typedef enum cli_ink { CLI_PLAIN, CLI_BOLD, CLI_RED, CLI_YELLOW } cli_ink;

/* Whether standard error is a terminal on which a line can be redrawn. */
int cli_terminal_is_live(void);
int cli_terminal_columns(void);
/* The text that begins this ink on `out`; CLI_PLAIN ends it.  "" where `out` is no terminal, TERM
 * is dumb or NO_COLOR is set. */
const char *cli_terminal_ink(FILE *out, cli_ink ink);
/* 1:05, or 2:00:59 from an hour on. */
void cli_terminal_time(char *out, size_t size, long seconds);
/* Seconds of a clock that never jumps; only differences mean something. */
double cli_terminal_clock(void);

#endif

/* The terminal on standard error, and the clock for what is shown there. */
#ifndef CLI_SHOW_TERMINAL_H
#define CLI_SHOW_TERMINAL_H

#include <stddef.h>

/* Whether standard error is a terminal on which a line can be redrawn. */
int cli_terminal_is_live(void);
int cli_terminal_columns(void);
/* 1:05, or 2:00:59 from an hour on. */
void cli_terminal_time(char *out, size_t size, long seconds);
/* Seconds of a clock that never jumps; only differences mean something. */
double cli_terminal_clock(void);

#endif

/* Seconds of a clock that never jumps; only differences have a meaning. */
#ifndef CLI_SHOW_DURATIONS_H
#define CLI_SHOW_DURATIONS_H

double cli_clock_seconds(void);

#endif

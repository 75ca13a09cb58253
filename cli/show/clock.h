/* Seconds of a clock that never jumps; only differences have a meaning. */
#ifndef CLI_CLOCK_H
#define CLI_CLOCK_H

double cli_clock_seconds(void);

#endif

/* Messages on standard error: always one line that starts with `nln: `.  The functions return the
 * exit code that belongs to them. */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "nln.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* `nln: FILE:LINE:COLUMN: message`; the parts that the error lacks are left out. */
int cli_message_error(const nln_error *err);
/* The same error, but the user's command line is to blame. */
int cli_message_misuse(const nln_error *err);
/* One or the other: an invalid value without a place in a file comes from the command line. */
int cli_message_cause(const nln_error *err);
/* Prints a sentence as printf would, and returns the code. */
int cli_message_say(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
#define cli_message_failed(...) cli_message_say(CLI_FAILED, __VA_ARGS__)
#define cli_message_usage(...)  cli_message_say(CLI_USAGE, __VA_ARGS__)
/* A remark, after which the program goes on. */
#define cli_message_note(...) ((void)cli_message_say(CLI_OK, __VA_ARGS__))

/* In a job on several machines: messages say the host, remarks are those of rank 0 alone, and what
 * is wrong on all ranks is said once.  Call it once, after joining. */
void cli_message_join(int rank, const char *host);

/* The plural ending of a regular noun: "" for 1, else "s". */
const char *cli_message_plural(size_t n);

#endif

/* What the program says on standard error: always one line that starts with
 * `nln: `.  The functions return the exit code that belongs to them. */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "nln.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* `nln: FILE:LINE:COLUMN: message`, without the parts that the error lacks. */
int cli_message_error(const nln_error *err);
/* The same error, but the user's command line is to blame. */
int cli_message_misuse(const nln_error *err);
/* The one or the other: an invalid value that has no place in a file is of the command line. */
int cli_message_cause(const nln_error *err);
/* A remark, after which the program goes on. */
void cli_message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_message_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_message_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What a regular noun ends in after this number. */
const char *cli_message_plural(size_t n);

#endif

/* What the program says on standard error: always one line that starts with
 * `nln: `.  Each function returns the exit code that belongs to it. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "nln.h"

enum { CLI_OK = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/* `nln: FILE:LINE:COLUMN: message`, without the parts that the error lacks. */
int cli_message_error(const nln_error *err);
/* The same error, but the user's command line is to blame. */
int cli_message_misuse(const nln_error *err);
int cli_message_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));
int cli_message_usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

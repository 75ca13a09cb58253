/* Reading text files line by line, plain, .gz or .zst (recognised by content, not by
 * name); "-" is standard input.  A UTF-8 byte order mark is skipped. */
#ifndef NLN_BASE_INPUT_H
#define NLN_BASE_INPUT_H

#include "base/error.h"

typedef struct nln_input nln_input;

nln_status nln_input_open(nln_input **out, const char *path, nln_error *err);
/* The same for bytes in memory, which must outlive the handle; `name` is their name
 * in messages. */
nln_status nln_input_memory(nln_input **out, const void *bytes, size_t n_bytes, const char *name,
                            nln_error *err);
void nln_input_close(nln_input *in); /* NULL is fine */
/* The next line without its line ending (\n or \r\n), NUL-terminated, valid until
 * the next call; *line is NULL at the end of the file.  A NUL byte in the text, a
 * line over 64 MiB, or a damaged or truncated compressed stream is an error with
 * its file and line. */
nln_status nln_input_line(char **line, size_t *length, nln_input *in, nln_error *err);
long nln_input_line_number(const nln_input *in); /* of the line last returned, 1-based */
const char *nln_input_path(const nln_input *in);
/* The column of `at` in a line of UTF-8 text, 1-based, in characters. */
long nln_input_column(const char *line, const char *at);

#endif

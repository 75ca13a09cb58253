/* Writing a file that appears whole or not at all: bytes go to a temporary file
 * in the same folder, which is flushed to the disk and renamed at the end.  A symbolic link stays
 * and its target is replaced, with its permissions; devices, pipes and links that stand for
 * open files (/dev/stdout) are written directly. */
#ifndef NLN_BASE_ATOMIC_FILE_H
#define NLN_BASE_ATOMIC_FILE_H

#include "base/error.h"

typedef struct nln_output nln_output;

nln_status nln_output_open(nln_output **result, const char *path, nln_error *err);
/* After a failed write the others do nothing; finish reports the first failure. */
void nln_output_write(nln_output *out, const void *bytes, size_t n);
void nln_output_printf(nln_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Renames into place and frees; on failure the old file, if any, is untouched. */
nln_status nln_output_finish(nln_output *out, nln_error *err);
/* Removes the temporary file and frees; NULL is fine. */
void nln_output_abandon(nln_output *out);

#endif

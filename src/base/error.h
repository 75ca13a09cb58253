/* Filling in an nln_error.  Each function returns the status it was given, so
 * that a failing function can end with `return nln_error_set(...)`. */
#ifndef NLN_BASE_ERROR_H
#define NLN_BASE_ERROR_H

#include "base/memory.h"

nln_status nln_error_set(nln_error *err, nln_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a place; line and column may be 0. */
nln_status nln_error_at(nln_error *err, nln_status status, const char *file, long line, long column,
                        const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Inline, so that static analysers see that it never returns NLN_OK. */
static inline nln_status nln_error_memory(nln_error *err)
{
    nln_error_set(err, NLN_MEMORY, "%s", nln_memory_shortage());
    return NLN_MEMORY;
}

/* Gives an error that has none a file and a line (a parser knows only columns). */
void nln_error_place(nln_error *err, const char *file, long line);

#endif

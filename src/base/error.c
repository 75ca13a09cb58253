#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/utf8.h"

/* A message that is too long loses its middle, most often that of a path, for the reason comes
 * last; without memory for the whole it loses its end.  Text quoted from a file may be anything,
 * and may be cut within a character: the message stays one line of UTF-8, with ? for every other
 * byte. */
static void fill(nln_error *err, nln_status status, const char *file, long line, long column,
                 const char *format, va_list args)
{
    static const char gap[] = "...";
    enum { ROOM = sizeof err->message, HEAD = (ROOM - sizeof gap) / 2 };
    if (!err)
        return;
    *err = (nln_error){.status = status, .line = line, .column = column};
    if (file)
        snprintf(err->file, sizeof err->file, "%s", file);
    va_list again;
    va_copy(again, args);
    int n = nln_number_format(err->message, ROOM, format, args);
    char *whole = n >= ROOM ? nln_memory_take((size_t)n + 1) : NULL;
    if (whole) {
        size_t tail = ROOM - sizeof gap - HEAD;
        nln_number_format(whole, (size_t)n + 1, format, again);
        snprintf(err->message + HEAD, ROOM - HEAD, "%s%s", gap, whole + (size_t)n - tail);
    }
    va_end(again);
    nln_free(whole);
    for (char *at = err->message; *at;) {
        size_t length = nln_utf8_length(at, strlen(at));
        if (length == 0 || (unsigned char)*at < ' ' || *at == 0x7f)
            *at = '?';
        at += length ? length : 1;
    }
}

nln_status nln_error_set(nln_error *err, nln_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, NULL, 0, 0, format, args);
    va_end(args);
    return status;
}

nln_status nln_error_at(nln_error *err, nln_status status, const char *file, long line, long column,
                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fill(err, status, file, line, column, format, args);
    va_end(args);
    return status;
}

void nln_error_place(nln_error *err, const char *file, long line)
{
    if (!err)
        return;
    if (file && !err->file[0])
        snprintf(err->file, sizeof err->file, "%s", file);
    if (!err->line)
        err->line = line;
}

const char *nln_status_text(nln_status status)
{
    static const char *const texts[] = {
#define X(name, text) text,
        NLN_STATUSES(X)
#undef X
    };
    size_t i = (size_t)status;
    return i < sizeof texts / sizeof *texts ? texts[i] : "unknown status";
}

#define TEXT(number)                 #number
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *nln_version(void)
{
    return VERSION(NLN_VERSION_MAJOR, NLN_VERSION_MINOR, NLN_VERSION_PATCH);
}

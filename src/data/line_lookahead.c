#include "data/line_lookahead.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"

void nln_line_lookahead_free(nln_line_lookahead *ahead)
{
    for (size_t i = ahead->begin; i < ahead->end; i++)
        nln_free(ahead->waiting[i]);
    nln_free(ahead->waiting);
    nln_free(ahead->taken);
    nln_free(ahead->joined);
    *ahead = (nln_line_lookahead){.in = ahead->in};
}

nln_status nln_line_lookahead_peek(char **line, nln_line_lookahead *ahead, size_t i, nln_error *err)
{
    *line = NULL;
    while (ahead->end - ahead->begin <= i) {
        char *next;
        size_t length;
        nln_status status = nln_input_line(&next, &length, ahead->in, err);
        if (status || !next)
            return status;
        if (!NLN_ARRAY_RESERVE(ahead->waiting, ahead->room, ahead->end + 1) ||
            !(ahead->waiting[ahead->end] = nln_memory_copy(next)))
            return nln_error_memory(err);
        ahead->end++;
    }
    *line = ahead->waiting[ahead->begin + i];
    return NLN_OK;
}

/* Takes the line that has waited longest into `taken`. */
static void take_waiting(nln_line_lookahead *ahead)
{
    nln_free(ahead->taken);
    ahead->taken = ahead->waiting[ahead->begin++];
    if (ahead->begin == ahead->end)
        ahead->begin = ahead->end = 0;
}

/* The number of waiting lines that belong to a line of *length bytes with an open quote, or 0
 * where the quote is not closed; *length becomes the length of all. */
static nln_status find_span(size_t *n, size_t *length, nln_line_lookahead *ahead,
                            nln_separator separator, nln_error *err)
{
    nln_quoting quoting = NLN_QUOTE_OPEN;
    size_t bytes = *length;
    *n = 0;
    for (size_t i = 0; quoting == NLN_QUOTE_OPEN && i + 1 < NLN_SPAN_LINES; i++) {
        char *line;
        nln_status status = nln_line_lookahead_peek(&line, ahead, i, err);
        if (status || !line)
            return status;
        size_t more = strlen(line);
        bytes += more + 1;
        if (bytes > NLN_SPAN_BYTES)
            return NLN_OK;
        quoting = nln_csv_line_quoting(separator, line, more, 1);
        if (quoting == NLN_QUOTE_CLOSED) {
            *n = i + 1;
            *length = bytes;
        }
    }
    return NLN_OK;
}

nln_status nln_line_lookahead_take(char **line, size_t *length, long *number,
                                   nln_line_lookahead *ahead, nln_separator separator,
                                   nln_error *err)
{
    size_t waiting = ahead->end - ahead->begin, n = 0;
    nln_status status = NLN_OK;
    *number = nln_input_line_number(ahead->in) - (long)waiting + 1;
    if (waiting > 0) {
        take_waiting(ahead);
        *line = ahead->taken;
        *length = strlen(*line);
    } else {
        status = nln_input_line(line, length, ahead->in, err);
    }
    if (status || !*line || nln_csv_line_quoting(separator, *line, *length, 0) != NLN_QUOTE_OPEN)
        return status;
    /* The input drops the line when it reads another one, so it is copied first. */
    char *first = nln_memory_copy(*line);
    if (!first)
        return nln_error_memory(err);
    status = find_span(&n, length, ahead, separator, err);
    nln_free(ahead->taken);
    *line = ahead->taken = first;
    if (status || n == 0)
        return status;
    if (!NLN_ARRAY_RESERVE(ahead->joined, ahead->joined_room, *length + 1))
        return nln_error_memory(err);
    char *to = ahead->joined;
    for (size_t i = 0; i <= n; i++) {
        size_t part = strlen(ahead->taken);
        memcpy(to, ahead->taken, part);
        to += part;
        *to++ = i < n ? '\n' : '\0';
        if (i < n)
            take_waiting(ahead);
    }
    *line = ahead->joined;
    return NLN_OK;
}

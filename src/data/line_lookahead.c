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

/* Lets one more line wait; *more is 0 at the end of the file. */
static nln_status wait_for_one(int *more, nln_line_lookahead *ahead, nln_error *err)
{
    char *line;
    size_t length;
    nln_status status = nln_input_line(&line, &length, ahead->in, err);
    *more = !status && line;
    if (!*more)
        return status;
    if (!NLN_ARRAY_RESERVE(ahead->waiting, ahead->room, ahead->end + 1) ||
        !(ahead->waiting[ahead->end] = nln_memory_copy(line)))
        return nln_error_memory(err);
    ahead->end++;
    return NLN_OK;
}

nln_status nln_line_lookahead_peek(char **line, nln_line_lookahead *ahead, size_t i, nln_error *err)
{
    int more = 1;
    *line = NULL;
    while (more && ahead->end - ahead->begin <= i) {
        nln_status status = wait_for_one(&more, ahead, err);
        if (status)
            return status;
    }
    if (more)
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

/* The next line alone: most have not waited, and are not copied. */
static nln_status take_one(char **line, size_t *length, long *number, nln_line_lookahead *ahead,
                           nln_error *err)
{
    nln_status status = NLN_OK;
    size_t waiting = ahead->end - ahead->begin;
    if (waiting == 0) {
        status = nln_input_line(line, length, ahead->in, err);
        *number = nln_input_line_number(ahead->in);
        return status;
    }
    *number = nln_input_line_number(ahead->in) - (long)waiting + 1;
    take_waiting(ahead);
    *line = ahead->taken;
    *length = strlen(*line);
    return NLN_OK;
}

/* How many of the lines to be taken belong to a line of `bytes` that a quote leaves open; 0 where
 * it is not closed. */
static nln_status find_span(size_t *n, nln_line_lookahead *ahead, nln_separator separator,
                            size_t bytes, nln_error *err)
{
    nln_quoting quoting = NLN_QUOTE_OPEN;
    *n = 0;
    for (size_t i = 0; quoting == NLN_QUOTE_OPEN && i + 1 < NLN_SPAN_LINES; i++) {
        char *line;
        nln_status status = nln_line_lookahead_peek(&line, ahead, i, err);
        if (status || !line)
            return status;
        size_t length = strlen(line);
        bytes += length + 1;
        if (bytes > NLN_SPAN_BYTES)
            return NLN_OK;
        quoting = nln_csv_line_quoting(separator, line, length, 1);
        if (quoting == NLN_QUOTE_CLOSED)
            *n = i + 1;
    }
    return NLN_OK;
}

/* Adds a line to `joined`, which has `length` bytes. */
static nln_status append(nln_line_lookahead *ahead, size_t *length, const char *line,
                         nln_error *err)
{
    size_t n = strlen(line);
    if (!NLN_ARRAY_RESERVE(ahead->joined, ahead->joined_room, *length + n + 2))
        return nln_error_memory(err);
    if (*length > 0)
        ahead->joined[(*length)++] = '\n';
    memcpy(ahead->joined + *length, line, n + 1);
    *length += n;
    return NLN_OK;
}

/* The line with the `n` that follow it. */
static nln_status join(char **line, size_t *length, nln_line_lookahead *ahead, size_t n,
                       nln_error *err)
{
    size_t joined = 0;
    nln_status status = append(ahead, &joined, *line, err);
    for (size_t i = 0; !status && i < n; i++) {
        take_waiting(ahead);
        status = append(ahead, &joined, ahead->taken, err);
    }
    *line = ahead->joined;
    *length = joined;
    return status;
}

/* The line is gone from the input once others are looked at, so it is copied first. */
static nln_status take_span(char **line, size_t *length, nln_line_lookahead *ahead,
                            nln_separator separator, nln_error *err)
{
    size_t n = 0;
    char *first = nln_memory_copy(*line);
    if (!first)
        return nln_error_memory(err);
    nln_status status = find_span(&n, ahead, separator, *length, err);
    nln_free(ahead->taken);
    ahead->taken = first;
    *line = first;
    return status || n == 0 ? status : join(line, length, ahead, n, err);
}

nln_status nln_line_lookahead_take(char **line, size_t *length, long *number,
                                   nln_line_lookahead *ahead, nln_separator separator,
                                   nln_error *err)
{
    nln_status status = take_one(line, length, number, ahead, err);
    if (status || !*line || nln_csv_line_quoting(separator, *line, *length, 0) != NLN_QUOTE_OPEN)
        return status;
    return take_span(line, length, ahead, separator, err);
}

#include "serve/sent_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Text as a file that has no name any more when it is read. */
nln_status nln_sent_ratings(nln_ratings **out, const char *text, nln_error *err)
{
    char path[] = "/tmp/nln-upload-XXXXXX", open_path[64];
    size_t n = strlen(text), done = 0;
    nln_options *reading = NULL;
    int fd = mkstemp(path);
    if (fd < 0)
        return nln_error_set(err, NLN_IO, "the data that were sent cannot be kept in a file");
    unlink(path);
    for (ssize_t got; done < n && (got = write(fd, text + done, n - done)) > 0;)
        done += (size_t)got;
    snprintf(open_path, sizeof open_path, "/proc/self/fd/%d", fd);
    nln_status status = done == n ? nln_options_create(&reading, "ratings", err)
                                  : nln_error_set(err, NLN_IO, "there is no room for the data");
    if (!status)
        status = nln_ratings_read(out, NULL, open_path, reading, err);
    nln_options_free(reading);
    close(fd);
    if (err && err->status)
        err->file[0] = '\0';
    return status;
}

nln_status nln_sent_expressions(nln_data **out, char *text, nln_error *err)
{
    nln_status status = nln_data_create(out, err);
    long number = 0;
    for (char *line = text, *end; !status && line && *line; line = end) {
        end = strchr(line, '\n');
        if (end)
            *end++ = '\0';
        number++;
        char *tab = strrchr(line, '\t');
        if (!*line || *line == '\r')
            continue;
        if (!tab || !strchr("TF10", tab[1]))
            return nln_error_at(err, NLN_SYNTAX, "", number, 0,
                                "a line must be an expression, a tab, and T or F");
        *tab = '\0';
        int label = tab[1] == 'T' || tab[1] == '1';
        const char *expression = line;
        nln_split split = number % 10 == 8 ? NLN_VALID : number % 10 == 9 ? NLN_TEST : NLN_TRAIN;
        status = nln_data_add(*out, split, &expression, &label, 1, err);
        if (status)
            nln_error_place(err, "", number);
    }
    return status;
}

#include "show/input_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "allocate.h"
#include "messages.h"

static const char blanks[] = " \t\r\n";

/* Up to the first TAB, even if nothing stands before it: what follows is a label, and never taken
 * for an expression.  Blanks at the start stay: columns of messages are counted from there. */
static size_t expression_length(const char *line)
{
    size_t end = strcspn(line, "\t");

    while (end > 0 && strchr(blanks, line[end - 1]))
        end--;
    return end;
}

/* The header of the published data sets says that they write ^ for & and v for |,
 * and that their variables are numbers. */
static int is_header(int *published, const char *line)
{
    if (strncmp(line, "sent\tlabel", 10) == 0)
        *published = 1;
    return *published || strncmp(line, "expression\tlabel", 16) == 0;
}

static void translate(char *text)
{
    for (; *text; text++)
        *text = *text == '^' ? '&' : *text == 'v' ? '|' : *text;
}

static void add(cli_lines *lines, const char *line, long number)
{
    size_t length = lines->whole ? strcspn(line, "\r\n") : expression_length(line);
    size_t n = lines->n, start = strspn(line, blanks);

    if (!line[start] || line[start] == '#')
        return;
    if (n == 0 && !lines->whole && !lines->published && is_header(&lines->published, line))
        return;
    lines->text = cli_memory_grow(lines->text, n, &lines->text_room, sizeof *lines->text);
    lines->number = cli_memory_grow(lines->number, n, &lines->number_room, sizeof *lines->number);
    lines->text[n] = cli_memory_copy(line, length);
    lines->number[n] = number;
    lines->n++;
    if (lines->published)
        translate(lines->text[n]);
}

/* How long a plain file is; 0 for what has no length. */
static off_t length_of(FILE *file)
{
    struct stat about;
    return !fstat(fileno(file), &about) && S_ISREG(about.st_mode) ? about.st_size : 0;
}

/* What a file that is not for reading as it is begins with, and what makes text of it. */
static const struct {
    const char *bytes, *kind, *reader;
} packed[] = {{"\x1f\x8b", "gzip", "zcat"}, {"\x28\xb5\x2f\xfd", "zstd", "zstdcat"}};

static int begins_with(const char *line, size_t length, const char *bytes)
{
    return length >= strlen(bytes) && memcmp(line, bytes, strlen(bytes)) == 0;
}

/* Refuses compressed files, of which this is the first line, and takes a byte order mark away. */
static int check_first(const cli_lines *lines, char *line, ssize_t *length)
{
    static const char mark[] = "\xef\xbb\xbf";
    size_t n = (size_t)*length;

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (begins_with(line, n, packed[i].bytes))
            return cli_message_failed(
                "%s: this is compressed with %s, and plain text is read here; "
                "pipe what %s prints to nln, with - for the file",
                lines->name, packed[i].kind, packed[i].reader);
    if (begins_with(line, n, mark)) {
        *length -= (ssize_t)strlen(mark);
        memmove(line, line + strlen(mark), (size_t)*length + 1);
    }
    return CLI_OK;
}

static int read_all(cli_lines *lines, FILE *file)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    int code = CLI_OK;
    off_t all = length_of(file);

    errno = 0;
    for (long number = 1; !code && (length = getline(&line, &room, file)) >= 0; number++) {
        if (number == 1)
            code = check_first(lines, line, &length);
        if (!code && strlen(line) != (size_t)length)
            code = cli_message_failed("%s:%ld: this line has a NUL byte; the file is not text",
                                      lines->name, number);
        else if (!code)
            add(lines, line, number);
    }
    if (!code && !feof(file))
        code = cli_message_failed("%s: cannot be read: %s", lines->name, strerror(errno));
    if (!code && all > 0 && ftello(file) < all)
        code = cli_message_failed("%s: became shorter while it was read", lines->name);
    free(line);
    return code;
}

static int read_file(cli_lines *lines, const char *path)
{
    int is_stdin = strcmp(path, "-") == 0;

    lines->name = is_stdin ? "<stdin>" : path;
    FILE *file = is_stdin ? stdin : fopen(path, "r");
    if (!file)
        return cli_message_failed("%s: cannot be opened: %s", path, strerror(errno));
    int code = read_all(lines, file);
    if (!is_stdin)
        fclose(file);
    return code;
}

int cli_lines_read(cli_lines *lines, const char *path)
{
    *lines = (cli_lines){0};
    return read_file(lines, path);
}

int cli_lines_read_whole(cli_lines *lines, const char *path)
{
    *lines = (cli_lines){.whole = 1};
    return read_file(lines, path);
}

void cli_lines_free(cli_lines *lines)
{
    for (size_t i = 0; i < lines->n; i++)
        free(lines->text[i]);
    free(lines->text);
    free(lines->number);
    *lines = (cli_lines){0};
}

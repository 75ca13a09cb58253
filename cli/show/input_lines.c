#include "show/input_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "allocate.h"
#include "messages.h"

static const char blanks[] = " \t\r\n";

/* Whether this is the header of a data file: its second column is the label, behind a TAB or, as
 * spreadsheets write it, a comma or semicolon.  That of the published data sets means that they
 * write ^ for & and v for |, and that their variables are numbers. */
static int is_header(cli_lines *lines, const char *line)
{
    for (const char *separator = "\t,;"; *separator; separator++) {
        const char *at = strchr(line, *separator);
        if (!at || strncmp(at + 1, "label", 5) != 0 || !strchr("\t,;\r\n", at[6]))
            continue;
        lines->separator = *separator;
        lines->published = strncmp(line, "sent\t", 5) == 0;
        return 1;
    }
    return 0;
}

/* Unquotes the first field of a line of a spreadsheet, where it is; returns its length. */
static size_t unquote(char *line)
{
    size_t n = 0;
    for (const char *c = line + 1; *c && (*c != '"' || c[1] == '"'); c++) {
        c += *c == '"';
        line[n++] = *c;
    }
    return n;
}

/* An expression ends at the first TAB, or at the separator of the header, even if it is empty: a
 * label is never taken for one.  Blanks at its start stay, because messages count columns from
 * there. */
static void add(cli_lines *lines, char *line, long number)
{
    const char stops[] = {lines->separator ? lines->separator : '\t', '\0'};
    size_t n = lines->n, start = strspn(line, blanks);

    if (!line[start] || line[start] == '#')
        return;
    if (n == 0 && !lines->whole && !lines->separator && is_header(lines, line))
        return;
    int quoted = line[0] == '"' && strchr(",;", stops[0]);
    size_t length = quoted ? unquote(line) : strcspn(line, lines->whole ? "\r\n" : stops);
    while (!lines->whole && length > 0 && strchr(blanks, line[length - 1]))
        length--;
    lines->text = cli_memory_grow(lines->text, n, &lines->text_room, sizeof *lines->text);
    lines->number = cli_memory_grow(lines->number, n, &lines->number_room, sizeof *lines->number);
    lines->text[n] = cli_memory_copy(line, length);
    lines->number[n] = number;
    lines->n++;
    for (char *c = lines->text[n]; lines->published && *c; c++)
        *c = *c == '^' ? '&' : *c == 'v' ? '|' : *c;
}

/* Compressed files, by their first bytes, and the program that prints their text. */
static const struct {
    const char *bytes, *kind, *reader;
} packed[] = {{"\x1f\x8b", "gzip", "zcat"}, {"\x28\xb5\x2f\xfd", "zstd", "zstdcat"}};

/* Refuses a compressed file by its first line, and removes a byte order mark. */
static int check_first(const cli_lines *lines, char *line, ssize_t *length)
{
    static const char mark[] = "\xef\xbb\xbf";

    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (strncmp(line, packed[i].bytes, strlen(packed[i].bytes)) == 0)
            return cli_message_failed(
                "%s: this is compressed with %s, and plain text is read here; "
                "pipe what %s prints to nln, with - for the file",
                lines->name, packed[i].kind, packed[i].reader);
    if (strncmp(line, mark, strlen(mark)) == 0) {
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
    struct stat about;
    off_t all = !fstat(fileno(file), &about) && S_ISREG(about.st_mode) ? about.st_size : 0;

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

/* Only rank 0 of a job has a standard input; the others get a copy. */
static FILE *shared_stdin(void)
{
    char *mine = NULL, *all = NULL;
    size_t n = 0, n_all = 0, got = 1;
    FILE *copy = tmpfile();

    while (!nln_cluster_rank() && got) {
        mine = cli_memory_resize(mine, n + 65536, 1);
        got = fread(mine + n, 1, 65536, stdin);
        n += got;
    }
    if (nln_cluster_gather(&all, &n_all, mine ? mine : "", n, NULL))
        n_all = 0;
    if (copy && (fwrite(all ? all : "", 1, n_all, copy) != n_all || fseek(copy, 0, SEEK_SET))) {
        fclose(copy);
        copy = NULL;
    }
    nln_free(all);
    free(mine);
    return copy;
}

int cli_lines_read(cli_lines *lines, const char *path, int whole)
{
    int is_stdin = strcmp(path, "-") == 0, is_shared = is_stdin && nln_cluster_size() > 1;
    FILE *file = is_shared ? shared_stdin() : is_stdin ? stdin : fopen(path, "r");

    *lines = (cli_lines){.whole = whole, .name = is_stdin ? "<stdin>" : path};
    if (!file)
        return cli_message_failed("%s: cannot be opened: %s", path, strerror(errno));
    int code = read_all(lines, file);
    if (!is_stdin || is_shared)
        fclose(file);
    return code;
}

void cli_lines_take(cli_lines *lines, const char *const *expressions, int n)
{
    *lines = (cli_lines){.name = "<argument>"};
    for (int i = 0; i < n; i++) {
        char *copy = cli_memory_copy(expressions[i], strlen(expressions[i]));
        add(lines, copy, i + 1);
        free(copy);
    }
}

void cli_lines_free(cli_lines *lines)
{
    for (size_t i = 0; i < lines->n; i++)
        free(lines->text[i]);
    free(lines->text);
    free(lines->number);
    *lines = (cli_lines){0};
}

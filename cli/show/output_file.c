#define _GNU_SOURCE /* for realpath */
#include "show/output_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocate.h"
#include "messages.h"

enum { MOST_ATTEMPTS = 10000, MOST_LINKS = 40 };

static cli_file *unfinished; /* those with a temporary file */

/* A child that was forked leaves the files of its parent alone. */
static void remove_unfinished(void)
{
    char own[32];
    snprintf(own, sizeof own, ".nln-%ld-", (long)getpid());
    for (const cli_file *file = unfinished; file; file = file->next)
        if (strstr(file->temporary, own))
            unlink(file->temporary);
}

/* Forgets the temporary file, whether it was renamed or removed. */
static void release(cli_file *file)
{
    cli_file **at = &unfinished;
    while (*at && *at != file)
        at = &(*at)->next;
    if (*at)
        *at = file->next;
    free(file->temporary);
    free(file->target);
}

/* ---- where a path leads ------------------------------------------------------------ */

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* The folder of the path, without links; empty when there is none. */
static void find_folder(char folder[PATH_MAX], const char *path)
{
    char given[PATH_MAX];
    size_t n = folder_length(path);

    snprintf(given, sizeof given, "%.*s", n ? (int)n : 1, n ? path : ".");
    if (n >= sizeof given || !realpath(given, folder))
        folder[0] = '\0';
}

/* The links of /proc stand for open files, which may have any name or none by now. */
static int is_open_file(const char *path)
{
    char folder[PATH_MAX], byte;

    find_folder(folder, path);
    return strncmp(folder, "/proc/", strlen("/proc/")) == 0 && readlink(path, &byte, 1) >= 0;
}

/* Follows every link except those to open files; the caller frees the result.  Links in a circle
 * lead to one of them. */
static char *follow(const char *path)
{
    char text[PATH_MAX], *at = cli_memory_copy(path, strlen(path));
    ssize_t n;

    for (int i = 0;
         i < MOST_LINKS && !is_open_file(at) && (n = readlink(at, text, sizeof text - 1)) >= 0;
         i++) {
        text[n] = '\0';
        size_t folder = text[0] == '/' ? 0 : folder_length(at), size = folder + (size_t)n + 1;
        char *next = cli_memory_resize(NULL, size, 1);
        snprintf(next, size, "%.*s%s", (int)folder, at, text);
        free(at);
        at = next;
    }
    return at;
}

/* ---- writing ----------------------------------------------------------------------- */

/* A file that this process has open, such as /dev/stdout, is written from its current position. */
static int open_straight(const char *path)
{
    char folder[PATH_MAX], own[32];

    find_folder(folder, path);
    snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
    if (strcmp(folder, own) == 0)
        return fcntl((int)strtol(path + folder_length(path), NULL, 10), F_DUPFD_CLOEXEC, 0);
    return open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

/* Creates a file of a new name beside the target; its descriptor, or -1 with errno. */
static int create_temporary(cli_file *file)
{
    static int asked;
    size_t folder = folder_length(file->target), room = folder + 64;

    file->temporary = cli_memory_resize(NULL, room, 1);
    memcpy(file->temporary, file->target, folder);
    for (int i = 0; i < MOST_ATTEMPTS; i++) {
        snprintf(file->temporary + folder, room - folder, ".nln-%ld-%d.tmp", (long)getpid(), i);
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno == EEXIST)
            continue;
        if (descriptor >= 0) {
            file->next = unfinished;
            unfinished = file;
            if (!asked)
                asked = !atexit(remove_unfinished);
        }
        return descriptor;
    }
    return -1;
}

static int is_folder(const char *path)
{
    struct stat about;
    size_t length = strlen(path);
    return (length > 0 && path[length - 1] == '/') ||
           (stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

static int is_device(const char *target)
{
    struct stat about;
    return is_open_file(target) || (stat(target, &about) == 0 && !S_ISREG(about.st_mode));
}

/* A new file, with the mode of the old one. */
static int replace(cli_file *file)
{
    struct stat about;
    int exists = stat(file->target, &about) == 0;

    if (!exists && errno == ELOOP)
        return -1;
    int descriptor = create_temporary(file);
    if (descriptor >= 0 && exists)
        (void)!fchmod(descriptor, about.st_mode & 0777); /* not every file system has modes */
    return descriptor;
}

int cli_file_open(cli_file *file, const char *path, const char *option)
{
    if (nln_cluster_rank()) /* files are those of rank 0 */
        path = "/dev/null";
    *file = (cli_file){.path = path};
    if (is_folder(path))
        return cli_message_failed("%s: this is a folder; give %s the name of a file", path, option);
    file->target = follow(path);
    int descriptor = is_device(file->target) ? open_straight(file->target) : replace(file);
    if (descriptor >= 0)
        file->stream = fdopen(descriptor, "wb");
    if (file->stream)
        return CLI_OK;
    int problem = errno;
    if (descriptor >= 0)
        close(descriptor);
    if (descriptor >= 0 && file->temporary)
        unlink(file->temporary);
    release(file);
    return cli_message_failed("%s: cannot write here (%s); choose another %s", path,
                              strerror(problem), option);
}

int cli_file_finish(cli_file *file)
{
    int problem = 0;

    errno = 0;
    if (ferror(file->stream) || fflush(file->stream))
        problem = errno ? errno : EIO;
    if (!problem && file->temporary && fsync(fileno(file->stream)))
        problem = errno;
    if (fclose(file->stream) && !problem)
        problem = errno;
    if (!problem && file->temporary && rename(file->temporary, file->target))
        problem = errno;
    if (problem && file->temporary)
        unlink(file->temporary);
    release(file);
    if (problem)
        return cli_message_failed("%s: cannot be written: %s", file->path, strerror(problem));
    return CLI_OK;
}

int cli_file_try(const char *path, const char *option)
{
    if (nln_cluster_rank())
        return CLI_OK;
    cli_file file;
    char *target = follow(path);
    int straight = !is_folder(path) && is_device(target);

    free(target);
    if (straight) /* Opening a pipe would wait for its reader. */
        return access(path, W_OK) == 0
                   ? CLI_OK
                   : cli_message_failed("%s: cannot write here (%s); choose another %s", path,
                                        strerror(errno), option);
    int code = cli_file_open(&file, path, option);
    if (code)
        return code;
    fclose(file.stream);
    unlink(file.temporary); // NOLINT: it is there, since the code of a message is never 0
    release(&file);
    return CLI_OK;
}

/* ---- several files ------------------------------------------------------------------ */

/* Whether the paths lead to one plain file, or would if it were there. */
static int are_same(const char *a, const char *b)
{
    struct stat of_a, of_b;
    int has_a = stat(a, &of_a) == 0, has_b = stat(b, &of_b) == 0;

    if (has_a && has_b)
        return S_ISREG(of_a.st_mode) && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    if (has_a || has_b)
        return 0;
    char *at_a = follow(a), *at_b = follow(b), folder_a[PATH_MAX], folder_b[PATH_MAX];
    find_folder(folder_a, at_a);
    find_folder(folder_b, at_b);
    int same = strcmp(folder_a, folder_b) == 0 &&
               strcmp(at_a + folder_length(at_a), at_b + folder_length(at_b)) == 0;
    free(at_a);
    free(at_b);
    return same;
}

/* Whether a data folder reads a file of this name, as docs/formats.md says: by the last word before
 * the endings. */
static int is_part(const char *name)
{
    static const char *const endings[] = {".gz", ".zst", ".tsv", ".csv", ".txt", ".inter", ".dat"};
    static const char *const words[] = {"train", "valid", "validation", "dev", "test"};
    size_t n = strlen(name), start;

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (n > length && memcmp(name + n - length, endings[i], length) == 0)
            n -= length;
    }
    for (start = n; start > 0 && !strchr(".-_", name[start - 1]); start--)
        continue;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n - start && memcmp(name + start, words[i], n - start) == 0)
            return 1;
    return strstr(name, "variable") != NULL;
}

/* Whether the path leads to a file that is read with the folder; 0 if that is no folder. */
static int is_of_folder(const char *path, const char *folder)
{
    DIR *directory = opendir(folder);
    const struct dirent *entry;
    int found = 0;

    while (directory && !found && (entry = readdir(directory))) {
        char part[PATH_MAX];
        snprintf(part, sizeof part, "%s/%s", folder, entry->d_name);
        found = is_part(entry->d_name) && are_same(path, part);
    }
    if (directory)
        closedir(directory);
    return found;
}

static int is_given(const cli_named_path *p)
{
    return p->path && p->path[0] && !(p->is_input && strcmp(p->path, "-") == 0);
}

int cli_file_apart(const cli_named_path *paths, int n)
{
    for (int i = 0; i < n; i++) {
        const cli_named_path *p = &paths[i];
        if (p->is_input || !is_given(p))
            continue;
        if (strcmp(p->path, "-") == 0)
            return cli_message_usage("%s - does not mean standard output, where this cannot be "
                                     "written; give the name of a file",
                                     p->name);
        for (int j = 0; j < n; j++) {
            const cli_named_path *other = &paths[j];
            if (j == i || !is_given(other))
                continue;
            if (are_same(p->path, other->path))
                return cli_message_usage("%s and %s are the same file, %s; choose another %s",
                                         p->name, other->name, p->path, p->name);
            if (other->is_input && is_of_folder(p->path, other->path))
                return cli_message_usage("%s is one of the files of %s, %s; choose another %s",
                                         p->name, other->name, p->path, p->name);
        }
    }
    return CLI_OK;
}

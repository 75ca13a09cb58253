#define _GNU_SOURCE /* for O_TMPFILE and realpath */
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

enum { MOST_ATTEMPTS = 10000, MOST_LINKS = 40, NAME_ROOM = 64, DESCRIPTOR_ROOM = 40 };

struct nln_output {
    char *path;      /* no symbolic link, or one that stands for an open file */
    char *temporary; /* NULL when writing straight into a device or a pipe */
    int unnamed;     /* the file has no name yet, and is gone if the process is killed */
    FILE *stream;
    int failure; /* errno of the first failed write, or 0 */
};

static nln_status unwritable(const char *path, int number, nln_error *err)
{
    if (number == ENOMEM)
        return nln_error_memory(err);
    return nln_error_set(err, NLN_IO, "cannot write '%s': %s", path, strerror(number));
}

static void release(nln_output *out)
{
    nln_free(out->path);
    nln_free(out->temporary);
    nln_free(out);
}

static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* ---- where a path leads --------------------------------------------------- */

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
static int is_open_file(const char *link)
{
    char folder[PATH_MAX];
    find_folder(folder, link);
    return strncmp(folder, "/proc/", strlen("/proc/")) == 0;
}

/* Puts what a link says, which is relative to its folder unless it is absolute, in its place. */
static int replace_link(char **path, const char *target)
{
    size_t folder = *target == '/' ? 0 : folder_length(*path), size = folder + strlen(target) + 1;
    char *joined = nln_memory_take(size);
    if (!joined) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(joined, size, "%.*s%s", (int)folder, *path, target);
    nln_free(*path);
    *path = joined;
    return 0;
}

/* Follows links until the path is none: so the file is replaced and the links to it stay.
 * *is_open says that it ended at one that stands for an open file.  Returns -1 with errno. */
static int follow(char **path, int *is_open)
{
    char target[PATH_MAX];
    *is_open = 0;
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t n = readlink(*path, target, sizeof target - 1);
        if (n < 0)
            return 0;
        if ((*is_open = is_open_file(*path)))
            return 0;
        target[n] = '\0';
        if (replace_link(path, target))
            return -1;
    }
    errno = ELOOP;
    return -1;
}

/* A file that this process has open is written from where it is, as /dev/stdout must be. */
static int open_again(const char *path)
{
    char folder[PATH_MAX], own[DESCRIPTOR_ROOM];
    find_folder(folder, path);
    snprintf(own, sizeof own, "/proc/%ld/fd", (long)getpid());
    if (strcmp(folder, own) == 0)
        return fcntl((int)strtol(path + folder_length(path), NULL, 10), F_DUPFD_CLOEXEC, 0);
    return open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
}

/* ---- the new file ----------------------------------------------------------- */

/* The path by which the system knows an open file, named or not. */
static void name_of_descriptor(char name[DESCRIPTOR_ROOM], int fd)
{
    snprintf(name, DESCRIPTOR_ROOM, "/proc/self/fd/%d", fd);
}

/* Creates the file under the name in out->temporary; or, for fd >= 0, gives it that name.
 * Returns the descriptor or -1 with errno. */
static int create_named(const nln_output *out, int fd)
{
    char name[DESCRIPTOR_ROOM];
    if (fd < 0) /* NOLINTNEXTLINE: the caller has written a name there */
        return open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    name_of_descriptor(name, fd); /* NOLINTNEXTLINE: the same */
    return linkat(AT_FDCWD, name, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) ? -1 : fd;
}

/* Finds a new name beside the path for create_named.  It is short and does not grow from the
 * path's, so that it is valid wherever the path is. */
static int create_new(nln_output *out, int fd)
{
    size_t folder = folder_length(out->path);
    for (int i = 0; i < MOST_ATTEMPTS; i++) {
        snprintf(out->temporary + folder, NAME_ROOM, ".nln-%ld-%d.tmp", (long)getpid(), i);
        int created = create_named(out, fd);
        if (created >= 0 || errno != EEXIST)
            return created;
    }
    return -1;
}

/* A file without a name in the folder of the path, where the system can make one and later
 * name it; else -1. */
static int create_unnamed(nln_output *out)
{
    char name[DESCRIPTOR_ROOM];
    size_t folder = folder_length(out->path);
    out->temporary[folder] = '\0';
    int fd = open(folder ? out->temporary : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    name_of_descriptor(name, fd);
    if (access(name, F_OK) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Returns the descriptor of a new file beside the path, or -1 with errno. */
static int create_temporary(nln_output *out)
{
    size_t folder = folder_length(out->path);
    out->temporary = nln_memory_take(folder + NAME_ROOM);
    if (!out->temporary) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(out->temporary, out->path, folder);
    int fd = create_unnamed(out);
    out->unnamed = fd >= 0;
    return out->unnamed ? fd : create_new(out, -1);
}

static void remove_temporary(const nln_output *out)
{
    if (out->temporary && !out->unnamed)
        unlink(out->temporary);
}

/* A path that exists and is no plain file (/dev/null, a pipe) must not be
 * replaced by one: it is written straight.  A new file has the mode of the old one. */
static int open_descriptor(nln_output *out)
{
    struct stat info;
    int is_open, failed = follow(&out->path, &is_open);
    if (failed || is_open)
        return failed ? -1 : open_again(out->path);
    int exists = !stat(out->path, &info);
    if (!*out->path || (exists && S_ISDIR(info.st_mode))) {
        errno = *out->path ? EISDIR : ENOENT;
        return -1;
    }
    if (exists && !S_ISREG(info.st_mode))
        return open(out->path, O_WRONLY | O_CLOEXEC);
    int fd = create_temporary(out);
    if (fd >= 0 && exists)
        (void)!fchmod(fd, info.st_mode & 0777); /* not every file system has modes */
    return fd;
}

nln_status nln_output_open(nln_output **result, const char *path, nln_error *err)
{
    *result = NULL;
    nln_output *out = nln_memory_zeroed(1, sizeof *out);
    if (!out || !(out->path = nln_memory_copy(path))) {
        nln_free(out);
        return nln_error_memory(err);
    }
    int fd = open_descriptor(out);
    out->stream = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!out->stream) {
        int number = errno;
        if (fd >= 0) {
            close(fd);
            remove_temporary(out);
        }
        release(out);
        return unwritable(path, number, err);
    }
    *result = out;
    return NLN_OK;
}

void nln_output_write(nln_output *out, const void *bytes, size_t n)
{
    if (!out->failure && n > 0 && fwrite(bytes, 1, n, out->stream) != n)
        out->failure = errno ? errno : EIO;
}

void nln_output_printf(nln_output *out, const char *format, ...)
{
    if (out->failure)
        return;
    va_list args;
    va_start(args, format);
    if (vfprintf(out->stream, format, args) < 0)
        out->failure = errno ? errno : EIO;
    va_end(args);
}

/* Makes the rename itself survive a crash, where the file system can. */
static void flush_folder(nln_output *out)
{
    size_t n = folder_length(out->path);
    out->temporary[n] = '\0';
    int fd = open(n ? out->temporary : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return;
    fsync(fd);
    close(fd);
}

static int finish_stream(nln_output *out)
{
    int failure = out->failure;
    if (fflush(out->stream) && !failure)
        failure = errno;
    if (!failure && out->temporary && fsync(fileno(out->stream)))
        failure = errno;
    if (!failure && out->unnamed) {
        if (create_new(out, fileno(out->stream)) < 0)
            failure = errno;
        else
            out->unnamed = 0;
    }
    if (fclose(out->stream) && !failure)
        failure = errno;
    return failure;
}

nln_status nln_output_finish(nln_output *out, nln_error *err)
{
    nln_status status = NLN_OK;
    int failure = finish_stream(out);
    if (!failure && out->temporary && rename(out->temporary, out->path))
        failure = errno;
    if (failure) {
        status = unwritable(out->path, failure, err);
        remove_temporary(out);
    } else if (out->temporary) {
        flush_folder(out);
    }
    release(out);
    return status;
}

void nln_output_abandon(nln_output *out)
{
    if (!out)
        return;
    fclose(out->stream);
    remove_temporary(out);
    release(out);
}

#define _GNU_SOURCE /* for O_TMPFILE and realpath */
#include "base/atomic_file.h"

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

/* Follows links until the path is none: so the file is replaced and the links to it stay.  A link
 * of /proc stands for an open file, which may have any name or none by now: it stays and *is_open
 * is set.  Returns -1 with errno. */
static int follow(char **path, int *is_open)
{
    char target[PATH_MAX], folder[PATH_MAX];
    *is_open = 0;
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t n = readlink(*path, target, sizeof target - 1);
        if (n < 0)
            return 0;
        find_folder(folder, *path);
        if ((*is_open = strncmp(folder, "/proc/", strlen("/proc/")) == 0))
            return 0;
        target[n] = '\0';
        /* The target is relative to the folder of the link unless it is absolute. */
        size_t before = *target == '/' ? 0 : folder_length(*path), size = before + (size_t)n + 1;
        char *joined = nln_memory_take(size);
        if (!joined) {
            errno = ENOMEM;
            return -1;
        }
        snprintf(joined, size, "%.*s%s", (int)before, *path, target);
        nln_free(*path);
        *path = joined;
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

/* Creates a file with a new name beside the path; or, for fd >= 0, gives that file the name.  The
 * name is short and does not grow from the path's, so that it is valid wherever the path is.
 * Returns the descriptor or -1 with errno. */
static int create_named(nln_output *out, int fd)
{
    char descriptor[DESCRIPTOR_ROOM];
    size_t folder = folder_length(out->path);
    name_of_descriptor(descriptor, fd);
    for (int i = 0; i < MOST_ATTEMPTS; i++) {
        snprintf(out->temporary + folder, NAME_ROOM, ".nln-%ld-%d.tmp", (long)getpid(), i);
        int created = fd;
        if (fd < 0)
            created = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        else if (linkat(AT_FDCWD, descriptor, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW))
            created = -1;
        if (created >= 0 || errno != EEXIST)
            return created;
    }
    return -1;
}

/* Returns the descriptor of a new file beside the path, or -1 with errno.  The file has no name
 * where the system can make such a file and name it later. */
static int create_temporary(nln_output *out)
{
    char descriptor[DESCRIPTOR_ROOM];
    size_t folder = folder_length(out->path);
    out->temporary = nln_memory_take(folder + NAME_ROOM);
    if (!out->temporary) {
        errno = ENOMEM;
        return -1;
    }
    memcpy(out->temporary, out->path, folder);
    out->temporary[folder] = '\0';
    int fd = open(folder ? out->temporary : ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    if (fd < 0)
        return create_named(out, -1);
    name_of_descriptor(descriptor, fd);
    out->unnamed = access(descriptor, F_OK) == 0;
    if (out->unnamed)
        return fd;
    close(fd);
    return create_named(out, -1);
}

/* Closes the output, and removes the temporary file unless it was renamed. */
static void release(nln_output *out, int keep)
{
    if (out->stream)
        fclose(out->stream);
    if (out->temporary && !out->unnamed && !keep)
        unlink(out->temporary);
    nln_free(out->path);
    nln_free(out->temporary);
    nln_free(out);
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
        if (fd >= 0)
            close(fd);
        release(out, fd < 0);
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

nln_status nln_output_finish(nln_output *out, nln_error *err)
{
    nln_status status = NLN_OK;
    int failure = out->failure, fd = fileno(out->stream);
    if (fflush(out->stream) && !failure)
        failure = errno;
    if (!failure && out->temporary && fsync(fd))
        failure = errno;
    if (!failure && out->unnamed && create_named(out, fd) < 0)
        failure = errno;
    else if (!failure)
        out->unnamed = 0;
    if (fclose(out->stream) && !failure)
        failure = errno;
    out->stream = NULL;
    if (!failure && out->temporary && rename(out->temporary, out->path))
        failure = errno;
    if (failure) {
        status = unwritable(out->path, failure, err);
    } else if (out->temporary) {
        /* Flushing the folder makes the rename itself survive a crash, where the system can. */
        size_t n = folder_length(out->path);
        out->temporary[n] = '\0';
        fd = open(n ? out->temporary : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (fd >= 0) {
            fsync(fd);
            close(fd);
        }
    }
    release(out, !failure);
    return status;
}

void nln_output_abandon(nln_output *out)
{
    if (out)
        release(out, 0);
}

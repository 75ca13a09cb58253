#include "show/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory.h"
#include "message.h"

enum { MOST_ATTEMPTS = 10000 };

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

static void enlist(cli_file *file)
{
    static int asked;
    if (!asked)
        asked = !atexit(remove_unfinished);
    file->next = unfinished;
    unfinished = file;
}

/* Forgets the temporary file, whatever became of it. */
static void release(cli_file *file)
{
    cli_file **at = &unfinished;
    while (*at && *at != file)
        at = &(*at)->next;
    if (*at)
        *at = file->next;
    free(file->temporary);
}

/* Creates a file of a new name beside the path; its descriptor, or -1 with errno. */
static int create_temporary(cli_file *file)
{
    const char *slash = strrchr(file->path, '/');
    size_t folder = slash ? (size_t)(slash - file->path) + 1 : 0, room = folder + 64;

    file->temporary = cli_memory_resize(NULL, room, 1);
    memcpy(file->temporary, file->path, folder);
    for (int i = 0; i < MOST_ATTEMPTS; i++) {
        snprintf(file->temporary + folder, room - folder, ".nln-%ld-%d.tmp", (long)getpid(), i);
        int descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            enlist(file);
        if (descriptor >= 0 || errno != EEXIST)
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

static int is_device(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && !S_ISREG(about.st_mode);
}

int cli_file_open(cli_file *file, const char *path, const char *option)
{
    *file = (cli_file){.path = path};
    if (is_folder(path))
        return cli_message_failed("%s: this is a folder; give %s the name of a file", path, option);
    int descriptor = is_device(path) ? open(path, O_WRONLY | O_CLOEXEC) : create_temporary(file);
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
    if (!problem && file->temporary && rename(file->temporary, file->path))
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
    cli_file file;

    if (!is_folder(path) && is_device(path)) /* Opening a pipe would wait for its reader. */
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

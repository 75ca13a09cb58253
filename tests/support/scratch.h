/* A folder of its own for a test that needs files. */
#ifndef NLN_TESTS_SCRATCH_H
#define NLN_TESTS_SCRATCH_H

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char scratch_folder[64];

/* The path of a file in the folder; good for the next eight calls. */
static inline const char *scratch_path(const char *name)
{
    static char paths[8][512];
    static int next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", scratch_folder, name);
    return path;
}

static inline void scratch_empty(const char *folder)
{
    DIR *directory = opendir(folder);
    struct dirent *item;
    while (directory && (item = readdir(directory))) {
        char path[1024];
        struct stat info;
        if (!strcmp(item->d_name, ".") || !strcmp(item->d_name, ".."))
            continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, item->d_name) >= (int)sizeof path)
            continue;
        if (!lstat(path, &info) && S_ISDIR(info.st_mode)) {
            scratch_empty(path);
            rmdir(path);
        } else {
            unlink(path);
        }
    }
    if (directory)
        closedir(directory);
}

/* How many files the folder has, hidden ones included. */
static inline int scratch_count(void)
{
    int n = -2; /* . and .. */
    DIR *directory = opendir(scratch_folder);
    while (directory && readdir(directory))
        n++;
    if (directory)
        closedir(directory);
    return n;
}

static inline const char *scratch_bytes(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch_path(name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, n, stream) != n || fclose(stream)) {
        perror(path);
        exit(1);
    }
    return path;
}

static inline const char *scratch_text(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

/* The whole file, malloced, with a NUL behind; NULL when there is none. */
static inline char *scratch_read(size_t *n, const char *name)
{
    FILE *stream = fopen(scratch_path(name), "rb");
    *n = 0;
    if (!stream)
        return NULL;
    fseek(stream, 0, SEEK_END);
    *n = (size_t)ftell(stream);
    rewind(stream);
    char *bytes = malloc(*n + 1);
    if (!bytes || fread(bytes, 1, *n, stream) != *n)
        exit(1);
    bytes[*n] = '\0';
    fclose(stream);
    return bytes;
}

/* For cmocka: an empty folder before every test, and none after it. */
static inline int scratch_setup(void **state)
{
    (void)state;
    const char *where = getenv("TMPDIR");
    snprintf(scratch_folder, sizeof scratch_folder, "%s/nln-test-XXXXXX",
             where && strlen(where) < 32 ? where : "/tmp");
    return mkdtemp(scratch_folder) ? 0 : -1;
}

static inline int scratch_teardown(void **state)
{
    (void)state;
    scratch_empty(scratch_folder);
    return rmdir(scratch_folder);
}

#endif

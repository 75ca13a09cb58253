/* What the fuzz targets share.  Each of them is one file with one LLVMFuzzerTestOneInput, which
 * libFuzzer calls with bytes of its own, and replay.c with the seeds and with what once failed. */
#ifndef NLN_TESTS_FUZZ_H
#define NLN_TESTS_FUZZ_H

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/utf8.h"
#include "nln.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes);

/* What must hold for any input. */
#define require(condition) \
    ((condition)           \
         ? (void)0         \
         : (void)(fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), abort()))

/* Success leaves no error, and a failure has its sentence, whatever it quotes. */
static inline void require_told(nln_status status, const nln_error *err)
{
    require(status == err->status && (status == NLN_OK || err->message[0]));
    require(nln_utf8_valid(err->message, strlen(err->message)));
    require(!strpbrk(err->message, "\n\r\t\x1b"));
}

/* The path of a file with these bytes, which is never on a disk; the next call replaces them. */
static inline const char *fuzz_file(const void *bytes, size_t n_bytes)
{
    static int fd = -1;
    static char path[64];
    if (fd < 0) {
        snprintf(path, sizeof path, "/nln-fuzz-%ld", (long)getpid());
        fd = shm_open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        require(fd >= 0 && !shm_unlink(path));
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    require(!ftruncate(fd, 0) && pwrite(fd, bytes, n_bytes, 0) == (ssize_t)n_bytes);
    return path;
}

/* Makes an empty folder, in memory where the system has such a place, and says its path. */
static inline void fuzz_folder(char path[64])
{
    snprintf(path, 64, "%s/nln-fuzz-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    require(mkdtemp(path) != NULL);
}

static inline void fuzz_empty(const char *folder)
{
    char path[512];
    DIR *directory = opendir(folder);
    require(directory != NULL);
    for (const struct dirent *item; (item = readdir(directory));) {
        snprintf(path, sizeof path, "%s/%s", folder, item->d_name);
        unlink(path);
    }
    closedir(directory);
}

#endif

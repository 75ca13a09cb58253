#define _GNU_SOURCE
#include "faults.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* SEEN(f) is the name that the callers of f find, REAL(f) that of the C library's own; REAL takes
 * the type from the prototype of f. */
#ifdef FAULTS_PRELOAD
#define SEEN(name) name
#define REAL(name) (*(__typeof__(&name))real_of(#name, &real_##name))
#define KNOW(name) static _Atomic(void *) real_##name __attribute__((unused))
#define SHOWN      __attribute__((visibility("default")))

static void *real_of(const char *name, _Atomic(void *) *known)
{
    void *f = atomic_load_explicit(known, memory_order_relaxed);
    if (!f) {
        f = dlsym(RTLD_NEXT, name);
        atomic_store(known, f);
    }
    return f;
}
#else
#define SEEN(name) __wrap_##name
#define REAL(name) __real_##name
#define KNOW(name) extern __typeof__(name) __real_##name, __wrap_##name
#define SHOWN
#endif

KNOW(malloc);
KNOW(calloc);
KNOW(realloc);
KNOW(aligned_alloc);
KNOW(free);
KNOW(open);
KNOW(close);
KNOW(fopen);
KNOW(fdopen);
KNOW(opendir);
KNOW(mkdir);
KNOW(read);
KNOW(fsync);
KNOW(rename);
KNOW(linkat);
KNOW(fileno);
KNOW(pthread_create);

/* ---- what fails ------------------------------------------------------------------------- */

static const struct {
    const char *name;
    int number;
} kinds[] = {
#define X(kind, name, number) {name, number},
    FAULTS_KINDS(X)
#undef X
};

static atomic_int armed = FAULTS_NONE;
static atomic_long seen, failed, blocks, files;
static long first;
static int and_all;
static const char *mark;

void faults_arm(faults_kind kind, long n, int all)
{
    first = n;
    and_all = all;
    atomic_store(&seen, 0);
    atomic_store(&failed, 0);
    atomic_store(&armed, kind);
}

long faults_disarm(void)
{
    atomic_store(&armed, FAULTS_NONE);
    return atomic_load(&failed);
}

long faults_blocks(void)
{
    return atomic_load(&blocks);
}

long faults_files(void)
{
    return atomic_load(&files);
}

static void leave_mark(void)
{
    int fd = mark ? REAL(open)(mark, O_WRONLY | O_CREAT, 0666) : -1;
    if (fd >= 0)
        REAL(close)(fd);
}

/* Whether this call, of this kind, is to fail; errno is set then. */
static int fails(faults_kind kind)
{
    if (atomic_load_explicit(&armed, memory_order_relaxed) != (int)kind)
        return 0;
    long n = atomic_fetch_add(&seen, 1) + 1;
    if (n != first && !(and_all && n > first))
        return 0;
    if (atomic_fetch_add(&failed, 1) == 0)
        leave_mark();
    errno = kinds[kind].number;
    return 1;
}

static int write_fails(void)
{
    return fails(FAULTS_WRITE) || fails(FAULTS_PIPE);
}

/* ---- memory ----------------------------------------------------------------------------- */

#ifdef FAULTS_PRELOAD
/* Memory that these take for themselves does not fail: C++ throws, which C cannot catch, jansson's
 * parser loses characters, and the others end the process.  That of all others does. */
static const char *const spared[] = {"libstdc++", "libcadical",  "libjansson", "openblas",
                                     "libblas",   "libgfortran", "liblapack",  "libgcc",
                                     "libgomp",   "ld-linux"};

static int is_spared(const void *caller)
{
    Dl_info info;
    if (atomic_load_explicit(&armed, memory_order_relaxed) != FAULTS_MEMORY)
        return 0;
    if (!dladdr(caller, &info) || !info.dli_fname)
        return 0;
    for (size_t i = 0; i < sizeof spared / sizeof *spared; i++)
        if (strstr(info.dli_fname, spared[i]))
            return 1;
    return 0;
}
#else
static int is_spared(const void *caller)
{
    (void)caller;
    return 0;
}
#endif

#define REFUSED (!is_spared(__builtin_return_address(0)) && fails(FAULTS_MEMORY))

static void *counted(void *block)
{
    if (block)
        atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    return block;
}

SHOWN void *SEEN(malloc)(size_t n)
{
    return REFUSED ? NULL : counted(REAL(malloc)(n));
}

SHOWN void *SEEN(calloc)(size_t n, size_t size)
{
    return REFUSED ? NULL : counted(REAL(calloc)(n, size));
}

SHOWN void *SEEN(realloc)(void *block, size_t n)
{
    if (REFUSED)
        return NULL;
    void *resized = REAL(realloc)(block, n);
    return block ? resized : counted(resized);
}

SHOWN void *SEEN(aligned_alloc)(size_t alignment, size_t n)
{
    return REFUSED ? NULL : counted(REAL(aligned_alloc)(alignment, n));
}

SHOWN void SEEN(free)(void *block)
{
    if (block)
        atomic_fetch_sub_explicit(&blocks, 1, memory_order_relaxed);
    REAL(free)(block);
}

void *faults_malloc(size_t n)
{
    return REAL(malloc)(n);
}

void faults_free(void *block)
{
    REAL(free)(block);
}

/* ---- streams: their bytes pass through here --------------------------------------------- */

enum { MOST_STREAMS = 64 };

static struct stream {
    FILE *stream; /* NULL: free */
    int fd;
    char buffer[FAULTS_BUFFER];
} streams[MOST_STREAMS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t read_through(void *cookie, char *bytes, size_t n)
{
    struct stream *s = cookie;
    return SEEN(read)(s->fd, bytes, n);
}

static ssize_t write_through(void *cookie, const char *bytes, size_t n)
{
    struct stream *s = cookie;
    if (write_fails())
        return 0;
    ssize_t written = write(s->fd, bytes, n);
    return written < 0 ? 0 : written;
}

static int seek_through(void *cookie, off64_t *offset, int whence)
{
    struct stream *s = cookie;
    *offset = lseek64(s->fd, *offset, whence);
    return *offset < 0 ? -1 : 0;
}

/* A close that fails has closed all the same, as on Linux. */
static int close_through(void *cookie)
{
    struct stream *s = cookie;
    int fd = s->fd;
    pthread_mutex_lock(&lock);
    s->stream = NULL;
    pthread_mutex_unlock(&lock);
    return SEEN(close)(fd);
}

static FILE *make_stream(struct stream *s, int fd, const char *mode)
{
    cookie_io_functions_t through = {read_through, write_through, seek_through, close_through};
    FILE *stream = fopencookie(s, mode, through);
    if (!stream)
        return NULL;
    if (*mode != 'r')
        setvbuf(stream, s->buffer, _IOFBF, sizeof s->buffer);
    s->fd = fd;
    s->stream = stream;
    return stream;
}

static FILE *through_stream(int fd, const char *mode)
{
    FILE *stream = NULL;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_STREAMS && !stream; i++)
        if (!streams[i].stream)
            stream = make_stream(&streams[i], fd, mode);
    pthread_mutex_unlock(&lock);
    return stream;
}

SHOWN int SEEN(fileno)(FILE *stream)
{
    int fd = -1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MOST_STREAMS; i++)
        if (streams[i].stream == stream)
            fd = streams[i].fd;
    pthread_mutex_unlock(&lock);
    return fd >= 0 ? fd : REAL(fileno)(stream);
}

SHOWN FILE *SEEN(fdopen)(int fd, const char *mode)
{
    return fails(FAULTS_MEMORY) || fails(FAULTS_OPEN) ? NULL : through_stream(fd, mode);
}

SHOWN FILE *SEEN(fopen)(const char *path, const char *mode)
{
    int both = strchr(mode, '+') != NULL;
    int how = *mode == 'r' ? 0 : O_CREAT | (*mode == 'w' ? O_TRUNC : O_APPEND);
    how |= both ? O_RDWR : *mode == 'r' ? O_RDONLY : O_WRONLY;
    int fd = SEEN(open)(path, how, 0666);
    FILE *stream = fd < 0 ? NULL : SEEN(fdopen)(fd, mode);
    if (fd >= 0 && !stream) {
        int number = errno;
        REAL(close)(fd);
        atomic_fetch_sub(&files, 1);
        errno = number;
    }
    return stream;
}

/* ---- files ------------------------------------------------------------------------------ */

SHOWN int SEEN(open)(const char *path, int how, ...)
{
    va_list rest;
    va_start(rest, how);
    int mode = how & O_CREAT || (how & O_TMPFILE) == O_TMPFILE ? va_arg(rest, int) : 0;
    va_end(rest);
    int fd = fails(FAULTS_OPEN) ? -1 : REAL(open)(path, how, mode);
    if (fd >= 0)
        atomic_fetch_add(&files, 1);
    return fd;
}

SHOWN int SEEN(close)(int fd)
{
    int code = REAL(close)(fd);
    atomic_fetch_sub(&files, 1);
    return write_fails() ? -1 : code;
}

SHOWN DIR *SEEN(opendir)(const char *path)
{
    return fails(FAULTS_OPEN) ? NULL : REAL(opendir)(path);
}

SHOWN int SEEN(mkdir)(const char *path, mode_t mode)
{
    return fails(FAULTS_OPEN) || write_fails() ? -1 : REAL(mkdir)(path, mode);
}

SHOWN ssize_t SEEN(read)(int fd, void *bytes, size_t n)
{
    if (fails(FAULTS_READ))
        return -1;
    return fails(FAULTS_TRUNCATE) ? 0 : REAL(read)(fd, bytes, n);
}

SHOWN int SEEN(fsync)(int fd)
{
    (void)fd; /* It would only cost time. */
    return write_fails() ? -1 : 0;
}

SHOWN int SEEN(rename)(const char *from, const char *to)
{
    return write_fails() ? -1 : REAL(rename)(from, to);
}

SHOWN int SEEN(linkat)(int from_folder, const char *from, int to_folder, const char *to, int how)
{
    return write_fails() ? -1 : REAL(linkat)(from_folder, from, to_folder, to, how);
}

SHOWN int SEEN(pthread_create)(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *),
                               void *argument)
{
    return fails(FAULTS_THREAD) ? EAGAIN : REAL(pthread_create)(thread, how, run, argument);
}

/* ---- by the environment ----------------------------------------------------------------- */

#ifdef FAULTS_PRELOAD
/* The programs that this one starts are not its faults. */
__attribute__((constructor)) static void read_environment(void)
{
    const char *fault = getenv("NLN_FAULT"), *colon = fault ? strchr(fault, ':') : NULL;
    unsetenv("LD_PRELOAD");
    mark = getenv("NLN_FAULT_MARK");
    stdin = through_stream(STDIN_FILENO, "r");
    stdout = through_stream(STDOUT_FILENO, "w");
    for (int kind = 0; colon && kind < FAULTS_NONE; kind++)
        if (strncmp(fault, kinds[kind].name, (size_t)(colon - fault)) == 0)
            faults_arm((faults_kind)kind, atol(colon + 1), fault[strlen(fault) - 1] == '+');
}
#endif

/* Calls of the system that fail when a test says so.  faults.c stands between the code under test
 * and the C library, in one of two ways:
 *
 * - linked into a test program with the option --wrap of the linker, it sees the calls of the
 *   library and of the test, and is steered by the functions below;
 * - preloaded (FAULTS_PRELOAD), it sees the calls of a whole program with the libraries that it
 *   uses, and is steered by the environment: NLN_FAULT is KIND:N, or KIND:N+ for the N-th call and
 *   all after it, and NLN_FAULT_MARK a file that is created when the first of them has failed.
 *
 * Streams are made to write after every FAULTS_BUFFER bytes, so that a file of a few kilobytes
 * has many writes to fail. */
#ifndef NLN_TESTS_FAULTS_H
#define NLN_TESTS_FAULTS_H

#include <stddef.h>

enum { FAULTS_BUFFER = 256 };

/* kind, name, what errno says; a truncated file ends early and has no errno */
#define FAULTS_KINDS(X)         \
    X(MEMORY, "memory", ENOMEM) \
    X(OPEN, "open", EACCES)     \
    X(READ, "read", EIO)        \
    X(TRUNCATE, "truncate", 0)  \
    X(WRITE, "write", ENOSPC)   \
    X(PIPE, "pipe", EPIPE)      \
    X(THREAD, "thread", EAGAIN)

typedef enum faults_kind {
#define X(kind, name, number) FAULTS_##kind,
    FAULTS_KINDS(X)
#undef X
        FAULTS_NONE
} faults_kind;

/* From now on the n-th call of this kind fails, 1-based, and with `all` those after it too. */
void faults_arm(faults_kind kind, long n, int all);
/* Nothing fails any more; how many calls did. */
long faults_disarm(void);
/* The calls of the C library itself, which never fail here and are not counted. */
void *faults_malloc(size_t n);
void faults_free(void *block);
/* Blocks of memory and open files that were taken through here and not given back. */
long faults_blocks(void);
long faults_files(void);

#endif

/* A trial is something done with the library, again and again: the first call of the system that
 * it makes fails, then the second, and so on until it makes none more to fail; each of them alone,
 * and each with all after it. */
#ifndef NLN_TESTS_TRIALS_H
#define NLN_TESTS_TRIALS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "faults.h"
#include "nln.h"

typedef struct trial {
    const char *name;
    /* Does it, and releases what came out.  When it fails it checks that nothing came out. */
    nln_status (*run)(const char *settings, nln_error *err);
    const char *settings;
} trial;

static long trials_failures;     /* how many faults were put in */
static nln_status trials_status; /* of the last run */

static inline void trials_name(const trial *t, faults_kind kind, long n, int all)
{
    print_message("%s (%s), fault of kind %d, call %ld%s:\n", t->name,
                  t->settings ? t->settings : "", (int)kind, n, all ? " and all after it" : "");
}

/* What a fault may lead to: `wanted`, or with `spares` success, where the call was one that can
 * be done without. */
static inline int trials_fine(nln_status status, const nln_error *err, nln_status wanted,
                              int spares)
{
    if (status == NLN_OK)
        return spares;
    return status == wanted && err->status == status && err->message[0];
}

/* One run with the n-th call failing; how many calls did. */
static inline long trials_once(const trial *t, faults_kind kind, long n, int all, nln_status wanted,
                               int spares)
{
    nln_error err = {0};
    long blocks = faults_blocks(), files = faults_files();
    size_t used = nln_memory_used();
    faults_arm(kind, n, all);
    nln_status status = t->run(t->settings, &err);
    long failed = faults_disarm();
    trials_status = status;
    if (!trials_fine(status, &err, failed ? wanted : NLN_OK, !failed || spares) ||
        faults_blocks() != blocks || faults_files() != files || nln_memory_used() != used) {
        trials_name(t, kind, n, all);
        fail_msg("%ld failed; status %d: %s; %ld blocks, %ld files, %ld bytes left", failed,
                 (int)status, err.message, faults_blocks() - blocks, faults_files() - files,
                 (long)(nln_memory_used() - used));
    }
    return failed;
}

/* `after`, unless NULL, is called after each. */
static inline void trials_each(const trial *t, faults_kind kind, nln_status wanted, int spares,
                               void (*after)(const trial *t))
{
    for (int all = 0; all < 2; all++) {
        long failed = 1;
        for (long n = 0; failed; n++) { /* The call of number 0 does not come: nothing fails. */
            failed = trials_once(t, n ? kind : FAULTS_NONE, n, all, wanted, spares) || n == 0;
            trials_failures += failed && n > 0;
            if (after)
                after(t);
        }
    }
}

/* Whether the memory of jansson fails too: the malloc that this file sees is the one that does.
 * Its parser must be spared: jansson 2.14 goes on when the text of a token cannot grow, and loses
 * characters. */
static inline void trials_fail_jansson(int fails)
{
    json_set_alloc_funcs(fails ? malloc : faults_malloc, fails ? free : faults_free);
}

static inline int trials_tell(int failed)
{
    printf("%ld faults\n", trials_failures);
    return failed;
}

#endif

/* A team of threads that share out the steps of a loop.
 *
 * OpenMP would do, but its threads wait by spinning, which on a busy machine costs
 * many times the work; these spin for some microseconds and then sleep.  They are
 * also plain threads to the thread sanitizer. */
#ifndef NLN_BASE_THREAD_POOL_H
#define NLN_BASE_THREAD_POOL_H

#include "base/error.h"

typedef struct nln_thread_pool nln_thread_pool;

/* n_threads counts the caller; 1 makes a team of no one else. */
nln_status nln_thread_pool_create(nln_thread_pool **out, int n_threads, nln_error *err);
void nln_thread_pool_free(nln_thread_pool *team);

/* Calls step(context, i) once for every i in 0 .. n - 1, in any order and on any thread,
 * and returns when all are done.  One run at a time.  Inside a step denormal numbers count as
 * 0; outside, the caller's setting stays. */
void nln_thread_pool_run(nln_thread_pool *team, int n, void (*step)(void *context, int i),
                         void *context);
/* The same for many small steps that run again and again: each thread begins with the same ones
 * every time, whose memory it may still have in its cache, and then helps the others. */
void nln_thread_pool_run_again(nln_thread_pool *team, int n, void (*step)(void *context, int i),
                               void *context);

int nln_thread_pool_size(const nln_thread_pool *team);
/* The processors of this machine, at least 1. */
int nln_thread_pool_processors(void);

#endif

/* A pool of threads that run the steps of a loop.
 *
 * OpenMP's threads wait by spinning, which on a busy machine takes many times the
 * time of the work; these spin for 0.1 ms and then sleep.  The thread sanitizer also
 * understands them. */
#ifndef NLN_BASE_THREAD_POOL_H
#define NLN_BASE_THREAD_POOL_H

#include "base/error.h"

typedef struct nln_thread_pool nln_thread_pool;

/* n_threads includes the caller; 1 starts no thread. */
nln_status nln_thread_pool_create(nln_thread_pool **out, int n_threads, nln_error *err);
void nln_thread_pool_free(nln_thread_pool *pool);

/* Calls step(context, i) once for every i in 0 .. n - 1, in any order and on any thread,
 * and returns when all are done.  Only one run at a time.  Inside a step denormal numbers count
 * as 0; outside, the caller's setting stays. */
void nln_thread_pool_run(nln_thread_pool *pool, int n, void (*step)(void *context, int i),
                         void *context);
/* The same for many small steps that run again and again: each thread begins with the same steps
 * every time, whose memory may still be in its cache, and then helps the others. */
void nln_thread_pool_run_again(nln_thread_pool *pool, int n, void (*step)(void *context, int i),
                               void *context);

int nln_thread_pool_size(const nln_thread_pool *pool);
/* The processors of this machine, at least 1. */
int nln_thread_pool_processors(void);

#endif

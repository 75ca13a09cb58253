#include "base/thread_pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

/* A thread looks at a flag this often, some 0.1 ms, before it sleeps: the caller is alone for
 * less than that between the runs of a batch, and waking up takes as long. */
enum { SPINS = 8000 };

/* Steps that a thread takes before others help it, padded so that no two share a cache line. */
typedef struct queue {
    atomic_int next;
    int end;
    char padding[56];
} queue;

typedef struct worker {
    nln_thread_pool *pool;
    int number; /* from 1 on; the caller is 0 */
    pthread_t thread;
} worker;

struct nln_thread_pool {
    int n_workers; /* beside the caller */
    worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;

    void (*step)(void *context, int i);
    void *context;
    int n_queues; /* of this run: 1, or one for each thread */
    queue *queues;
    atomic_int working; /* workers still in this run */
    atomic_uint run;    /* number of the run; changes wake the workers */
    int leaving;        /* under the lock */
};

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Numbers too small for a normal float cost a hundred times the time of others, and the
 * gradients of a trained network are full of them: inside a run they count as 0.  Returns
 * the state for restore_denormals. */
static unsigned flush_denormals(void)
{
#if defined(__x86_64__)
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZERO = 0x40 };
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | FLUSH_TO_ZERO | DENORMALS_ARE_ZERO);
    return before;
#else
    return 0;
#endif
}

static void restore_denormals(unsigned before)
{
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(before);
#else
    (void)before;
#endif
}

/* Takes the steps of the own queue first. */
static void take_steps(nln_thread_pool *t, int number)
{
    unsigned before = flush_denormals();
    for (int k = 0; k < t->n_queues; k++) {
        queue *q = &t->queues[(number + k) % t->n_queues];
        for (int i; (i = atomic_fetch_add(&q->next, 1)) < q->end;)
            t->step(t->context, i);
    }
    restore_denormals(before);
}

/* Waits for a run other than `seen`; 0 when the pool ends. */
static int wait_for_run(nln_thread_pool *t, unsigned seen)
{
    for (int i = 0; i < SPINS && atomic_load(&t->run) == seen; i++)
        pause_briefly();
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->run) == seen)
        pthread_cond_wait(&t->begun, &t->lock);
    int leaving = t->leaving;
    pthread_mutex_unlock(&t->lock);
    return !leaving;
}

static void *work(void *argument)
{
    const worker *w = argument;
    nln_thread_pool *t = w->pool;
    unsigned seen = 0;
    while (wait_for_run(t, seen)) {
        seen++;
        take_steps(t, w->number);
        if (atomic_fetch_sub(&t->working, 1) == 1) {
            pthread_mutex_lock(&t->lock);
            pthread_cond_signal(&t->ended);
            pthread_mutex_unlock(&t->lock);
        }
    }
    return NULL;
}

static void begin_run(nln_thread_pool *t, int leaving)
{
    pthread_mutex_lock(&t->lock);
    t->leaving = leaving;
    atomic_store(&t->working, t->n_workers);
    atomic_fetch_add(&t->run, 1);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
}

nln_status nln_thread_pool_create(nln_thread_pool **out, int n_threads, nln_error *err)
{
    nln_thread_pool *t = nln_memory_zeroed(1, sizeof *t);
    if (!t)
        return nln_error_memory(err);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->ended, NULL);
    t->workers = nln_memory_zeroed((size_t)n_threads, sizeof *t->workers);
    t->queues = nln_memory_zeroed((size_t)n_threads, sizeof *t->queues);
    if (!t->workers || !t->queues) {
        nln_thread_pool_free(t);
        return nln_error_memory(err);
    }
    for (int i = 0; i + 1 < n_threads; i++) {
        worker *w = &t->workers[i];
        *w = (worker){.pool = t, .number = i + 1};
        if (pthread_create(&w->thread, NULL, work, w)) {
            nln_thread_pool_free(t);
            return nln_error_set(err, NLN_LIMIT,
                                 "the system gives no more than %d threads: ask for fewer", i + 1);
        }
        t->n_workers++;
    }
    *out = t;
    return NLN_OK;
}

void nln_thread_pool_free(nln_thread_pool *pool)
{
    if (!pool)
        return;
    begin_run(pool, 1);
    for (int i = 0; i < pool->n_workers; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->begun);
    pthread_cond_destroy(&pool->ended);
    pthread_mutex_destroy(&pool->lock);
    nln_free(pool->workers);
    nln_free(pool->queues);
    nln_free(pool);
}

static void run(nln_thread_pool *t, int n, int n_queues, void (*step)(void *context, int i),
                void *context)
{
    t->step = step;
    t->context = context;
    t->n_queues = n_queues;
    for (int64_t i = 0; i < n_queues; i++) {
        atomic_store(&t->queues[i].next, (int)(n * i / n_queues));
        t->queues[i].end = (int)(n * (i + 1) / n_queues);
    }
    if (!t->n_workers || n < 2) {
        take_steps(t, 0);
        return;
    }
    begin_run(t, 0);
    take_steps(t, 0);
    for (int i = 0; i < SPINS && atomic_load(&t->working); i++)
        pause_briefly();
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->working))
        pthread_cond_wait(&t->ended, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

void nln_thread_pool_run(nln_thread_pool *t, int n, void (*step)(void *context, int i),
                         void *context)
{
    run(t, n, 1, step, context);
}

void nln_thread_pool_run_again(nln_thread_pool *t, int n, void (*step)(void *context, int i),
                               void *context)
{
    run(t, n, nln_thread_pool_size(t), step, context);
}

int nln_thread_pool_size(const nln_thread_pool *pool)
{
    return pool->n_workers + 1;
}

int nln_thread_pool_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

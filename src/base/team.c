#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"

/* Looks at a flag this often, some 0.1 ms, before sleeping: the caller is alone for less than
 * that between the runs of a batch, and it takes as long to wake up. */
enum { PATIENCE = 8000 };

struct nln_team {
    int n_workers; /* beside the caller */
    pthread_t *workers;
    pthread_mutex_t lock;
    pthread_cond_t begun, ended;

    void (*step)(void *context, int i);
    void *context;
    int n;
    atomic_int next;    /* the step to take */
    atomic_int working; /* workers still in this run */
    atomic_uint run;    /* number of the run; changes wake the workers */
    int leaving;        /* under the lock */
};

static void breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

/* Numbers too small for a normal float cost a hundred times the time of others, and the
 * gradients of a trained network are full of them: inside a run they count as 0.  Returns
 * what restore_denormals needs to undo it. */
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

static void take_steps(nln_team *t)
{
    unsigned before = flush_denormals();
    for (int i; (i = atomic_fetch_add(&t->next, 1)) < t->n;)
        t->step(t->context, i);
    restore_denormals(before);
}

/* Waits for a run other than `seen`; 0 when the team is dissolved. */
static int wait_for_run(nln_team *t, unsigned seen)
{
    for (int i = 0; i < PATIENCE && atomic_load(&t->run) == seen; i++)
        breathe();
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->run) == seen)
        pthread_cond_wait(&t->begun, &t->lock);
    int leaving = t->leaving;
    pthread_mutex_unlock(&t->lock);
    return !leaving;
}

static void *worker(void *argument)
{
    nln_team *t = argument;
    unsigned seen = 0;
    while (wait_for_run(t, seen)) {
        seen++;
        take_steps(t);
        if (atomic_fetch_sub(&t->working, 1) == 1) {
            pthread_mutex_lock(&t->lock);
            pthread_cond_signal(&t->ended);
            pthread_mutex_unlock(&t->lock);
        }
    }
    return NULL;
}

static void begin_run(nln_team *t, int leaving)
{
    pthread_mutex_lock(&t->lock);
    t->leaving = leaving;
    atomic_store(&t->next, 0);
    atomic_store(&t->working, t->n_workers);
    atomic_fetch_add(&t->run, 1);
    pthread_cond_broadcast(&t->begun);
    pthread_mutex_unlock(&t->lock);
}

nln_status nln_team_create(nln_team **out, int n_threads, nln_error *err)
{
    nln_team *t = nln_memory_zeroed(1, sizeof *t);
    if (!t || !(t->workers = nln_memory_zeroed((size_t)n_threads, sizeof *t->workers))) {
        nln_free(t);
        return nln_error_memory(err);
    }
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begun, NULL);
    pthread_cond_init(&t->ended, NULL);
    for (int i = 0; i + 1 < n_threads; i++) {
        if (pthread_create(&t->workers[i], NULL, worker, t)) {
            nln_team_free(t);
            return nln_error_set(err, NLN_LIMIT,
                                 "the system gives no more than %d threads: ask for fewer", i + 1);
        }
        t->n_workers++;
    }
    *out = t;
    return NLN_OK;
}

void nln_team_free(nln_team *team)
{
    if (!team)
        return;
    begin_run(team, 1);
    for (int i = 0; i < team->n_workers; i++)
        pthread_join(team->workers[i], NULL);
    pthread_cond_destroy(&team->begun);
    pthread_cond_destroy(&team->ended);
    pthread_mutex_destroy(&team->lock);
    nln_free(team->workers);
    nln_free(team);
}

void nln_team_run(nln_team *t, int n, void (*step)(void *context, int i), void *context)
{
    t->step = step;
    t->context = context;
    t->n = n;
    if (!t->n_workers || n < 2) {
        atomic_store(&t->next, 0);
        take_steps(t);
        return;
    }
    begin_run(t, 0);
    take_steps(t);
    for (int i = 0; i < PATIENCE && atomic_load(&t->working); i++)
        breathe();
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->working))
        pthread_cond_wait(&t->ended, &t->lock);
    pthread_mutex_unlock(&t->lock);
}

int nln_team_size(const nln_team *team)
{
    return team->n_workers + 1;
}

int nln_team_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 1024 ? 1024 : (int)n;
}

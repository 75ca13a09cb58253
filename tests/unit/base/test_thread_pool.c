/* A team takes every step once, whatever its size and the number of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "base/thread_pool.h"

enum { MOST = 200 };

typedef struct tally {
    atomic_int taken[MOST];
} tally;

static void take(void *context, int i)
{
    atomic_fetch_add(&((tally *)context)->taken[i], 1);
}

static void test_every_step_once(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 9; threads += 2) {
        nln_thread_pool *team = NULL;
        assert_int_equal(nln_thread_pool_create(&team, threads, NULL), NLN_OK);
        assert_int_equal(nln_thread_pool_size(team), threads);
        for (int n = 0; n < MOST; n += 7) {
            tally t = {0};
            nln_thread_pool_run(team, n, take, &t);
            for (int i = 0; i < MOST; i++)
                assert_int_equal(atomic_load(&t.taken[i]), i < n);
            nln_thread_pool_run_again(team, n, take, &t);
            for (int i = 0; i < MOST; i++)
                assert_int_equal(atomic_load(&t.taken[i]), i < n ? 2 : 0);
        }
        nln_thread_pool_free(team);
    }
}

/* What a run wrote is seen by the caller and by the next run. */
static void add_one(void *context, int i)
{
    ((int *)context)[i]++;
}

static void test_runs_follow_each_other(void **state)
{
    (void)state;
    nln_thread_pool *team = NULL;
    int counts[16] = {0};
    assert_int_equal(nln_thread_pool_create(&team, 4, NULL), NLN_OK);
    for (int run = 0; run < 2500; run++) {
        nln_thread_pool_run(team, 16, add_one, counts);
        nln_thread_pool_run_again(team, 16, add_one, counts);
    }
    for (int i = 0; i < 16; i++)
        assert_int_equal(counts[i], 5000);
    nln_thread_pool_free(team);
    nln_thread_pool_free(NULL);
    assert_true(nln_thread_pool_processors() >= 1);
}

/* A thread that has nothing left takes the steps of one that hangs: step 0 returns when all others
 * are done, so the run would never end if they waited for its thread. */
static void hang(void *context, int i)
{
    tally *t = context;
    if (i == 0)
        for (int n = 0; n < MOST - 1;) {
            n = 0;
            for (int j = 1; j < MOST; j++)
                n += atomic_load(&t->taken[j]);
        }
    take(context, i);
}

static void test_threads_help_each_other(void **state)
{
    (void)state;
    nln_thread_pool *team = NULL;
    tally t = {0};
    assert_int_equal(nln_thread_pool_create(&team, 3, NULL), NLN_OK);
    nln_thread_pool_run_again(team, MOST, hang, &t);
    for (int i = 0; i < MOST; i++)
        assert_int_equal(atomic_load(&t.taken[i]), 1);
    nln_thread_pool_free(team);
}

/* Steps that wait for each other are on two threads: which, is the same every time. */
typedef struct meeting {
    atomic_int here;
    pthread_t who[2];
} meeting;

static void meet(void *context, int i)
{
    meeting *m = context;
    m->who[i] = pthread_self();
    atomic_fetch_add(&m->here, 1);
    while (atomic_load(&m->here) < 2)
        sched_yield();
}

static void test_threads_begin_with_the_same_steps(void **state)
{
    (void)state;
    nln_thread_pool *team = NULL;
    assert_int_equal(nln_thread_pool_create(&team, 2, NULL), NLN_OK);
    for (int run = 0; run < 500; run++) {
        meeting m = {0};
        nln_thread_pool_run_again(team, 2, meet, &m);
        assert_true(pthread_equal(m.who[0], pthread_self()));
        assert_false(pthread_equal(m.who[1], pthread_self()));
    }
    nln_thread_pool_free(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_step_once),
        cmocka_unit_test(test_runs_follow_each_other),
        cmocka_unit_test(test_threads_help_each_other),
        cmocka_unit_test(test_threads_begin_with_the_same_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

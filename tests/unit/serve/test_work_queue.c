#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>

#include "serve/work_queue.h"

static atomic_int runs;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void run(nln_http_request *r)
{
    pthread_mutex_lock(&gate);
    r->status++;
    pthread_mutex_unlock(&gate);
    atomic_fetch_add(&runs, 1);
}

static void test_everything_is_run_once(void **state)
{
    enum { N = 2000 };
    static nln_http_request requests[N];
    nln_work_queue *q;
    (void)state;
    assert_int_equal(nln_work_queue_create(&q, 3, N, run, NULL), NLN_OK);
    for (int i = 0; i < N; i++)
        assert_true(nln_work_queue_add(q, &requests[i]));
    nln_work_queue_free(q); /* runs what waits */
    for (int i = 0; i < N; i++)
        assert_int_equal(requests[i].status, 1);
}

static void test_a_full_queue_refuses(void **state)
{
    static nln_http_request requests[8];
    nln_work_queue *q;
    int taken = 0;
    (void)state;
    pthread_mutex_lock(&gate); /* the worker is stuck in its first request */
    assert_int_equal(nln_work_queue_create(&q, 1, 4, run, NULL), NLN_OK);
    atomic_store(&runs, 0);
    for (int i = 0; i < 8; i++)
        taken += nln_work_queue_add(q, &requests[i]);
    assert_true(taken == 4 || taken == 5);
    assert_true(nln_work_queue_waiting(q) <= 4);
    pthread_mutex_unlock(&gate);
    nln_work_queue_free(q);
    assert_int_equal(atomic_load(&runs), taken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_is_run_once),
        cmocka_unit_test(test_a_full_queue_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

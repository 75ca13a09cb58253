/* A team takes every step once, whatever its size and the number of steps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdatomic.h>

#include "base/team.h"

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
        nln_team *team = NULL;
        assert_int_equal(nln_team_create(&team, threads, NULL), NLN_OK);
        assert_int_equal(nln_team_size(team), threads);
        for (int n = 0; n < MOST; n += 7) {
            tally t = {0};
            nln_team_run(team, n, take, &t);
            for (int i = 0; i < MOST; i++)
                assert_int_equal(atomic_load(&t.taken[i]), i < n);
        }
        nln_team_free(team);
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
    nln_team *team = NULL;
    int counts[16] = {0};
    assert_int_equal(nln_team_create(&team, 4, NULL), NLN_OK);
    for (int run = 0; run < 5000; run++)
        nln_team_run(team, 16, add_one, counts);
    for (int i = 0; i < 16; i++)
        assert_int_equal(counts[i], 5000);
    nln_team_free(team);
    nln_team_free(NULL);
    assert_true(nln_team_processors() >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_step_once),
        cmocka_unit_test(test_runs_follow_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

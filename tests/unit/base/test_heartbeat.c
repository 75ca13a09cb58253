/* Ranks are processes here, which end in different ways. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/heartbeat.h"

enum { SIZE = 3 };

static atomic_int who;
static _Atomic double how_long;

static void note(void *context, int rank, double silent)
{
    (void)context;
    how_long = silent;
    who = rank;
}

/* A rank that has lost rank 0. */
static void leave_with(void *context, int rank, double silent)
{
    (void)context;
    _exit(rank == NLN_HEARTBEAT_TOLD ? 30 : silent > 0 ? 10 : 20);
}

static void pause_for(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

typedef enum end { STAYS, FAREWELL, ABORTS, DIES, DIES_LATER, DIES_LAST } end;

/* Another rank, in a process of its own: watches rank 0, and ends when it is told to. */
static pid_t start_rank(const nln_heartbeat_place *place, int rank, double patience, end how,
                        const int go[2])
{
    pid_t child = fork();
    if (child)
        return child;
    nln_heartbeat *w = NULL;
    char word;
    close(go[1]);
    if (nln_heartbeat_connect(&w, place, rank, NULL) ||
        nln_heartbeat_start(w, patience, leave_with, NULL, NULL))
        _exit(2);
    if (read(go[0], &word, 1) != 0) /* until the other end is closed */
        _exit(3);
    if (how == STAYS)
        pause_for(30);
    if (how == DIES_LATER)
        pause_for(0.5);
    if (how == DIES_LAST)
        pause_for(2);
    if (how == DIES || how == DIES_LATER || how == DIES_LAST)
        _exit(0);
    if (how == ABORTS)
        nln_heartbeat_quiet(w);
    else
        nln_heartbeat_free(w);
    _exit(0);
}

typedef struct job {
    nln_heartbeat *zero;
    pid_t rank[SIZE];
    int go;
} job;

static job start_job(end first, end second, double patience)
{
    job j = {0};
    nln_heartbeat_place place;
    int go[2];
    who = -1;
    assert_int_equal(pipe(go), 0);
    assert_int_equal(nln_heartbeat_listen(&j.zero, &place, SIZE, NULL), NLN_OK);
    assert_true(place.n > 0);
    for (int i = 1; i < SIZE; i++) /* before rank 0 has connections, which they would keep open */
        j.rank[i] = start_rank(&place, i, patience, i == 1 ? first : second, go);
    close(go[0]);
    j.go = go[1];
    assert_int_equal(nln_heartbeat_start(j.zero, patience, note, NULL, NULL), NLN_OK);
    pause_for(0.5); /* for all to connect */
    return j;
}

static int code_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void wait_for_alarm(double seconds)
{
    for (int i = 0; i < (int)(seconds * 20) && who < 0; i++)
        pause_for(0.05);
}

static void a_farewell_is_no_alarm(void **state)
{
    (void)state;
    job j = start_job(FAREWELL, FAREWELL, 5);
    close(j.go);
    for (int i = 1; i < SIZE; i++)
        assert_int_equal(code_of(j.rank[i]), 0);
    pause_for(0.3);
    assert_int_equal(who, -1);
    nln_heartbeat_free(j.zero);
}

static void a_rank_that_dies_is_named(void **state)
{
    (void)state;
    job j = start_job(STAYS, DIES, 5);
    close(j.go);
    wait_for_alarm(3);
    assert_int_equal(who, 2);
    assert_true(how_long == 0);
    assert_int_equal(code_of(j.rank[1]), 30); /* rank 0 tells the others */
    assert_int_equal(code_of(j.rank[2]), 0);
    nln_heartbeat_free(j.zero);
}

static void after_an_abort_nobody_is_named(void **state)
{
    (void)state;
    job j = start_job(ABORTS, DIES_LATER, 5);
    close(j.go);
    for (int i = 1; i < SIZE; i++)
        assert_int_equal(code_of(j.rank[i]), 0);
    pause_for(0.3);
    assert_int_equal(who, -1);
    nln_heartbeat_free(j.zero);
}

/* Rank 0 in a process of its own, which ends after a second without a word. */
static pid_t start_zero(nln_heartbeat_place *place)
{
    int report[2];
    assert_int_equal(pipe(report), 0);
    pid_t zero = fork();
    if (!zero) {
        nln_heartbeat *w = NULL;
        if (nln_heartbeat_listen(&w, place, SIZE, NULL) ||
            nln_heartbeat_start(w, 5, note, NULL, NULL) ||
            write(report[1], place, sizeof *place) != sizeof *place)
            _exit(2);
        pause_for(1);
        _exit(0);
    }
    assert_int_equal(read(report[0], place, sizeof *place), sizeof *place);
    close(report[0]);
    close(report[1]);
    return zero;
}

/* Rank 0 goes: the others notice. */
static void the_others_miss_rank_0(void **state)
{
    (void)state;
    nln_heartbeat_place place;
    pid_t zero = start_zero(&place);
    int go[2];
    assert_int_equal(pipe(go), 0);
    pid_t other = start_rank(&place, 1, 5, STAYS, go);
    assert_int_equal(code_of(zero), 0);
    assert_int_equal(code_of(other), 20); /* while it waits for the word to go */
    close(go[0]);
    close(go[1]);
}

/* ... unless another rank has aborted the job, of which rank 0 tells them. */
static void an_abort_reaches_all(void **state)
{
    (void)state;
    nln_heartbeat_place place;
    pid_t zero = start_zero(&place);
    int go[2];
    assert_int_equal(pipe(go), 0);
    pid_t aborts = start_rank(&place, 1, 5, ABORTS, go);
    pid_t other = start_rank(&place, 2, 5, DIES_LAST, go);
    pause_for(0.3); /* for both to connect */
    close(go[0]);
    close(go[1]);
    assert_int_equal(code_of(aborts), 0);
    assert_int_equal(code_of(zero), 0);
    assert_int_equal(code_of(other), 0);
}

/* A process that is stopped is silent. */
static void silence_is_counted(void **state)
{
    (void)state;
    nln_heartbeat_place place;
    nln_heartbeat *w = NULL;
    int go[2];
    who = -1;
    assert_int_equal(pipe(go), 0);
    assert_int_equal(nln_heartbeat_listen(&w, &place, 2, NULL), NLN_OK);
    assert_int_equal(nln_heartbeat_start(w, 1.5, note, NULL, NULL), NLN_OK);
    pid_t other = start_rank(&place, 1, 60, STAYS, go);
    pause_for(0.5);
    kill(other, SIGSTOP);
    wait_for_alarm(10);
    assert_int_equal(who, 1);
    assert_true(how_long > 1.5);
    kill(other, SIGKILL);
    code_of(other);
    nln_heartbeat_free(w);
    close(go[0]);
    close(go[1]);
}

static void strangers_are_not_admitted(void **state)
{
    (void)state;
    nln_heartbeat_place place, other;
    nln_heartbeat *w = NULL, *stranger = NULL;
    who = -1;
    assert_int_equal(nln_heartbeat_listen(&w, &place, 2, NULL), NLN_OK);
    assert_int_equal(nln_heartbeat_start(w, 5, note, NULL, NULL), NLN_OK);
    other = place;
    other.token ^= 1;
    other.n = 1;
    assert_int_equal(nln_heartbeat_connect(&stranger, &other, 1, NULL), NLN_IO);
    other = place;
    assert_int_equal(nln_heartbeat_connect(&stranger, &other, 7, NULL), NLN_IO);
    assert_int_equal(nln_heartbeat_connect(&stranger, &place, 1, NULL), NLN_OK);
    nln_heartbeat_free(stranger);
    pause_for(0.2);
    assert_int_equal(who, -1);
    nln_heartbeat_free(w);
    nln_heartbeat_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_farewell_is_no_alarm),
        cmocka_unit_test(a_rank_that_dies_is_named),
        cmocka_unit_test(after_an_abort_nobody_is_named),
        cmocka_unit_test(the_others_miss_rank_0),
        cmocka_unit_test(an_abort_reaches_all),
        cmocka_unit_test(silence_is_counted),
        cmocka_unit_test(strangers_are_not_admitted),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}

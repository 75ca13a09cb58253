/* Runs that ranks of a job share: each is claimed once, and rank 0 learns of all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocate.h"
#include "ranks.h"
#include "runs/run_claims.h"

enum { RUNS = 20 };

/* A folder that all ranks know. */
static char folder[64];

static void fill(cli_runs *runs)
{
    *runs = (cli_runs){.folder = cli_memory_copy(folder, strlen(folder)), .lock = -1};
    for (int i = 0; i < RUNS; i++)
        cli_runs_add(runs, "run-%d", i);
}

static int count_entries(void)
{
    DIR *all = opendir(folder);
    int n = 0;
    assert_non_null(all);
    while (readdir(all))
        n++;
    closedir(all);
    return n - 2;
}

static void every_run_is_claimed_once(void **state)
{
    (void)state;
    char mine[RUNS + 1] = "", *all;
    size_t n;
    cli_runs runs;
    fill(&runs);
    assert_int_equal(cli_run_claims_open(&runs), 0);
    assert_true((runs.claims != NULL) == (nln_cluster_size() > 1));
    for (int i = 0; i < RUNS; i++)
        if (cli_run_claims_claim(&runs, runs.all[i]))
            mine[strlen(mine)] = (char)('a' + i);
    assert_int_equal(nln_cluster_gather(&all, &n, mine, strlen(mine), NULL), 0);
    assert_int_equal(n, RUNS);
    for (int i = 0; i < RUNS; i++)
        assert_non_null(strchr(all, 'a' + i));
    nln_free(all);
    cli_run_claims_close(&runs);
    cli_runs_close(&runs);
    if (!nln_cluster_rank())
        assert_int_equal(count_entries(), 0);
}

/* A run of another rank that has failed is told to rank 0, with the reason. */
static void failures_come_to_rank_0(void **state)
{
    (void)state;
    cli_runs runs;
    fill(&runs);
    assert_int_equal(cli_run_claims_open(&runs), 0);
    for (int i = 0; i < RUNS; i++)
        if (i % nln_cluster_size() == nln_cluster_rank()) {
            assert_true(cli_run_claims_claim(&runs, runs.all[i]));
            runs.all[i]->failure = cli_memory_print("reason %d", i);
        }
    assert_int_equal(cli_run_claims_meet(&runs), 0);
    for (int i = 0; i < RUNS && !nln_cluster_rank(); i++) {
        char *wanted = cli_memory_print("reason %d", i);
        assert_string_equal(runs.all[i]->failure, wanted);
        free(wanted);
    }
    cli_run_claims_close(&runs);
    cli_runs_close(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_run_is_claimed_once),
        cmocka_unit_test(failures_come_to_rank_0),
    };
    nln_error err = {0};
    char *all;
    size_t n;
    if (nln_cluster_join(&err))
        return 1;
    if (!nln_cluster_rank()) {
        snprintf(folder, sizeof folder, "/tmp/nln-test-XXXXXX");
        if (!mkdtemp(folder))
            return 1;
    }
    if (nln_cluster_gather(&all, &n, folder, strlen(folder), NULL))
        return 1;
    snprintf(folder, sizeof folder, "%s", all);
    nln_free(all);
    int failed = cmocka_run_group_tests(tests, NULL, NULL), size = nln_cluster_size();
    if (failed)
        nln_cluster_abort(NULL);
    if (!nln_cluster_rank())
        rmdir(folder);
    nln_cluster_leave();
    return failed || (size == 1 && ranks_run((const int[]){2, 3}, 2));
}

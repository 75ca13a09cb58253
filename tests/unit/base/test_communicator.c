/* What ranks say to each other, and a process that is alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/communicator.h"
#include "ranks.h"

static int rank, size;

static void rank_0_is_heard_by_all(void **state)
{
    (void)state;
    char text[100] = "";
    if (!rank)
        snprintf(text, sizeof text, "from rank 0");
    nln_communicator_broadcast(text, sizeof text);
    assert_string_equal(text, "from rank 0");
}

static void all_gather(void **state)
{
    (void)state;
    int64_t all[64] = {0}, mine = 100 + rank;
    nln_communicator_gather(all, &mine, sizeof mine);
    for (int r = 0; r < size; r++)
        assert_int_equal(all[r], 100 + r);
    for (int who = -1; who < size; who++)
        assert_int_equal(nln_communicator_any(rank == who), who >= 0);
}

static void shares_are_all_of_it(void **state)
{
    (void)state;
    for (size_t k = 0; k < 40; k++) {
        size_t n = k, block = 1 + k % 4;
        int32_t item[40] = {0};
        nln_share s = nln_communicator_share(n, block);
        assert_true(s.first <= s.last && s.last <= n);
        assert_true(s.first % block == 0 || s.first == n);
        assert_true(s.last - s.first <= n / (size_t)size + block);
        for (size_t i = s.first; i < s.last; i++)
            item[i] = (int32_t)(7 * i + 1);
        nln_communicator_join_shares(item, n, block, sizeof *item);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(item[i], 7 * i + 1);
    }
}

static void texts_are_put_end_to_end(void **state)
{
    (void)state;
    char mine[20], wanted[200] = "", *all;
    size_t n;
    snprintf(mine, sizeof mine, "%.*s<%d>", rank % 3, "xx", rank);
    for (int r = 0; r < size; r++)
        snprintf(wanted + strlen(wanted), 20, "%.*s<%d>", r % 3, "xx", r);
    assert_int_equal(nln_cluster_gather(&all, &n, mine, strlen(mine), NULL), NLN_OK);
    assert_int_equal(n, strlen(wanted));
    assert_string_equal(all, wanted);
    nln_free(all);
}

/* Only rank 0 needs to have the file. */
static void a_file_of_rank_0_is_read_by_all(void **state)
{
    (void)state;
    char name[] = "/tmp/nln-test-XXXXXX", text[32] = "";
    int descriptor = rank ? -1 : mkstemp(name);
    const char *path = rank ? "/nowhere/at/all" : name, *none = "/nowhere/at/all";
    nln_shared_file file;
    if (!rank)
        assert_int_equal(write(descriptor, "what it says", 12), 12);
    assert_int_equal(nln_shared_file_open(&file, &path, NULL), NLN_OK);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    assert_int_equal(fread(text, 1, sizeof text, in), 12);
    assert_string_equal(text, "what it says");
    fclose(in);
    nln_shared_file_close(&file);
    assert_int_equal(nln_shared_file_open(&file, &none, NULL), NLN_OK);
    assert_true(size == 1 || !none);
    nln_shared_file_close(&file);
    if (!rank)
        unlink(name);
}

static void counts_grow(void **state)
{
    (void)state;
    nln_communicator_counts *c = nln_communicator_count();
    double before = c->bytes_sent;
    char all[64], mine = 1;
    nln_communicator_gather(all, &mine, 1);
    assert_true(size == 1 ? c->bytes_sent == 0 : c->bytes_sent > before || rank);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_0_is_heard_by_all),
        cmocka_unit_test(all_gather),
        cmocka_unit_test(shares_are_all_of_it),
        cmocka_unit_test(texts_are_put_end_to_end),
        cmocka_unit_test(a_file_of_rank_0_is_read_by_all),
        cmocka_unit_test(counts_grow),
    };
    nln_error err = {0};
    if (nln_cluster_join(&err))
        return 1;
    rank = nln_cluster_rank();
    size = nln_cluster_size();
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        nln_cluster_abort(NULL);
    nln_cluster_leave();
    return failed || (size == 1 && ranks_run((const int[]){2, 3, 8}, 3));
}

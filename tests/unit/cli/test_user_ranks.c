/* The file of --per-user, written and read again. */
#include "show/user_ranks.h"

#include "cli_test.h"

/* Users are paired by name, whatever the order of the files; a user's lines are averaged. */
static void users_are_paired_by_name(void **state)
{
    cli_user_ranks a = {0}, b = {0};
    (void)state;

    write_file("first", "user\tndcg\nbob\t1\nann\t0\nann\t1\nzoe\t1\n");
    write_file("second", "user\tndcg\nann\t0\ncleo\t1\nbob\t0.75\n");
    assert_true(cli_user_ranks_add(&a, "first", "ndcg"));
    assert_true(cli_user_ranks_add(&b, "second", "ndcg"));
    assert_false(cli_user_ranks_add(&b, "second", "hit"));
    assert_false(cli_user_ranks_add(&b, "/nowhere/at/all", "ndcg"));
    cli_user_ranks_settle(&a);
    cli_user_ranks_settle(&b);
    assert_int_equal(a.n, 3);
    nln_paired paired = cli_user_ranks_compare(&a, &b);
    assert_int_equal(paired.difference.n, 2);
    assert_true(fabs(paired.difference.mean - 0.375) < 1e-12); /* 1/2 for ann, 1/4 for bob */
    cli_user_ranks_free(&a);
    cli_user_ranks_free(&b);
}

static void a_line_has_ranks_and_metrics(void **state)
{
    nln_options *options = NULL;
    nln_ratings *ratings = NULL;
    nln_ratings_report report;
    const nln_placing placings[] = {{0, 1, 0.5, 1, 3}, {0, 0, -2, 11, 20.5}};
    (void)state;

    write_file("ratings", "ann\ttea\t5\t1\nann\tjam\t4\t2\n");
    assert_int_equal(nln_options_create(&options, "ratings", NULL), NLN_OK);
    assert_int_equal(nln_ratings_read(&ratings, &report, "ratings", options, NULL), NLN_OK);
    assert_int_equal(cli_user_ranks_write(placings, 2, ratings, "ranks"), 0);
    assert_file("ranks", "user\titem\tscore\trank_sampled\trank_full\tndcg@10_sampled\t"
                         "hit@10_sampled\tndcg@10_full\thit@10_full\n"
                         "ann\tjam\t0.5\t1\t3\t1.000000\t1\t0.500000\t1\n"
                         "ann\ttea\t-2\t11\t20.5\t0.000000\t0\t0.000000\t0\n");
    nln_ratings_free(ratings);
    nln_options_free(options);
}

/* A triple is named as an atom, and its metrics are the means over both questions. */
static void a_triple_has_both_ranks(void **state)
{
    nln_options *options = NULL;
    nln_triples *triples = NULL;
    const nln_link_placing placings[] = {{0, 0, 1, 2, 1}, {1, 0, 2, 20, 4.5}};
    cli_user_ranks a = {0};
    (void)state;

    write_file("triples", "ann\tknows\tbob\nbob\tknows\teve\n");
    assert_int_equal(nln_options_create(&options, "triples", NULL), NLN_OK);
    assert_int_equal(nln_options_set(options, "holdout", "0", NULL), NLN_OK);
    assert_int_equal(nln_triples_read(&triples, "triples", options, NULL), NLN_OK);
    assert_int_equal(cli_user_ranks_write_links(placings, 2, triples, "links"), 0);
    assert_file("links", "triple\trank_tail\trank_head\tmrr\thits@1\thits@3\thits@10\n"
                         "knows(ann, bob)\t1\t2\t0.750000\t0.5\t1.0\t1.0\n"
                         "knows(bob, eve)\t4.5\t20\t0.136111\t0.0\t0.0\t0.5\n");
    assert_true(cli_user_ranks_add(&a, "links", "mrr"));
    assert_int_equal(a.n, 2);
    assert_string_equal(a.means[0].user, "knows(ann, bob)");
    cli_user_ranks_free(&a);
    nln_triples_free(triples);
    nln_options_free(options);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(users_are_paired_by_name),
        cmocka_unit_test(a_line_has_ranks_and_metrics),
        cmocka_unit_test(a_triple_has_both_ranks),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}

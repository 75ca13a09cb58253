/* The tables of the study name only what there is, and what reads files for it reads them
 * right. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nln_lab.h"
#include "reproduce/paper_tables.h"
#include "reproduce/tuned_options.h"
#include "show/tsv_file.h"
#include "show/user_ranks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* In place of the files of share/tuned. */
const cli_tuned cli_tuned_files[] = {
    {"topk-shop-gru", "# chosen so\n\n l2 = 1e-5 # small\nrecipe=paper\r\nnothing\n\tclip =0"},
    {"topk-shop-ncf", ""},
    {NULL, NULL},
};

/* ---- the study ----------------------------------------------------------------------------- */

static void exhibits_name_what_there_is(void **state)
{
    const cli_exhibit *e;
    (void)state;

    for (int i = 0; (e = cli_paper_exhibit(i)); i++) {
        assert_ptr_equal(cli_paper_find(e->name), e);
        for (int s = 0; s < CLI_MOST_SOURCES && e->sources[s]; s++) {
            const cli_source *source = cli_paper_source(e->sources[s]);
            assert_non_null(source);
            if (e->kind == CLI_SWEEP)
                assert_non_null(cli_paper_measure_of(source, e->keys[s]));
            for (int k = 0; k < CLI_MOST_STEPS && e->steps[k].method; k++) {
                const cli_method *method = cli_paper_method_named(e->steps[k].method);
                assert_non_null(method);
                assert_true(cli_paper_is_for(method, source));
            }
        }
    }
    assert_null(cli_paper_find("table9"));
}

/* A step of a sweep is labelled by the weight that its method has. */
static void sweeps_say_their_weights(void **state)
{
    const cli_exhibit *e;
    int n = 0;
    (void)state;

    for (int i = 0; (e = cli_paper_exhibit(i)); i++)
        for (int k = 0; e->kind == CLI_SWEEP && k < CLI_MOST_STEPS && e->steps[k].method; k++) {
            const char *words = cli_paper_method_named(e->steps[k].method)->words;
            const char *weight = strstr(words, "--law-weight ");
            if (weight)
                assert_string_equal(weight + strlen("--law-weight "), e->steps[k].label);
            n += weight != NULL;
        }
    assert_true(n >= 8);
}

static void methods_are_told_apart(void **state)
{
    const cli_method *method;
    (void)state;

    for (int i = 0; (method = cli_paper_method(i)); i++) {
        assert_ptr_equal(cli_paper_method_named(method->name), method);
        assert_true(!method->after || cli_paper_method_named(method->after));
        assert_true((method->standing == CLI_LIMIT) == (method->after != NULL));
    }
}

static void published_numbers_have_a_place(void **state)
{
    static const char *const sources[] = {"1k-5k", "20k-50k", "ml100k-preference", "ml100k-topk"};
    (void)state;

    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        const cli_source *source = cli_paper_source(sources[i]);
        const cli_measure *measure;
        int n = 0;
        for (int m = 0; (measure = cli_paper_measure(m)); m++) {
            const cli_published *p =
                cli_paper_published(source, cli_paper_method_named("nln"), measure);
            if (!p || strcmp(measure->task, source->task) != 0)
                continue;
            assert_true(p->value > 0 && p->value < 1 && p->error < 0.05);
            n++;
        }
        assert_true(n >= 1);
    }
}

static void a_task_is_a_whole_word(void **state)
{
    const cli_method method = {.tasks = "topknot preference"};
    const cli_source topk = {.task = "topk"}, preference = {.task = "preference"};
    (void)state;

    assert_false(cli_paper_is_for(&method, &topk));
    assert_true(cli_paper_is_for(&method, &preference));
}

/* ---- files ------------------------------------------------------------------------------------
 */

static void tuned_values_become_options(void **state)
{
    static const char *const expected[] = {"--l2=1e-5", "--recipe=paper", "--clip=0"};
    const char *text = cli_tuned_find("topk", "shop", "gru");
    (void)state;

    for (size_t i = 0; i < 3; i++) {
        char *option = cli_tuned_next(&text);
        assert_string_equal(option, expected[i]);
        free(option);
    }
    assert_null(cli_tuned_next(&text));
    text = cli_tuned_find("topk", "shop", "ncf");
    assert_null(cli_tuned_next(&text));
    assert_null(cli_tuned_find("topk", "shop", "svdpp"));
}

static char *write_file(const char *text)
{
    char *path = strdup("/tmp/nln-study-XXXXXX");
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, text, strlen(text)), (ssize_t)strlen(text));
    close(descriptor);
    return path;
}

static void drop_file(char *path)
{
    unlink(path);
    free(path);
}

static void rows_may_lack_cells(void **state)
{
    char *path = write_file("user\tvalue\tmore\nann\t0.5\tx\nbob\t\r\ncleo\t1\ty\tz");
    cli_tsv tsv;
    (void)state;

    assert_true(cli_tsv_read(&tsv, path));
    assert_int_equal(tsv.n_rows, 3);
    assert_int_equal(cli_tsv_column(&tsv, "value"), 1);
    assert_int_equal(cli_tsv_column(&tsv, "other"), -1);
    assert_string_equal(cli_tsv_text(&tsv, 2, 2), "y");
    assert_string_equal(cli_tsv_text(&tsv, 1, 2), "");
    assert_true(cli_tsv_number(&tsv, 0, 1) == 0.5 && isnan(cli_tsv_number(&tsv, 1, 1)));
    assert_true(isnan(cli_tsv_number(&tsv, 0, -1)));
    cli_tsv_free(&tsv);
    drop_file(path);
    assert_false(cli_tsv_read(&tsv, "/nowhere/at/all"));
    cli_tsv_free(&tsv);
}

/* Users are paired by name, whatever the order of the files; a user's lines are averaged. */
static void users_are_paired_by_name(void **state)
{
    char *first = write_file("user\tndcg\nbob\t1\nann\t0\nann\t1\nzoe\t1\n");
    char *second = write_file("user\tndcg\nann\t0\ncleo\t1\nbob\t0.75\n");
    cli_user_ranks a = {0}, b = {0};
    (void)state;

    assert_true(cli_user_ranks_add(&a, first, "ndcg"));
    assert_true(cli_user_ranks_add(&b, second, "ndcg"));
    assert_false(cli_user_ranks_add(&b, second, "hit"));
    assert_false(cli_user_ranks_add(&b, "/nowhere/at/all", "ndcg"));
    cli_user_ranks_settle(&a);
    cli_user_ranks_settle(&b);
    assert_int_equal(a.n, 3);
    nln_paired paired = cli_user_ranks_compare(&a, &b);
    assert_int_equal(paired.difference.n, 2);
    assert_true(fabs(paired.difference.mean - 0.375) < 1e-12); /* 1/2 for ann, 1/4 for bob */
    cli_user_ranks_free(&a);
    cli_user_ranks_free(&b);
    drop_file(first);
    drop_file(second);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhibits_name_what_there_is),
        cmocka_unit_test(sweeps_say_their_weights),
        cmocka_unit_test(methods_are_told_apart),
        cmocka_unit_test(published_numbers_have_a_place),
        cmocka_unit_test(a_task_is_a_whole_word),
        cmocka_unit_test(tuned_values_become_options),
        cmocka_unit_test(rows_may_lack_cells),
        cmocka_unit_test(users_are_paired_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

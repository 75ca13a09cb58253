/* The tables of the study name only rows that exist. */
#include <string.h>

#include "nln_lab.h"
#include "reproduce/paper_experiments.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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
                if (e->kind != CLI_TABLE)
                    assert_true(cli_paper_is_for(method, source));
            }
        }
        for (int k = 0; k < CLI_MOST_STEPS && e->steps[k].method; k++) {
            int shown = 0;
            for (int s = 0; s < CLI_MOST_SOURCES && e->sources[s]; s++)
                shown |= cli_paper_shows(e, cli_paper_method_named(e->steps[k].method),
                                         cli_paper_source(e->sources[s]));
            assert_true(shown);
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
    const cli_source topk = {.task = "topk", .name = "knot"},
                     preference = {.task = "preference", .name = "likes"};
    (void)state;

    assert_false(cli_paper_is_for(&method, &topk));
    assert_true(cli_paper_is_for(&method, &preference));
}

/* A table has all methods of its sources but those that only others name; one that names its rows
 * has these, and a method for one source is in that part alone. */
static void tables_have_the_rows_they_name(void **state)
{
    const cli_exhibit *all = cli_paper_find("table3"), *some = cli_paper_find("table-knowledge");
    const cli_source *films = cli_paper_source("ml100k-topk"),
                     *food = cli_paper_source("grocery-topk");
    const cli_method *nln = cli_paper_method_named("nln"),
                     *users = cli_paper_method_named("nln-users"),
                     *facts = cli_paper_method_named("nln-facts"),
                     *ncf = cli_paper_method_named("ncf");
    (void)state;

    assert_true(cli_paper_shows(all, nln, films) && cli_paper_shows(some, nln, films));
    assert_true(cli_paper_shows(all, ncf, films) && !cli_paper_shows(some, ncf, films));
    assert_true(!cli_paper_shows(all, users, films) && cli_paper_shows(some, users, films));
    assert_true(!cli_paper_shows(some, facts, films) && cli_paper_shows(some, facts, food));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhibits_name_what_there_is),
        cmocka_unit_test(sweeps_say_their_weights),
        cmocka_unit_test(methods_are_told_apart),
        cmocka_unit_test(published_numbers_have_a_place),
        cmocka_unit_test(a_task_is_a_whole_word),
        cmocka_unit_test(tables_have_the_rows_they_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Which expressions are chosen: the most bits first, and not the same variables again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "nln_lab.h"
#include "tiny.h"

enum { N = 40 };

static nln_data *data;
static nln_model *model;
static char text[N][64];
static const char *list[N];

static int set_up(void **state)
{
    (void)state;
    data = tiny_data("variables=12 expressions=150");
    model = tiny_train(NULL, data, "dimension=8 epochs=4 threads=1");
    for (int i = 0; i < N; i++) {
        snprintf(text[i], sizeof text[i], "v%d & !v%d | v%d", 1 + i % 12, 1 + i * 5 % 12,
                 1 + i * 7 % 12);
        list[i] = text[i];
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nln_model_free(model);
    nln_data_free(data);
    return 0;
}

static size_t ask(nln_query_row *rows, const char *settings)
{
    nln_options *o = tiny_options("query", settings);
    nln_error err = {0};
    size_t n = 0;
    tiny_need(nln_query_choose(rows, &n, model, list, N, o, NULL, NULL, &err), &err);
    nln_options_free(o);
    return n;
}

static double bits(double p)
{
    return p > 0 && p < 1 ? -p * log2(p) - (1 - p) * log2(1 - p) : 0;
}

/* Without variety the choice is a sort, each once. */
static void the_most_bits_come_first(void **state)
{
    (void)state;
    nln_query_row rows[N];
    int seen[N] = {0};
    assert_int_equal(ask(rows, "top=100 variety=0 by=entropy"), N);
    for (int i = 0; i < N; i++) {
        assert_true(fabs(rows[i].value - bits(rows[i].p)) < 1e-9);
        assert_true(i == 0 || rows[i].value <= rows[i - 1].value);
        assert_int_equal(seen[rows[i].index]++, 0);
    }
    assert_int_equal(ask(rows, "top=7 variety=0 by=entropy"), 7);
}

/* A plain twin of the choice with variety: everything is weighed again for each place. */
static void variety_counts_variables(void **state)
{
    (void)state;
    nln_query_row rows[N], sorted[N];
    double used[13] = {0}, entropy[N];
    int taken[N] = {0};
    ask(sorted, "top=40 variety=0 by=entropy");
    for (int i = 0; i < N; i++)
        entropy[sorted[i].index] = sorted[i].value;
    assert_int_equal(ask(rows, "top=12 variety=1 by=entropy"), 12);
    for (int k = 0; k < 12; k++) {
        double best = -1;
        for (int i = 0; i < N; i++) {
            int v[] = {1 + i % 12, 1 + i * 5 % 12, 1 + i * 7 % 12};
            double worth = entropy[i] *
                           (1 / (1 + used[v[0]]) + 1 / (1 + used[v[1]]) + 1 / (1 + used[v[2]])) / 3;
            int plain = v[0] != v[1] && v[0] != v[2] && v[1] != v[2]; /* no leaf was removed */
            if (!taken[i] && plain && worth > best)
                best = worth;
        }
        size_t i = rows[k].index;
        int v[] = {1 + (int)i % 12, 1 + (int)i * 5 % 12, 1 + (int)i * 7 % 12};
        assert_true(rows[k].value >= best - 1e-9);
        taken[i] = 1;
        for (int j = 0; j < 3; j++)
            used[v[j]] += v[0] != v[1] && v[0] != v[2] && v[1] != v[2];
        if (v[0] == v[1] || v[0] == v[2] || v[1] == v[2])
            return; /* the twin does not know which leaves are left */
    }
}

static void disagreement_is_part_of_the_entropy(void **state)
{
    (void)state;
    nln_query_row rows[N];
    ask(rows, "top=40 variety=0 by=disagreement");
    for (int i = 0; i < N; i++)
        assert_true(rows[i].value >= 0 && rows[i].value <= bits(rows[i].p) + 1e-9);
}

/* By variables the worth is what the label tells about each of them: never more than the variables
 * together have to tell, and with variety what is asked again is worth less. */
static void variables_are_asked_about(void **state)
{
    (void)state;
    nln_query_row plain[N], varied[N];
    double worth[N];
    assert_int_equal(ask(plain, "top=40 variety=0"), N);
    for (int i = 0; i < N; i++) {
        assert_true(plain[i].value >= 0 && plain[i].value <= 3);
        assert_true(i == 0 || plain[i].value <= plain[i - 1].value);
        worth[plain[i].index] = plain[i].value;
    }
    assert_int_equal(ask(varied, "top=40"), N);
    assert_int_equal(varied[0].index, plain[0].index);
    int n_less = 0;
    for (int i = 0; i < N; i++) {
        assert_true(varied[i].value <= worth[varied[i].index] + 1e-12);
        assert_true(i == 0 || varied[i].value <= varied[i - 1].value + 1e-12);
        n_less += varied[i].value < 0.9 * worth[varied[i].index];
    }
    assert_true(n_less > N / 4);
}

/* Of two single variables the one that the model is less sure of comes first. */
static void the_least_sure_variable_comes_first(void **state)
{
    (void)state;
    static const char *const names[] = {"v1", "v2", "v3", "v4"};
    static const char *const sure[] = {"v1 | !v1", "v2"};
    nln_query_row rows[4];
    nln_options *o = tiny_options("query", "top=4");
    nln_error err = {0};
    size_t n = 0;
    tiny_need(nln_query_choose(rows, &n, model, names, 4, o, NULL, NULL, &err), &err);
    assert_int_equal(n, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(fabs(rows[i].value - bits(rows[i].p)) < 1e-9);
        assert_true(i == 0 || fabs(rows[i].p - 0.5) >= fabs(rows[i - 1].p - 0.5) - 1e-12);
    }
    /* What is always true tells nothing. */
    tiny_need(nln_query_choose(rows, &n, model, sure, 2, o, NULL, NULL, &err), &err);
    assert_int_equal(rows[0].index, 1);
    assert_true(rows[1].value < 0.1);
    nln_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_bits_come_first),
        cmocka_unit_test(variety_counts_variables),
        cmocka_unit_test(disagreement_is_part_of_the_entropy),
        cmocka_unit_test(variables_are_asked_about),
        cmocka_unit_test(the_least_sure_variable_comes_first),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

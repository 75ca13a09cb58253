#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "nln_lab.h"
#include "tiny.h"

enum { N_VARIABLES = 12, ROOM = 64, COUNT = 20 };
static const uint8_t values[N_VARIABLES] = {1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 0};
static const char truth_file[] = "test_length_generalization.tsv";

/* Values of the first n variables, of which `wrong` are not the model's. */
static void write_truth(int n, int wrong)
{
    FILE *f = fopen(truth_file, "w");
    assert_non_null(f);
    fputs("variable\tvalue\n", f);
    for (int i = 0; i < n; i++)
        fprintf(f, "x%d\t%c\n", i, (values[i] != 0) != (i < wrong) ? 'T' : 'F');
    fclose(f);
}

static size_t look(nln_length_score *scores, size_t room, const nln_model *m)
{
    size_t n = 0;
    assert_int_equal(nln_measure_lengths(scores, room, &n, m, truth_file, COUNT, NULL, NULL),
                     NLN_OK);
    return n;
}

/* A model whose modules are those of logic is right about everything that its variables suffice
 * for, and says of the rest that it cannot tell. */
static void logic_holds_at_any_length(void **state)
{
    (void)state;
    nln_model *m = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "threads=1");
    nln_length_score scores[ROOM];
    write_truth(N_VARIABLES, 0);
    size_t n = look(scores, ROOM, m), measured = 0;
    assert_in_range(n, 20, ROOM);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(isnan(scores[i].right) != 0, scores[i].size > N_VARIABLES);
        measured += scores[i].size <= N_VARIABLES;
        if (scores[i].size <= N_VARIABLES)
            assert_true(scores[i].right == 1);
    }
    assert_int_equal(measured, 4 * 2 + 2 + 3); /* 5 and 10 literals; 5 and 10 deep; 2, 5, 10 wide */
    nln_model_free(m);
}

/* Variables that the model has wrong, or whose value is not known, do not occur: with 6 of 12 known
 * and 2 of these wrong, 4 are left. */
static void only_solved_variables_occur(void **state)
{
    (void)state;
    nln_model *m = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "threads=1");
    nln_length_score scores[ROOM];
    write_truth(6, 2);
    size_t n = look(scores, ROOM, m);
    for (size_t i = 0; i < n; i++)
        if (scores[i].size <= 4)
            assert_true(scores[i].right == 1);
        else
            assert_true(isnan(scores[i].right));
    nln_model_free(m);
}

/* A model that has learned nothing is wrong about some of the shapes whose values are all alike. */
static void a_random_model_is_not_right(void **state)
{
    (void)state;
    nln_model *m = tiny_model(N_VARIABLES, "dimension=6 members=1");
    nln_length_score scores[ROOM];
    double confidence[N_VARIABLES], sum = 0;
    nln_random random = nln_random_seed(3, 0);
    nln_model_draw(m, &random);
    assert_int_equal(nln_solve(confidence, m, NULL), NLN_OK);
    FILE *f = fopen(truth_file, "w");
    assert_non_null(f);
    for (int i = 0; i < N_VARIABLES; i++)
        fprintf(f, "x%d\t%c\n", i, confidence[i] > 0.5 ? 'T' : 'F');
    fclose(f);
    size_t n = look(scores, ROOM, m), measured = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(scores[i].right))
            continue;
        assert_true(scores[i].right >= 0 && scores[i].right <= 1);
        sum += scores[i].right;
        measured++;
    }
    assert_true(sum < 0.9 * (double)measured);
    nln_model_free(m);
}

static void room_and_errors(void **state)
{
    (void)state;
    nln_model *m = tiny_logician(values, N_VARIABLES, TINY_LOGICIAN "threads=1");
    nln_length_score all[ROOM], few[ROOM] = {{NULL, 0, 0}};
    nln_error err = {0};
    size_t n;
    write_truth(N_VARIABLES, 0);
    n = look(all, ROOM, m);
    assert_int_equal(look(few, 2, m), n);
    assert_true(few[1].right == all[1].right && few[1].size == all[1].size);
    assert_null(few[2].kind);
    assert_int_equal(nln_measure_lengths(all, ROOM, &n, m, truth_file, 0, NULL, &err), NLN_INVALID);
    assert_int_equal(nln_measure_lengths(all, ROOM, &n, m, "none.tsv", 5, NULL, &err), NLN_IO);
    write_truth(6, 6);
    assert_int_equal(nln_measure_lengths(all, ROOM, &n, m, truth_file, 5, NULL, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "solved rightly"));
    remove(truth_file);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logic_holds_at_any_length),
        cmocka_unit_test(only_solved_variables_occur),
        cmocka_unit_test(a_random_model_is_not_right),
        cmocka_unit_test(room_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

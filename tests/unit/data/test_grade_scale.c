#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/grade_scale.h"

static void ratings_become_grades(void **state)
{
    (void)state;
    static const struct {
        nln_grade_scale grading;
        double rating;
        int grade;
    } cases[] = {
        {{5, 1, 5, {0}}, 1, 1},      {{5, 1, 5, {0}}, 2, 2},     {{5, 1, 5, {0}}, 3, 3},
        {{5, 1, 5, {0}}, 4, 4},      {{5, 1, 5, {0}}, 5, 5},     {{5, 0.5, 5, {0}}, 0.5, 1},
        {{5, 0.5, 5, {0}}, 1.5, 2},  {{5, 0.5, 5, {0}}, 4.5, 5}, {{2, 1, 5, {0}}, 2.9, 1},
        {{2, 1, 5, {0}}, 3, 2},      {{16, 0, 1, {0}}, 0.5, 9},  {{1, 1, 5, {0}}, 5, 1},
        {{5, 1, 5, {0}}, -1e300, 1}, {{5, 1, 5, {0}}, 1e300, 5}, {{0, 1, 5, {0}}, 5, 0},
        {{5, 3, 3, {0}}, 3, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(nln_grade_scale_grade(&cases[i].grading, cases[i].rating), cases[i].grade);
}

static void an_unknown_grade_is_the_usual_one(void **state)
{
    (void)state;
    const nln_grade_scale g = {5, 1, 5, {3, 4}};
    assert_int_equal(nln_grade_scale_known(&g, (nln_literal){0, 1, 0}), 4);
    assert_int_equal(nln_grade_scale_known(&g, (nln_literal){0, 0, 0}), 3);
    assert_int_equal(nln_grade_scale_known(&g, (nln_literal){0, 0, 1}), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratings_become_grades),
        cmocka_unit_test(an_unknown_grade_is_the_usual_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

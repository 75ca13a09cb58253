#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "likes.h"

static void ratings_become_grades(void **state)
{
    (void)state;
    static const struct {
        nln_rating_grades grading;
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
        assert_int_equal(nln_rating_grades_grade(&cases[i].grading, cases[i].rating),
                         cases[i].grade);
}

static void an_unknown_grade_is_the_usual_one(void **state)
{
    (void)state;
    const nln_rating_grades g = {5, 1, 5, {3, 4}};
    assert_int_equal(nln_rating_grades_known(&g, (nln_literal){0, 1, 0}), 4);
    assert_int_equal(nln_rating_grades_known(&g, (nln_literal){0, 0, 0}), 3);
    assert_int_equal(nln_rating_grades_known(&g, (nln_literal){0, 0, 1}), 1);
}

/* Gives the interactions of `r` these ratings, in their order. */
static void rate(nln_ratings *r, const float *rating)
{
    memcpy(r->rating, rating, r->n * sizeof *rating);
}

/* By the ratings that train; what validates or tests may lie outside. */
static void grades_are_those_of_training(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a -b +c -d +e -f | -g | +h");
    nln_literal window[8];
    rate(r, (const float[]){5, 3, 4, 1, 4, 3, 0, 6});
    nln_rating_grades g = nln_rating_grades_fit(r, 5);
    assert_int_equal(g.n, 5);
    assert_true(g.least == 1 && g.most == 5);
    assert_int_equal(g.usual[0], 3);
    assert_int_equal(g.usual[1], 4);
    assert_int_equal(nln_history_window(window, r, 0, 8, 8, NULL, &g), 8);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(window[i].grade, ((const int[]){5, 3, 4, 1, 4, 3, 1, 5})[i]);
    nln_ratings_free(r);
}

static void two_values_have_no_grades(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a -b +c -d | +e | -f");
    nln_literal window[6];
    rate(r, (const float[]){5, 1, 5, 1, 3, 2});
    nln_rating_grades g = nln_rating_grades_fit(r, 5);
    assert_int_equal(g.n, 5);
    assert_int_equal(nln_history_window(window, r, 0, 6, 6, NULL, &g), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(nln_rating_grades_known(&g, window[i]), 0);
    rate(r, (const float[]){2, 1, 5, 1, 3, 2});
    assert_int_equal(nln_rating_grades_fit(r, 0).n, 0);
    assert_int_equal(nln_rating_grades_fit(r, 3).usual[1], 1);
    nln_ratings_free(r);
}

/* A 1 is the worst of five stars, but a like of unknown grade otherwise. */
static void labels_have_no_grades_of_stars(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a -b +c");
    const nln_rating_grades stars = {.n = 5, .least = 1, .most = 5, .usual = {3, 4}};
    const nln_rating_grades shares = {.n = 5, .least = 0, .most = 1, .usual = {3, 4}};
    nln_rating_grades g;
    rate(r, (const float[]){1, 0, 1});
    g = nln_rating_grades_apply(r, &stars);
    assert_int_equal(g.n, 5);
    assert_int_equal(nln_rating_grades_grade(&g, 1), 0);
    assert_int_equal(nln_rating_grades_known(&g, (nln_literal){0, 1, 0}), 4);
    g = nln_rating_grades_apply(r, &shares);
    assert_int_equal(nln_rating_grades_grade(&g, 1), 5);
    g = nln_rating_grades_apply(r, &(nln_rating_grades){0});
    assert_int_equal(nln_rating_grades_grade(&g, 1), 0);
    rate(r, (const float[]){1, 0, 2});
    g = nln_rating_grades_apply(r, &stars);
    assert_int_equal(nln_rating_grades_grade(&g, 1), 1);
    nln_ratings_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratings_become_grades),
        cmocka_unit_test(an_unknown_grade_is_the_usual_one),
        cmocka_unit_test(grades_are_those_of_training),
        cmocka_unit_test(two_values_have_no_grades),
        cmocka_unit_test(labels_have_no_grades_of_stars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "inference/similar_items.h"
#include "tiny.h"

/* On a circle, at angles that are known. */
static void the_nearest_come_in_their_order(void **state)
{
    (void)state;
    static const double angle[] = {0, 0.1, -0.2, 3, 0.1, 1.5};
    float vectors[12];
    nln_neighbour out[6];
    for (int i = 0; i < 6; i++) {
        vectors[2 * i] = (float)cos(angle[i]);
        vectors[2 * i + 1] = (float)sin(angle[i]);
    }
    assert_int_equal(nln_similar_nearest(out, 6, vectors, 6, 2, 0), 5);
    static const size_t wanted[] = {1, 4, 2, 5, 3}; /* of equal ones the lower first */
    for (int i = 0; i < 5; i++) {
        assert_int_equal(out[i].item, wanted[i]);
        assert_true(fabs(out[i].cosine - cos(angle[wanted[i]])) < 1e-6);
    }
    assert_int_equal(nln_similar_nearest(out, 2, vectors, 6, 2, 3), 2);
    assert_int_equal(out[0].item, 5);
    assert_int_equal(nln_similar_nearest(out, 0, vectors, 6, 2, 3), 0);
}

/* Variables of the same value lie together in a model of pure logic. */
static void models_are_asked(void **state)
{
    (void)state;
    static const uint8_t values[] = {1, 0, 1, 0, 1};
    nln_error err = {0};
    nln_neighbour out[4];
    size_t n = 9;
    nln_model *model = tiny_logician(values, 5, TINY_LOGICIAN);
    tiny_need(nln_model_similar(out, &n, 2, model, 0, &err), &err);
    assert_int_equal(n, 2);
    assert_int_equal(out[0].item, 2);
    assert_int_equal(out[1].item, 4);
    assert_int_equal(nln_model_similar(out, &n, 2, model, 5, &err), NLN_INVALID);
    assert_int_equal(n, 0);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_come_in_their_order),
        cmocka_unit_test(models_are_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

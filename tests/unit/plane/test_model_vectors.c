#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "nln_lab.h"
#include "scratch.h"
#include "tiny.h"

enum { N = 300, NETWORKS = 2, MEMBERS = 3, ALL = NETWORKS * MEMBERS, D = 5 };

/* Free vectors are their own tensor, in which member m of variable i is row m N + i; the members
 * of the second network come after those of the first. */
static void vectors_of_members_stand_side_by_side(void **state)
{
    (void)state;
    nln_model *model = tiny_model(N, "dimension=5 members=3 networks=2 embedding=free");
    nln_random random = nln_random_seed(1, 0);
    float *out = malloc((size_t)N * ALL * D * sizeof *out);
    nln_model_draw(model, &random);
    assert_int_equal(nln_model_vector_length(model), ALL * D);
    assert_int_equal(nln_model_embedding(out, model, NULL), NLN_OK);
    for (size_t i = 0; i < N; i++)
        for (size_t m = 0; m < ALL; m++)
            assert_memory_equal(out + (i * ALL + m) * D,
                                model->net[m / MEMBERS]->vector + (m % MEMBERS * N + i) * D,
                                D * sizeof *out);
    free(out);
    nln_model_free(model);
}

/* Variables that are made from numbers have vectors too. */
static void vectors_that_are_no_tensor_are_computed(void **state)
{
    (void)state;
    nln_model *model = tiny_model(4, "dimension=5 members=1 embedding=line");
    nln_random random = nln_random_seed(1, 0);
    float out[4 * D];
    nln_model_draw(model, &random);
    model->net[0]->logit[2] = 40; /* T itself */
    assert_int_equal(nln_model_embedding(out, model, NULL), NLN_OK);
    for (size_t d = 0; d < D; d++)
        assert_true(fabsf(out[2 * D + d] - model->net[0]->truth[d]) < 1e-5F);
    nln_model_free(model);
}

static void the_truth_is_read_by_name(void **state)
{
    (void)state;
    nln_model *model = tiny_model(4, "dimension=5");
    int8_t value[4];
    size_t known = 9;
    nln_error err = {0};
    const char *path = scratch_text("truth.tsv", "x2\tF\nelse\tT\nx0\tT\n");
    assert_int_equal(nln_model_truth(value, &known, model, path, &err), NLN_OK);
    assert_int_equal(known, 2);
    assert_memory_equal(value, ((const int8_t[]){1, -1, 0, -1}), 4);
    path = scratch_text("other.tsv", "else\tT\n");
    assert_int_equal(nln_model_truth(value, &known, model, path, &err), NLN_OK);
    assert_int_equal(known, 0);
    assert_int_not_equal(nln_model_truth(value, &known, model, scratch_path("none"), &err), NLN_OK);
    nln_model_free(model);
}

static void other_models_have_no_vectors(void **state)
{
    (void)state;
    nln_model *model = tiny_model(4, "model=marginals");
    float out[4];
    nln_error err = {0};
    assert_int_equal(nln_model_vector_length(model), 0);
    assert_int_equal(nln_model_embedding(out, model, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "marginals"));
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_members_stand_side_by_side),
        cmocka_unit_test(vectors_that_are_no_tensor_are_computed),
        cmocka_unit_test_setup_teardown(the_truth_is_read_by_name, scratch_setup, scratch_teardown),
        cmocka_unit_test(other_models_have_no_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

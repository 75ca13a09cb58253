#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

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

static void tensors_are_listed(void **state)
{
    (void)state;
    nln_tensor_info info, untouched = {.name = "untouched"};
    nln_model *model = tiny_model(3, "dimension=4 hidden=2 embedding=arc members=1");
    size_t n = nln_model_tensor(NULL, model, 0), sum = 0;
    assert_int_equal(n, 12);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(nln_model_tensor(&info, model, i), n);
        assert_true(info.norm == 0 && info.least == 0 && info.most == 0);
        sum += info.rows * info.columns;
    }
    assert_int_equal(sum, nln_modules_size(4, 2) + 4 + 4 + 3);
    info = untouched;
    assert_int_equal(nln_model_tensor(&info, model, n), n);
    assert_string_equal(info.name, "untouched");
    nln_model_free(model);
}

static void tensors_are_measured(void **state)
{
    (void)state;
    nln_tensor_info info;
    nln_model *model = tiny_model(1, "dimension=2 hidden=2 embedding=free members=1");
    memcpy(model->net[0]->vector, (const real[]){3, -4}, 2 * sizeof(real));
    size_t n = nln_model_tensor(NULL, model, 0);
    nln_model_tensor(&info, model, n - 1);
    assert_string_equal(info.name, "variables.vector");
    assert_true(info.rows == 1 && info.columns == 2);
    assert_true(info.norm == 5 && info.least == -4 && info.most == 3);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_of_members_stand_side_by_side),
        cmocka_unit_test(vectors_that_are_no_tensor_are_computed),
        cmocka_unit_test(other_models_have_no_vectors),
        cmocka_unit_test(tensors_are_listed),
        cmocka_unit_test(tensors_are_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The spread over networks, members and orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "inference/spread.h"
#include "nln_lab.h"
#include "tiny.h"

static const char *const texts[] = {"v1 & v2", "v3 | !v4", "nobody", "v5 -> (v6 & !v7)",
                                    "v1 | !v1"};
enum { N = sizeof texts / sizeof *texts };

static void count(void *context, size_t index, const nln_error *reason)
{
    assert_int_equal(index, 2);
    assert_non_null(strstr(reason->message, "nobody"));
    ++*(int *)context;
}

/* The mean over the parts is the prediction itself where predictions average probabilities. */
static void expect_mean_and_spread(const char *settings)
{
    nln_data *data = tiny_data("variables=10 expressions=200");
    nln_model *model = tiny_train(NULL, data, settings);
    nln_options *o = tiny_options("predict", "orders=4");
    nln_error err = {0};
    nln_exprs list = {0};
    nln_atoms *atoms = NULL;
    nln_spread found[N];
    double p[N], spread[N], widest = 0;
    size_t index[N];
    int refused = 0;
    tiny_need(nln_predict_spread(p, spread, model, texts, N, o, count, &refused, &err), &err);
    assert_int_equal(refused, 1);
    tiny_need(nln_atoms_create(&atoms, &err), &err);
    tiny_need(nln_spread_read(&list, index, model, atoms, texts, N, NULL, NULL, &err), &err);
    tiny_need(nln_spread_list(found, model, &list, 4, &err), &err);
    assert_int_equal(list.n, N - 1);
    assert_true(isnan(p[2]) && isnan(spread[2]));
    for (size_t i = 0; i < list.n; i++) {
        assert_true(spread[index[i]] == found[i].deviation);
        if (fabs(found[i].mean - p[index[i]]) >= 1e-5)
            fail_msg("%s: %g, not %g", texts[index[i]], found[i].mean, p[index[i]]);
        assert_true(found[i].deviation >= 0 && found[i].deviation <= 0.5);
        assert_true(found[i].entropy >= found[i].doubt && found[i].entropy <= 1 + 1e-9);
        widest = fmax(widest, found[i].deviation);
    }
    assert_true(widest > 1e-6);
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    nln_options_free(o);
    nln_model_free(model);
    nln_data_free(data);
}

static void parts_disagree(void **state)
{
    (void)state;
    expect_mean_and_spread("dimension=8 epochs=2 members=3 duals=false calibrate=false threads=1");
    expect_mean_and_spread(
        "dimension=8 epochs=2 members=1 networks=2 duals=false calibrate=false threads=1");
}

/* One member of one network, without noise: two operands have one order up to commutation, and
 * single variables none. */
static void one_part_agrees_with_itself(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=10 expressions=200");
    nln_model *model =
        tiny_train(NULL, data, "dimension=8 epochs=2 members=1 predict-noise=0 threads=1");
    const char *const one = "v1";
    nln_error err = {0};
    double p, spread;
    tiny_need(nln_predict_spread(&p, &spread, model, &one, 1, NULL, NULL, NULL, &err), &err);
    assert_true(spread < 1e-7);
    nln_model_free(model);
    nln_data_free(data);
}

static void only_networks_spread(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=10 expressions=200");
    nln_model *model = tiny_train(NULL, data, "model=marginals epochs=2 threads=1");
    nln_error err = {0};
    double p[N], spread[N];
    assert_int_equal(nln_predict_spread(p, spread, model, texts, N, NULL, NULL, NULL, &err),
                     NLN_INVALID);
    nln_model_free(model);
    nln_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_disagree),
        cmocka_unit_test(one_part_agrees_with_itself),
        cmocka_unit_test(only_networks_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

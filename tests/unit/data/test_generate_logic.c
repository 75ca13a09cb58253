#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tiny.h"

static size_t wrong_labels(const nln_data *data, nln_split split)
{
    uint8_t value[64], stack[512];
    size_t wrong = 0;
    for (size_t i = 0; i < nln_data_variables(data); i++)
        value[i] = (uint8_t)data->truth[i];
    for (size_t i = 0; i < nln_data_size(data, split); i++) {
        nln_expr e = nln_exprs_get(&data->split[split].exprs, i);
        assert_in_range(e.n_nodes, 1, sizeof stack);
        wrong += nln_expr_evaluate(e, value, stack) != data->split[split].labels[i];
    }
    return wrong;
}

/* 80/10/10, variables v1, v2, ..., and labels that are the values of the expressions. */
static void data_are_split_and_labelled(void **state)
{
    (void)state;
    static const size_t sizes[][4] = {{100, 80, 10, 10}, {105, 85, 10, 10}, {19, 17, 1, 1}};
    for (size_t i = 0; i < 3; i++) {
        char settings[64];
        snprintf(settings, sizeof settings, "variables=50 seed=3 expressions=%zu", sizes[i][0]);
        nln_data *data = tiny_data(settings);
        assert_int_equal(nln_data_variables(data), 50);
        assert_string_equal(nln_symbols_name(data->symbols, 0), "v1");
        assert_string_equal(nln_symbols_name(data->symbols, 49), "v50");
        for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
            assert_int_equal(nln_data_size(data, (nln_split)s), sizes[i][s + 1]);
            assert_int_equal(wrong_labels(data, (nln_split)s), 0);
        }
        nln_data_free(data);
    }
}

/* The test labels stay true. */
static void noise_flips_the_share_asked_for(void **state)
{
    (void)state;
    nln_data *data = tiny_data("variables=50 expressions=1000 noise=0.07 seed=4");
    assert_int_equal(wrong_labels(data, NLN_TRAIN), 56);
    assert_int_equal(wrong_labels(data, NLN_VALID), 7);
    assert_int_equal(wrong_labels(data, NLN_TEST), 0);
    nln_data_free(data);
}

static void the_seed_decides(void **state)
{
    (void)state;
    nln_data *a = tiny_data("variables=30 expressions=50 seed=1");
    nln_data *b = tiny_data("variables=30 expressions=50 seed=1");
    nln_data *c = tiny_data("variables=30 expressions=50 seed=2");
    nln_exprs *x = &a->split[0].exprs, *y = &b->split[0].exprs, *z = &c->split[0].exprs;
    assert_int_equal(x->n_nodes, y->n_nodes);
    assert_memory_equal(x->nodes, y->nodes, x->n_nodes * sizeof *x->nodes);
    assert_memory_equal(a->truth, b->truth, 30);
    assert_true(x->n_nodes != z->n_nodes || memcmp(x->nodes, z->nodes, x->n_nodes));
    nln_data_free(a);
    nln_data_free(b);
    nln_data_free(c);
}

static void ranges_must_not_be_turned_around(void **state)
{
    (void)state;
    nln_options *o = tiny_options("generate logic", "min-clauses=4 max-clauses=3");
    nln_data *data = NULL;
    nln_error err = {0};
    assert_int_equal(nln_data_generate(&data, o, &err), NLN_INVALID);
    assert_string_equal(err.message,
                        "option --min-clauses (4) must not be above --max-clauses (3)");
    assert_null(data);
    nln_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(data_are_split_and_labelled),
        cmocka_unit_test(noise_flips_the_share_asked_for),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(ranges_must_not_be_turned_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

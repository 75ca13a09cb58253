#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tiny.h"

static void expect_values(const nln_options *o, const char *const (*wanted)[2], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *value = nln_options_text(o, wanted[i][0]);
        if (!value ||
            (strcmp(value, wanted[i][1]) != 0 && strtod(value, NULL) != strtod(wanted[i][1], NULL)))
            fail_msg("%s is %s, not %s", wanted[i][0], value, wanted[i][1]);
    }
}

/* Section 4 of the paper: Adam with .001, batches of 128, 64 dimensions, at most
 * 100 epochs, dropout .2, laws .01, lengths .0001, alpha 10. */
static void the_paper_has_its_values(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {
        {"learning-rate", "0.001"},
        {"schedule", "constant"},
        {"batch", "128"},
        {"dimension", "64"},
        {"epochs", "100"},
        {"dropout", "0.2"},
        {"law-weight", "0.01"},
        {"law-sample", "1"},
        {"length-weight", "0.0001"},
        {"alpha", "10"},
        {"embedding", "free"},
        {"orders", "1"},
        {"calibrate", "false"},
        {"noise", "0"},
        {"fit-noise", "false"},
        {"members", "1"},
        {"networks", "1"},
        {"reduce", "sum"},
        {"clip", "0"},
        {"normal-form", "dnf"},
    };
    nln_config config;
    nln_options *o = tiny_options("train", "recipe=paper");
    assert_int_equal(nln_config_read(&config, o, NULL), NLN_OK);
    expect_values(o, wanted, sizeof wanted / sizeof *wanted);
    assert_int_equal(config.embedding, NLN_EMBED_FREE);
    assert_int_equal(config.hidden, 64);
    assert_true(config.threads >= 1);
    nln_options_free(o);
}

/* What is shown is what training would take; other commands have no recipes. */
static void settled_options_are_those_of_the_recipe(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {
        {"law-sample", "1"}, {"embedding", "free"}, {"dropout", "0.1"}};
    nln_error err = {0};
    nln_options *o = tiny_options("train", "recipe=paper dropout=0.1");
    assert_int_equal(nln_options_settle(o, &err), NLN_OK);
    expect_values(o, wanted, sizeof wanted / sizeof *wanted);
    assert_int_equal(nln_options_source(o, "embedding"), NLN_FROM_RECIPE);
    nln_options_free(o);
    o = tiny_options("generate logic", "");
    assert_int_equal(nln_options_settle(o, &err), NLN_INVALID);
    nln_options_free(o);
}

static void the_caller_overrides_the_recipe(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {{"epochs", "2"},    {"embedding", "line"},
                                            {"dimension", "4"}, {"law-weight", "0.5"},
                                            {"dropout", "0.2"}, {"recipe", "paper"}};
    nln_model *model =
        tiny_model(2, "law-weight=0.5 epochs=2 embedding=line dimension=4 recipe=paper");
    const nln_options *kept = nln_model_options(model);
    expect_values(kept, wanted, sizeof wanted / sizeof *wanted);
    assert_int_equal(nln_options_source(kept, "epochs"), NLN_FROM_CALLER);
    assert_int_equal(nln_options_source(kept, "dropout"), NLN_FROM_RECIPE);
    assert_int_equal(nln_options_source(kept, "alpha"), NLN_FROM_DEFAULT);
    nln_model_free(model);
}

/* A model's options are a copy: those it was made with stay as they were. */
static void a_recipe_leaves_the_callers_options_alone(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_options *o = tiny_options("train", "recipe=paper");
    nln_symbols *names = trees_names(2);
    nln_model *model = NULL;
    tiny_need(nln_model_create(&model, names, o, &err), &err);
    assert_int_equal(nln_options_source(o, "dropout"), NLN_FROM_DEFAULT);
    assert_int_equal(nln_options_source(nln_model_options(model), "dropout"), NLN_FROM_RECIPE);
    nln_model_free(model);
    nln_symbols_free(names);
    nln_options_free(o);
}

static void zeros_are_resolved(void **state)
{
    (void)state;
    nln_config config;
    nln_options *o = tiny_options("train", "dimension=24 hidden=0 threads=0");
    assert_int_equal(nln_config_read(&config, o, NULL), NLN_OK);
    assert_int_equal(config.hidden, 24);
    assert_true(config.threads >= 1);
    nln_options_free(o);
}

static nln_status read_laws(unsigned *laws, const char *setting)
{
    nln_error err = {0};
    nln_config config = {0};
    nln_options *o = tiny_options("train", setting);
    nln_status status = nln_config_read(&config, o, &err);
    assert_int_equal(err.status, status);
    *laws = config.laws;
    nln_options_free(o);
    return status;
}

static void laws_go_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *setting;
        unsigned laws; /* 0: an error */
    } cases[] = {
        {"laws=all", 0x3ff},
        {"laws=negation", 1},
        {"laws=or_complementation,negation", 0x201},
        {"laws=and_identity,and_annihilator,and_identity", 0xc},
        {"laws=", 0},
        {"laws=gravity", 0},
        {"laws=negation,", 0},
        {"laws=all,all", 0x3ff},
        {"laws=compound", 0x3fc00},
        {"laws=all,compound", 0x3ffff},
        {"laws=all,de_morgan_and,or_distributivity", 0x183ff},
        {"laws=de_morgan", 0},
        {"laws=compounds", 0},
        {"laws=negatio", 0},
        {"laws=negations", 0},
        {"laws=negation,,or_identity", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned laws;
        nln_status status = read_laws(&laws, cases[i].setting);
        assert_int_equal(status, cases[i].laws ? NLN_OK : NLN_INVALID);
        if (!status)
            assert_int_equal(laws, cases[i].laws);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_paper_has_its_values),
        cmocka_unit_test(settled_options_are_those_of_the_recipe),
        cmocka_unit_test(the_caller_overrides_the_recipe),
        cmocka_unit_test(a_recipe_leaves_the_callers_options_alone),
        cmocka_unit_test(zeros_are_resolved),
        cmocka_unit_test(laws_go_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

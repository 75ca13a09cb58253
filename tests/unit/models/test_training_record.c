#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "likes.h"
#include "models/training_record.h"
#include "scratch.h"
#include "tiny.h"

static const nln_measure *measure(const nln_record *r, const char *name)
{
    for (size_t i = 0; i < r->n_measures; i++)
        if (strcmp(r->measures[i].name, name) == 0)
            return &r->measures[i];
    fail_msg("%s was not measured", name);
    return NULL;
}

static void what_is_written_is_read(void **state)
{
    nln_error err = {0};
    nln_record r = nln_training_record_none(), again;
    nln_metrics valid = {.n = 3, .accuracy = 2 / 3., .rmse = .25, .cross_entropy = 1, .auc = NAN};
    nln_metrics test = {0};
    (void)state;
    strcpy(r.data, "\xc3\xa9t\xc3\xa9 \"1\".csv");
    r.fingerprint = 0xfedcba9876543210u;
    r.rows[0] = 10;
    r.rows[1] = 3;
    r.newest = 1700000000.5;
    r.epochs = 7;
    r.best_epoch = 4;
    r.trained = 1800000000;
    nln_training_record_measure(&r, &valid, &test);
    assert_int_equal(r.n_measures, 3);
    char *text = nln_training_record_print(&r);
    tiny_need(nln_training_record_parse(&again, text, &err), &err);
    assert_string_equal(again.data, r.data);
    assert_true(again.fingerprint == r.fingerprint);
    assert_memory_equal(again.rows, r.rows, sizeof r.rows);
    assert_true(again.newest == r.newest && again.trained == r.trained);
    assert_true(again.epochs == 7 && again.best_epoch == 4);
    assert_int_equal(again.n_measures, 3);
    assert_true(measure(&again, "accuracy")->valid == measure(&r, "accuracy")->valid);
    assert_true(fabs(measure(&r, "accuracy")->valid - 2 / 3.) < 1e-8);
    assert_true(isnan(measure(&again, "rmse")->test));
    char *twice = nln_training_record_print(&again);
    assert_string_equal(text, twice);
    nln_free(text);
    nln_free(twice);
}

static void other_text_is_refused(void **state)
{
    static const char *const wrong[] = {"",
                                        "[]",
                                        "{\"data\":1}",
                                        "{\"data\":\"a\\n\"}",
                                        "{\"fingerprint\":\"xyz\"}",
                                        "{\"fingerprint\":\"\"}",
                                        "{\"rows\":[1,2]}",
                                        "{\"rows\":[1,2,-3]}",
                                        "{\"newest\":\"now\"}",
                                        "{\"epochs\":-1}",
                                        "{\"epochs\":1e99}",
                                        "{\"valid\":3}",
                                        "{\"valid\":{\"auc\":null}}",
                                        "{\"test\":{\"auc\":[]}}"};
    nln_record r;
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        nln_error err = {0};
        if (nln_training_record_parse(&r, wrong[i], &err) != NLN_FORMAT)
            fail_msg("%s was read", wrong[i]);
        assert_int_equal(err.status, NLN_FORMAT);
    }
    assert_int_equal(nln_training_record_parse(&r, "{\"later\":{\"version\":[2]}}", NULL), NLN_OK);
    assert_true(isnan(r.newest) && isnan(r.trained) && !r.n_measures);
}

/* A training leaves its record in the file; the time only if it was told. */
static void a_model_knows_its_training(void **state)
{
    nln_error err = {0};
    nln_report report;
    nln_ratings *ratings =
        likes_of("ann +tea -milk +cake | +jam | +nut bob +tea +jam | -nut | +milk");
    nln_model *model =
                  likes_train(&report, ratings, "task=preference epochs=2 dimension=4 threads=1"),
              *loaded;
    (void)state;
    tiny_need(nln_model_save(model, scratch_path("model"), &err), &err);
    tiny_need(nln_model_load(&loaded, scratch_path("model"), &err), &err);
    const nln_record *r = nln_model_record(loaded);
    assert_non_null(r);
    assert_true(r->rows[NLN_TRAIN] == 5 && r->rows[NLN_VALID] == 2 && r->rows[NLN_TEST] == 2);
    assert_true(r->fingerprint != 0 && r->epochs == 2 && isnan(r->trained));
    assert_true(fabs(measure(r, "accuracy")->test - report.test.accuracy) < 1e-8);
    nln_model_stamp(loaded, 1700000000);
    tiny_need(nln_model_save(loaded, scratch_path("stamped"), &err), &err);
    nln_model_free(model);
    tiny_need(nln_model_load(&model, scratch_path("stamped"), &err), &err);
    assert_true(nln_model_record(model)->trained == 1700000000);
    nln_model_free(model);
    nln_model_free(loaded);
    nln_ratings_free(ratings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(other_text_is_refused),
        cmocka_unit_test(a_model_knows_its_training),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}

/* Of every function of nln.h that gives a handle or an array: after a failure there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "likes.h"
#include "models/model.h"
#include "scratch.h"

static nln_data *data;
static nln_ratings *ratings;
static nln_model *logic, *topk;
static nln_options *training, *bad_training, *topk_training, *bad_topk, *generating, *ranking;

static int make_all(void **state)
{
    (void)state;
    data = tiny_data("variables=5 expressions=50");
    ratings = likes_of("ann +tea -jam +rye | +oil | +fig bob +jam +oil -rye | +tea | +fig");
    logic = tiny_train(NULL, data, "dimension=4 epochs=1 threads=1");
    topk = likes_train(NULL, ratings, "task=topk dimension=4 epochs=1 threads=1 keep-users=true");
    strcpy(topk->origin.split, "bogus");
    training = tiny_options("train", "epochs=1");
    bad_training = tiny_options("train", "laws=bogus");
    topk_training = tiny_options("train", "task=topk");
    bad_topk = tiny_options("train", "task=topk laws=bogus");
    generating = tiny_options("generate logic", "min-clauses=9");
    ranking = tiny_options("ranking", "cuts=none");
    return scratch_setup(state);
}

static int free_all(void **state)
{
    nln_options *const options[] = {training, bad_training, topk_training,
                                    bad_topk, generating,   ranking};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        nln_options_free(options[i]);
    nln_model_free(logic);
    nln_model_free(topk);
    nln_data_free(data);
    nln_ratings_free(ratings);
    return scratch_teardown(state);
}

/* ---- calls that fail ------------------------------------------------------------------ */

/* CALL defines a test's function NAME with an output of the type, which begins as no address
 * that may be freed. */
#define CALL(name, type, call)                               \
    static nln_status name(void **given, nln_error *err)     \
    {                                                        \
        type *out = (type *)*given; /* NOLINT: never used */ \
        nln_status status = (call);                          \
        *given = out;                                        \
        return status;                                       \
    }

static const nln_option no_value[] = {{"x", NLN_OPTION_INT, "y", 0, 1, NULL, ""}};
static size_t n;
static nln_metrics metrics;

CALL(no_table, nln_options, nln_options_create(&out, "bogus", err))
CALL(no_rows, nln_options, nln_options_create_from(&out, NULL, -1, err))
CALL(bad_default, nln_options, nln_options_create_from(&out, no_value, 1, err))
CALL(no_folder, nln_data, nln_data_read(&out, scratch_path("none"), err))
CALL(empty_folder, nln_data, nln_data_read(&out, scratch_folder, err))
CALL(generate_nothing, nln_data, nln_data_generate(&out, NULL, err))
CALL(generate_badly, nln_data, nln_data_generate(&out, generating, err))
CALL(no_ratings, nln_ratings, nln_ratings_read(&out, NULL, scratch_path("none"), NULL, err))
CALL(other_options, nln_ratings, nln_ratings_read(&out, NULL, scratch_folder, training, err))
CALL(no_titles, nln_titles, nln_titles_read(&out, scratch_path("none"), err))
CALL(empty_titles, nln_titles, nln_titles_read(&out, scratch_text("bad", "\1"), err))
CALL(train_nothing, nln_model, nln_train(&out, NULL, data, NULL, NULL, err))
CALL(train_topk, nln_model, nln_train(&out, NULL, data, topk_training, NULL, err))
CALL(train_badly, nln_model, nln_train(&out, NULL, data, bad_training, NULL, err))
CALL(rate_nothing, nln_model, nln_train_ratings(&out, NULL, ratings, NULL, NULL, err))
CALL(rate_logic, nln_model, nln_train_ratings(&out, NULL, ratings, training, NULL, err))
CALL(rate_badly, nln_model, nln_train_ratings(&out, NULL, ratings, bad_topk, NULL, err))
CALL(strange_split, nln_options, nln_model_reading(&out, topk, err))
CALL(no_model, nln_model, nln_model_load(&out, scratch_path("none"), err))
CALL(bad_model, nln_model, nln_model_load(&out, scratch_text("bad", "no model"), err))
CALL(judge_logic, nln_placing,
     nln_evaluate_ratings(&metrics, &out, logic, ratings, NLN_TEST, NULL, err))
CALL(judge_badly, nln_placing,
     nln_evaluate_ratings(&metrics, &out, topk, ratings, NLN_TEST, ranking, err))
CALL(judge_no_split, nln_placing,
     nln_evaluate_ratings(&metrics, &out, topk, ratings, (nln_split)3, NULL, err))
CALL(no_users, nln_literal, nln_model_history(&out, &n, logic, "ann", err))
CALL(no_user, nln_literal, nln_model_history(&out, &n, topk, "eve", err))
CALL(no_rater, nln_literal, nln_ratings_history(&out, &n, topk, ratings, "eve", err))

static const struct {
    const char *name;
    nln_status (*call)(void **out, nln_error *err);
} rows[] = {
#define ROW(name)   \
    {               \
#name, name \
    }
    ROW(no_table),       ROW(no_rows),        ROW(bad_default),  ROW(no_folder),
    ROW(empty_folder),   ROW(generate_badly), ROW(no_ratings),   ROW(generate_nothing),
    ROW(other_options),  ROW(no_titles),      ROW(empty_titles), ROW(train_nothing),
    ROW(train_topk),     ROW(train_badly),    ROW(rate_nothing), ROW(rate_logic),
    ROW(rate_badly),     ROW(no_model),       ROW(bad_model),    ROW(judge_logic),
    ROW(judge_no_split), ROW(judge_badly),    ROW(no_users),     ROW(no_user),
    ROW(no_rater),       ROW(strange_split),
};

/* Also where the file cannot be read at all. */
static void errors_of_models_have_their_file(void **state)
{
    static nln_status (*const calls[])(void **, nln_error *) = {no_model, bad_model};
    static const char *const files[] = {"none", "bad"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        void *out = NULL;
        nln_error err = {0};
        assert_int_not_equal(calls[i](&out, &err), NLN_OK);
        assert_string_equal(err.file, scratch_path(files[i]));
    }
}

static void what_fails_gives_none(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        void *out = (void *)1; // NOLINT: no address
        nln_error err = {0};
        if (!rows[i].call(&out, &err))
            fail_msg("%s does not fail", rows[i].name);
        if (out)
            fail_msg("%s: what was there is left: %s", rows[i].name, err.message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fails_gives_none),
        cmocka_unit_test(errors_of_models_have_their_file),
    };
    return cmocka_run_group_tests(tests, make_all, free_all);
}

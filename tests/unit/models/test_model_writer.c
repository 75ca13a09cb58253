#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <jansson.h>
#include <math.h>

#include "models/model_file.h"
#include "scratch.h"
#include "tiny.h"

enum { VARIABLES = 4 };

static nln_model *make_model(const char *settings)
{
    nln_model *model = tiny_model(VARIABLES, settings);
    nln_random random = nln_random_seed(1, 1);
    nln_model_draw(model, &random);
    return model;
}

/* Two users, with three literals between them. */
static void give_users(nln_model *model)
{
    nln_symbols *names = trees_names(2);
    nln_error err = {0};
    tiny_need(nln_users_create(&model->users, names, 3, &err), &err);
    memcpy(model->users->start, (const size_t[]){0, 1, 3}, 3 * sizeof(size_t));
    memcpy(model->users->literal, (const int32_t[]){2, -1, 4}, 3 * sizeof(int32_t));
    memcpy(model->users->grade, (const uint8_t[]){5, 1, 0}, 3);
    nln_symbols_free(names);
}

/* A model of ratings with all that a file can hold. */
static nln_model *make_full(void)
{
    nln_model *model = make_model("task=preference dimension=4 networks=2 grades=5");
    model->temperature = 0.1 + 0.2; /* not the same number as 0.3 */
    model->carry = 1 / 3.0;
    model->grading = (nln_rating_grades){5, 0.5, 5, {2, 4}};
    model->origin = (nln_data_provenance){"random", "7", "3.5", "2", "", "", "user=the user"};
    give_users(model);
    return model;
}

static const char *save(const nln_model *model, const char *name)
{
    nln_error err = {0};
    const char *path = scratch_path(name);
    tiny_need(nln_model_save(model, path, &err), &err);
    return path;
}

static nln_model *load(const char *path)
{
    nln_error err = {0};
    nln_model *model = NULL;
    tiny_need(nln_model_load(&model, path, &err), &err);
    return model;
}

static nln_safetensors *read_file(const char *path)
{
    nln_error err = {0};
    nln_safetensors *file = NULL;
    tiny_need(nln_safetensors_read(&file, path, &err), &err);
    return file;
}

static void expect_same_files(const char *a, const char *b)
{
    size_t n, m;
    char *x = scratch_read(&n, a), *y = scratch_read(&m, b);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

/* ---- bytes ------------------------------------------------------------------------------ */

/* Written twice, and written after it was read. */
static void the_same_model_gives_the_same_bytes(void **state)
{
    (void)state;
    nln_model *model = make_full(), *again = load(save(model, "first"));
    save(model, "second");
    save(again, "third");
    expect_same_files("first", "second");
    expect_same_files("first", "third");
    assert_true(again->temperature == 0.1 + 0.2 && again->carry == 1 / 3.0);
    assert_int_equal(again->users->literal[1], -1);
    assert_int_equal(again->users->grade[0], 5);
    nln_model_free(again);
    nln_model_free(model);
}

/* What fails leaves the file that was there, and no other. */
static void failures_leave_the_old_file(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_model *model = make_model("dimension=8 embedding=arc");
    save(model, "model");
    save(model, "copy");
    model->net[0]->weights[3] = NAN;
    assert_int_equal(nln_model_save(model, scratch_path("model"), &err), NLN_NUMERIC);
    assert_non_null(strstr(err.message, "not.in"));
    assert_int_equal(nln_model_save(model, scratch_path("new"), &err), NLN_NUMERIC);
    model->net[0]->weights[3] = 0;
    assert_int_equal(nln_model_save(model, scratch_path("no/such/folder"), &err), NLN_IO);
    assert_int_equal(scratch_count(), 2);
    expect_same_files("model", "copy");
    nln_model_free(model);
}

static void a_new_file_takes_the_place_of_the_old(void **state)
{
    (void)state;
    nln_model *large = make_model("dimension=32"), *small = make_model("dimension=2");
    save(large, "model");
    save(small, "model");
    save(small, "small");
    assert_int_equal(scratch_count(), 2);
    expect_same_files("model", "small");
    nln_model_free(large);
    nln_model_free(small);
}

/* ---- contents ----------------------------------------------------------------------------- */

static void every_option_but_threads_is_there(void **state)
{
    (void)state;
    nln_model *model = make_model("dimension=8 threads=3");
    nln_safetensors *file = read_file(save(model, "model"));
    json_t *object = json_loads(nln_safetensors_metadata(file, "options"), 0, NULL);
    int n_rows;
    const nln_option *rows = nln_options_table(&n_rows, model->options);
    assert_int_equal(json_object_size(object), n_rows - 1);
    assert_null(json_object_get(object, "threads"));
    for (int i = 0; i < n_rows; i++)
        if (strcmp(rows[i].name, "threads") != 0)
            assert_string_equal(json_string_value(json_object_get(object, rows[i].name)),
                                nln_options_text(model->options, rows[i].name));
    json_decref(object);
    nln_safetensors_free(file);
    nln_model_free(model);
}

static void expect_metadata(const nln_safetensors *file, const char *key, const char *wanted)
{
    const char *found = nln_safetensors_metadata(file, key);
    if ((found && !wanted) || (wanted && (!found || strcmp(found, wanted) != 0)))
        fail_msg("%s: '%s' instead of '%s'", key, found ? found : "", wanted ? wanted : "");
}

static void expect_floats(const nln_safetensors *file, const char *name, const float *wanted,
                          size_t n)
{
    const nln_tensor *t = nln_safetensors_tensor(file, name);
    assert_non_null(t);
    assert_int_equal(t->n_dims, 1);
    assert_int_equal(t->shape[0], n);
    assert_memory_equal(t->data, wanted, n * sizeof *wanted);
}

static void a_model_of_ratings_is_all_there(void **state)
{
    (void)state;
    nln_model *model = make_full();
    model->temperature = 0.75;
    model->carry = 0.25;
    nln_safetensors *file = read_file(save(model, "model"));
    expect_metadata(file, "kind", "nln");
    expect_metadata(file, "version", nln_version());
    expect_metadata(file, "temperature", "0.75");
    expect_metadata(file, "carry", "0.25");
    expect_metadata(file, "variables", "[\"x0\",\"x1\",\"x2\",\"x3\"]");
    expect_metadata(file, "users", "[\"x0\",\"x1\"]");
    expect_metadata(file, "grades", "0.5 5 2 4");
    expect_metadata(file, "reading", "random 7 3.5 2 - - columns:user=the user");
    expect_metadata(file, "training", NULL);
    expect_floats(file, "users.length", (const float[]){1, 2}, 2);
    expect_floats(file, "users.literal", (const float[]){2, -1, 4}, 3);
    expect_floats(file, "users.grade", (const float[]){5, 1, 0}, 3);
    nln_safetensors_free(file);
    nln_model_free(model);
}

static void what_a_model_lacks_is_left_out(void **state)
{
    (void)state;
    static const char *const keys[] = {"users", "grades", "reading", "carry", "training"};
    nln_model *model = make_model("dimension=4");
    nln_safetensors *file = read_file(save(model, "model"));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        expect_metadata(file, keys[i], NULL);
    assert_null(nln_safetensors_tensor(file, "users.length"));
    nln_safetensors_free(file);
    give_users(model); /* ungraded */
    file = read_file(save(model, "model"));
    assert_non_null(nln_safetensors_tensor(file, "users.length"));
    assert_null(nln_safetensors_tensor(file, "users.grade"));
    nln_safetensors_free(file);
    nln_model_free(model);
}

/* Every tensor by its name, a row as a vector. */
static void tensors_are_those_of_the_model(void **state)
{
    (void)state;
    nln_model *model = make_model("dimension=4 hidden=3 embedding=arc networks=2");
    nln_safetensors *file = read_file(save(model, "model"));
    nln_net_tensor t;
    int n = 0;
    for (; nln_model_get_tensor(&t, model, n); n++) {
        const nln_tensor *written = nln_safetensors_tensor(file, t.name);
        assert_non_null(written);
        assert_int_equal(written->n_dims, t.rows == 1 ? 1 : 2);
        assert_int_equal(written->shape[0], t.rows == 1 ? t.columns : t.rows);
        assert_int_equal(written->shape[0] * written->shape[1], t.rows * t.columns);
        assert_memory_equal(written->data, t.data, t.rows * t.columns * sizeof(real));
    }
    assert_true(n > 0);
    nln_safetensors_free(file);
    nln_model_free(model);
}

/* What a training adds to a file, as many tensors as there may be, does not change the model. */
static void a_file_may_hold_more_than_a_model(void **state)
{
    (void)state;
    static char names[NLN_MODELFILE_MOST_MORE][16];
    const float numbers[3] = {1, 2, 3};
    nln_tensor more[NLN_MODELFILE_MOST_MORE];
    nln_error err = {0};
    nln_model *model = make_full();
    for (int i = 0; i < NLN_MODELFILE_MOST_MORE; i++) {
        snprintf(names[i], sizeof names[i], "more%d", i);
        more[i] = (nln_tensor){.name = names[i], .n_dims = 1, .shape = {3, 1}, .data = numbers};
    }
    tiny_need(nln_modelfile_write(model, scratch_path("more"), more, NLN_MODELFILE_MOST_MORE,
                                  "epoch 3", &err),
              &err);
    nln_safetensors *file = read_file(scratch_path("more"));
    expect_metadata(file, "training", "epoch 3");
    for (int i = 0; i < NLN_MODELFILE_MOST_MORE; i++)
        expect_floats(file, names[i], numbers, 3);
    nln_safetensors_free(file);
    nln_model *again = load(scratch_path("more"));
    save(model, "plain");
    save(again, "again");
    expect_same_files("plain", "again");
    nln_model_free(again);
    nln_model_free(model);
}

/* ---- other programs ---------------------------------------------------------------------- */

static void python_reads_it(void **state)
{
    (void)state;
    char command[2048];
    size_t n;
    if (system("python3 --version >/dev/null 2>&1")) {
        print_message("SKIP: python3 is not installed, so read_model.py was not run\n");
        skip();
    }
    nln_model *model = make_model("dimension=8 embedding=free");
    snprintf(command, sizeof command, "python3 '" NLN_TEST_DATA "/read_model.py' '%s' > '%s'",
             save(model, "model"), scratch_path("seen"));
    assert_int_equal(system(command), 0);
    char *seen = scratch_read(&n, "seen");
    assert_non_null(strstr(seen, "kind = nln"));
    assert_non_null(strstr(seen, "and.in\t[16, 8]"));
    assert_non_null(strstr(seen, "true\t[8]"));
    assert_non_null(strstr(seen, "[\"x0\",\"x1\""));
    free(seen);
    nln_model_free(model);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_model_gives_the_same_bytes),
        TEST(failures_leave_the_old_file),
        TEST(a_new_file_takes_the_place_of_the_old),
        TEST(every_option_but_threads_is_there),
        TEST(a_model_of_ratings_is_all_there),
        TEST(what_a_model_lacks_is_left_out),
        TEST(tensors_are_those_of_the_model),
        TEST(a_file_may_hold_more_than_a_model),
        TEST(python_reads_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

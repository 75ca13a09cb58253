#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "models/safetensors.h"
#include "scratch.h"
#include "tiny.h"

#define DATA "variables=30 expressions=300"
#define TINY "dimension=8 epochs=2 orders=4 threads=1 "

static const char *const embeddings[] = {"free", "line", "arc"};
enum { N_EMBEDDINGS = sizeof embeddings / sizeof *embeddings };

static nln_data *data;

static int make_data(void **state)
{
    (void)state;
    data = tiny_data(DATA);
    return 0;
}

static int free_data(void **state)
{
    (void)state;
    nln_data_free(data);
    return 0;
}

/* A model trained with one more setting, such as seed=2. */
static nln_model *train(const char *name, const char *value)
{
    char settings[256];
    snprintf(settings, sizeof settings, TINY "%s=%s", name, value);
    return tiny_train(NULL, data, settings);
}

static const char *save(const nln_model *model, const char *name)
{
    nln_error err = {0};
    const char *path = scratch_path(name);
    assert_int_equal(nln_model_save(model, path, &err), NLN_OK);
    return path;
}

static nln_model *load(const char *path)
{
    nln_error err = {0};
    nln_model *model = NULL;
    if (nln_model_load(&model, path, &err))
        fail_msg("%s", err.message);
    return model;
}

static int same_weights(const nln_model *a, const nln_model *b)
{
    nln_net_tensor x, y;
    size_t n = nln_modules_size(a->net[0]->dim, a->net[0]->hidden);
    int i = 0, same = a->temperature == b->temperature && a->carry == b->carry;
    for (int k = 0; same && k < a->n_networks; k++)
        same =
            memcmp(a->net[k]->transposed_block, b->net[k]->transposed_block, n * sizeof(real)) == 0;
    for (; same && nln_model_get_tensor(&x, a, i) && nln_model_get_tensor(&y, b, i); i++)
        same = strcmp(x.name, y.name) == 0 && x.rows == y.rows && x.columns == y.columns &&
               memcmp(x.data, y.data, x.rows * x.columns * sizeof(real)) == 0;
    return same && !nln_model_get_tensor(&y, b, i);
}

static void expect_same_answers(const nln_model *a, const nln_model *b, const nln_options *options)
{
    size_t n, m;
    double *p = tiny_answers(&n, a, data, NULL), *q = tiny_answers(&m, b, data, options);
    assert_int_equal(n, m);
    assert_memory_equal(p, q, n * sizeof *p);
    free(p);
    free(q);
}

/* ---- repeatability ------------------------------------------------------------------ */

static void what_is_saved_is_loaded(void **state)
{
    (void)state;
    for (int e = 0; e < N_EMBEDDINGS; e++) {
        nln_model *model = train("embedding", embeddings[e]), *again = load(save(model, "model"));
        int n_rows;
        const nln_option *rows = nln_options_table(&n_rows, nln_model_options(model));
        assert_true(same_weights(model, again));
        expect_same_answers(model, again, NULL);
        for (int i = 0; i < n_rows; i++)
            if (strcmp(rows[i].name, "threads") != 0) /* belongs to the run, not to the model */
                assert_string_equal(nln_options_text(nln_model_options(model), rows[i].name),
                                    nln_options_text(nln_model_options(again), rows[i].name));
        assert_int_equal(nln_model_variables(again), 30);
        for (size_t i = 0; i < 30; i++)
            assert_string_equal(nln_model_variable(model, i), nln_model_variable(again, i));
        nln_model_free(model);
        nln_model_free(again);
    }
    nln_model_free(NULL);
}

static void the_same_seed_gives_the_same_file(void **state)
{
    (void)state;
    for (int e = 0; e < N_EMBEDDINGS; e++) {
        size_t n[2];
        char *bytes[2];
        for (int i = 0; i < 2; i++) {
            nln_model *model = train("embedding", embeddings[e]);
            save(model, "model");
            bytes[i] = scratch_read(&n[i], "model");
            nln_model_free(model);
        }
        assert_int_equal(n[0], n[1]);
        assert_memory_equal(bytes[0], bytes[1], n[0]);
        free(bytes[0]);
        free(bytes[1]);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const threads[] = {"2", "3", "8"};
    nln_model *alone = train("epochs", "1 threads=1");
    for (size_t i = 0; i < 3; i++) {
        char setting[32] = "1 threads=";
        strcat(setting, threads[i]);
        nln_options *options = tiny_options("predict", setting + 2);
        nln_model *model = train("epochs", setting);
        assert_true(same_weights(alone, model));
        expect_same_answers(alone, model, options);
        nln_model_free(model);
        nln_options_free(options);
    }
    nln_model_free(alone);
}

/* Also in T, which is drawn but never trained. */
static void another_seed_gives_another_model(void **state)
{
    (void)state;
    static const char *const seeds[] = {"0", "1", "2"};
    nln_model *models[3];
    for (int i = 0; i < 3; i++) {
        models[i] = train("seed", seeds[i]);
        for (int j = 0; j < i; j++) {
            assert_false(same_weights(models[i], models[j]));
            assert_true(models[i]->net[0]->truth[0] != models[j]->net[0]->truth[0]);
        }
    }
    for (int i = 0; i < 3; i++)
        nln_model_free(models[i]);
}

/* Sizes at which a matrix is a vector, a number, or nothing. */
static void the_smallest_models_can_be_kept(void **state)
{
    (void)state;
    for (int n = 0; n <= 2; n++)
        for (int e = 0; e < N_EMBEDDINGS; e++)
            for (int d = 1; d <= 2; d++) {
                char settings[64];
                snprintf(settings, sizeof settings,
                         "dimension=%d hidden=%d embedding=%s networks=%d", d, 3 - d, embeddings[e],
                         1 + n);
                nln_model *model = tiny_model(n, settings);
                nln_random random = nln_random_seed(1, 1);
                for (int k = 0; k < model->n_networks; k++)
                    nln_net_draw(model->net[k], (nln_init){1, 1, 1}, &random);
                nln_model *again = load(save(model, "small"));
                assert_true(same_weights(model, again));
                assert_int_equal(nln_model_variables(again), n);
                nln_model_free(model);
                nln_model_free(again);
            }
}

/* ---- files that are not models ------------------------------------------------------ */

static void expect_refused(const char *path, const char *what)
{
    nln_error err = {0};
    nln_model *model = (nln_model *)&err;
    nln_status status = nln_model_load(&model, path, &err);
    if (!status || model)
        fail_msg("a file was taken: %s", what);
    assert_int_equal(err.status, status);
    if (strlen(err.message) < 20 || (!strstr(err.message, path) && strcmp(err.file, path) != 0))
        fail_msg("%s: file '%s': %s", what, err.file, err.message);
}

static void truncated_files_are_refused(void **state)
{
    (void)state;
    nln_model *model = train("embedding", "arc");
    size_t n;
    save(model, "whole");
    char *bytes = scratch_read(&n, "whole");
    for (size_t kept = 0; kept < n; kept += 1 + kept / 7)
        expect_refused(scratch_bytes("part", bytes, kept), "a part");
    expect_refused(scratch_bytes("part", bytes, n - 1), "all but the last byte");
    expect_refused(scratch_path("none"), "no file");
    expect_refused(scratch_folder, "a folder");
    expect_refused(scratch_text("text", "a & b\tT\n"), "text");
    free(bytes);
    nln_model_free(model);
}

/* What a model file is made of, borrowed, to be written again with a change. */
typedef struct parts {
    nln_tensor tensors[32];
    size_t n_tensors;
    nln_pair metadata[8];
    size_t n_metadata;
} parts;

static parts parts_of(const nln_safetensors *file, const nln_model *model)
{
    static const char *const keys[] = {"kind",      "version",     "options",
                                       "variables", "temperature", "carry"};
    parts p = {.n_metadata = sizeof keys / sizeof *keys};
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, model, i); i++)
        p.tensors[p.n_tensors++] = *nln_safetensors_tensor(file, t.name);
    for (size_t i = 0; i < p.n_metadata; i++)
        p.metadata[i] = (nln_pair){keys[i], nln_safetensors_metadata(file, keys[i])};
    return p;
}

static const char *write_parts(const parts *p)
{
    nln_error err = {0};
    const char *path = scratch_path("changed");
    if (nln_safetensors_write(path, p->tensors, p->n_tensors, p->metadata, p->n_metadata, &err))
        fail_msg("%s", err.message);
    return path;
}

/* A sample model, its file and its parts. */
typedef struct sample {
    nln_model *model;
    nln_safetensors *file;
    parts parts;
} sample;

static sample make_sample(void)
{
    sample s = {.model = tiny_train(NULL, data, TINY "embedding=arc networks=2")};
    nln_error err = {0};
    s.model->carry = 0.5;
    assert_int_equal(nln_safetensors_read(&s.file, save(s.model, "model"), &err), NLN_OK);
    s.parts = parts_of(s.file, s.model);
    nln_model *again = load(write_parts(&s.parts));
    assert_true(same_weights(s.model, again));
    nln_model_free(again);
    return s;
}

static void free_sample(sample *s)
{
    nln_safetensors_free(s->file);
    nln_model_free(s->model);
}

static void foreign_files_are_refused(void **state)
{
    (void)state;
    const float numbers[4] = {1, 2, 3, 4};
    parts p = {.tensors = {{"weights", 2, {2, 2}, numbers, NULL}}, .n_tensors = 1};
    expect_refused(write_parts(&p), "a foreign file");
    p.metadata[p.n_metadata++] = (nln_pair){"format", "pt"};
    expect_refused(write_parts(&p), "a foreign file with metadata");
    p.n_tensors = 0;
    expect_refused(write_parts(&p), "a file without tensors");
}

static void expect_metadata_refused(const sample *s, const char *key, const char *value)
{
    parts p = s->parts;
    for (size_t i = 0; i < p.n_metadata; i++) {
        if (strcmp(p.metadata[i].key, key) != 0)
            continue;
        p.metadata[i].value = value;
        if (!value)
            p.metadata[i] = p.metadata[--p.n_metadata];
    }
    expect_refused(write_parts(&p), value ? value : key);
}

static void metadata_are_checked(void **state)
{
    (void)state;
    static const nln_pair bad[] = {
        {"kind", NULL},
        {"kind", "NLN"},
        {"options", NULL},
        {"options", ""},
        {"options", "{"},
        {"options", "[]"},
        {"options", "{}"},
        {"options", "{\"dimension\":8}"},
        {"options", "{\"colour\":\"red\"}"},
        {"options", "{\"dimension\":\"0\"}"},
        {"options", "{\"dimension\":\"8\",\"dimension\":\"8\"}"},
        {"variables", NULL},
        {"variables", "{}"},
        {"variables", "[]"},
        {"variables", "[1]"},
        {"variables", "[\"\"]"},
        {"variables", "[\"v1\"]"},
        {"variables", "[\"v1\\u0000\"]"},
        {"temperature", NULL},
        {"temperature", ""},
        {"temperature", "1x"},
        {"temperature", "0"},
        {"temperature", "-1"},
        {"temperature", "nan"},
        {"temperature", "inf"},
        {"temperature", "1e999"},
        {"carry", ""},
        {"carry", "1x"},
        {"carry", "-1"},
        {"carry", "nan"},
        {"carry", "inf"},
    };
    sample s = make_sample();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        expect_metadata_refused(&s, bad[i].key, bad[i].value);
    free_sample(&s);
}

/* The metadata with the first `from` replaced by `to`. */
static void expect_replacement_refused(const sample *s, const char *key, const char *from,
                                       const char *to)
{
    char text[8192];
    const char *old = nln_safetensors_metadata(s->file, key), *at = strstr(old, from);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - old), old, to, at + strlen(from));
    expect_metadata_refused(s, key, text);
}

static void changed_options_and_names_are_noticed(void **state)
{
    (void)state;
    static const char *const changes[][3] = {
        {"options", "\"dimension\":\"8\"", "\"dimension\":\"9\""},
        {"options", "\"dimension\":\"8\"", "\"dimension\":\"4096\""},
        {"options", "\"hidden\":\"0\"", "\"hidden\":\"16384\""},
        {"options", "\"dimension\":\"8\"", "\"dimension\":\"eight\""},
        {"variables", "\"v2\"", "\"v1\""},
        {"variables", "\"v2\"", "\"v2\",\"v2\""},
        {"variables", "\"v2\",", ""},
        {"variables", "\"v2\"", "\"v2\",\"w\""},
        {"variables", "\"v2\"", "null"},
    };
    sample s = make_sample();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
        expect_replacement_refused(&s, changes[i][0], changes[i][1], changes[i][2]);
    free_sample(&s);
}

/* Every tensor in turn left out, one row short, and of other dimensions. */
static void tensors_are_checked(void **state)
{
    (void)state;
    sample s = make_sample();
    for (size_t i = 0; i < s.parts.n_tensors; i++) {
        parts p = s.parts;
        nln_tensor *t = &p.tensors[i], old = *t;
        t->shape[0]--;
        expect_refused(write_parts(&p), old.name);
        *t = old;
        t->n_dims = 3 - old.n_dims;
        t->shape[0] = old.n_dims == 1 ? 1 : old.shape[0] * old.shape[1];
        t->shape[1] = old.n_dims == 1 ? old.shape[0] : 1;
        expect_refused(write_parts(&p), old.name);
        *t = p.tensors[--p.n_tensors];
        expect_refused(write_parts(&p), old.name);
    }
    free_sample(&s);
}

static void a_model_without_finite_numbers_is_not_saved(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_model *model = train("embedding", "arc");
    model->net[0]->weights[3] = NAN;
    assert_int_equal(nln_model_save(model, scratch_path("nan"), &err), NLN_NUMERIC);
    assert_int_equal(scratch_count(), 0);
    model->net[0]->weights[3] = 0;
    assert_int_equal(nln_model_save(model, scratch_path("no/such/folder"), &err), NLN_IO);
    assert_int_equal(scratch_count(), 0);
    nln_model_free(model);
}

/* ---- other programs ---------------------------------------------------------------- */

static void python_reads_it(void **state)
{
    (void)state;
    char command[2048];
    size_t n;
    if (system("python3 --version >/dev/null 2>&1")) {
        print_message("SKIP: python3 is not installed, so read_model.py was not run\n");
        skip();
    }
    nln_model *model = train("embedding", "free");
    snprintf(command, sizeof command, "python3 '" NLN_TEST_DATA "/read_model.py' '%s' > '%s'",
             save(model, "model"), scratch_path("seen"));
    assert_int_equal(system(command), 0);
    char *seen = scratch_read(&n, "seen");
    assert_non_null(strstr(seen, "kind = nln"));
    assert_non_null(strstr(seen, "and.in\t[16, 8]"));
    assert_non_null(strstr(seen, "true\t[8]"));
    assert_non_null(strstr(seen, "[\"v1\",\"v2\""));
    free(seen);
    nln_model_free(model);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(what_is_saved_is_loaded),
        TEST(the_same_seed_gives_the_same_file),
        TEST(threads_do_not_matter),
        TEST(another_seed_gives_another_model),
        TEST(the_smallest_models_can_be_kept),
        TEST(truncated_files_are_refused),
        TEST(foreign_files_are_refused),
        TEST(metadata_are_checked),
        TEST(changed_options_and_names_are_noticed),
        TEST(tensors_are_checked),
        TEST(a_model_without_finite_numbers_is_not_saved),
        TEST(python_reads_it),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

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

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

/* A file keeps entities, predicates and their vectors. */
static void a_file_keeps_predicates(void **state)
{
    (void)state;
    static const char *const lines[] = {"p(a)", "q(a, \"b c\") -> p(a)", "forall x: p(x)"};
    static const int labels[] = {1, 0, 1};
    for (int module = 0; module < 2; module++) {
        nln_data *own = NULL;
        nln_model *model = NULL, *read = NULL;
        nln_error err = {0};
        double p[3], q[3];
        nln_options *o = tiny_options("train", module ? "dimension=6 epochs=2 predicates=product"
                                                      : "dimension=6 epochs=2");
        tiny_need(nln_data_create(&own, &err), &err);
        tiny_need(nln_data_add(own, NLN_TRAIN, lines, labels, 3, &err), &err);
        tiny_need(nln_train(&model, NULL, own, o, NULL, &err), &err);
        tiny_need(nln_model_load(&read, save(model, "predicates"), &err), &err);
        assert_int_equal(nln_model_entities(read), 2);
        assert_string_equal(nln_model_entity(read, 1), "b c");
        assert_null(nln_model_entity(read, 2));
        assert_int_equal(nln_model_predicates(read), 2);
        assert_string_equal(nln_model_predicate(read, 1), "q");
        assert_int_equal(nln_model_arity(read, 1), 2);
        assert_int_equal(nln_model_arity(read, 2), 0);
        tiny_need(nln_predict_many(p, model, lines, 3, NULL, &err), &err);
        tiny_need(nln_predict_many(q, read, lines, 3, NULL, &err), &err);
        assert_memory_equal(p, q, sizeof p);
        nln_model_free(model);
        nln_model_free(read);
        nln_data_free(own);
        nln_options_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_keeps_predicates), TEST(what_is_saved_is_loaded),
        TEST(the_same_seed_gives_the_same_file),   TEST(threads_do_not_matter),
        TEST(another_seed_gives_another_model),    TEST(the_smallest_models_can_be_kept),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}

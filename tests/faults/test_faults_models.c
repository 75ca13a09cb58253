/* Faults under model files and under all that is asked of a model. */
#include "trials.h"

#include <string.h>

#include "likes.h"
#include "nln_lab.h"
#include "scratch.h"
#include "tiny.h"

#define N_OF(table) (sizeof(table) / sizeof *(table))
#define QUICK       "epochs=1 dimension=4 "
#define NETWORK     QUICK "hidden=4 members=2 orders=2 batch=8 "

static nln_data *data;
static nln_ratings *ratings;
static nln_model *logic; /* the one that is asked */
static nln_options *drawing;

static int make_data(void **state)
{
    (void)state;
    trials_fail_jansson(1);
    data = tiny_data("variables=6 expressions=40");
    ratings = likes_random(12, 12, 8, 3);
    return 0;
}

static int free_data(void **state)
{
    (void)state;
    nln_data_free(data);
    nln_ratings_free(ratings);
    return 0;
}

/* ---- asking a model ----------------------------------------------------------------------- */

static nln_options *few_threads; /* of "predict" */

static nln_status predict(const char *settings, nln_error *err)
{
    double p[2];
    const char *many[] = {"(v1 & !v2) | v3", "v1 -> (v2 <-> v3)"};
    nln_status status = nln_predict(p, logic, settings, err);
    return status ? status : nln_predict_many(p, logic, many, 2, few_threads, err);
}

static nln_status evaluate(const char *settings, nln_error *err)
{
    nln_metrics m;
    (void)settings;
    return nln_evaluate(&m, logic, data, NLN_TEST, few_threads, err);
}

static nln_status rank(const char *settings, nln_error *err)
{
    double p[6];
    return nln_rank(p, logic, settings, err);
}

static nln_status solve(const char *settings, nln_error *err)
{
    double p[6], recovered;
    size_t n;
    nln_status status = nln_solve(p, logic, err);
    return status ? status : nln_solve_score(&recovered, &n, logic, settings, err);
}

static nln_status inspect(const char *settings, nln_error *err)
{
    nln_law_score scores[32];
    size_t n;
    (void)settings;
    return nln_inspect(scores, 32, &n, logic, data, err);
}

static nln_status embed(const char *settings, nln_error *err)
{
    float out[6 * 24];
    int8_t value[6];
    size_t n;
    assert_true(nln_model_vector_length(logic) <= 24);
    nln_status status = nln_model_embedding(out, logic, err);
    return status ? status : nln_model_truth(value, &n, logic, settings, err);
}

static nln_status draw(const char *settings, nln_error *err)
{
    enum { N = 40 };
    float points[N * 3];
    double plane[N * 2], accuracy;
    int cluster[N];
    int8_t value[N];
    for (int i = 0; i < N * 3; i++)
        points[i] = (float)(i * 7919 % 101);
    for (int i = 0; i < N; i++)
        value[i] = (int8_t)(i % 2);
    (void)settings;
    nln_status status = nln_tsne(plane, NULL, points, N, 3, drawing, NULL, err);
    return status ? status : nln_two_clusters(cluster, &accuracy, plane, N, value, 1, err);
}

static nln_status exact(const char *settings, nln_error *err)
{
    nln_exact_report report;
    (void)settings;
    return nln_exact(&report, data, NULL, err);
}

static const nln_model *of_ratings; /* topk or preference */

static nln_status judge(const char *settings, nln_error *err)
{
    nln_metrics m;
    nln_placing *placings = NULL;
    (void)settings;
    nln_status status =
        nln_evaluate_ratings(&m, &placings, of_ratings, ratings, NLN_TEST, NULL, err);
    if (status)
        assert_null(placings);
    nln_free(placings);
    return status;
}

static nln_status recommend(const char *user, nln_error *err)
{
    nln_literal *history = NULL, *again = NULL;
    nln_recommendation best[5];
    size_t n = 0, n_best, n_again;
    nln_status status = nln_model_history(&history, &n, of_ratings, user, err);
    if (status)
        assert_null(history);
    if (!status)
        status = nln_ratings_history(&again, &n_again, of_ratings, ratings, user, err);
    if (status)
        assert_null(again);
    if (!status)
        status = nln_recommend(best, &n_best, 5, of_ratings, user, history, n, 0, err);
    nln_free(history);
    nln_free(again);
    return status;
}

static nln_status explain(const char *user, nln_error *err)
{
    const nln_literal history[] = {{1, 1, 0}, {2, 0, 0}, {3, 1, 0}};
    nln_reason reasons[3];
    nln_explanation told = {.reasons = reasons};
    return nln_explain(&told, of_ratings, user, history, 3, 0, err);
}

static void ask(const char *threads, faults_kind kind, nln_status wanted)
{
    nln_error err = {0};
    trial trials[] = {
        {"predict", predict, "v1 & !v2 | (v3 -> !v1)"},
        {"evaluate", evaluate, NULL},
        {"rank", rank, "v1 & !v2"},
        {"solve", solve, scratch_path("data")},
        {"inspect", inspect, NULL},
        {"embed", embed, scratch_path("data")},
    };
    tiny_need(nln_data_write(data, scratch_path("data"), &err), &err);
    few_threads = tiny_options("predict", threads);
    for (size_t i = 0; i < N_OF(trials); i++)
        trials_each(&trials[i], kind, wanted, 0, NULL);
    nln_options_free(few_threads);
}

static void memory_for_questions(void **state)
{
    static const char *const models[] = {NETWORK "threads=1", NETWORK "threads=1 embedding=free",
                                         NETWORK "threads=1 networks=3"};
    (void)state;
    for (size_t i = 0; i < N_OF(models); i++) {
        logic = tiny_train(NULL, data, models[i]);
        ask("threads=1", FAULTS_MEMORY, NLN_MEMORY);
        nln_model_free(logic);
    }
}

static void threads_for_questions(void **state)
{
    (void)state;
    logic = tiny_train(NULL, data, NETWORK);
    ask("threads=3", FAULTS_THREAD, NLN_LIMIT);
    nln_model_free(logic);
}

static void memory_for_recommending(void **state)
{
    static const struct {
        const char *settings;
        int explains;
    } models[] = {
        {QUICK "task=topk", 1},
        {QUICK "task=preference", 1},
        {QUICK "task=preference networks=2", 1},
        {QUICK "task=topk model=gru", 1},
        {"task=topk model=popularity", 0},
        {QUICK "task=topk model=ncf", 0},
        {QUICK "task=topk model=biasedmf", 0},
        {"task=topk model=ease", 1},
        {QUICK "task=topk model=svdpp", 1},
    };
    const trial trials[] = {
        {"judge", judge, NULL}, {"recommend", recommend, "u3"}, {"explain", explain, "u3"}};
    (void)state;
    for (size_t i = 0; i < N_OF(models); i++) {
        char settings[256];
        snprintf(settings, sizeof settings, "threads=1 %s", models[i].settings);
        nln_model *model = likes_train(NULL, ratings, settings);
        of_ratings = model;
        for (int k = 0; k < 2 + models[i].explains; k++)
            trials_each(&trials[k], FAULTS_MEMORY, NLN_MEMORY, 0, NULL);
        nln_model_free(model);
    }
}

static void memory_for_pictures_and_proofs(void **state)
{
    const trial picture = {"tsne", draw, NULL}, proof = {"exact", exact, NULL};
    (void)state;
    drawing = tiny_options("tsne", "iterations=10 perplexity=5 threads=1");
    trials_each(&picture, FAULTS_MEMORY, NLN_MEMORY, 0, NULL);
    nln_options_free(drawing);
    trials_each(&proof, FAULTS_MEMORY, NLN_MEMORY, 0, NULL);
}

/* ---- model files -------------------------------------------------------------------------- */

static const nln_model *to_save;
static char *whole;
static size_t whole_size;

static nln_status save(const char *path, nln_error *err)
{
    return nln_model_save(to_save, path, err);
}

static nln_status load(const char *path, nln_error *err)
{
    nln_model *model = NULL;
    nln_status status = nln_model_load(&model, path, err);
    if (status)
        assert_null(model);
    nln_model_free(model);
    return status;
}

/* Where nothing was said to have failed the file is new, else the old one. */
static void after_save(const trial *t)
{
    size_t n;
    char *bytes = scratch_read(&n, "model");
    (void)t;
    if (trials_status)
        assert_string_equal(bytes, "old");
    else
        assert_true(n == whole_size && memcmp(bytes, whole, n) == 0);
    free(bytes);
    scratch_text("model", "old");
    assert_int_equal(scratch_count(), 2);
}

static void fail_saving(nln_model *model)
{
    nln_error err = {0};
    char path[128];
    snprintf(path, sizeof path, "%s", scratch_path("whole"));
    tiny_need(nln_model_save(model, path, &err), &err);
    whole = scratch_read(&whole_size, "whole");
    const trial loading = {"load", load, path};
    trials_fail_jansson(0);
    trials_each(&loading, FAULTS_MEMORY, NLN_MEMORY, 0, NULL);
    trials_each(&loading, FAULTS_OPEN, NLN_IO, 0, NULL);
    trials_each(&loading, FAULTS_READ, NLN_IO, 0, NULL);
    trials_each(&loading, FAULTS_TRUNCATE, NLN_IO, 0, NULL);

    char target[128];
    snprintf(target, sizeof target, "%s", scratch_path("model"));
    const trial saving = {"save", save, target};
    scratch_text("model", "old");
    to_save = model;
    trials_fail_jansson(1);
    trials_each(&saving, FAULTS_MEMORY, NLN_MEMORY, 0, after_save);
    trials_each(&saving, FAULTS_OPEN, NLN_IO, 1, after_save);
    trials_each(&saving, FAULTS_WRITE, NLN_IO, 1, after_save);
    trials_each(&saving, FAULTS_PIPE, NLN_IO, 1, after_save);
    free(whole);
    nln_model_free(model);
}

static void model_files(void **state)
{
    (void)state;
    fail_saving(tiny_train(NULL, data, QUICK "threads=1"));
    fail_saving(tiny_train(NULL, data, QUICK "threads=1 networks=2"));
    fail_saving(tiny_train(NULL, data, QUICK "threads=1 model=bilstm"));
    fail_saving(tiny_train(NULL, data, "threads=1 epochs=1 model=marginals"));
    fail_saving(likes_train(NULL, ratings, QUICK "threads=1 task=topk"));
    fail_saving(likes_train(NULL, ratings, QUICK "threads=1 task=topk model=svdpp"));
    fail_saving(likes_train(NULL, ratings, "threads=1 task=topk model=ease"));
    fail_saving(likes_train(NULL, ratings, QUICK "threads=1 task=topk model=ncf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_for_questions, scratch_setup, scratch_teardown),
        cmocka_unit_test_setup_teardown(threads_for_questions, scratch_setup, scratch_teardown),
        cmocka_unit_test(memory_for_recommending),
        cmocka_unit_test(memory_for_pictures_and_proofs),
        cmocka_unit_test_setup_teardown(model_files, scratch_setup, scratch_teardown),
    };
    return trials_tell(cmocka_run_group_tests(tests, make_data, free_data));
}

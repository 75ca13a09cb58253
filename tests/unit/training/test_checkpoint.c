/* A training that is stopped anywhere and goes on comes to the same bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "likes.h"
#include "models/model_file.h"
#include "scratch.h"
#include "training/checkpoint.h"

/* ---- trainings to stop ------------------------------------------------------------------ */

static nln_data *data;
static nln_ratings *ratings;

static int make_data(void **state)
{
    data = tiny_data("variables=20 expressions=300");
    ratings = likes_random(25, 15, 12, 8);
    return scratch_setup(state);
}

static int free_data(void **state)
{
    nln_data_free(data);
    nln_ratings_free(ratings);
    return scratch_teardown(state);
}

/* Stops after so many calls, if that is not 0. */
typedef struct stopper {
    int calls, stop_after;
    int logged;
} stopper;

static int stop(void *context, const nln_progress *progress)
{
    stopper *s = context;
    (void)progress;
    return ++s->calls == s->stop_after;
}

static void note(void *context, const char *message)
{
    stopper *s = context;
    assert_true(strlen(message) > 10);
    s->logged++;
}

static nln_status train(nln_model **model, nln_report *report, const char *settings,
                        const nln_watch *watch, nln_error *err)
{
    nln_options *o = tiny_options("train", settings);
    int logic = strcmp(nln_options_text(o, "task"), "logic") == 0;
    nln_status status = logic ? nln_train(model, report, data, o, watch, err)
                              : nln_train_ratings(model, report, ratings, o, watch, err);
    nln_options_free(o);
    return status;
}

static void assert_same_files(const char *a, const char *b)
{
    size_t n_a, n_b;
    char *x = scratch_read(&n_a, a), *y = scratch_read(&n_b, b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(x, y, n_a);
    free(x);
    free(y);
}

static void save(const nln_model *model, const char *name)
{
    nln_error err = {0};
    tiny_need(nln_model_save(model, scratch_path(name), &err), &err);
}

/* Trains in pieces of `step` calls each until it is done; returns how many pieces. */
static int train_in_pieces(const char *settings, int step, const char *name)
{
    nln_model *model = NULL;
    nln_report report;
    nln_error err = {0};
    int pieces = 0;
    nln_status status = NLN_CANCELLED;
    remove(scratch_path("checkpoint"));
    while (status == NLN_CANCELLED && pieces < 1000) {
        stopper s = {.stop_after = step};
        nln_watch watch = {.context = &s,
                           .progress = stop,
                           .log = note,
                           .checkpoint = scratch_path("checkpoint"),
                           .resume = 1};
        status = train(&model, &report, settings, &watch, &err);
        assert_true(s.logged > 0);
        pieces++;
    }
    tiny_need(status, &err);
    save(model, name);
    nln_model_free(model);
    return pieces;
}

static void same_bits(const char *settings)
{
    nln_model *model = NULL;
    nln_report report;
    nln_error err = {0};
    tiny_need(train(&model, &report, settings, NULL, &err), &err);
    save(model, "whole");
    nln_model_free(model);
    assert_true(train_in_pieces(settings, 1, "pieces") > 3);
    assert_same_files("whole", "pieces");
    assert_true(train_in_pieces(settings, 7, "pieces") > 1);
    assert_same_files("whole", "pieces");
}

#define LOGIC "dimension=8 epochs=4 batch=32 threads=2 "
#define TOPK  "task=topk dimension=8 epochs=3 batch=16 threads=2 negatives=4 "
#define LIKES "task=preference dimension=8 epochs=3 batch=16 threads=2 "

static const char *const trainings[] = {
    LOGIC,
    LOGIC "embedding=free noise=0.05",
    LOGIC "recipe=paper",
    LOGIC "average=0.5",
    LOGIC "patience=1 epochs=9",
    LOGIC "stop-at=0.5",
    LOGIC "networks=2 dropout=0.1",
    LOGIC "networks=8 members=1 embedding=arc average=0.3", /* as many tensors as there are */
    LOGIC "model=birnn",
    LOGIC "model=bilstm dropout=0.2",
    "model=marginals epochs=4 batch=32 threads=2",
    TOPK,
    TOPK "together=4 history=8",
    TOPK "recipe=paper drop-history=0.3",
    TOPK "loss=pairwise average=0.3",
    TOPK "model=biasedmf loss=pairwise negatives=1",
    TOPK "model=svdpp loss=pairwise negatives=1",
    TOPK "model=ncf loss=pairwise negatives=1",
    TOPK "model=gru",
    TOPK "model=sasrec",
    LIKES,
    LIKES "networks=2",
    LIKES "model=svdpp",
    LIKES "model=ncf",
};

static void every_training_goes_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof trainings / sizeof *trainings; i++) {
        print_message("%s\n", trainings[i]);
        same_bits(trainings[i]);
    }
}

/* ---- what else a checkpoint is ----------------------------------------------------------- */

/* Leaves a checkpoint of LOGIC in its second epoch. */
static const char *leave(const char *name)
{
    stopper s = {.stop_after = 15};
    nln_model *model = NULL;
    nln_error err = {0};
    const char *path = scratch_path(name);
    nln_watch watch = {.context = &s, .progress = stop, .checkpoint = path};
    assert_int_equal(train(&model, NULL, LOGIC, &watch, &err), NLN_CANCELLED);
    assert_null(model);
    assert_string_equal(err.file, path);
    return path;
}

static nln_status go_on(nln_error *err, const char *path, const char *settings)
{
    nln_model *model = NULL;
    nln_watch watch = {.checkpoint = path, .resume = 1};
    nln_status status = train(&model, NULL, settings, &watch, err);
    nln_model_free(model);
    return status;
}

static void is_a_model_too(void **state)
{
    (void)state;
    nln_model *model = NULL;
    nln_error err = {0};
    double p = -1;
    tiny_need(nln_model_load(&model, leave("mid"), &err), &err);
    tiny_need(nln_predict(&p, model, "v1 | !v2", &err), &err);
    assert_true(p >= 0 && p <= 1);
    nln_model_free(model);
}

static void is_written_every_so_often(void **state)
{
    (void)state;
    nln_model *model = NULL;
    nln_error err = {0};
    const char *path = scratch_path("often");
    nln_watch watch = {.checkpoint = path, .every = 3};
    tiny_need(train(&model, NULL, LOGIC "epochs=5", &watch, &err), &err);
    nln_model_free(model);
    /* epoch 3 is in it: two more are told */
    stopper s = {0};
    watch = (nln_watch){.context = &s, .progress = stop, .checkpoint = path, .resume = 1};
    tiny_need(train(&model, NULL, LOGIC "epochs=5", &watch, &err), &err);
    nln_model_free(model);
    assert_int_equal(s.calls, 2 * 8); /* 240 expressions in batches of 32 */
}

static void refuses_what_does_not_belong(void **state)
{
    (void)state;
    nln_error err = {0};
    const char *path = leave("mid");
    assert_int_equal(go_on(&err, path, LOGIC "learning-rate=0.5"), NLN_INVALID);
    assert_non_null(strstr(err.message, "--learning-rate 0.001, and this is with 0.5"));
    nln_data *mine = data;
    data = tiny_data("variables=20 expressions=300 seed=9");
    assert_int_equal(go_on(&err, path, LOGIC), NLN_INVALID);
    assert_non_null(strstr(err.message, "other data"));
    nln_data_free(data);
    data = mine;
    assert_int_equal(go_on(&err, path, LOGIC "threads=1"), NLN_OK); /* no matter */
    nln_model *model = NULL;
    tiny_need(train(&model, NULL, LOGIC, NULL, &err), &err);
    save(model, "plain");
    nln_model_free(model);
    assert_int_equal(go_on(&err, scratch_path("plain"), LOGIC), NLN_FORMAT);
    assert_non_null(strstr(err.message, "no training under way"));
}

/* A byte that was changed or lost is either refused or does no harm. */
static void survives_damage(void **state)
{
    (void)state;
    size_t n;
    leave("mid");
    char *bytes = scratch_read(&n, "mid");
    nln_random random = nln_random_seed(3, 3);
    int refused = 0;
    for (int i = 0; i < 300; i++) {
        nln_error err = {0};
        size_t at = nln_random_below(&random, i % 2 ? n : 4096), size = n;
        char old = bytes[at];
        if (i % 10 == 9)
            size = at;
        else
            bytes[at] = (char)nln_random_next(&random);
        scratch_bytes("damaged", bytes, size);
        if (go_on(&err, scratch_path("damaged"), LOGIC)) {
            assert_true(err.message[0]);
            refused++;
        }
        bytes[at] = old;
    }
    free(bytes);
    assert_true(refused > 100);
}

/* Learning at once leaves nothing to go on from, and needs nothing. */
static void learning_at_once_needs_none(void **state)
{
    (void)state;
    nln_error err = {0};
    assert_int_equal(go_on(&err, scratch_path("none"), "task=topk model=ease"), NLN_OK);
    assert_null(fopen(scratch_path("none"), "r"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_training_goes_on),    cmocka_unit_test(is_a_model_too),
        cmocka_unit_test(is_written_every_so_often), cmocka_unit_test(refuses_what_does_not_belong),
        cmocka_unit_test(survives_damage),           cmocka_unit_test(learning_at_once_needs_none),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}

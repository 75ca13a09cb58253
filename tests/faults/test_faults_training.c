/* Faults under training, for every kind of model, and under checkpoints. */
#include "trials.h"

#include <string.h>

#include "likes.h"
#include "scratch.h"
#include "tiny.h"

#define N_OF(table) (sizeof(table) / sizeof *(table))
#define QUICK       "epochs=1 dimension=4 "
#define NETWORK     QUICK "hidden=4 members=2 orders=2 batch=8 "

static nln_data *data;
static nln_ratings *ratings;
static nln_options *training; /* of the training at hand */
static nln_watch watch;

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

static nln_status train(const char *settings, nln_error *err)
{
    nln_model *model = NULL;
    nln_report report;
    (void)settings;
    nln_status status = nln_options_number(training, "task") == 0
                            ? nln_train(&model, &report, data, training, &watch, err)
                            : nln_train_ratings(&model, &report, ratings, training, &watch, err);
    if (status)
        assert_null(model);
    nln_model_free(model);
    return status;
}

static const char *const trainings[] = {
    NETWORK "task=logic message-sweeps=0",
    NETWORK "task=logic embedding=free law-sample=1 average=0.5 dropout=0.1 curves=true",
    NETWORK
    "task=logic embedding=arc normal-form=cnf association=fold length-weight=1 message-sweeps=0",
    NETWORK "task=logic networks=2 message-sweeps=0",
    QUICK "task=logic model=birnn",
    QUICK "task=logic model=bilstm",
    "epochs=1 task=logic model=marginals",
    NETWORK "task=preference",
    QUICK "task=preference model=biasedmf",
    QUICK "task=preference model=svdpp batch=8",
    QUICK "task=preference model=ncf",
    NETWORK "task=topk loss=pairwise negatives=2",
    NETWORK "task=topk negatives=0",
    NETWORK "task=topk together=3 context=all drop-history=0.2",
    "task=topk model=popularity",
    QUICK "task=topk model=biasedmf",
    QUICK "task=topk model=svdpp",
    QUICK "task=topk model=ncf batch=8",
    "task=topk model=ease",
    QUICK "task=topk model=gru batch=8",
    QUICK "task=topk model=sasrec batch=8",
};

static void fail_training(const char *threads, faults_kind kind, nln_status wanted)
{
    for (size_t i = 0; i < N_OF(trainings); i++) {
        char settings[256];
        snprintf(settings, sizeof settings, "%s %s", threads, trainings[i]);
        training = tiny_options("train", settings);
        trial t = {"training", train, trainings[i]};
        trials_each(&t, kind, wanted, 0, NULL);
        nln_options_free(training);
    }
}

static void memory_for_training(void **state)
{
    (void)state;
    fail_training("threads=1", FAULTS_MEMORY, NLN_MEMORY);
}

/* Messages, from so few expressions that the modules learn in four steps. */
static void memory_for_messages(void **state)
{
    const trial t = {"messages", train, "messages"};
    nln_data *all = data;
    (void)state;
    data = tiny_set((const char *const[]){"a & !b", "a | b", ""});
    trees_parse(&data->split[NLN_TRAIN].exprs, data->symbols, "b | a & c");
    nln_labelled_add(&data->split[NLN_TRAIN], 0, 1, NULL);
    training = tiny_options("train", NETWORK "task=logic threads=1");
    trials_each(&t, FAULTS_MEMORY, NLN_MEMORY, 0, NULL);
    nln_options_free(training);
    nln_data_free(data);
    data = all;
}

static void threads_for_training(void **state)
{
    (void)state;
    fail_training("threads=3", FAULTS_THREAD, NLN_LIMIT);
}

/* ---- checkpoints -------------------------------------------------------------------------- */

static const char old_text[] = "this was here before";

/* The checkpoint is the old file or one to go on from, and there is no other file. */
static void after_checkpoint(const trial *t)
{
    nln_error err = {0};
    size_t n;
    char *bytes = scratch_read(&n, "checkpoint");
    (void)t;
    if (trials_status == NLN_OK || strcmp(bytes, old_text)) {
        nln_model *model = NULL;
        tiny_need(nln_model_load(&model, scratch_path("checkpoint"), &err), &err);
        nln_model_free(model);
    }
    free(bytes);
    assert_int_equal(scratch_count(), 1);
    scratch_text("checkpoint", old_text);
}

static void full_disk_under_checkpoints(void **state)
{
    const trial t = {"checkpoints", train, "checkpoints"};
    char path[128];
    (void)state;
    training = tiny_options("train", NETWORK "epochs=2 threads=1 task=logic message-sweeps=0");
    snprintf(path, sizeof path, "%s", scratch_path("checkpoint"));
    watch = (nln_watch){.checkpoint = path, .every = 1};
    scratch_text("checkpoint", old_text);
    trials_each(&t, FAULTS_WRITE, NLN_IO, 1, after_checkpoint);
    trials_each(&t, FAULTS_OPEN, NLN_IO, 1, after_checkpoint);
    trials_each(&t, FAULTS_MEMORY, NLN_MEMORY, 0, after_checkpoint);
    watch = (nln_watch){0};
    nln_options_free(training);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_for_training),
        cmocka_unit_test(memory_for_messages),
        cmocka_unit_test(threads_for_training),
        cmocka_unit_test_setup_teardown(full_disk_under_checkpoints, scratch_setup,
                                        scratch_teardown),
    };
    return trials_tell(cmocka_run_group_tests(tests, make_data, free_data));
}

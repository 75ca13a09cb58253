#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "likes.h"
#include "nln_lab.h"
#include "tiny.h"
#include "training/trainer.h"

#define SMALL "dimension=16 epochs=4 threads=1 orders=2 "

static nln_data *data; /* 50 variables, 200 expressions */

static int make_data(void **state)
{
    (void)state;
    data = tiny_data("variables=50 expressions=200");
    return 0;
}

static int free_data(void **state)
{
    (void)state;
    nln_data_free(data);
    return 0;
}

static int is_finite(const nln_metrics *m)
{
    return isfinite(m->accuracy) && isfinite(m->rmse) && isfinite(m->cross_entropy);
}

/* Everything that a training can be asked for, for an epoch or two. */
static void every_option_works(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "reduce=mean",
        "reduce=mean networks=2",
        "schedule=constant clip=0",
        "law-sample=1",

        "length-weight=0.001",
        "embedding=free l2-variables=0.1",
        "noise=0.1",
        "fit-noise=false members=1",
        "fit-noise=true noise=0",
        "noise=0.49",
        "dropout=0.3",
        "dropout-variables=0.3",
        "logit-noise=0 predict-noise=0",
        "calibrate=false",
        "association=fold",
        "normal-form=none",
        "normal-form=nnf",
        "select=accuracy",
        "select=cross-entropy",
        "embedding=arc dropout-variables=0.2",
        "hidden=5 batch=7",
        "batch=100000",
        "recipe=paper epochs=2",
        "orders=1",
        "init-scale=0.1",
        "dimension=1 hidden=1",
        "dimension=1 embedding=arc",
        "laws=negation",
        "laws=or_identity,and_idempotence",
        "laws=compound",
        "laws=all,compound law-sample=1",
        "l2=0 l2-logit=0",
    };
    nln_data *few = tiny_data("variables=20 expressions=100 max-clauses=3 max-literals=3");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        char all[256];
        nln_report r;
        snprintf(all, sizeof all, "dimension=8 epochs=2 threads=1 orders=2 %s", settings[i]);
        nln_model *model = tiny_train(&r, few, all);
        if (!is_finite(&r.train) || !is_finite(&r.valid) || !is_finite(&r.test))
            fail_msg("%s: metrics are not finite", settings[i]);
        nln_model_free(model);
    }
    nln_data_free(few);
}

/* Without validation the last epoch is kept; one without variables has only T. */
static void small_sets_can_be_trained_on(void **state)
{
    (void)state;
    static const char *const sets[][3] = {
        {"a & !b", "", ""}, {"a", "b", "a | b"}, {"T", "", "T"}, {"T | F", "!F", ""}};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        nln_report report;
        nln_data *d = tiny_set(sets[i]);
        nln_model *model = tiny_train(&report, d, SMALL "epochs=3 fit-noise=true");
        assert_int_equal(report.train.n, 1);
        assert_int_equal(report.valid.n, *sets[i][1] != '\0');
        assert_int_equal(report.test.n, *sets[i][2] != '\0');
        assert_int_equal(report.epochs, 3);
        assert_in_range(report.best_epoch, 1, 3);
        assert_true(is_finite(&report.train) && is_finite(&report.valid) &&
                    is_finite(&report.test));
        nln_model_free(model);
        nln_data_free(d);
    }
}

/* ---- variables that are not in every batch ------------------------------------------------ */

typedef struct logit {
    double t, m, v;
} logit;

/* One step of Adam on a number whose gradient is that of -log sigmoid(10 tanh(t / 3)), or
 * 0 when its expression is not in the batch. */
static void dense_step(logit *x, int in_batch, int step)
{
    double c = tanh(x->t / 3), p = 1 / (1 + exp(-10 * c));
    double g = in_batch ? -(1 - p) * 10 * (1 - c * c) / 3 : 0;
    x->m = 0.9 * x->m + 0.1 * g;
    x->v = 0.99 * x->v + 0.01 * g * g;
    x->t -= 0.1 * x->m / (1 - pow(0.9, step)) / (sqrt(x->v / (1 - pow(0.99, step))) + 1e-8);
}

/* Two expressions of one variable each, in batches of one: in each epoch the bit of
 * `order` says which is first. */
static void run_dense(double *a, double *b, unsigned order, int epochs)
{
    logit x[2] = {{0, 0, 0}, {0, 0, 0}};
    for (int step = 0; step < 2 * epochs; step++) {
        int chosen = (int)(order >> step / 2 & 1) ^ (step & 1);
        dense_step(&x[0], chosen == 0, step + 1);
        dense_step(&x[1], chosen == 1, step + 1);
    }
    *a = x[0].t;
    *b = x[1].t;
}

/* Whatever the orders drawn, the numbers are those of dense Adam in one of them. */
static void rare_variables_move_as_by_dense_adam(void **state)
{
    (void)state;
    nln_data *d = tiny_set((const char *const[]){"a", "", ""});
    trees_parse(&d->split[NLN_TRAIN].exprs, d->symbols, "b");
    nln_labelled_add(&d->split[NLN_TRAIN], 1, 1, NULL);
    for (int epochs = 1; epochs <= 5; epochs++) {
        char settings[256];
        int n_matches = 0;
        snprintf(settings, sizeof settings,
                 "threads=1 dimension=16 batch=1 members=1 embedding=arc init-variables=0 noise=0 "
                 "fit-noise=false logit-noise=0 law-weight=0 l2-logit=0 learning-rate=0 "
                 "learning-rate-logit=0.1 schedule=constant orders=1 duals=false epochs=%d",
                 epochs);
        nln_model *model = tiny_train(NULL, d, settings);
        for (unsigned order = 0; order < 1u << epochs; order++) {
            double a, b;
            run_dense(&a, &b, order, epochs);
            n_matches += fabs(a - (double)model->net[0]->logit[0]) < 1e-4 &&
                         fabs(b - (double)model->net[0]->logit[1]) < 1e-4;
        }
        assert_int_equal(n_matches, 1);
        nln_model_free(model);
    }
    nln_data_free(d);
}

/* In an epoch, before anything is chosen or fitted, no network knows of the others. */
static void the_first_network_learns_as_if_alone(void **state)
{
    (void)state;
#define EPOCH "threads=2 dimension=8 epochs=1 batch=64 dropout=0.1 embedding=arc message-sweeps=0 "
    nln_model *alone = tiny_train(NULL, data, EPOCH),
              *among = tiny_train(NULL, data, EPOCH "networks=3");
    nln_net_tensor x, y, z;
    for (int i = 0; nln_net_get_tensor(&x, alone->net[0], i); i++) {
        size_t n = x.rows * x.columns * sizeof(real);
        nln_net_get_tensor(&y, among->net[0], i);
        assert_memory_equal(x.data, y.data, n);
        nln_net_get_tensor(&y, among->net[1], i);
        nln_net_get_tensor(&z, among->net[2], i);
        assert_memory_not_equal(x.data, y.data, n);
        assert_memory_not_equal(x.data, z.data, n);
        assert_memory_not_equal(y.data, z.data, n);
    }
    nln_model_free(alone);
    nln_model_free(among);
}

/* ---- how long to train -------------------------------------------------------------------- */

/* What --epochs 0 comes to for a set that makes so many batches. */
static int wanted_epochs(size_t batches, size_t least, size_t target, size_t most)
{
    size_t enough = (target + batches - 1) / batches;
    enough = enough < most ? enough : most;
    return (int)(enough > least ? enough : least);
}

static void expect_epochs(const nln_ratings *r, const char *task, int batch, size_t least)
{
    char settings[128], text[16];
    nln_trainer t;
    nln_source *source = NULL;
    nln_error err = {0};
    snprintf(settings, sizeof settings, "task=%s batch=%d dimension=4 networks=1", task, batch);
    nln_options *o = tiny_options("train", settings);
    tiny_need(nln_source_of_ratings(&source, r, &err), &err);
    tiny_need(nln_trainer_create(&t, source, o, &err), &err);
    size_t batches = (t.source->n + (size_t)batch - 1) / (size_t)batch;
    snprintf(text, sizeof text, "%d", wanted_epochs(batches, least, 5900, 500));
    assert_string_equal(nln_options_text(t.model->options, "epochs"), text);
    assert_int_equal(t.n_epochs, atoi(text));
    nln_trainer_free(&t);
    nln_options_free(o);
}

/* The defaults of both tasks have the epochs that were found on ML-100k, and more of them for
 * ratings that make fewer batches; the model says how many it came to. */
static void few_ratings_are_trained_on_for_longer(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(200, 25, 14, 3);
    static const int sizes[] = {1, 2, 7, 16, 128, 100000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        expect_epochs(r, "preference", sizes[i], 8);
        expect_epochs(r, "topk", sizes[i], 30);
    }
    nln_ratings_free(r);
}

/* What the caller says is done, and kept as it was said. */
static void the_caller_says_how_long(void **state)
{
    (void)state;
    static const char *const wanted[][2] = {{"epochs=3", "3"}, {"epochs=0", "0"}};
    nln_ratings *r = likes_random(30, 25, 14, 3);
    for (int i = 0; i < 2; i++) {
        char settings[96];
        nln_trainer t;
        nln_source *source = NULL;
        nln_error err = {0};
        snprintf(settings, sizeof settings, "task=preference dimension=4 networks=1 %s",
                 wanted[i][0]);
        nln_options *o = tiny_options("train", settings);
        tiny_need(nln_source_of_ratings(&source, r, &err), &err);
        tiny_need(nln_trainer_create(&t, source, o, &err), &err);
        assert_int_equal(t.n_epochs, i == 0 ? 3 : 500);
        assert_string_equal(nln_options_text(t.model->options, "epochs"), wanted[i][1]);
        nln_trainer_free(&t);
        nln_options_free(o);
    }
    nln_ratings_free(r);
}

/* The mean similarity of the sides of a law. */
static double similarity_of(const nln_model *model, const char *law)
{
    nln_law_score scores[64];
    size_t n;
    assert_int_equal(nln_inspect(scores, 64, &n, model, NULL, NULL), NLN_OK);
    for (size_t i = 0; i < n; i++)
        if (strcmp(scores[i].name, law) == 0)
            return scores[i].mean_similarity;
    fail_msg("no law %s", law);
    return 0;
}

/* Training with De Morgan's laws makes them hold better, with the same bits on any number of
 * threads. */
static void compound_laws_are_learned(void **state)
{
    (void)state;
#define LAWFUL "dimension=16 epochs=10 batch=64 duals=false law-weight=0.1 law-sample=1 laws=all"
    nln_report one, three;
    nln_model *without = tiny_train(&one, data, LAWFUL " threads=1");
    nln_model *a = tiny_train(&one, data, LAWFUL ",compound threads=1");
    nln_model *b = tiny_train(&three, data, LAWFUL ",compound threads=3");
    assert_true(similarity_of(a, "de_morgan_and") > similarity_of(without, "de_morgan_and"));
    assert_true(similarity_of(a, "de_morgan_or") > similarity_of(without, "de_morgan_or"));
    assert_memory_equal(a->net[0]->weights, b->net[0]->weights,
                        nln_modules_size(16, 16) * sizeof(real));
    assert_true(one.test.cross_entropy == three.test.cross_entropy);
    nln_model_free(without);
    nln_model_free(a);
    nln_model_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_works),
        cmocka_unit_test(small_sets_can_be_trained_on),
        cmocka_unit_test(rare_variables_move_as_by_dense_adam),
        cmocka_unit_test(the_first_network_learns_as_if_alone),
        cmocka_unit_test(few_ratings_are_trained_on_for_longer),
        cmocka_unit_test(the_caller_says_how_long),
        cmocka_unit_test(compound_laws_are_learned),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}

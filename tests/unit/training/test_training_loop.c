#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "tiny.h"

#define SMALL "dimension=16 epochs=4 threads=1 orders=2 message-sweeps=0 "

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

static void expect_same_metrics(nln_metrics a, nln_metrics b)
{
    assert_int_equal(a.n, b.n);
    assert_true(a.accuracy == b.accuracy);
    assert_true(a.rmse == b.rmse);
    assert_true(a.cross_entropy == b.cross_entropy);
}

/* ---- the report ---------------------------------------------------------------------- */

static void the_report_is_that_of_the_model(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_report report;
    nln_model *model = tiny_train(&report, data, SMALL "epochs=4");
    nln_metrics *of[3] = {&report.train, &report.valid, &report.test};
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        nln_metrics m;
        assert_int_equal(nln_evaluate(&m, model, data, (nln_split)s, NULL, &err), NLN_OK);
        assert_int_equal(m.n, nln_data_size(data, (nln_split)s));
        expect_same_metrics(m, *of[s]);
    }
    assert_int_equal(report.epochs, 4);
    assert_in_range(report.best_epoch, 1, 4);
    assert_true(report.seconds >= 4 * report.seconds_per_epoch * 0.999);
    assert_true(report.seconds_per_epoch > 0);
    assert_true(report.peak_rss_bytes > 100000);
    nln_model_free(model);
}

/* What the watch saw. */
typedef struct diary {
    nln_progress last;
    int calls, epochs, bad;
    int best_epoch;
    double best;
    int stop_at; /* the call to cancel at; 0: never */
} diary;

static int is_later(const nln_progress *a, const nln_progress *b)
{
    if (a->seconds < b->seconds)
        return 0;
    return a->epoch == b->epoch ? a->done >= b->done : a->epoch == b->epoch + 1;
}

static int watch_progress(void *context, const nln_progress *p)
{
    diary *d = context;
    int end = p->valid.n > 0;
    d->bad += d->calls && !is_later(p, &d->last);
    d->bad += p->done < 1 || p->done > p->total || p->total != 160 || p->n_epochs != 6;
    d->bad += !isfinite(p->loss) || (end && p->done != p->total);
    if (end && (d->best_epoch == 0 || p->valid.rmse < d->best)) {
        d->best_epoch = p->epoch;
        d->best = p->valid.rmse;
    }
    d->bad += end && (p->best_epoch != d->best_epoch || p->best.rmse != d->best);
    d->epochs += end;
    d->last = *p;
    return ++d->calls == d->stop_at;
}

static nln_status train_watched(nln_model **model, nln_report *report, diary *d,
                                const char *settings)
{
    nln_error err = {0};
    char all[256];
    snprintf(all, sizeof all, SMALL "epochs=6 calibrate=false %s", settings);
    nln_options *o = tiny_options("train", all);
    nln_watch watch = {.context = d, .progress = watch_progress};
    nln_status status = nln_train(model, report, data, o, &watch, &err);
    assert_int_equal(err.status, status);
    nln_options_free(o);
    return status;
}

static void progress_is_monotone(void **state)
{
    (void)state;
    diary d = {0};
    nln_model *model = NULL;
    nln_report report;
    assert_int_equal(train_watched(&model, &report, &d, ""), NLN_OK);
    assert_int_equal(d.bad, 0);
    assert_int_equal(d.epochs, 6);
    assert_true(d.calls > d.epochs);
    assert_int_equal(d.last.epoch, 6);
    assert_int_equal(report.best_epoch, d.best_epoch);
    expect_same_metrics(report.valid, d.last.best);
    nln_model_free(model);
}

/* At a rate so high that the last epoch is seldom the best. */
static void the_best_epoch_is_kept(void **state)
{
    (void)state;
    int n_earlier = 0;
    for (int seed = 1; seed <= 6; seed++) {
        diary d = {0};
        nln_model *model = NULL;
        nln_report report;
        char settings[128];
        snprintf(settings, sizeof settings,
                 "seed=%d schedule=constant learning-rate=0.1 learning-rate-logit=5", seed);
        assert_int_equal(train_watched(&model, &report, &d, settings), NLN_OK);
        assert_int_equal(d.bad, 0);
        assert_int_equal(report.best_epoch, d.best_epoch);
        expect_same_metrics(report.valid, d.last.best);
        n_earlier += report.best_epoch < 6;
        nln_model_free(model);
    }
    assert_true(n_earlier > 0);
}

static void it_can_be_cancelled_at_any_call(void **state)
{
    (void)state;
    diary whole = {0};
    nln_model *model = NULL;
    assert_int_equal(train_watched(&model, NULL, &whole, ""), NLN_OK);
    nln_model_free(model);
    for (int stop = 1; stop <= whole.calls; stop += 1 + stop / 3) {
        diary d = {.stop_at = stop};
        nln_report report = {.epochs = -7};
        model = (nln_model *)&d;
        assert_int_equal(train_watched(&model, &report, &d, ""), NLN_CANCELLED);
        assert_null(model);
        assert_int_equal(report.epochs, -7);
        assert_int_equal(d.calls, stop);
    }
}

static void patience_ends_it(void **state)
{
    (void)state;
    nln_report report;
    nln_model *model = tiny_train(&report, data,
                                  SMALL "epochs=40 learning-rate=0 patience=3 "
                                        "learning-rate-logit=0 select=accuracy");
    assert_int_equal(report.best_epoch, 1);
    assert_int_equal(report.epochs, 4);
    nln_model_free(model);
}

/* ---- what cannot go well ---------------------------------------------------------------- */

/* Numbers that explode are told, or stay finite; they never become an answer. */
static void expect_finite_or_told(const nln_data *d, const char *settings)
{
    nln_error err = {0};
    nln_options *o = tiny_options("train", settings);
    nln_model *model = (nln_model *)&err;
    nln_report r;
    nln_status status = nln_train(&model, &r, d, o, NULL, &err);
    if (status) {
        assert_int_equal(status, NLN_NUMERIC);
        assert_null(model);
        assert_true(strlen(err.message) > 20);
    } else {
        if (!is_finite(&r.train) || !is_finite(&r.valid) || !is_finite(&r.test))
            fail_msg("%s: metrics are not finite", settings);
        nln_model_free(model);
    }
    nln_options_free(o);
}

static void explosions_are_told(void **state)
{
    (void)state;
    static const char *const wild[] = {
        "init-scale=10",           "init-scale=10 dimension=64", "init-scale=10 reduce=mean",
        "init-scale=0 alpha=1000", "recipe=paper init-scale=10", "alpha=1000 orders=9"};
    static const char *const embeddings[] = {"free", "line", "arc"};
    nln_data *few = tiny_data("variables=20 expressions=200");
    for (size_t i = 0; i < sizeof wild / sizeof *wild; i++)
        for (size_t e = 0; e < 3; e++)
            for (int epochs = 1; epochs <= 2; epochs++) {
                char settings[256];
                snprintf(settings, sizeof settings,
                         "threads=1 dimension=8 epochs=%d orders=2 embedding=%s learning-rate=10 "
                         "%sclip=0 init-variables=10 %s",
                         epochs, embeddings[e], e ? "learning-rate-logit=10 " : "", wild[i]);
                expect_finite_or_told(few, settings);
            }
    nln_data_free(few);
}

/* A prediction whose vectors leave the range of a float is an error, not a half. */
static void overflow_is_told(void **state)
{
    (void)state;
    nln_data *few = tiny_data("variables=20 expressions=200 max-clauses=1 max-literals=2");
    nln_model *model =
        tiny_train(NULL, few,
                   "init-scale=10 dimension=256 embedding=line epochs=1 learning-rate=0 "
                   "learning-rate-logit=0 l2=0 law-weight=0 members=1 orders=1 "
                   "calibrate=false threads=1");
    nln_error err = {0};
    double p;
    assert_int_equal(nln_predict(&p, model, "v1", &err), NLN_OK);
    assert_int_equal(
        nln_predict(&p, model,
                    "v1 & v2 & v3 & v4 & v5 & v6 & v7 & v8 & v9 & v10 & v11 & v12 & "
                    "v13 & v14 & v15 & v16 & v17 & v18 & v19 & v20 & v1 & v2 & v3 & v4",
                    &err),
        NLN_NUMERIC);
    nln_model_free(model);
    nln_data_free(few);
}

/* Numbers that explode only beyond the training set, at some depth of NOT. */
static void explosions_in_other_splits_are_told(void **state)
{
    (void)state;
    for (int depth = 1; depth <= 20; depth++)
        for (int i = 0; i < 6; i++) {
            char deep[32] = {0}, settings[128];
            const char *texts[3] = {"a", "a", "a"};
            memset(deep, '!', (size_t)depth);
            texts[i / 2] = strcat(deep, "a");
            nln_data *d = tiny_set(texts);
            snprintf(settings, sizeof settings,
                     "threads=1 epochs=1 init-scale=10 normal-form=none orders=%d", 1 + i % 2);
            expect_finite_or_told(d, settings);
            nln_data_free(d);
        }
}

static void an_empty_training_set_is_an_error(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_options *o = tiny_options("train", SMALL);
    nln_data *none = tiny_set((const char *const[]){"", "a", "b"});
    nln_model *model = NULL;
    assert_int_equal(nln_train(&model, NULL, none, o, NULL, &err), NLN_INVALID);
    assert_null(model);
    assert_non_null(strstr(err.message, "training"));
    nln_data_free(none);
    nln_options_free(o);
}

/* Without validation and report nothing but the loss is looked at. */
static void an_exploded_model_is_not_given(void **state)
{
    (void)state;
    for (int depth = 1; depth <= 30; depth++) {
        char deep[40] = {0};
        nln_error err = {0};
        nln_model *model = NULL;
        memset(deep, '!', (size_t)depth);
        nln_data *d = tiny_set((const char *const[]){strcat(deep, "a"), "", ""});
        nln_options *o = tiny_options("train", "threads=1 epochs=2 init-scale=10 normal-form=none "
                                               "calibrate=false");
        nln_status status = nln_train(&model, NULL, d, o, NULL, &err);
        assert_int_equal(status, model ? NLN_OK : NLN_NUMERIC);
        size_t n = model ? nln_modules_size(model->net[0]->dim, model->net[0]->hidden) : 0;
        for (size_t i = 0; i < n; i++)
            assert_true(isfinite(model->net[0]->weights[i]));
        nln_model_free(model);
        nln_data_free(d);
        nln_options_free(o);
    }
}

static void too_many_clauses_end_no_training(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_options *o = tiny_options("train", SMALL "clause-limit=2");
    nln_data *d = tiny_set((const char *const[]){"(a|b)&(c|d)&(e|f)", "", ""});
    nln_model *model = NULL;
    assert_int_equal(nln_train(&model, NULL, d, o, NULL, &err), NLN_OK);
    nln_model_free(model);
    nln_data_free(d);
    nln_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_report_is_that_of_the_model),
        cmocka_unit_test(progress_is_monotone),
        cmocka_unit_test(the_best_epoch_is_kept),
        cmocka_unit_test(it_can_be_cancelled_at_any_call),
        cmocka_unit_test(patience_ends_it),
        cmocka_unit_test(explosions_are_told),
        cmocka_unit_test(overflow_is_told),
        cmocka_unit_test(explosions_in_other_splits_are_told),
        cmocka_unit_test(an_empty_training_set_is_an_error),
        cmocka_unit_test(an_exploded_model_is_not_given),
        cmocka_unit_test(too_many_clauses_end_no_training),
    };
    return cmocka_run_group_tests(tests, make_data, free_data);
}

/* Training on ratings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"

/* ---- repeatability ------------------------------------------------------------------ */

static const char *const all_kinds[] = {
    "task=preference surprises=3 model=gru",
    "task=preference members=2 orders=2",
    "task=topk loss=pairwise negatives=2",
    "task=topk loss=pairwise-probability negatives=2 members=2",
    "task=topk loss=softmax negatives=7",
    "task=topk loss=softmax negatives=7 members=2 orders=2 dropout=0.2 reduce=mean",
    "task=topk loss=softmax negatives=7 drop-history=0.2 law-weight=0.01 together=3",
    "task=topk loss=softmax negatives=7 networks=2 dropout=0.2",
    "task=preference networks=3 law-weight=0.01",
};
enum { N_KINDS = sizeof all_kinds / sizeof *all_kinds };

static nln_model *train_kind(nln_report *report, const nln_ratings *r, size_t kind, int threads)
{
    char settings[256];
    snprintf(settings, sizeof settings, "dimension=8 epochs=2 batch=256 threads=%d %s", threads,
             all_kinds[kind]);
    return likes_train(report, r, settings);
}

static int same_weights(const nln_model *a, const nln_model *b)
{
    nln_net_tensor x, y;
    int same = a->temperature == b->temperature && a->carry == b->carry;
    for (int i = 0; nln_model_get_tensor(&x, a, i) && nln_model_get_tensor(&y, b, i); i++)
        same &= memcmp(x.data, y.data, x.rows * x.columns * sizeof(real)) == 0;
    return same;
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(120, 30, 14, 5);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        nln_model *alone = train_kind(NULL, r, kind, 1);
        for (int threads = 2; threads <= 3; threads++) {
            nln_model *model = train_kind(NULL, r, kind, threads);
            if (!same_weights(alone, model))
                fail_msg("%s: not the same on %d threads", all_kinds[kind], threads);
            nln_model_free(model);
        }
        nln_model_free(alone);
    }
    nln_ratings_free(r);
}

/* ---- the report --------------------------------------------------------------------- */

/* No rankings of what it was trained on are made for task topk. */
static void the_report_is_that_of_the_model(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(60, 30, 14, 5);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        nln_report report;
        nln_model *model = train_kind(&report, r, kind, 1);
        nln_metrics of[2], *reported[] = {&report.valid, &report.test};
        for (int i = 0; i < 2; i++) {
            nln_split split = i ? NLN_TEST : NLN_VALID;
            assert_int_equal(nln_evaluate_ratings(&of[i], NULL, model, r, split, NULL, NULL),
                             NLN_OK);
            assert_true(likes_same_metrics(&of[i], reported[i]));
            assert_true(of[i].n > 0 || of[i].full.n > 0);
        }
        assert_int_equal(report.train.n > 0, model->config.task == NLN_TASK_PREFERENCE);
        assert_int_equal(report.epochs, 2);
        assert_in_range(report.best_epoch, 1, 2);
        nln_model_free(model);
    }
    nln_ratings_free(r);
}

/* What the watch saw of validation in each epoch. */
typedef struct diary {
    double ndcg[8];
    int epochs;
    size_t total;
} diary;

static double ndcg_at_10(const nln_ranking *r)
{
    for (int i = 0; i < r->n_cuts; i++)
        if (r->cut[i] == 10)
            return r->ndcg[i];
    return NAN;
}

static int note(void *context, const nln_progress *p)
{
    diary *d = context;
    d->total = p->total;
    if (p->valid.sampled.n)
        d->ndcg[d->epochs++] = ndcg_at_10(&p->valid.sampled);
    return 0;
}

static void the_epoch_with_the_best_ndcg_is_kept(void **state)
{
    (void)state;
    nln_ratings *r = likes_random(60, 30, 14, 5);
    nln_options *o =
        tiny_options("train", "task=topk threads=1 dimension=16 batch=32 "
                              "negatives=5 epochs=6 learning-rate=0.02 rules=0 dislikes=no");
    nln_model *model = NULL;
    nln_report report;
    nln_error err = {0};
    diary d = {0};
    tiny_need(nln_train_ratings(&model, &report, r, o,
                                &(nln_watch){.context = &d, .progress = note}, &err),
              &err);
    assert_int_equal(d.epochs, 6);
    assert_int_equal(d.total, nln_ratings_likes(r, NLN_TRAIN));
    for (int i = 0; i < 6; i++)
        assert_true(d.ndcg[i] <= d.ndcg[report.best_epoch - 1]);
    double kept = ndcg_at_10(&report.valid.sampled);
    assert_true(fabs(kept - d.ndcg[report.best_epoch - 1]) < 0.02); /* but for ties, the same */
    nln_model_free(model);
    nln_options_free(o);
    nln_ratings_free(r);
}

/* Who likes item 2i likes item 2i + 1 next, which is in validation for one user in four. */
static nln_ratings *pairs(void)
{
    nln_ratings_rows rows = likes_rows();
    for (int u = 0; u < 160; u++)
        for (int k = 0; k < 2; k++) {
            char user[16], item[16];
            snprintf(user, sizeof user, "u%d", u);
            snprintf(item, sizeof item, "x%d", 2 * (u % 15) + k);
            likes_add(&rows, user, item, 1, k && u % 4 == 0 ? NLN_VALID : NLN_TRAIN);
        }
    return likes_finish(&rows);
}

/* Where the number of epochs is left to the data, here 30, training goes on while validation has
 * risen in the last three epochs, up to twice as long; never where the number is said. */
static void training_goes_on_while_validation_rises(void **state)
{
    (void)state;
    enum { PLANNED = 30, RISES = 3 };
    static const char *const rates[] = {"0", "1e-5", "1e-4", "1e-3"};
    nln_ratings *r = pairs();
    int n_longer = 0;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (int said = 0; said < 2; said++) {
            char settings[200];
            nln_report report;
            snprintf(settings, sizeof settings,
                     "task=topk threads=1 dimension=3 batch=1 negatives=4 rules=0 "
                     "learning-rate=%s %s",
                     rates[i], said ? "epochs=30" : "");
            nln_model *m = likes_train(&report, r, settings);
            assert_in_range(report.epochs, PLANNED, said ? PLANNED : 2 * PLANNED);
            if (!said && report.epochs < 2 * PLANNED)
                assert_true(report.epochs - report.best_epoch >= RISES);
            assert_int_equal(strtol(nln_options_text(nln_model_options(m), "epochs"), NULL, 10),
                             report.epochs);
            n_longer += report.epochs > PLANNED;
            nln_model_free(m);
        }
    assert_true(n_longer > 0);
    nln_ratings_free(r);
}

/* ---- what cannot be trained --------------------------------------------------------- */

static void expect_refused(const nln_ratings *r, const char *settings, const char *word)
{
    nln_options *o = tiny_options("train", settings);
    nln_model *model = NULL;
    nln_error err = {0};
    assert_int_equal(nln_train_ratings(&model, NULL, r, o, NULL, &err), NLN_INVALID);
    assert_null(model);
    if (!strstr(err.message, word))
        fail_msg("'%s' is not in '%s'", word, err.message);
    nln_options_free(o);
}

static void data_and_task_must_fit(void **state)
{
    (void)state;
    static const char *const tasks[] = {"task=preference", "task=topk"};
    nln_ratings *r = likes_of("ann +a -b +c");
    nln_data *data = tiny_set((const char *const[]){"a & b", "", ""});
    expect_refused(r, "task=logic", "--task");
    expect_refused(r, "", "--task");
    for (size_t i = 0; i < 2; i++) {
        nln_options *o = tiny_options("train", tasks[i]);
        nln_model *model = NULL;
        nln_error err = {0};
        assert_int_equal(nln_train(&model, NULL, data, o, NULL, &err), NLN_INVALID);
        assert_null(model);
        assert_non_null(strstr(err.message, "ratings"));
        nln_options_free(o);
    }
    nln_data_free(data);
    nln_ratings_free(r);
}

/* What would do nothing is refused. */
static void options_and_task_must_fit(void **state)
{
    (void)state;
    nln_ratings *r = likes_of("ann +a -b +c | +d | +e");
    nln_data *data = tiny_set((const char *const[]){"a & b", "", ""});
    expect_refused(r, "task=topk soften=0.1", "--soften does nothing for --task topk");
    expect_refused(r, "task=topk surprises=3", "--surprises does nothing for --task topk");
    expect_refused(r, "task=topk noise=0.1", "--noise does nothing for --task topk");
    expect_refused(r, "task=topk fit-noise=true", "--fit-noise does nothing for --task topk");
    expect_refused(r, "task=topk stop-at=0.9", "--stop-at does nothing for --task topk");
    expect_refused(r, "task=topk normal-form=cnf", "--normal-form does nothing for --task topk");
    expect_refused(r, "task=preference normal-form=cnf", "--normal-form does nothing");
    expect_refused(r, "task=preference loss=pairwise", "--loss does nothing for --task preference");
    expect_refused(r, "task=preference negatives=3", "--negatives does nothing");
    expect_refused(r, "task=preference model=biasedmf surprises=3", "--surprises does nothing");
    expect_refused(r, "task=preference model=popularity soften=0.1", "--soften does nothing");
    nln_options *o = tiny_options("train", "grades=5");
    nln_model *model = NULL;
    nln_error err = {0};
    assert_int_equal(nln_train(&model, NULL, data, o, NULL, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "--grades does nothing for --task logic"));
    nln_options_free(o);
    nln_data_free(data);
    nln_ratings_free(r);
}

/* Users who like nearly everything and users who like next to nothing, and a network that learns
 * nothing of it. */
static void generosity_is_carried_over(void **state)
{
    (void)state;
    static const char *const settings[] = {"surprises=5", "surprises=5 calibrate=false",
                                           "surprises=0"};
    nln_ratings_rows rows = likes_rows();
    nln_random random = nln_random_seed(2, 0);
    nln_error err = {0};
    for (int i = 0; i < 60 * 12; i++) {
        char user[16], item[16];
        uint64_t likes = i / 12 % 2 ? 9 : 1; /* of ten */
        snprintf(user, sizeof user, "u%d", i / 12);
        snprintf(item, sizeof item, "x%d", i % 12);
        likes_add(&rows, user, item, nln_random_below(&random, 10) < likes, NLN_TRAIN);
    }
    nln_ratings *r = likes_finish(&rows);
    tiny_need(nln_ratings_split_by(r, NLN_SPLIT_PAPER, 1, &err), &err);
    for (size_t i = 0; i < 3; i++) {
        char all[160];
        nln_report report;
        snprintf(all, sizeof all,
                 "task=preference threads=2 networks=1 dimension=4 history=8 epochs=1 "
                 "learning-rate=0 %s",
                 settings[i]);
        nln_model *model = likes_train(&report, r, all);
        assert_true(i == 2 ? model->carry == 0 : model->carry > 1);
        assert_true(i == 2 || (report.test.auc > 0.8 && report.valid.auc > 0.8));
        nln_model_free(model);
    }
    nln_ratings_free(r);
}

/* Epochs cannot be chosen by what the task does not measure. */
static void select_and_task_must_fit(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "task=topk select=auc", "task=topk select=rmse", "task=topk recipe=paper select=accuracy",
        "task=preference select=ndcg", "task=preference select=last patience=3"};
    nln_ratings *r = likes_of("ann +a -b +c | +d | +e");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        expect_refused(r, settings[i], "--select");
    nln_ratings_free(r);
}

/* Whatever validation says of the epochs before. */
static void the_last_epoch_may_be_kept(void **state)
{
    (void)state;
    static const char *const tasks[] = {"preference", "topk"};
    nln_ratings *r = likes_random(30, 25, 14, 3);
    for (size_t i = 0; i < 2; i++) {
        char settings[96];
        nln_report report;
        nln_model *model = NULL;
        snprintf(settings, sizeof settings, "task=%s dimension=8 history=5 epochs=4 select=last",
                 tasks[i]);
        nln_options *o = tiny_options("train", settings);
        assert_int_equal(nln_train_ratings(&model, &report, r, o, NULL, NULL), NLN_OK);
        assert_int_equal(report.epochs, 4);
        assert_int_equal(report.best_epoch, 4);
        nln_options_free(o);
        nln_model_free(model);
    }
    nln_ratings_free(r);
}

static void there_must_be_something_to_train_on(void **state)
{
    (void)state;
    nln_ratings *disliked = likes_of("ann -a -b"), *few = likes_of("ann +a +b"),
                *none = likes_of("");
    expect_refused(disliked, "task=topk", "no training");
    expect_refused(few, "task=topk least-history=2", "no training");
    expect_refused(few, "task=preference least-history=2", "no training");
    expect_refused(none, "task=preference", "no training");
    nln_ratings_free(disliked);
    nln_ratings_free(few);
    nln_ratings_free(none);
}

/* Only the training set needs both. */
static void preference_needs_likes_and_dislikes(void **state)
{
    (void)state;
    static const char *const models[] = {"nln", "gru", "biasedmf", "popularity"};
    nln_ratings *liked = likes_of("ann +a +b | -c | -d"), *disliked = likes_of("ann -a -b | +c"),
                *both = likes_of("ann +a -b | +c | +d");
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char settings[96];
        snprintf(settings, sizeof settings, "task=preference model=%s%s", models[i],
                 i < 3 ? " dimension=4 epochs=1" : "");
        expect_refused(liked, settings, "likes, and task preference");
        expect_refused(liked, settings, "from 5 to 5; is --like-from too low?");
        expect_refused(disliked, settings, "dislikes, and task preference");
        expect_refused(disliked, settings, "is --like-from too high?");
        nln_model_free(likes_train(NULL, both, settings));
    }
    nln_ratings_free(liked);
    nln_ratings_free(disliked);
    nln_ratings_free(both);
}

/* No validation, one item, one user. */
static void small_ratings_can_be_trained_on(void **state)
{
    (void)state;
    static const char *const texts[] = {"ann +a -b +c", "ann +a | +b | +c bob -b",
                                        "ann +a | -a2 bob -a"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t kind = 0; kind < N_KINDS; kind++) {
            nln_report report;
            nln_ratings *r = likes_of(texts[i]);
            nln_model *model = train_kind(&report, r, kind, 2);
            assert_int_equal(nln_model_variables(model), nln_ratings_items(r));
            assert_int_equal(report.epochs, 2);
            nln_model_free(model);
            nln_ratings_free(r);
        }
}

/* Items of test alone are drawn as negatives, and a grade that no history has before its target
 * is in one of all else. */
static void what_is_not_counted_can_be_trained_on(void **state)
{
    (void)state;
    nln_ratings *liked = likes_of("ann +a -b | +c | +d"), *graded = likes_of("ann +a +b -c");
    graded->rating[1] = 4;
    nln_model_free(likes_train(NULL, liked, "task=topk negatives=0 embedding=arc epochs=2"));
    nln_model_free(likes_train(NULL, graded,
                               "task=preference grades=5 context=all embedding=arc "
                               "drop-history=0 epochs=2"));
    nln_ratings_free(liked);
    nln_ratings_free(graded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(the_report_is_that_of_the_model),
        cmocka_unit_test(the_epoch_with_the_best_ndcg_is_kept),
        cmocka_unit_test(training_goes_on_while_validation_rises),
        cmocka_unit_test(data_and_task_must_fit),
        cmocka_unit_test(options_and_task_must_fit),
        cmocka_unit_test(generosity_is_carried_over),
        cmocka_unit_test(select_and_task_must_fit),
        cmocka_unit_test(the_last_epoch_may_be_kept),
        cmocka_unit_test(there_must_be_something_to_train_on),
        cmocka_unit_test(preference_needs_likes_and_dislikes),
        cmocka_unit_test(small_ratings_can_be_trained_on),
        cmocka_unit_test(what_is_not_counted_can_be_trained_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

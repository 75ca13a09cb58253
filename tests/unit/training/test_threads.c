/* A const model answers many threads at once, and trainings side by side do not know of each
 * other: what every thread gets equals, bit for bit, what one thread gets alone.  The thread
 * sanitizer runs this test to see that nothing is shared unguarded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>

#include "likes.h"
#include "nln_lab.h"
#include "scratch.h"

enum { THREADS = 8, ROUNDS = 2, MOST = 4096, USERS = 30, ITEMS = 24 };

/* ---- what a thread was told, number by number ---------------------------------------- */

typedef struct journal {
    double x[MOST];
    size_t n;
} journal;

static void note(journal *j, const double *x, size_t n)
{
    if (j->n + n > MOST)
        abort();
    memcpy(j->x + j->n, x, n * sizeof *x);
    j->n += n;
}

static void note_one(journal *j, double x)
{
    note(j, &x, 1);
}

static void note_ranking(journal *j, const nln_ranking *r)
{
    note(j, r->hit, (size_t)r->n_cuts);
    note(j, r->ndcg, (size_t)r->n_cuts);
    note(j, r->recall, (size_t)r->n_cuts);
    note(j, (const double[]){r->mrr, r->mean_rank}, 2);
}

static void note_metrics(journal *j, const nln_metrics *m)
{
    note(j, (const double[]){(double)m->n, m->accuracy, m->rmse, m->cross_entropy, m->auc}, 5);
    note_ranking(j, &m->sampled);
    note_ranking(j, &m->full);
}

static void note_text(journal *j, const char *text)
{
    uint64_t sum = 0;
    for (; *text; text++)
        sum = sum * 31 + (unsigned char)*text;
    note_one(j, (double)sum);
}

/* ---- what all threads look at -------------------------------------------------------- */

#define LOGIC  "epochs=2 dimension=8 batch=32 seed=3 "
#define SHOP   "epochs=1 dimension=8 batch=64 seed=4 "
#define ANSWER "threads=2 "

typedef struct scene {
    nln_data *data;
    nln_ratings *ratings;
    nln_model *fresh, *logic, *shop; /* fresh is not trained */
    nln_options *options, *ranking;
    char **texts; /* of the test expressions */
    size_t n_texts;
} scene;

static scene the;

/* ---- what a thread does -------------------------------------------------------------- */

static void predict(journal *j, int who)
{
    nln_error err = {0};
    double p;
    (void)who;
    for (size_t i = 0; i < the.n_texts; i++) {
        tiny_need(nln_predict(&p, the.logic, the.texts[i], &err), &err);
        note_one(j, p);
        sched_yield(); /* so that calls meet even where there are few processors */
    }
    note_one(j, nln_predict(&p, the.logic, "v1 & (v2 |", &err));
    note_text(j, err.message);
}

static void predict_first(journal *j, int who)
{
    nln_error err = {0};
    double p;
    (void)who;
    tiny_need(nln_predict(&p, the.fresh, "x0 & !x1 | x2", &err), &err);
    note_one(j, p);
}

static void predict_many(journal *j, int who)
{
    nln_error err = {0};
    double p[MOST];
    (void)who;
    tiny_need(nln_predict_many(p, the.logic, (const char *const *)the.texts, the.n_texts,
                               the.options, &err),
              &err);
    note(j, p, the.n_texts);
}

static void evaluate(journal *j, int who)
{
    nln_error err = {0};
    nln_metrics m = {0};
    (void)who;
    tiny_need(nln_evaluate(&m, the.logic, the.data, NLN_TEST, the.options, &err), &err);
    note_metrics(j, &m);
    tiny_need(nln_evaluate_ratings(&m, NULL, the.shop, the.ratings, NLN_TEST, the.ranking, &err),
              &err);
    note_metrics(j, &m);
}

static void rank_and_solve(journal *j, int who)
{
    nln_error err = {0};
    double p[MOST];
    size_t n = nln_model_variables(the.logic);
    (void)who;
    tiny_need(nln_rank(p, the.logic, the.texts[0], &err), &err);
    note(j, p, n);
    tiny_need(nln_solve(p, the.logic, &err), &err);
    note(j, p, n);
}

static void inspect(journal *j, int who)
{
    nln_error err = {0};
    nln_law_score laws[64];
    nln_tensor_info info;
    size_t n;
    (void)who;
    tiny_need(nln_inspect(laws, 64, &n, the.logic, the.data, &err), &err);
    for (size_t i = 0; i < n; i++)
        note(j, (const double[]){laws[i].mean_similarity, laws[i].mean_cosine, laws[i].kept}, 3);
    for (size_t i = 0; i < nln_model_tensor(&info, the.logic, i); i++)
        note(j, (const double[]){info.norm, info.least, info.most}, 3);
}

static void find(journal *j, int who)
{
    nln_error err = {0};
    size_t index;
    (void)who;
    for (size_t i = 0; i < nln_model_variables(the.shop); i++) {
        tiny_need(nln_model_find(&index, the.shop, nln_model_variable(the.shop, i), &err), &err);
        note_one(j, (double)index);
    }
    note_one(j, nln_model_find(&index, the.shop, "x9999", &err));
    note_text(j, err.message);
}

static void recommend(journal *j, int who)
{
    nln_error err = {0};
    nln_recommendation best[5];
    nln_reason reasons[MOST];
    nln_literal *history;
    size_t n, n_best;
    (void)who;
    for (int u = 0; u < USERS; u++, sched_yield()) {
        char user[16];
        snprintf(user, sizeof user, "u%d", u);
        tiny_need(nln_model_history(&history, &n, the.shop, user, &err), &err);
        tiny_need(nln_recommend(best, &n_best, 5, the.shop, user, history, n, 1, &err), &err);
        for (size_t i = 0; i < n_best; i++)
            note(j, (const double[]){(double)best[i].item, best[i].score}, 2);
        nln_explanation told = {.reasons = reasons};
        if (nln_explain(&told, the.shop, user, history, n, best[0].item, &err))
            note_text(j, err.message); /* of a method that does not look at histories */
        for (size_t i = 0; i < told.n; i++)
            note(j,
                 (const double[]){told.score, reasons[i].contribution, reasons[i].removed,
                                  reasons[i].negated},
                 4);
        nln_free(history);
    }
}

static void note_file(journal *j, const char *path)
{
    uint64_t sum = 0;
    FILE *stream = fopen(path, "rb");
    for (int c; stream && (c = getc(stream)) != EOF;)
        sum = (sum * 31 + (unsigned)c) % 1000000007;
    note_one(j, (double)sum);
    if (stream)
        fclose(stream);
}

static void save_and_load(journal *j, int who)
{
    nln_error err = {0};
    nln_model *copy = NULL;
    char path[128];
    double p;
    snprintf(path, sizeof path, "%s/model-%d", scratch_folder, who);
    tiny_need(nln_model_save(the.logic, path, &err), &err);
    note_file(j, path);
    tiny_need(nln_model_load(&copy, path, &err), &err);
    tiny_need(nln_predict(&p, copy, the.texts[0], &err), &err);
    note_one(j, p);
    nln_model_free(copy);
}

static void train(journal *j, int who)
{
    nln_model *model = tiny_train(NULL, the.data, LOGIC "threads=2");
    nln_error err = {0};
    double p[MOST];
    (void)who;
    tiny_need(nln_solve(p, model, &err), &err);
    note(j, p, nln_model_variables(model));
    nln_model_free(model);
}

static void train_ratings(journal *j, int who)
{
    nln_report report = {0};
    (void)who;
    nln_model_free(likes_train(&report, the.ratings, SHOP "negatives=5 task=topk threads=1"));
    note_metrics(j, &report.test);
    nln_model_free(likes_train(&report, the.ratings, SHOP "task=preference threads=1"));
    note_metrics(j, &report.test);
}

typedef void deed(journal *j, int who);

/* ---- together, and alone ------------------------------------------------------------- */

typedef struct actor {
    int who, n_deeds, n_rounds;
    deed *const *deeds;
    journal *journals; /* [n_deeds] */
    pthread_barrier_t *start;
    pthread_t thread;
} actor;

/* All do the same at once in the first round, and different things in the others. */
static void *act(void *argument)
{
    actor *a = argument;
    for (int round = 0; round < a->n_rounds; round++)
        for (int i = 0; i < a->n_deeds; i++) {
            int next = (round * a->who + i) % a->n_deeds;
            a->journals[next].n = 0;
            if (a->start)
                pthread_barrier_wait(a->start);
            a->deeds[next](&a->journals[next], a->who);
        }
    return NULL;
}

static actor actor_create(deed *const *deeds, int n_deeds, int n_rounds)
{
    actor a = {.deeds = deeds, .n_deeds = n_deeds, .n_rounds = n_rounds};
    a.journals = calloc((size_t)n_deeds, sizeof *a.journals);
    if (!a.journals)
        abort();
    return a;
}

/* The threads come first, so that the first test also opens the BLAS library from all of them
 * at once. */
static void together_as_alone(deed *const *deeds, int n_deeds, int n_rounds)
{
    pthread_barrier_t start;
    actor actors[THREADS], alone = actor_create(deeds, n_deeds, 1);
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        actors[i] = actor_create(deeds, n_deeds, n_rounds);
        actors[i].who = i;
        actors[i].start = &start;
        assert_int_equal(pthread_create(&actors[i].thread, NULL, act, &actors[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(actors[i].thread, NULL);
    act(&alone);
    for (int d = 0; d < n_deeds; d++) {
        assert_true(alone.journals[d].n > 0);
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(actors[i].journals[d].n, alone.journals[d].n);
            assert_memory_equal(actors[i].journals[d].x, alone.journals[d].x,
                                alone.journals[d].n * sizeof(double));
        }
    }
    for (int i = 0; i < THREADS; i++)
        free(actors[i].journals);
    free(alone.journals);
    pthread_barrier_destroy(&start);
}

static void first_calls_meet(void **state)
{
    (void)state;
    static deed *const deeds[] = {predict_first};
    the.fresh = tiny_model(3, "dimension=8");
    together_as_alone(deeds, 1, 1);
    nln_model_free(the.fresh);
}

static void one_model_many_threads(void **state)
{
    (void)state;
    static deed *const deeds[] = {predict, predict_many,  evaluate, rank_and_solve,
                                  find,    save_and_load, inspect,  recommend};
    the.logic = tiny_train(NULL, the.data, LOGIC);
    the.shop = likes_train(NULL, the.ratings, SHOP "negatives=5 task=topk");
    together_as_alone(deeds, sizeof deeds / sizeof *deeds, ROUNDS);
    nln_model_free(the.logic);
    nln_model_free(the.shop);
}

/* Every other method that recommends. */
static void one_baseline_many_threads(void **state)
{
    (void)state;
    static deed *const deeds[] = {find, recommend};
    static const char *const settings[] = {
        "task=topk model=popularity",
        "task=topk model=ease",
        SHOP "negatives=5 task=topk model=biasedmf",
        SHOP "negatives=5 task=topk model=svdpp",
        SHOP "task=topk model=ncf",
        SHOP "task=topk model=gru",
        SHOP "task=topk model=sasrec",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        the.shop = likes_train(NULL, the.ratings, settings[i]);
        together_as_alone(deeds, 2, 1);
        nln_model_free(the.shop);
    }
}

/* And every other method that learns from expressions. */
static void one_reader_many_threads(void **state)
{
    (void)state;
    static deed *const deeds[] = {predict, predict_many};
    static const char *const settings[] = {
        LOGIC "model=birnn",
        LOGIC "model=bilstm",
        "epochs=2 batch=32 model=marginals",
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        the.logic = tiny_train(NULL, the.data, settings[i]);
        together_as_alone(deeds, 2, 1);
        nln_model_free(the.logic);
    }
}

static void trainings_side_by_side(void **state)
{
    (void)state;
    static deed *const deeds[] = {train, train_ratings};
    together_as_alone(deeds, 2, 1);
}

static int set_scene(void **state)
{
    the.data = tiny_data("variables=20 expressions=200 seed=2");
    the.ratings = likes_random(USERS, ITEMS, 12, 7);
    the.options = tiny_options("predict", ANSWER);
    the.ranking = tiny_options("ranking", ANSWER);
    the.texts = tiny_texts(&the.n_texts, the.data, NLN_TEST);
    return scratch_setup(state);
}

static int clear_scene(void **state)
{
    tiny_texts_free(the.texts, the.n_texts);
    nln_options_free(the.options);
    nln_options_free(the.ranking);
    nln_ratings_free(the.ratings);
    nln_data_free(the.data);
    return scratch_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_calls_meet),
        cmocka_unit_test(one_model_many_threads),
        cmocka_unit_test(one_baseline_many_threads),
        cmocka_unit_test(one_reader_many_threads),
        /* Last, since the thread sanitizer sees less after many threads have come and gone. */
        cmocka_unit_test(trainings_side_by_side),
    };
    return cmocka_run_group_tests(tests, set_scene, clear_scene);
}

/* A scorer's lists are those of a full ranking, whatever the question, the model and the number of
 * threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>

#include "inference/scorer.h"
#include "likes.h"
#include "math/scalar.h"

enum { ITEMS = 1500, HISTORY = 6, QUESTIONS = 40, MOST_K = 64 };

static nln_scorer *scorer_of(const nln_model *m)
{
    nln_scorer *scorer = NULL;
    nln_error err = {0};
    tiny_need(nln_scorer_create(&scorer, m, &err), &err);
    return scorer;
}

static nln_model *random_model(const char *settings, double spread)
{
    nln_symbols *names = trees_names(ITEMS);
    nln_model *m = likes_model(names, settings);
    for (int k = 0; k < m->n_networks; k++) {
        nln_net *net = m->net[k];
        for (size_t i = 0; net->vector && i < (size_t)net->n_variables * (size_t)net->dim; i++)
            net->vector[i] *= (real)spread;
    }
    nln_symbols_free(names);
    return m;
}

typedef struct asked {
    nln_literal history[QUESTIONS][HISTORY];
    size_t exclude[QUESTIONS][20], only[QUESTIONS][300];
    nln_question question[QUESTIONS];
} asked;

/* Questions of every kind. */
static void make_questions(asked *a, uint64_t seed)
{
    static const size_t ks[] = {1, 2, 10, 40, 0, 7};
    nln_random random = nln_random_seed(seed, 1);
    for (size_t i = 0; i < QUESTIONS; i++) {
        nln_question *q = &a->question[i];
        for (size_t j = 0; j < HISTORY; j++)
            a->history[i][j] = (nln_literal){nln_random_next(&random) % ITEMS,
                                             nln_random_next(&random) % 4 != 0, 0};
        for (size_t j = 0; j < 20; j++)
            a->exclude[i][j] = nln_random_next(&random) % ITEMS;
        for (size_t j = 0; j < 300; j++)
            a->only[i][j] = nln_random_next(&random) % ITEMS;
        *q = (nln_question){.history = a->history[i],
                            .n_history = i % (HISTORY + 1),
                            .k = ks[i % 6],
                            .offset = i % 5 == 3 ? 11 : 0,
                            .exclude = a->exclude[i],
                            .n_exclude = i % 3 ? 20 : 0,
                            .only = i % 7 == 6 ? a->only[i] : NULL,
                            .n_only = 300,
                            .with_seen = i % 2 == 0};
    }
}

static int is_allowed(const nln_question *q, size_t item)
{
    int found = !q->only;
    for (size_t i = 0; !q->with_seen && i < q->n_history; i++)
        if (q->history[i].item == item)
            return 0;
    for (size_t i = 0; i < q->n_exclude; i++)
        if (q->exclude[i] == item)
            return 0;
    for (size_t i = 0; q->only && i < q->n_only; i++)
        found |= q->only[i] == item;
    return found;
}

/* The place of an item in the full ranking of a question, by counting. */
static size_t naive_place(const nln_question *q, const double *score, size_t item)
{
    size_t better = 0;
    for (size_t v = 0; v < ITEMS; v++)
        if ((score[v] > score[item] || (score[v] == score[item] && v < item)) && is_allowed(q, v))
            better++;
    return better;
}

static void expect_full_ranking(const nln_question *q, const nln_answer *a, const double *score,
                                int is_choice)
{
    size_t allowed = 0;
    for (size_t v = 0; v < ITEMS; v++)
        allowed += (size_t)is_allowed(q, v);
    size_t left = allowed > q->offset ? allowed - q->offset : 0;
    assert_int_equal(a->n, left < q->k ? left : q->k);
    for (size_t i = 0; i < a->n; i++) {
        assert_true(is_allowed(q, a->items[i].item));
        assert_true(a->items[i].score == score[a->items[i].item]);
        if (is_choice)
            assert_true(isnan(a->items[i].probability));
        else
            assert_true(a->items[i].probability == nln_sigmoid(a->items[i].score));
        assert_int_equal(naive_place(q, score, a->items[i].item), q->offset + i);
    }
}

static void expect_lists(const nln_model *m, uint64_t seed)
{
    static asked a;
    static nln_recommendation rows[2][QUESTIONS][MOST_K];
    static double score[QUESTIONS][ITEMS];
    nln_answer answers[2][QUESTIONS];
    nln_scorer *scorer = scorer_of(m);
    nln_error err = {0};
    make_questions(&a, seed);
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < QUESTIONS; i++)
            answers[t][i] = (nln_answer){.items = rows[t][i]};
        tiny_need(nln_scorer_recommend(answers[t], scorer, a.question, QUESTIONS, 1 + 2 * t, &err),
                  &err);
    }
    tiny_need(nln_scorer_scores(score[0], scorer, a.question, QUESTIONS, 2, &err), &err);
    for (int i = 0; i < QUESTIONS; i++) {
        expect_full_ranking(&a.question[i], &answers[0][i], score[i],
                            m->config.task == NLN_TASK_TOPK);
        assert_int_equal(answers[1][i].n, answers[0][i].n);
        assert_memory_equal(rows[0][i], rows[1][i], answers[0][i].n * sizeof rows[0][i][0]);
    }
    nln_scorer_free(scorer);
}

#define TOPK "task=topk history=4 threads=1 "

static void lists_are_those_of_the_full_ranking(void **state)
{
    (void)state;
    static const char *const settings[] = {
        TOPK "dimension=16", TOPK "dimension=12 hidden=9", TOPK "dimension=8 hidden=21 networks=3",
        TOPK "dimension=12 embedding=arc members=3 orders=2",
        "task=preference dimension=12 history=4 threads=1 networks=2 surprises=3"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (int wide = 0; wide < 2; wide++) {
            nln_model *m = random_model(settings[i], wide ? 100 : 1);
            m->temperature = wide ? 0.37 : 1;
            m->carry = m->config.surprises ? 2 : 0;
            expect_lists(m, i + 1);
            nln_model_free(m);
        }
}

/* Among equal items those with lower numbers come first, however close the others come. */
static void ties_are_in_order(void **state)
{
    (void)state;
    nln_model *m = random_model(TOPK "dimension=16", 100);
    size_t d = 16;
    for (size_t v = 0; v < ITEMS; v++)
        memcpy(m->net[0]->vector + v * d, m->net[0]->vector + v % 37 * d, d * sizeof(real));
    expect_lists(m, 9);
    nln_model_free(m);
}

/* Numbers so far apart that 8 bits keep little of them. */
static void outliers_are_found(void **state)
{
    (void)state;
    nln_model *m = random_model(TOPK "dimension=16", 30);
    for (size_t i = 0; i < ITEMS * 16; i += 997)
        m->net[0]->vector[i] *= 1000;
    expect_lists(m, 4);
    nln_model_free(m);
}

static void trained_models_of_every_method_answer(void **state)
{
    (void)state;
    static const char *const methods[] = {"nln", "popularity", "biasedmf", "svdpp",
                                          "ncf", "ease",       "gru",      "sasrec"};
    nln_ratings *r = likes_random(60, 700, 40, 2);
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char settings[200];
        const char *size = strcmp(methods[i], "popularity") && strcmp(methods[i], "ease")
                               ? "dimension=8 epochs=1"
                               : "";
        snprintf(settings, sizeof settings, "task=topk model=%s threads=1 %s", methods[i], size);
        nln_model *m = likes_train(NULL, r, settings);
        nln_scorer *scorer = scorer_of(m);
        nln_recommendation rows[10];
        nln_answer answer = {.items = rows};
        nln_literal history[] = {{5, 1, 0}, {9, 1, 0}};
        nln_question q = {
            .user = nln_ratings_user(r, 0), .history = history, .n_history = 2, .k = 10};
        double *score = calloc(nln_model_variables(m), sizeof *score);
        nln_error err = {0};
        tiny_need(nln_scorer_recommend(&answer, scorer, &q, 1, 1, &err), &err);
        tiny_need(nln_scorer_scores(score, scorer, &q, 1, 1, &err), &err);
        for (size_t v = 0; v < nln_model_variables(m); v++) {
            size_t at = 0;
            while (at < 10 && rows[at].item != v)
                at++;
            if (at == 10 && v != 5 && v != 9)
                assert_true(score[v] <= rows[9].score);
        }
        free(score);
        nln_scorer_free(scorer);
        nln_model_free(m);
    }
    nln_ratings_free(r);
}

/* ---- threads --------------------------------------------------------------------------------- */

typedef struct shared {
    const nln_scorer *scorer;
    const asked *questions;
    nln_recommendation rows[QUESTIONS][MOST_K];
} shared;

static void *ask_again(void *context)
{
    const shared *s = context;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < QUESTIONS; i++) {
            nln_recommendation rows[MOST_K];
            nln_answer one = {.items = rows};
            if (nln_scorer_recommend(&one, s->scorer, &s->questions->question[i], 1, 1, NULL) ||
                memcmp(rows, s->rows[i], one.n * sizeof *rows) != 0)
                return "another answer";
        }
    return NULL;
}

static void eight_threads_share_a_scorer(void **state)
{
    (void)state;
    static asked a;
    static shared s;
    nln_model *m = random_model(TOPK "dimension=16", 100);
    nln_scorer *scorer = scorer_of(m);
    pthread_t thread[8];
    make_questions(&a, 5);
    s.scorer = scorer;
    s.questions = &a;
    for (int i = 0; i < QUESTIONS; i++) {
        nln_answer one = {.items = s.rows[i]};
        tiny_need(nln_scorer_recommend(&one, scorer, &a.question[i], 1, 1, NULL), NULL);
    }
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, ask_again, &s), 0);
    for (int i = 0; i < 8; i++) {
        void *complaint = NULL;
        pthread_join(thread[i], &complaint);
        assert_null(complaint);
    }
    nln_scorer_free(scorer);
    nln_model_free(m);
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static void bad_questions_are_told(void **state)
{
    (void)state;
    nln_model *m = random_model(TOPK "dimension=8", 1);
    nln_scorer *scorer = scorer_of(m);
    const size_t wrong[] = {3, ITEMS};
    const nln_literal beyond = {ITEMS, 1, 0};
    nln_recommendation rows[3][2];
    nln_answer answers[3] = {{.items = rows[0]}, {.items = rows[1]}, {.items = rows[2]}};
    nln_question q[3] = {{.k = 2}, {.k = 2}, {.k = 2, .exclude = wrong, .n_exclude = 2}};
    nln_error err = {0};
    assert_int_equal(nln_scorer_recommend(answers, scorer, q, 3, 2, &err), NLN_INVALID);
    assert_int_equal(err.line, 3);
    q[1] = (nln_question){.k = 2, .only = wrong, .n_only = 2};
    assert_int_equal(nln_scorer_recommend(answers, scorer, q, 3, 2, &err), NLN_INVALID);
    assert_int_equal(err.line, 2);
    q[0] = (nln_question){.k = 2, .history = &beyond, .n_history = 1};
    assert_int_equal(nln_scorer_recommend(answers, scorer, q, 3, 2, &err), NLN_INVALID);
    assert_int_equal(err.line, 1);
    assert_int_equal(nln_scorer_recommend(answers, scorer, q, 0, 2, &err), NLN_OK);
    nln_scorer_free(scorer);
    m->net[0]->vector[77] = (real)NAN;
    scorer = scorer_of(m);
    assert_int_equal(nln_scorer_recommend(answers, scorer, &(nln_question){.k = 2}, 1, 1, &err),
                     NLN_NUMERIC);
    nln_scorer_free(scorer);
    nln_model_free(m);
}

static void abilities_are_those_of_the_method(void **state)
{
    (void)state;
    nln_model *m = random_model(TOPK "dimension=8", 1), *logic = tiny_model(20, "dimension=4");
    nln_abilities a = nln_model_abilities(m);
    assert_string_equal(a.task, "topk");
    assert_string_equal(a.method, "nln");
    assert_true(a.recommends && a.reads_histories && a.reads_expressions && a.ranks_variables &&
                a.has_vectors);
    assert_false(a.knows_users || a.needs_user || a.keeps_histories || a.reads_grades);
    a = nln_model_abilities(logic);
    assert_true(a.reads_expressions && a.ranks_variables && !a.recommends && !a.reads_histories);
    nln_model_free(m);
    nln_model_free(logic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_those_of_the_full_ranking),
        cmocka_unit_test(ties_are_in_order),
        cmocka_unit_test(outliers_are_found),
        cmocka_unit_test(trained_models_of_every_method_answer),
        cmocka_unit_test(eight_threads_share_a_scorer),
        cmocka_unit_test(bad_questions_are_told),
        cmocka_unit_test(abilities_are_those_of_the_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

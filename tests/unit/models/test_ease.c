#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "models/method.h"

enum { USERS = 60, ITEMS = 25, MOST = 12, LAMBDA = 4 };

#define SETTINGS "model=ease task=topk threads=1 history=1000 l2=4 "

static nln_model *make(int n_items, const char *settings)
{
    nln_symbols *names = trees_names(n_items);
    nln_model *m = likes_model(names, settings);
    nln_symbols_free(names);
    return m;
}

/* Users who meet items, some of them twice; the last item is met by nobody. */
static nln_queries random_users(void)
{
    nln_queries users = {0};
    nln_random r = nln_random_seed(6, 6);
    for (int32_t u = 0; u < USERS; u++) {
        nln_literal met[MOST];
        size_t n = nln_random_below(&r, MOST + 1);
        for (size_t i = 0; i < n; i++)
            met[i] = (nln_literal){nln_random_below(&r, ITEMS - 1), nln_random_below(&r, 3) > 0, 0};
        assert_int_equal(nln_queries_append(&users, u, met, n, -1, NULL), NLN_OK);
    }
    return users;
}

/* X[u][i]: the user liked the item. */
static void fill(double X[USERS][ITEMS], const nln_queries *users)
{
    memset(X, 0, USERS * sizeof *X);
    for (size_t u = 0; u < USERS; u++)
        for (size_t i = 0; i < users->list[u].n; i++) {
            nln_literal met = users->literal[users->list[u].first + i];
            if (met.liked)
                X[u][met.item] = 1;
        }
}

/* Off the diagonal the gradient of |X - X B|^2 + l2 |B|^2, which is convex, is 0. */
static void the_matrix_is_a_minimum(void **state)
{
    (void)state;
    nln_model *m = make(ITEMS, SETTINGS);
    nln_queries users = random_users();
    static double X[USERS][ITEMS], rest[USERS];
    fill(X, &users);
    assert_int_equal(m->method->solve(m, &users, NULL, NULL), NLN_OK);
    const real *B = m->weights.data[0];
    double size = 0;
    for (int j = 0; j < ITEMS; j++) {
        assert_true(B[j * ITEMS + j] == 0);
        for (int u = 0; u < USERS; u++) {
            rest[u] = -X[u][j];
            for (int i = 0; i < ITEMS; i++)
                rest[u] += X[u][i] * (double)B[i * ITEMS + j];
        }
        for (int i = 0; i < ITEMS; i++) {
            double gradient = LAMBDA * (double)B[i * ITEMS + j];
            for (int u = 0; u < USERS; u++)
                gradient += X[u][i] * rest[u];
            if (i != j)
                assert_true(fabs(gradient) < 1e-4);
            size += fabs((double)B[i * ITEMS + j]);
        }
        assert_true(B[(ITEMS - 1) * ITEMS + j] == 0); /* what nobody met says nothing */
    }
    assert_true(size > 1);
    nln_queries_free(&users);
    nln_model_free(m);
}

static nln_item_scorer *ask(const nln_model *m, size_t most)
{
    nln_item_scorer *s = NULL;
    assert_int_equal(m->method->ask(&s, m, most, NULL), NLN_OK);
    return s;
}

/* Each liked item once, the disliked not at all; all items, some of them, and in a clone. */
static void scores_are_sums_over_the_liked(void **state)
{
    (void)state;
    enum { FIRST = 3 };
    nln_model *m = make(ITEMS, SETTINGS);
    nln_queries users = random_users();
    static double X[USERS][ITEMS];
    static const int32_t some[] = {17, 2, 24};
    fill(X, &users);
    assert_int_equal(m->method->solve(m, &users, NULL, NULL), NLN_OK);
    nln_item_scorer *original = ask(m, USERS), *s = NULL;
    assert_int_equal(original->clone(&s, original, NULL), NLN_OK);
    assert_int_equal(s->read(s, &users, FIRST, USERS - FIRST, NULL), NLN_OK);
    for (size_t u = FIRST; u < USERS; u++) {
        double all[ITEMS], few[ITEMS] = {0};
        s->scores(all, s, u - FIRST, NULL, 0);
        s->scores(few, s, u - FIRST, some, 3);
        for (size_t j = 0; j < ITEMS; j++) {
            double wanted = 0;
            for (size_t i = 0; i < ITEMS; i++)
                wanted += X[u][i] * (double)m->weights.data[0][i * ITEMS + j];
            int is_asked = j == 17 || j == 2 || j == 24;
            assert_true(fabs(all[j] - wanted) < 1e-9);
            assert_true(few[j] == (is_asked ? all[j] : 0));
        }
    }
    s->free(s);
    original->free(original);
    nln_queries_free(&users);
    nln_model_free(m);
}

/* Pairs that everybody likes together find each other again, through the whole library. */
static void planted_pairs_are_found(void **state)
{
    (void)state;
    nln_ratings_rows rows = likes_rows();
    nln_random r = nln_random_seed(1, 1);
    nln_error err = {0};
    for (int u = 0; u < 200; u++) {
        int pair = (int)nln_random_below(&r, 10);
        for (int k = 0; k < 2; k++) {
            char user[16], item[16];
            snprintf(user, sizeof user, "u%d", u);
            snprintf(item, sizeof item, "x%d", 2 * pair + (k ^ (u & 1)));
            likes_add(&rows, user, item, 1, u < 180 ? NLN_TRAIN : (nln_split)(k ? 1 + u % 2 : 0));
        }
    }
    nln_ratings *ratings = likes_finish(&rows);
    nln_report report = {0};
    nln_model *m = likes_train(&report, ratings, SETTINGS);
    for (size_t v = 0; v < 20; v++) {
        nln_literal history = {v, 1, 0};
        nln_recommendation best;
        size_t n, other;
        char name[16];
        snprintf(name, sizeof name, "x%d", atoi(nln_model_variable(m, v) + 1) ^ 1);
        tiny_need(nln_recommend(&best, &n, 1, m, NULL, &history, 1, 0, &err), &err);
        tiny_need(nln_model_find(&other, m, name, &err), &err);
        assert_int_equal(best.item, other);
    }
    nln_model_free(m);
    nln_ratings_free(ratings);
}

static void what_cannot_be_solved_is_told(void **state)
{
    (void)state;
    nln_queries users = random_users();
    nln_error err = {0};
    nln_model *free_of_l2 = make(ITEMS, SETTINGS "l2=0"), *large = make(40001, SETTINGS);
    assert_int_equal(free_of_l2->method->solve(free_of_l2, &users, NULL, &err), NLN_INVALID);
    assert_non_null(strstr(err.message, "--l2"));
    assert_int_equal(large->method->solve(large, &users, NULL, &err), NLN_LIMIT);
    assert_non_null(strstr(err.message, "40001"));
    nln_model_free(free_of_l2);
    nln_model_free(large);
    nln_queries_free(&users);
}

typedef struct told {
    double share[16];
    int n, stop_at;
} told;

static nln_status hear(void *context, double share, nln_error *err)
{
    told *t = context;
    t->share[t->n++ % 16] = share;
    return t->n == t->stop_at ? nln_error_set(err, NLN_CANCELLED, "enough") : NLN_OK;
}

/* From the start to the end, and no further once somebody has had enough. */
static void progress_is_told(void **state)
{
    (void)state;
    nln_queries users = random_users();
    nln_model *m = make(ITEMS, SETTINGS);
    told t = {.n = 0};
    nln_solve_watch watch = {hear, &t};
    assert_int_equal(m->method->solve(m, &users, &watch, NULL), NLN_OK);
    assert_in_range(t.n, 3, 16);
    assert_true(t.share[0] == 0 && t.share[t.n - 1] == 1);
    for (int i = 1; i < t.n; i++)
        assert_true(t.share[i] >= t.share[i - 1]);
    t = (told){.stop_at = 2};
    assert_int_equal(m->method->solve(m, &users, &watch, NULL), NLN_CANCELLED);
    assert_int_equal(t.n, 2);
    nln_model_free(m);
    nln_queries_free(&users);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_matrix_is_a_minimum), cmocka_unit_test(scores_are_sums_over_the_liked),
        cmocka_unit_test(planted_pairs_are_found), cmocka_unit_test(what_cannot_be_solved_is_told),
        cmocka_unit_test(progress_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

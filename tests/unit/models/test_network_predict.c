/* Computing expressions with the network: no score depends on its neighbours, blocks or threads,
 * and scores are means over networks, members and orders. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "likes.h"
#include "math/scalar.h"
#include "models/network_learner.h"

enum { VARIABLES = 25, DIM = 6, N = 300 /* three blocks, the last not full */ };

static nln_model *drawn_model(const char *settings)
{
    nln_symbols *names = trees_names(VARIABLES);
    nln_model *m = likes_model(names, settings);
    m->config.duals = 0;
    nln_symbols_free(names);
    return m;
}

/* N expressions, no two of them alike. */
static nln_exprs expressions(nln_model *m)
{
    nln_exprs list = {0};
    for (int i = 0; i < N; i++) {
        char text[64];
        snprintf(text, sizeof text, "(x%d & !x%d & x3 & x%d) | x%d", i % VARIABLES,
                 (i + 1) % VARIABLES, i / VARIABLES, (i + 7) % VARIABLES);
        trees_parse(&list, m->symbols, text);
    }
    return list;
}

static void scores_of(double *score, const nln_model *m, const nln_exprs *list, int threads)
{
    nln_error err = {0};
    tiny_need(nln_network_scores(score, m, list, m->config.orders, threads, &err), &err);
}

/* ---- blocks and threads --------------------------------------------------------------------- */

static void blocks_and_threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "dimension=6 orders=1", "dimension=6 networks=2 members=2 orders=3 embedding=arc "
                                "predict-noise=0.5"};
    static double together[N], shared[N];
    for (int s = 0; s < 2; s++) {
        nln_model *m = drawn_model(settings[s]);
        nln_exprs list = expressions(m);
        scores_of(together, m, &list, 1);
        for (int threads = 2; threads <= 5; threads++) {
            scores_of(shared, m, &list, threads);
            assert_memory_equal(shared, together, sizeof shared);
        }
        for (size_t i = 0; s == 0 && i < N; i += 23) {
            nln_exprs one = {0};
            double alone;
            assert_int_equal(nln_exprs_append(&one, nln_exprs_get(&list, i), NULL), NLN_OK);
            scores_of(&alone, m, &one, 2);
            assert_true(fabs(alone - together[i]) < 1e-5);
            nln_exprs_free(&one);
        }
        nln_exprs_free(&list);
        nln_model_free(m);
    }
}

static void no_expressions_are_no_error(void **state)
{
    (void)state;
    nln_model *m = drawn_model("dimension=6");
    nln_exprs none = {0};
    nln_cost cost = {1, 1, 1, 1};
    nln_profile profile = {0};
    assert_int_equal(nln_network_measure(&cost, &profile, NULL, m, &none, 1, 3, NULL), NLN_OK);
    assert_true(cost.rows == 0 && cost.textbook_flop == 0);
    nln_model_free(m);
}

/* ---- means ---------------------------------------------------------------------------------- */

enum { NETWORKS = 3 };

static void expect_mean(const double *mean, double each[NETWORKS][VARIABLES])
{
    for (int v = 0; v < VARIABLES; v++) {
        double sum = 0;
        for (int k = 0; k < NETWORKS; k++)
            sum += each[k][v];
        assert_true(fabs(mean[v] - sum / NETWORKS) < 1e-9);
    }
    assert_memory_not_equal(each[0], each[1], sizeof each[0]);
}

/* Random orders and the noise on logits are the same for all. */
static void a_model_answers_with_the_mean_of_its_networks(void **state)
{
    (void)state;
    static const char *const settings[] = {
        "dimension=6 networks=3 members=1 orders=1 embedding=free duals=false",
        "dimension=6 networks=3 members=2 orders=3 embedding=arc duals=false predict-noise=0.5"};
    const char *texts[VARIABLES];
    char room[VARIABLES][64];
    for (int v = 0; v < VARIABLES; v++) {
        snprintf(room[v], sizeof room[v], "(x%d & !x%d & x3) | x%d", v, (v + 1) % VARIABLES, v / 2);
        texts[v] = room[v];
    }
    for (int s = 0; s < 2; s++) {
        nln_model *m = tiny_model(VARIABLES, settings[s]);
        double p[3][VARIABLES], each[3][NETWORKS][VARIABLES];
        nln_random random = nln_random_seed(3, 0);
        nln_model_draw(m, &random);
        for (int k = -1; k < NETWORKS; k++) {
            nln_model *one = k < 0 ? m : tiny_alone(m, k);
            assert_int_equal(
                nln_predict_many(k < 0 ? p[0] : each[0][k], one, texts, VARIABLES, NULL, NULL),
                NLN_OK);
            assert_int_equal(nln_solve(k < 0 ? p[1] : each[1][k], one, NULL), NLN_OK);
            assert_int_equal(nln_rank(k < 0 ? p[2] : each[2][k], one, texts[1], NULL), NLN_OK);
            if (k >= 0)
                nln_model_free(one);
        }
        for (int i = 0; i < 3; i++)
            expect_mean(p[i], each[i]);
        nln_model_free(m);
    }
}

/* alpha cos(h, T) in double; 0 for a vector of length 0. */
static double log_odds_of(const nln_net *net, const real *h)
{
    double dot = 0, square = 0, truth = 0;
    for (int i = 0; i < DIM; i++) {
        dot += (double)h[i] * (double)net->truth[i];
        square += (double)h[i] * (double)h[i];
        truth += (double)net->truth[i] * (double)net->truth[i];
    }
    return square > 0 ? (double)net->alpha * dot / sqrt(square * truth) : 0;
}

/* The mean over the vectors of every order, network and member: of probabilities for expressions,
 * of log-odds for ratings, and the score itself where there is but one. */
static void expect_mean_of_vectors(const char *settings, int of_odds)
{
    nln_model *m = drawn_model(settings);
    nln_exprs list = expressions(m);
    int32_t members = m->config.members, orders = m->config.orders, all = m->n_networks * members;
    static double score[N], sum[N];
    real *vectors = malloc((size_t)all * N * DIM * sizeof *vectors);
    nln_error err = {0};
    assert_int_equal(nln_network_means_odds(m, orders * all), of_odds);
    memset(sum, 0, sizeof sum);
    for (int o = 0; o < orders; o++) {
        tiny_need(nln_model_vectors(vectors, m, &list, orders > 1 ? o : -1, &err), &err);
        for (int k = 0; k < all; k++)
            for (int i = 0; i < N; i++) {
                double one = log_odds_of(m->net[k / members], vectors + (k * N + i) * DIM);
                sum[i] += of_odds ? one : nln_sigmoid(one);
            }
    }
    scores_of(score, m, &list, 2);
    for (int i = 0; i < N; i++) {
        double mean = sum[i] / (orders * all);
        if (!(fabs(score[i] - (of_odds ? mean : log(mean / (1 - mean)))) < 1e-3))
            fail_msg("%s: expression %d has %g", settings, i, score[i]);
    }
    free(vectors);
    nln_exprs_free(&list);
    nln_model_free(m);
}

static void scores_are_the_means_of_the_vectors(void **state)
{
    (void)state;
    expect_mean_of_vectors("dimension=6 alpha=3 orders=1 members=1", 1);
    expect_mean_of_vectors("dimension=6 alpha=3 orders=1 members=3", 0);
    expect_mean_of_vectors("dimension=6 alpha=3 orders=4 members=1", 0);
    expect_mean_of_vectors("dimension=6 alpha=3 orders=2 members=2 networks=3", 0);
    expect_mean_of_vectors("task=topk dimension=6 orders=2 members=2 networks=3", 1);
}

/* A member is a model of its own rows of the table. */
static void members_have_rows_of_their_own(void **state)
{
    (void)state;
    enum { MEMBERS = 3 };
    nln_model *m = drawn_model("dimension=6 members=3 orders=1 embedding=free");
    nln_model *one = drawn_model("dimension=6 members=1 orders=1 embedding=free");
    nln_exprs list = expressions(m);
    static double score[N], of_one[N], mean[N];
    size_t rows = (size_t)nln_model_rows(m);
    memset(mean, 0, sizeof mean);
    memcpy(one->net[0]->truth, m->net[0]->truth, DIM * sizeof(real));
    memcpy(one->net[0]->weights, m->net[0]->weights,
           nln_modules_size(DIM, m->net[0]->hidden) * sizeof(real));
    nln_net_transpose(one->net[0]);
    for (size_t k = 0; k < MEMBERS; k++) {
        memcpy(one->net[0]->vector, m->net[0]->vector + k * rows * DIM, rows * DIM * sizeof(real));
        scores_of(of_one, one, &list, 1);
        for (int i = 0; i < N; i++)
            mean[i] += nln_sigmoid(of_one[i]) / MEMBERS;
    }
    scores_of(score, m, &list, 1);
    for (int i = 0; i < N; i++)
        assert_true(fabs(nln_sigmoid(score[i]) - mean[i]) < 1e-5);
    nln_exprs_free(&list);
    nln_model_free(one);
    nln_model_free(m);
}

/* The order of a number is always the same, and that of another number is another. */
static void random_orders_differ(void **state)
{
    (void)state;
    nln_model *m = drawn_model("dimension=6 members=1 embedding=free");
    nln_exprs list = expressions(m);
    static real given[N * DIM], first[N * DIM], second[N * DIM];
    assert_int_equal(nln_model_vectors(given, m, &list, -1, NULL), NLN_OK);
    assert_int_equal(nln_model_vectors(first, m, &list, 0, NULL), NLN_OK);
    assert_int_equal(nln_model_vectors(second, m, &list, 1, NULL), NLN_OK);
    assert_memory_not_equal(first, given, sizeof first);
    assert_memory_not_equal(first, second, sizeof first);
    assert_int_equal(nln_model_vectors(second, m, &list, 0, NULL), NLN_OK);
    assert_memory_equal(first, second, sizeof first);
    nln_exprs_free(&list);
    nln_model_free(m);
}

/* ---- cost ----------------------------------------------------------------------------------- */

static nln_cost cost_of(const nln_model *m, const nln_exprs *list)
{
    nln_cost cost;
    nln_profile profile = {0};
    double score[2];
    assert_int_equal(nln_network_measure(&cost, &profile, score, m, list, 1, 1, NULL), NLN_OK);
    return cost;
}

/* What is written twice is computed once. */
static void repeated_expressions_cost_nothing(void **state)
{
    (void)state;
    nln_model *m = drawn_model("dimension=6 members=1");
    nln_exprs list = {0};
    trees_parse(&list, m->symbols, "(x0 & !x1) | x2");
    nln_cost once = cost_of(m, &list);
    trees_parse(&list, m->symbols, "(x0 & !x1) | x2");
    nln_cost twice = cost_of(m, &list);
    double flop = 0;
    for (int module = NLN_MODULE_NOT; module <= NLN_MODULE_OR; module++)
        flop += nln_network_row_flop(m->net[0], (nln_module_id)module);
    assert_true(once.textbook_flop == flop); /* one of each */
    assert_true(twice.textbook_flop == 2 * flop);
    assert_true(twice.rows == 2 * once.rows && twice.shared_rows == once.shared_rows);
    assert_true(once.executed_flop > 0 && once.executed_flop <= flop);
    assert_true(twice.executed_flop == once.executed_flop);
    nln_exprs_free(&list);
    nln_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_and_threads_do_not_matter),
        cmocka_unit_test(no_expressions_are_no_error),
        cmocka_unit_test(a_model_answers_with_the_mean_of_its_networks),
        cmocka_unit_test(scores_are_the_means_of_the_vectors),
        cmocka_unit_test(members_have_rows_of_their_own),
        cmocka_unit_test(random_orders_differ),
        cmocka_unit_test(repeated_expressions_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

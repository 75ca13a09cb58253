#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "models/dot_product.h"
#include "tiny.h"

enum { USERS = 6, ITEMS = 11, DIM = 5, N = 7, NEGATIVES = 4 };
enum { USER_BIAS = 1, USER_VECTOR, BIAS, VECTOR }; /* tensors of biasedmf */

static nln_model *make_model(void)
{
    nln_options *o = tiny_options("train", "model=biasedmf task=topk dimension=5 reduce=sum");
    nln_symbols *names = trees_names(ITEMS);
    nln_random random = nln_random_seed(1, 1);
    nln_model *model = NULL;
    nln_error err = {0};
    nln_net_tensor t;
    tiny_need(nln_model_create_for(&model, names, USERS, o, &err), &err);
    for (int i = 0; nln_model_get_tensor(&t, model, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] = (real)nln_random_normal(&random);
    nln_symbols_free(names);
    nln_options_free(o);
    return model;
}

/* q . v + bias + offset */
static double naive_score(const nln_model *m, const real *query, real offset, int32_t item,
                          int has_bias)
{
    double sum = (double)offset + (has_bias ? (double)m->weights.data[BIAS][item] : 0);
    for (int d = 0; d < DIM; d++)
        sum += (double)query[d] * (double)m->weights.data[VECTOR][item * DIM + d];
    return sum;
}

/* ---- in training ----------------------------------------------------------------------------- */

typedef struct fixture {
    nln_model *model;
    nln_table_learner learner;
    nln_dot_product product;
    nln_queries queries;
    nln_request request;
    real truth[N];
    int32_t candidate[N * NEGATIVES];
    uint8_t refused[N * NEGATIVES];
} fixture;

static void set_up(fixture *f, nln_loss_kind loss_kind, int has_bias)
{
    nln_random r = nln_random_seed(2, (uint64_t)loss_kind);
    memset(f, 0, sizeof *f);
    f->model = make_model();
    f->product.items = (nln_dot_product_items){VECTOR, has_bias ? BIAS : -1};
    for (int i = 0; i < N; i++) {
        int32_t target = (int32_t)nln_random_below(&r, ITEMS);
        assert_int_equal(nln_queries_append(&f->queries, i % USERS, NULL, 0, target, NULL), NLN_OK);
        f->truth[i] = (real)(i % 2);
    }
    for (int i = 0; i < N * NEGATIVES; i++) { /* the same item is there more than once */
        f->candidate[i] = (int32_t)nln_random_below(&r, ITEMS);
        f->refused[i] = nln_random_below(&r, 4) == 0;
    }
    f->request = (nln_request){.loss_kind = loss_kind,
                               .n = N,
                               .queries = &f->queries,
                               .truth = f->truth,
                               .n_candidates = loss_kind == NLN_LOSS_LABELS ? 0 : NEGATIVES,
                               .candidate = f->candidate,
                               .refused = f->refused};
    assert_int_equal(nln_table_learner_open(&f->learner, f->model, NULL), NLN_OK);
    nln_table_learner_begin(&f->learner, &f->request);
    assert_int_equal(nln_dot_product_plan(&f->product, &f->learner, &f->request, NULL), NLN_OK);
    assert_int_equal(nln_table_learner_end(&f->learner, NULL), NLN_OK);
    nln_table_learner_clear(&f->learner);
    for (int i = 0; i < N; i++) {
        f->product.offset[i] = (real)nln_random_normal(&r);
        for (int d = 0; d < DIM; d++)
            f->product.query[i * DIM + d] = (real)nln_random_normal(&r);
    }
}

static void tear_down(fixture *f)
{
    nln_dot_product_free(&f->product);
    nln_dot_product_free(&f->product);
    nln_table_learner_close(&f->learner);
    nln_queries_free(&f->queries);
    nln_model_free(f->model);
}

/* The sums of the gradients, by items and by units. */
typedef struct sums {
    double vector[ITEMS][DIM], bias[ITEMS], query[N][DIM], offset[N];
} sums;

static void add_back(sums *s, const fixture *f, int i, int32_t item, double by)
{
    s->bias[item] += by;
    s->offset[i] += by;
    for (int d = 0; d < DIM; d++) {
        s->vector[item][d] += by * (double)f->product.query[i * DIM + d];
        s->query[i][d] += by * (double)f->model->weights.data[VECTOR][item * DIM + d];
    }
}

/* Candidate j of unit i, its own ones first: the item and its score. */
static int32_t item_of(const fixture *f, const nln_candidate_losses *m, int i, int j)
{
    return j < m->n_own ? nln_candidate_losses_item(m, &f->request, i, j)
                        : f->candidate[j - m->n_own];
}

static real *score_of(const nln_candidate_losses *m, int i, int j)
{
    return j < m->n_own ? m->own + i * m->n_own + j : m->shared + i * m->n_shared + j - m->n_own;
}

/* Scores one by one, their loss, and what the gradient of each score gives its parts. */
static double naive_gradient(sums *s, const fixture *f, int has_bias)
{
    nln_candidate_losses m = {0};
    memset(s, 0, sizeof *s);
    assert_int_equal(nln_candidate_losses_fit(&m, &f->request, NULL), NLN_OK);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < m.n_own + m.n_shared; j++)
            *score_of(&m, i, j) =
                (real)naive_score(f->model, f->product.query + i * DIM, f->product.offset[i],
                                  item_of(f, &m, i, j), has_bias);
    nln_loss loss = nln_candidate_losses_loss(&m, &f->request, &f->learner.base);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < m.n_own + m.n_shared; j++)
            add_back(s, f, i, item_of(f, &m, i, j), (double)*score_of(&m, i, j));
    nln_candidate_losses_free(&m);
    return loss.data;
}

static void expect_near(real found, double wanted, const char *what, int i)
{
    if (!(fabs((double)found - wanted) <= 2e-5 * fmax(1, fabs(wanted))))
        fail_msg("%s %d: %.9g instead of %.9g", what, i, (double)found, wanted);
}

static void check_gradient(nln_loss_kind loss_kind, int has_bias)
{
    fixture f;
    sums wanted;
    set_up(&f, loss_kind, has_bias);
    double loss = naive_gradient(&wanted, &f, has_bias);
    assert_true(fabs(nln_dot_product_gradient(&f.product, &f.learner).data - loss) < 1e-4);
    for (int i = 0; i < N; i++) {
        expect_near(f.product.doffset[i], wanted.offset[i], "offset", i);
        for (int d = 0; d < DIM; d++)
            expect_near(f.product.dquery[i * DIM + d], wanted.query[i][d], "query", i);
    }
    const nln_parameter *vector = &f.learner.base.parameter[VECTOR];
    const nln_parameter *bias = &f.learner.base.parameter[BIAS];
    assert_true(vector->n_rows > 0);
    assert_int_equal(bias->n_rows, has_bias ? vector->n_rows : 0);
    for (int32_t k = 0; k < vector->n_rows; k++) {
        int32_t item = vector->row[k];
        for (int d = 0; d < DIM; d++) {
            expect_near(vector->gradient[k * DIM + d], wanted.vector[item][d], "vector", item);
            wanted.vector[item][d] = 0;
        }
        if (has_bias) {
            assert_int_equal(bias->row[k], item);
            expect_near(bias->gradient[k], wanted.bias[item], "bias", item);
        }
    }
    for (int32_t v = 0; v < ITEMS; v++) /* what is not touched has no gradient */
        for (int d = 0; d < DIM; d++)
            assert_true(wanted.vector[v][d] == 0);
    tear_down(&f);
}

static void gradients_are_those_of_plain_loops(void **state)
{
    (void)state;
    for (int loss_kind = NLN_LOSS_LABELS; loss_kind <= NLN_LOSS_SOFTMAX; loss_kind++)
        for (int has_bias = 0; has_bias < 2; has_bias++)
            check_gradient((nln_loss_kind)loss_kind, has_bias);
}

/* ---- in use ---------------------------------------------------------------------------------- */

static int n_states; /* that are alive */

static nln_status open_state(void *state, const nln_model *model, nln_error *err)
{
    (void)model, (void)err;
    assert_int_equal(*(char *)state, 0);
    n_states++;
    return NLN_OK;
}

static nln_status refuse(void *state, const nln_model *model, nln_error *err)
{
    (void)state, (void)model;
    n_states++;
    return nln_error_set(err, NLN_LIMIT, "no state");
}

static void close_state(void *state)
{
    (void)state;
    n_states--;
}

/* The vector and the bias of the user. */
static nln_status fill(real *query, real *offset, void *state, const nln_model *model,
                       const nln_queries *queries, size_t first, size_t n, nln_error *err)
{
    (void)state, (void)err;
    for (size_t i = 0; i < n; i++) {
        int32_t user = queries->list[first + i].user;
        memcpy(query + i * DIM, nln_table_learner_row(model, USER_VECTOR, user),
               DIM * sizeof *query);
        offset[i] = *nln_table_learner_row(model, USER_BIAS, user);
    }
    return NLN_OK;
}

static const nln_dot_product_queries stateless = {.fill = fill};
static const nln_dot_product_queries stateful = {1, open_state, close_state, fill};

static nln_queries list_users(void)
{
    nln_queries queries = {0};
    for (int32_t i = 0; i < USERS; i++)
        assert_int_equal(nln_queries_append(&queries, i, NULL, 0, -1, NULL), NLN_OK);
    return queries;
}

static double naive_user_score(const nln_model *m, int32_t user, int32_t item, int has_bias)
{
    return naive_score(m, m->weights.data[USER_VECTOR] + user * DIM,
                       m->weights.data[USER_BIAS][user], item, has_bias);
}

static void scores_are_those_of_plain_loops(void **state)
{
    (void)state;
    nln_model *model = make_model();
    nln_queries queries = list_users();
    for (int has_bias = 0; has_bias < 2; has_bias++) {
        nln_item_scorer *s = NULL;
        double score[ITEMS];
        assert_int_equal(nln_dot_product_ask(&s, model, N,
                                             (nln_dot_product_items){VECTOR, has_bias ? BIAS : -1},
                                             &stateless, NULL),
                         NLN_OK);
        assert_int_equal(s->read(s, &queries, 2, 3, NULL), NLN_OK); /* users 2, 3 and 4 */
        for (int32_t i = 0; i < 3; i++) {
            s->scores(score, s, (size_t)i, NULL, 0);
            for (int32_t v = 0; v < ITEMS; v++)
                assert_true(fabs(score[v] - naive_user_score(model, 2 + i, v, has_bias)) < 1e-5);
        }
        s->free(s);
    }
    nln_queries_free(&queries);
    nln_model_free(model);
}

static void some_items_are_scored_alone(void **state)
{
    (void)state;
    static const int32_t only[] = {9, 0, 4};
    nln_model *model = make_model();
    nln_queries queries = list_users();
    nln_item_scorer *s = NULL;
    double all[ITEMS], some[ITEMS];
    assert_int_equal(
        nln_dot_product_ask(&s, model, N, (nln_dot_product_items){VECTOR, BIAS}, &stateless, NULL),
        NLN_OK);
    assert_int_equal(s->read(s, &queries, 0, USERS, NULL), NLN_OK);
    for (int32_t v = 0; v < ITEMS; v++)
        some[v] = -77;
    s->scores(all, s, 5, NULL, 0);
    s->scores(some, s, 5, only, 3);
    for (int32_t v = 0; v < ITEMS; v++)
        assert_true(some[v] == (v == 9 || v == 0 || v == 4 ? all[v] : -77));
    s->free(s);
    nln_queries_free(&queries);
    nln_model_free(model);
}

/* Each scorer has a state of its own, and gives it back. */
static void clones_answer_alike(void **state)
{
    (void)state;
    nln_model *model = make_model();
    nln_queries queries = list_users();
    nln_item_scorer *s = NULL, *clone = NULL;
    double first[ITEMS], second[ITEMS];
    assert_int_equal(
        nln_dot_product_ask(&s, model, N, (nln_dot_product_items){VECTOR, BIAS}, &stateful, NULL),
        NLN_OK);
    assert_int_equal(s->clone(&clone, s, NULL), NLN_OK);
    assert_int_equal(n_states, 2);
    assert_int_equal(s->read(s, &queries, 3, 1, NULL), NLN_OK);
    assert_int_equal(clone->read(clone, &queries, 2, 2, NULL), NLN_OK);
    s->scores(first, s, 0, NULL, 0);
    clone->scores(second, clone, 0, NULL, 0);
    assert_true(first[0] != second[0]);
    clone->scores(second, clone, 1, NULL, 0);
    assert_memory_equal(first, second, sizeof first);
    clone->free(clone);
    s->free(s);
    assert_int_equal(n_states, 0);
    nln_queries_free(&queries);
    nln_model_free(model);
}

static void no_state_is_no_scorer(void **state)
{
    (void)state;
    static const nln_dot_product_queries failing = {1, refuse, close_state, fill};
    nln_model *model = make_model();
    nln_item_scorer *s = NULL;
    nln_error err = {0};
    size_t before = nln_memory_used();
    assert_int_equal(
        nln_dot_product_ask(&s, model, N, (nln_dot_product_items){VECTOR, BIAS}, &failing, &err),
        NLN_LIMIT);
    assert_null(s);
    assert_string_equal(err.message, "no state");
    assert_int_equal(n_states, 0);
    assert_int_equal(nln_memory_used(), before);
    nln_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_are_those_of_plain_loops),
        cmocka_unit_test(scores_are_those_of_plain_loops),
        cmocka_unit_test(some_items_are_scored_alone),
        cmocka_unit_test(clones_answer_alike),
        cmocka_unit_test(no_state_is_no_scorer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

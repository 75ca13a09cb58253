#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/ncf.h"
#include "trees.h"

enum { ROWS = 9, MOST_DIM = 12, KEY = 5 };

typedef struct fixture {
    nln_model *model;
    nln_table_learner learner;
    nln_ncf_tower mlp;
    int dim;
    real user[ROWS * MOST_DIM], item[ROWS * MOST_DIM]; /* the sums entered */
    real dscore[ROWS], dout[MOST_DIM];
} fixture;

static nln_model *make_model(const char *dimension, const char *dropout)
{
    const char *const settings[][2] = {
        {"model", "ncf"}, {"task", "topk"}, {"dimension", dimension}, {"dropout", dropout}};
    nln_options *o = NULL;
    int n_rows;
    const nln_option *table = nln_config_table(&n_rows);
    nln_symbols *names = trees_names(2);
    nln_model *model = NULL;
    assert_int_equal(nln_options_create_from(&o, table, n_rows, NULL), NLN_OK);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        assert_int_equal(nln_options_set(o, settings[i][0], settings[i][1], NULL), NLN_OK);
    assert_int_equal(nln_model_create_for(&model, names, 2, o, NULL), NLN_OK);
    nln_symbols_free(names);
    nln_options_free(o);
    return model;
}

static void set_up(fixture *f, const char *dimension, const char *dropout)
{
    nln_random random = nln_random_seed(7, 7);
    nln_net_tensor t;
    nln_request request = {0};
    memset(f, 0, sizeof *f);
    f->model = make_model(dimension, dropout);
    f->dim = f->model->config.dimension;
    for (int i = 0; nln_model_get_tensor(&t, f->model, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] = nln_random_normal(&random);
    for (int i = 0; i < ROWS * f->dim; i++) {
        f->user[i] = nln_random_normal(&random);
        f->item[i] = nln_random_normal(&random);
    }
    for (int i = 0; i < ROWS; i++)
        f->dscore[i] = nln_random_normal(&random);
    assert_int_equal(nln_table_learner_open(&f->learner, f->model, NULL), NLN_OK);
    nln_table_learner_begin(&f->learner, &request);
    assert_int_equal(nln_table_learner_end(&f->learner, NULL), NLN_OK);
    nln_table_learner_clear(&f->learner);
    assert_int_equal(nln_ncf_tower_create(&f->mlp, f->model, NLN_NCF_IN,
                                          nln_ncf_tower_out(f->model), ROWS, 1, NULL),
                     NLN_OK);
}

static void tear_down(fixture *f)
{
    nln_ncf_tower_free(&f->mlp);
    nln_ncf_tower_free(&f->mlp);
    nln_table_learner_close(&f->learner);
    nln_model_free(f->model);
}

static void forward(real score[ROWS], fixture *f, const nln_table_learner *learner, uint64_t key)
{
    for (size_t r = 0; r < ROWS; r++)
        nln_ncf_tower_enter(&f->mlp, r, f->user + r * (size_t)f->dim, f->item + r * (size_t)f->dim);
    nln_ncf_tower_forward(score, &f->mlp, ROWS, learner, key);
}

/* What is differentiated: the scores, each times its gradient. */
static double objective(fixture *f)
{
    real score[ROWS];
    double sum = 0;
    forward(score, f, &f->learner, KEY);
    for (int r = 0; r < ROWS; r++)
        sum += score[r] * f->dscore[r];
    return sum;
}

static void layers_halve(void **state)
{
    (void)state;
    static const int widths[][1 + NLN_TOWER_LAYERS] = {
        {64, 64, 32, 16}, {10, 10, 5, 2}, {3, 3, 1, 1}, {1, 1, 1, 1}};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int k = 0; k < NLN_TOWER_LAYERS; k++)
            assert_int_equal(nln_ncf_tower_width(widths[i][0], k), widths[i][1 + k]);
}

static double relu(double x)
{
    return x > 0 ? x : 0;
}

/* One pair of a user and an item, layer after layer. */
static double naive_score(const fixture *f, int r)
{
    real *const *w = f->model->weights.data;
    int d = f->dim, width[3] = {d, d / 2 ? d / 2 : 1, d / 4 ? d / 4 : 1};
    double z[2][MOST_DIM] = {{0}}, score = 0;
    for (int j = 0; j < d; j++)
        z[0][j] = relu(f->user[r * d + j] + f->item[r * d + j] + w[NLN_NCF_IN_BIAS][j]);
    for (int k = 1; k < 3; k++)
        for (int j = 0; j < width[k]; j++) {
            double sum = w[NLN_NCF_IN_BIAS + 2 * k][j];
            for (int i = 0; i < width[k - 1]; i++)
                sum += z[(k - 1) % 2][i] * w[NLN_NCF_IN + 2 * k][i * width[k] + j];
            z[k % 2][j] = relu(sum);
        }
    for (int j = 0; j < width[2]; j++)
        score += z[0][j] * w[NLN_NCF_OUT][d + j];
    return score;
}

static void scores_are_those_of_plain_loops(void **state)
{
    (void)state;
    static const char *const dimensions[] = {"1", "3", "10", "12"};
    for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++) {
        fixture f;
        real score[ROWS];
        int n_not_zero = 0;
        set_up(&f, dimensions[i], "0.5");
        forward(score, &f, NULL, 0); /* in use, nothing is dropped */
        for (int r = 0; r < ROWS; r++) {
            assert_true(fabs(score[r] - naive_score(&f, r)) < 1e-12);
            n_not_zero += score[r] != 0;
        }
        assert_true(n_not_zero > 0);
        tear_down(&f);
    }
}

/* ---- gradients --------------------------------------------------------------------------- */

static void expect_slopes(fixture *f, real *x, const real *found, size_t n, const char *what)
{
    const double step = 1e-6;
    for (size_t i = 0; i < n; i++) {
        real old = x[i];
        x[i] = old + step;
        double above = objective(f);
        x[i] = old - step;
        double wanted = (above - objective(f)) / (2 * step);
        x[i] = old;
        if (!(fabs(found[i] - wanted) <= 1e-6 * fmax(1, fabs(wanted))))
            fail_msg("%s %zu of dimension %d: %.9g instead of %.9g", what, i, f->dim, found[i],
                     wanted);
    }
}

static void back(fixture *f)
{
    objective(f);
    nln_ncf_tower_turn(&f->mlp);
    nln_ncf_tower_back(f->dout, &f->mlp, f->dscore, ROWS, &f->learner, KEY);
}

static void check_gradients(const char *dimension, const char *dropout)
{
    fixture f;
    real dz[ROWS * MOST_DIM];
    set_up(&f, dimension, dropout);
    back(&f);
    memcpy(dz, f.mlp.dz[0], (size_t)(ROWS * f.dim) * sizeof *dz);
    expect_slopes(&f, f.user, dz, (size_t)(ROWS * f.dim), "sum of user");
    expect_slopes(&f, f.item, dz, (size_t)(ROWS * f.dim), "sum of item");
    for (int i = NLN_NCF_IN_BIAS; i <= NLN_NCF_LAST_BIAS; i++) {
        const nln_shape *s = &f.model->weights.shape[i];
        expect_slopes(&f, f.model->weights.data[i], nln_table_learner_gradient(&f.learner, i, 0),
                      s->rows * s->columns, s->name);
    }
    expect_slopes(&f, f.model->weights.data[NLN_NCF_OUT] + f.dim, f.dout,
                  (size_t)nln_ncf_tower_width(f.dim, 2), "out");
    tear_down(&f);
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    check_gradients("1", "0");
    check_gradients("10", "0");
    check_gradients("12", "0");
}

static void what_is_dropped_has_no_gradient(void **state)
{
    (void)state;
    check_gradients("10", "0.4");
    check_gradients("12", "0.4");
}

/* Tile after tile goes back; dz[0] alone belongs to the last one. */
static void gradients_are_added_up(void **state)
{
    (void)state;
    fixture f;
    real once[NLN_NCF_OUT][MOST_DIM * MOST_DIM], dout[MOST_DIM], dz[ROWS * MOST_DIM];
    set_up(&f, "12", "0.2");
    back(&f);
    for (int i = NLN_NCF_IN_BIAS; i <= NLN_NCF_LAST_BIAS; i++)
        memcpy(once[i], nln_table_learner_gradient(&f.learner, i, 0),
               (size_t)f.learner.base.parameter[i].width * sizeof(real));
    memcpy(dout, f.dout, sizeof dout);
    memcpy(dz, f.mlp.dz[0], sizeof dz);
    back(&f);
    for (int i = NLN_NCF_IN_BIAS; i <= NLN_NCF_LAST_BIAS; i++)
        for (int j = 0; j < f.learner.base.parameter[i].width; j++)
            assert_true(fabs(nln_table_learner_gradient(&f.learner, i, 0)[j] - 2 * once[i][j]) <
                        1e-12);
    for (int j = 0; j < nln_ncf_tower_width(12, 2); j++)
        assert_true(fabs(f.dout[j] - 2 * dout[j]) < 1e-12);
    assert_memory_equal(dz, f.mlp.dz[0], sizeof dz);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_halve),           cmocka_unit_test(scores_are_those_of_plain_loops),
        cmocka_unit_test(gradients_are_slopes),   cmocka_unit_test(what_is_dropped_has_no_gradient),
        cmocka_unit_test(gradients_are_added_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

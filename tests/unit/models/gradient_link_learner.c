/* The gradients of everything that learns links, against central differences in double: all
 * families, with and without premises, one network and several, with all entities and with drawn
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/link_learner.h"
#include "models/links.h"
#include "models/method.h"
#include "trees.h"

enum { ENTITIES = 9, RELATIONS = 2, FACTS = 24, KEY = 5 };

typedef struct fixture {
    nln_model *model;
    nln_thread_pool *team;
    nln_learner *learner;
    nln_link_questions questions;
    int32_t candidate[4];
    nln_request request;
} fixture;

static nln_options *make_options(const char *const (*settings)[2], size_t n)
{
    nln_options *o = NULL;
    int n_rows;
    const nln_option *rows = nln_config_table(&n_rows);
    assert_int_equal(nln_options_create_from(&o, rows, n_rows, NULL), NLN_OK);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(nln_options_set(o, settings[i][0], settings[i][1], NULL), NLN_OK);
    return o;
}

/* What starts at 0 is moved too. */
static void shake(nln_model *m, nln_random *random)
{
    nln_net_tensor t;
    for (int i = 0; nln_model_get_tensor(&t, m, i); i++)
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] += (real)(0.4 * nln_random_normal(random));
}

static void ask(fixture *f, int n_candidates)
{
    const nln_fact_index *g = f->model->links->facts;
    for (int32_t e = 0; e < 5; e++) {
        const int32_t target[] = {(e + 1) % ENTITIES, (e * 2 + 3) % ENTITIES};
        assert_int_equal(nln_link_questions_add(&f->questions, e, e % (2 * RELATIONS), target,
                                                1 + (size_t)e % 2, NULL),
                         NLN_OK);
        if (f->model->weights.n > 2)
            assert_int_equal(nln_link_questions_premises(&f->questions, g, 3, 1, NULL), NLN_OK);
    }
    for (int i = 0; i < 4; i++)
        f->candidate[i] = 2 * i;
    f->request = (nln_request){.loss_kind = NLN_LOSS_SOFTMAX,
                               .n = 5,
                               .links = &f->questions,
                               .n_candidates = n_candidates,
                               .candidate = f->candidate,
                               .key = KEY};
}

static void open(fixture *f, const char *method, const char *reduce, const char *premises,
                 const char *networks, int n_candidates)
{
    const char *const settings[][2] = {{"task", "link"},
                                       {"model", method},
                                       {"reduce", reduce},
                                       {"dimension", "6"},
                                       {"init-variables", "0.3"},
                                       {"n3", "0.2"},
                                       {"relation-weight", "0.7"},
                                       {"dropout", "0.3"},
                                       {"hidden", "5"},
                                       {"premises", premises},
                                       {"networks", networks},
                                       {"negatives", n_candidates ? "5" : "0"},
                                       {"l2", "0.05"}};
    nln_options *o = make_options(settings, sizeof settings / sizeof *settings);
    nln_symbols *names = trees_names(ENTITIES), *relations = trees_names(RELATIONS);
    nln_random random = nln_random_seed(4, 2);
    nln_triple facts[FACTS];
    nln_error err = {0};
    for (int i = 0; i < FACTS; i++)
        facts[i] = (nln_triple){i % ENTITIES, i % RELATIONS, i * 5 % ENTITIES};
    *f = (fixture){0};
    if (nln_model_create_for(&f->model, names, RELATIONS, o, &err))
        fail_msg("%s", err.message);
    assert_int_equal(nln_links_create(&f->model->links, relations, ENTITIES, facts, FACTS, NULL),
                     NLN_OK);
    nln_model_draw(f->model, &random);
    shake(f->model, &random);
    assert_int_equal(nln_thread_pool_create(&f->team, 2, NULL), NLN_OK);
    assert_int_equal(f->model->method->learn(&f->learner, f->model, f->team, NULL, NULL), NLN_OK);
    ask(f, n_candidates);
    nln_symbols_free(names);
    nln_symbols_free(relations);
    nln_options_free(o);
}

static void close(fixture *f)
{
    f->learner->free(f->learner);
    nln_thread_pool_free(f->team);
    nln_model_free(f->model);
    nln_link_questions_free(&f->questions);
}

static double total(fixture *f)
{
    assert_int_equal(f->learner->plan(f->learner, &f->request, NULL), NLN_OK);
    nln_loss loss = f->learner->gradient(f->learner, KEY);
    return loss.data + loss.laws + loss.length + loss.l2;
}

static void check(const char *method, const char *reduce, const char *premises,
                  const char *networks, int n_candidates)
{
    fixture f;
    const double step = 1e-5;
    open(&f, method, reduce, premises, networks, n_candidates);
    total(&f);
    for (int i = 0; i < f.learner->n_parameters; i++) {
        nln_parameter p = f.learner->parameter[i];
        size_t size = p.n * (size_t)p.width, moved = 0;
        double *got = calloc(size, sizeof *got);
        for (int32_t k = 0; k < p.n_rows; k++)
            for (int j = 0; j < p.width; j++)
                got[(p.row ? p.row[k] : k) * p.width + j] = p.gradient[k * p.width + j];
        for (size_t j = 0; j < size; j++) {
            double old = p.x[j];
            p.x[j] = old + step;
            double above = total(&f);
            p.x[j] = old - step;
            double below = total(&f);
            p.x[j] = old;
            double slope = (above - below) / (2 * step);
            double scale = fmax(fmax(fabs(slope), fabs(got[j])), 1e-2);
            if (!(fabs(slope - got[j]) / scale < 1e-6))
                fail_msg("%s %s premises %s, part %d number %zu: gradient %.9g, slope %.9g", method,
                         reduce, premises, i, j, got[j], slope);
            moved += fabs(slope) > 1e-8;
            total(&f);
        }
        assert_true(moved > size / 8);
        free(got);
    }
    close(&f);
}

static void gradients_are_slopes(void **state)
{
    (void)state;
    static const char *const rivals[] = {"complex", "distmult", "transe"};
    for (int n = 0; n <= 4; n += 4) {
        for (size_t i = 0; i < sizeof rivals / sizeof *rivals; i++) {
            check(rivals[i], "sum", "0", "1", n);
            check(rivals[i], "mean", "0", "1", n);
        }
        check("nln", "sum", "16", "1", n);
        check("nln", "mean", "16", "2", n);
        check("nln", "sum", "0", "3", n);
    }
}

/* Without premises the network has the scores of ComplEx: the same numbers give the same loss. */
static void without_premises_it_is_complex(void **state)
{
    (void)state;
    fixture a, b;
    open(&a, "nln", "sum", "0", "1", 0);
    open(&b, "complex", "sum", "0", "1", 0);
    assert_int_equal(a.model->weights.n, b.model->weights.n);
    assert_true(total(&a) == total(&b));
    close(&a);
    close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gradients_are_slopes),
                                       cmocka_unit_test(without_premises_it_is_complex)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A request in shards has the gradient of the request as a whole, on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "models/data_parallel_learner.h"
#include "tiny.h"

enum { USERS = 40, ITEMS = 60, UNITS = 600, NEGATIVES = 3, MOST_NUMBERS = 4000 };

typedef struct fixture {
    nln_model *model;
    nln_queries queries;
    real truth[UNITS];
    int32_t candidate[UNITS * NEGATIVES], unit[UNITS];
    uint8_t refused[UNITS * NEGATIVES];
} fixture;

/* Loss and gradients; of a table by row. */
typedef struct findings {
    nln_loss loss;
    double gradient[NLN_MOST_PARAMETERS][MOST_NUMBERS];
} findings;

static void set_up(fixture *f, const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_symbols *names = trees_names(ITEMS);
    nln_error err = {0};
    nln_random r = nln_random_seed(4, 4);
    memset(f, 0, sizeof *f);
    tiny_need(nln_model_create_for(&f->model, names, USERS, o, &err), &err);
    nln_model_draw(f->model, &r);
    nln_symbols_free(names);
    nln_options_free(o);
    for (int32_t i = 0; i < UNITS; i++) {
        nln_literal history[5];
        size_t n = nln_random_below(&r, 6);
        for (size_t j = 0; j < n; j++)
            history[j] = (nln_literal){.item = (uint32_t)nln_random_below(&r, ITEMS),
                                       .liked = (int)nln_random_below(&r, 2)};
        assert_int_equal(nln_queries_append(&f->queries, (int32_t)nln_random_below(&r, USERS),
                                            history, n, (int32_t)nln_random_below(&r, ITEMS), NULL),
                         NLN_OK);
        f->truth[i] = (real)nln_random_below(&r, 2);
        f->unit[i] = i;
    }
    for (int i = 0; i < UNITS * NEGATIVES; i++) {
        f->candidate[i] = (int32_t)nln_random_below(&r, ITEMS);
        f->refused[i] = nln_random_below(&r, 3) == 0;
    }
}

static void tear_down(fixture *f)
{
    nln_queries_free(&f->queries);
    nln_model_free(f->model);
}

static void add_findings(findings *out, fixture *f, nln_loss_kind loss_kind, int32_t first,
                         int32_t n, int threads)
{
    nln_learner *l;
    nln_thread_pool *team;
    nln_queries queries = f->queries;
    nln_request request = {.loss_kind = loss_kind,
                           .n = n,
                           .queries = &queries,
                           .truth = f->truth + first,
                           .n_candidates = NEGATIVES,
                           .candidate = f->candidate,
                           .refused = f->refused + first * NEGATIVES,
                           .unit = f->unit + first};
    queries.list += first;
    queries.n = (size_t)n;
    if (loss_kind == NLN_LOSS_LABELS)
        request.n_candidates = 0;
    if (loss_kind == NLN_LOSS_PAIRS)
        request.candidate += first * NEGATIVES;
    assert_int_equal(nln_thread_pool_create(&team, threads, NULL), NLN_OK);
    assert_int_equal(f->model->method->learn(&l, f->model, team, NULL, NULL), NLN_OK);
    assert_int_equal(l->plan(l, &request, NULL), NLN_OK);
    nln_loss loss = l->gradient(l, 9);
    out->loss.data += loss.data;
    out->loss.l2 += loss.l2;
    for (int i = 0; i < l->n_parameters; i++) {
        const nln_parameter *p = &l->parameter[i];
        assert_true(p->n * (size_t)p->width <= MOST_NUMBERS);
        for (int32_t k = 0; k < p->n_rows; k++)
            for (int j = 0; j < p->width; j++)
                out->gradient[i][(p->row ? p->row[k] : k) * p->width + j] +=
                    (double)p->gradient[k * p->width + j];
    }
    l->free(l);
    nln_thread_pool_free(team);
}

/* Up to the rounding of floats; what is left where the shares of all units cancel, as in the bias
 * of a softmax, is that of the shares. */
static void expect_near(double got, double wanted)
{
    assert_true(fabs(got - wanted) <= 1e-6 * UNITS + 1e-5 * fabs(wanted));
}

static const nln_loss_kind kinds[] = {NLN_LOSS_LABELS, NLN_LOSS_PAIRS, NLN_LOSS_SOFTMAX};
static const char *const methods[] = {"model=svdpp ", "model=gru hidden=4 ", "model=ncf ",
                                      "model=sasrec "};

/* Fewer than 512 units are one shard. */
static void shards_add_up(void **state)
{
    (void)state;
    static fixture f;
    static findings whole, parts;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            char settings[128];
            snprintf(settings, sizeof settings, "%stask=%s dimension=4 reduce=sum l2-variables=0",
                     methods[m], k || strstr(methods[m], "sasrec") ? "topk" : "preference");
            memset(&whole, 0, sizeof whole);
            memset(&parts, 0, sizeof parts);
            set_up(&f, settings);
            f.model->config.l2 = f.model->config.l2_variables = f.model->config.dropout = 0;
            add_findings(&whole, &f, kinds[k], 0, UNITS, 2);
            for (int32_t at = 0; at < UNITS; at += 100)
                add_findings(&parts, &f, kinds[k], at, 100, 1);
            expect_near(whole.loss.data, parts.loss.data);
            for (int i = 0; i < NLN_MOST_PARAMETERS; i++)
                for (int j = 0; j < MOST_NUMBERS; j++)
                    expect_near(whole.gradient[i][j], parts.gradient[i][j]);
            tear_down(&f);
        }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static fixture f;
    static findings alone, together;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        char settings[128];
        snprintf(settings, sizeof settings,
                 "%stask=topk dimension=4 reduce=mean dropout=0.3 l2-variables=0.1", methods[m]);
        set_up(&f, settings);
        memset(&alone, 0, sizeof alone);
        add_findings(&alone, &f, NLN_LOSS_SOFTMAX, 0, UNITS, 1);
        assert_true(alone.loss.l2 > 0);
        for (int threads = 2; threads <= 5; threads += 3) {
            memset(&together, 0, sizeof together);
            add_findings(&together, &f, NLN_LOSS_SOFTMAX, 0, UNITS, threads);
            assert_memory_equal(&alone, &together, sizeof alone);
        }
        tear_down(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shards_add_up),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

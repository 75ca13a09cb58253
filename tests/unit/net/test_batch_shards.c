/* A batch of many shards against its units one by one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/batch_shards.h"
#include "plans.h"

enum { DIM = 6, HIDDEN = 7, UNITS = 150, N_NEGATIVES = 5, MEMBERS = 2, ROOM = 1024 };

typedef struct fixture {
    nln_net *net;
    nln_thread_pool *pool;
    nln_batch *whole, *single;
    nln_exprs list, one; /* all expressions; those of one unit */
    real truth[2 * UNITS];
    uint8_t refused[UNITS * N_NEGATIVES];
    int32_t index[UNITS];
} fixture;

/* What a batch found: the loss, and the gradients of modules and vectors. */
typedef struct findings {
    double loss, laws, modules[ROOM], vectors[MEMBERS * N_VARIABLES * DIM];
} findings;

/* Trees, and for CHOICE variables behind the first of them, as nln_request wants. */
static void make_expressions(fixture *f, nln_loss_kind loss_kind, nln_random *r)
{
    int n = loss_kind == NLN_LOSS_SOFTMAX ? UNITS : 2 * UNITS;
    for (int i = 0; i < n; i++) {
        plans_push_tree(&f->list, r, 2);
        nln_exprs_finish(&f->list, NULL);
    }
    for (int i = n; i < 2 * UNITS + N_NEGATIVES; i++) {
        nln_exprs_push(&f->list, NLN_OP_VAR, (int32_t)nln_random_below(r, N_VARIABLES), NULL);
        nln_exprs_finish(&f->list, NULL);
    }
    for (int i = 0; i < UNITS; i++)
        f->index[i] = (int32_t)nln_random_below(r, 2 * UNITS);
    for (int i = 0; i < 2 * UNITS; i++)
        f->truth[i] = (real)nln_random_below(r, 3) / 2;
    for (int i = 0; i < UNITS * N_NEGATIVES; i++)
        f->refused[i] = nln_random_below(r, 3) == 0;
}

static void set_up(fixture *f, nln_loss_kind loss_kind, int threads)
{
    nln_random random = nln_random_seed(9, (uint64_t)loss_kind);
    memset(f, 0, sizeof *f);
    make_expressions(f, loss_kind, &random);
    assert_int_equal(
        nln_net_create(&f->net, DIM, HIDDEN, MEMBERS * N_VARIABLES, NLN_EMBED_FREE, 10, NULL),
        NLN_OK);
    nln_net_draw(f->net, (nln_init){.variables = 1}, &random);
    assert_true(nln_modules_size(DIM, HIDDEN) <= ROOM);
    assert_int_equal(nln_thread_pool_create(&f->pool, threads, NULL), NLN_OK);
    assert_int_equal(nln_batch_create(&f->whole, f->net, f->pool, NULL), NLN_OK);
    assert_int_equal(nln_batch_create(&f->single, f->net, f->pool, NULL), NLN_OK);
}

static void tear_down(fixture *f)
{
    nln_batch_free(f->whole);
    nln_batch_free(f->single);
    nln_thread_pool_free(f->pool);
    nln_net_free(f->net);
    nln_exprs_free(&f->list);
    nln_exprs_free(&f->one);
}

/* Changed by single tests, and set back. */
static nln_batch_settings settings = {.members = MEMBERS, .stride = N_VARIABLES, .sharing = 1};

static nln_request draw_whole(const fixture *f, nln_loss_kind loss_kind)
{
    return (nln_request){.loss_kind = loss_kind,
                         .exprs = &f->list,
                         .truth = f->truth,
                         .index = f->index,
                         .n_candidates = N_NEGATIVES,
                         .refused = f->refused,
                         .n = UNITS};
}

static void take(fixture *f, size_t i)
{
    assert_int_equal(nln_exprs_append(&f->one, nln_exprs_get(&f->list, i), NULL), NLN_OK);
}

/* Unit i as a batch of its own, with its expressions in a list of their own. */
static nln_request draw_single(fixture *f, nln_loss_kind loss_kind, int32_t i)
{
    static const int32_t first = 0;
    size_t unit = (size_t)i;
    nln_request d = draw_whole(f, loss_kind);
    f->one.n = f->one.n_nodes = 0;
    if (loss_kind == NLN_LOSS_LABELS) {
        take(f, (size_t)f->index[i]);
        d.truth += f->index[i];
    } else {
        take(f, loss_kind == NLN_LOSS_SOFTMAX ? unit : 2 * unit);
        take(f, loss_kind == NLN_LOSS_SOFTMAX ? UNITS + unit : 2 * unit + 1);
        for (size_t j = 0; loss_kind == NLN_LOSS_SOFTMAX && j < N_NEGATIVES; j++)
            take(f, 2 * UNITS + j);
    }
    d.exprs = &f->one;
    d.index = &first;
    d.refused += unit * N_NEGATIVES;
    d.n = 1;
    return d;
}

static void add_findings(findings *to, nln_batch *b, const nln_request *draw,
                         const nln_objective *o)
{
    assert_int_equal(nln_batch_plan(b, draw, &settings, NULL), NLN_OK);
    nln_loss loss = nln_batch_gradient(b, o, 1);
    to->loss += loss.data;
    to->laws += loss.laws;
    for (size_t i = 0; i < nln_modules_size(DIM, HIDDEN); i++)
        to->modules[i] += (double)b->dmodules[i];
    for (int32_t i = 0; i < b->n_variables * DIM; i++)
        to->vectors[b->variable[i / DIM] * DIM + i % DIM] += (double)b->dvector[i];
}

static void expect_near(double got, double wanted, const char *what, size_t at)
{
    if (!(fabs(got - wanted) <= 1e-3 * (1 + fabs(wanted))))
        fail_msg("%s %zu: %.9g, not %.9g", what, at, got, wanted);
}

static void expect_same(const findings *got, const findings *wanted, double scale)
{
    expect_near(got->loss, wanted->loss * scale, "loss", 0);
    expect_near(got->laws, wanted->laws * scale, "laws", 0);
    for (size_t i = 0; i < ROOM; i++)
        expect_near(got->modules[i], wanted->modules[i] * scale, "module", i);
    for (size_t i = 0; i < MEMBERS * N_VARIABLES * DIM; i++)
        expect_near(got->vectors[i], wanted->vectors[i] * scale, "vector", i);
}

/* ---- the tests ---------------------------------------------------------------------- */

static void add_units(findings *sum, fixture *f, const nln_objective *o)
{
    for (int32_t i = 0; i < UNITS; i++) {
        nln_request one = draw_single(f, o->loss_kind, i);
        add_findings(sum, f->single, &one, o);
        assert_int_equal(f->single->n_shards, 1);
    }
}

static void a_batch_is_the_sum_of_its_units(void **state)
{
    (void)state;
    static fixture f;
    for (int loss_kind = NLN_LOSS_LABELS; loss_kind <= NLN_LOSS_SOFTMAX; loss_kind++) {
        nln_objective o = {.loss_kind = (nln_loss_kind)loss_kind, .law_sample = 1};
        findings whole = {0}, sum = {0}, mean = {0};
        set_up(&f, o.loss_kind, 2);
        nln_request draw = draw_whole(&f, o.loss_kind);
        add_findings(&whole, f.whole, &draw, &o);
        assert_true(f.whole->n_shards > 2);
        assert_true(f.whole->n_units == UNITS * MEMBERS);
        add_units(&sum, &f, &o);
        expect_same(&whole, &sum, 1);
        o.mean = 1;
        add_findings(&mean, f.whole, &draw, &o);
        expect_same(&mean, &whole, 1.0 / (UNITS * MEMBERS));
        tear_down(&f);
    }
}

/* Whoever owns a row, and with whomever it shares what: without law 1, which T itself is under once
 * a batch, and without CHOICE, whose units have negatives in common. */
static void the_laws_count_every_vector(void **state)
{
    (void)state;
    static fixture f;
    for (int i = 0; i < 3 * NLN_LOSS_SOFTMAX; i++) {
        nln_objective o = {.loss_kind = (nln_loss_kind)(i / 3),
                           .law_weight = 0.1,
                           .law_sample = i % 3 == 1 ? nextafter(1, 0) : 1, /* all, but not shared */
                           .laws = 0x3fe};
        findings whole = {0}, sum = {0};
        set_up(&f, o.loss_kind, 2);
        nln_request draw = draw_whole(&f, o.loss_kind);
        add_findings(&whole, f.whole, &draw, &o);
        assert_true(whole.laws > 1);
        o.law_sample = i % 3 == 0 ? nextafter(1, 0) : 1;
        add_units(&sum, &f, &o);
        assert_true(fabs(whole.laws - sum.laws) < 1e-5 * sum.laws);
        tear_down(&f);
    }
}

/* Where all is under the laws a small batch is two shards, but not that of a choice, and not a
 * tiny one; and it is the same batch still. */
static void a_small_batch_may_be_two_shards(void **state)
{
    (void)state;
    static fixture f;
    for (int loss_kind = NLN_LOSS_LABELS; loss_kind <= NLN_LOSS_SOFTMAX; loss_kind++)
        for (int32_t n = 7; n <= 31; n += 8) {
            nln_objective o = {.loss_kind = (nln_loss_kind)loss_kind, .law_sample = 1};
            findings small = {0}, wanted = {0};
            set_up(&f, o.loss_kind, 2);
            nln_request draw = draw_whole(&f, o.loss_kind);
            draw.n = n;
            add_findings(&small, f.whole, &draw, &o);
            int one = n * MEMBERS < 16 || loss_kind == NLN_LOSS_SOFTMAX;
            assert_int_equal(f.whole->n_shards, one ? 1 : 2);
            settings.sharing = 0;
            add_findings(&wanted, f.whole, &draw, &o);
            settings.sharing = 1;
            assert_int_equal(f.whole->n_shards, 1);
            expect_same(&small, &wanted, 1);
            tear_down(&f);
        }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static fixture f;
    for (int i = 0; i < 2 * (NLN_LOSS_SOFTMAX + 1); i++) {
        nln_objective o = {.loss_kind = (nln_loss_kind)(i / 2),
                           .law_weight = 0.1,
                           .law_sample = i % 2 ? 1 : 0.5,
                           .laws = 0x3ff,
                           .dropout = i % 2 ? 0 : 0.2,
                           .dropout_variables = i % 2 ? 0 : 0.1};
        static const int threads[] = {1, 2, 3, 17}; /* shards are fewer than 17, and more than 3 */
        findings alone = {0};
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            findings got = {0};
            set_up(&f, o.loss_kind, threads[t]);
            nln_request draw = draw_whole(&f, o.loss_kind);
            settings.shuffled = 1;
            add_findings(t == 0 ? &alone : &got, f.whole, &draw, &o);
            settings.shuffled = 0;
            if (t > 0)
                assert_memory_equal(&got, &alone, sizeof got);
            tear_down(&f);
        }
    }
}

/* One batch after another in the same memory, of other lessons and sizes. */
static void memory_is_used_again(void **state)
{
    (void)state;
    static fixture f;
    static const int32_t sizes[] = {UNITS, 1, 70, UNITS};
    static const double weights[] = {0.1, 0, 0.1}, samples[] = {1, 1, 0.5};
    nln_objective o = {.laws = 0x3ff};
    nln_batch *fresh = NULL;
    int turn = 0;
    set_up(&f, NLN_LOSS_SOFTMAX, 2);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int loss_kind = NLN_LOSS_LABELS; loss_kind <= NLN_LOSS_SOFTMAX; loss_kind++) {
            findings used = {0}, wanted = {0};
            nln_request draw = draw_whole(&f, (nln_loss_kind)loss_kind);
            draw.n = sizes[i];
            o.loss_kind = draw.loss_kind;
            o.law_weight = weights[turn % 3];
            o.law_sample = samples[turn++ % 3];
            assert_int_equal(nln_batch_create(&fresh, f.net, f.pool, NULL), NLN_OK);
            add_findings(&used, f.whole, &draw, &o);
            add_findings(&wanted, fresh, &draw, &o);
            assert_memory_equal(&used, &wanted, sizeof used);
            nln_batch_free(fresh);
        }
    tear_down(&f);
}

/* Members multiply the units; with a stride of 0 all are the same vectors. */
static void a_large_batch_has_more_than_16_shards(void **state)
{
    (void)state;
    static fixture f;
    nln_objective o = {.law_weight = 0.1, .law_sample = 1, .laws = 0x3fe};
    findings whole[2] = {0}, sum = {0};
    settings.members = 8;
    settings.stride = 0;
    for (int i = 0; i < 2; i++) {
        set_up(&f, o.loss_kind, 1 + 2 * i);
        nln_request draw = draw_whole(&f, o.loss_kind);
        add_findings(&whole[i], f.whole, &draw, &o);
        assert_int_equal(f.whole->n_shards, 8 * UNITS / 64);
        if (!i)
            add_units(&sum, &f, &o);
        tear_down(&f);
    }
    settings.members = MEMBERS;
    settings.stride = N_VARIABLES;
    assert_memory_equal(&whole[0], &whole[1], sizeof whole[0]);
    expect_same(&whole[0], &sum, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_the_sum_of_its_units),
        cmocka_unit_test(the_laws_count_every_vector),
        cmocka_unit_test(a_small_batch_may_be_two_shards),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(memory_is_used_again),
        cmocka_unit_test(a_large_batch_has_more_than_16_shards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Every gradient of the objective against central differences in double: modules,
 * labels, pairs and choices, laws one by one, lengths, l2, noise, dropout, and the ways to
 * embed a variable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "net/batch_shards.h"

/* Expressions repeat until the batch has two shards. */
enum { N_VARIABLES = 6, DIM = 7, HIDDEN = 5, N_EXPRESSIONS = 132, N_NEGATIVES = 3, MEMBERS = 2 };

typedef struct fixture {
    nln_net *net;
    nln_thread_pool *team;
    nln_batch *batch;
    nln_exprs list;
    real truth[N_EXPRESSIONS], weight[N_EXPRESSIONS];
    int32_t index[N_EXPRESSIONS];
    uint64_t keys[N_EXPRESSIONS];
    uint8_t refused[N_EXPRESSIONS * N_NEGATIVES];
} fixture;

static void push(nln_exprs *list, nln_op op, int32_t arg)
{
    assert_int_equal(nln_exprs_push(list, op, arg, NULL), NLN_OK);
}

/* (v0 & !v1 & v2) | !v3 | (v4 & v0);  !v1;  v5;  !(v0 & !v2) | v5;  v5 | F | T;  !v1; and again */
static void push_expression(nln_exprs *list, int which)
{
    static const nln_node text[][16] = {
        {{NLN_OP_VAR, 0},
         {NLN_OP_VAR, 1},
         {NLN_OP_NOT, 0},
         {NLN_OP_VAR, 2},
         {NLN_OP_AND, 3},
         {NLN_OP_VAR, 3},
         {NLN_OP_NOT, 0},
         {NLN_OP_VAR, 4},
         {NLN_OP_VAR, 0},
         {NLN_OP_AND, 2},
         {NLN_OP_OR, 3}},
        {{NLN_OP_VAR, 1}, {NLN_OP_NOT, 0}},
        {{NLN_OP_VAR, 5}, {NLN_OP_NOT, 0}, {NLN_OP_NOT, 0}},
        {{NLN_OP_VAR, 0},
         {NLN_OP_VAR, 2},
         {NLN_OP_NOT, 0},
         {NLN_OP_AND, 2},
         {NLN_OP_NOT, 0},
         {NLN_OP_VAR, 5},
         {NLN_OP_OR, 2}},
        {{NLN_OP_VAR, 5}, {NLN_OP_FALSE, 0}, {NLN_OP_TRUE, 0}, {NLN_OP_OR, 3}},
        {{NLN_OP_VAR, 1}, {NLN_OP_NOT, 0}},
    };
    static const int length[] = {11, 2, 3, 7, 4, 2};
    for (int j = 0; j < length[which]; j++)
        push(list, (nln_op)text[which][j].op, text[which][j].arg);
    assert_int_equal(nln_exprs_finish(list, NULL), NLN_OK);
}

/* Expressions; for CHOICE half of them, then single variables as targets and negatives. */
static void make_expressions(fixture *f, nln_loss_kind loss_kind)
{
    int n = loss_kind == NLN_LOSS_SOFTMAX ? N_EXPRESSIONS / 2 : N_EXPRESSIONS;
    for (int i = 0; i < n; i++)
        push_expression(&f->list, i % 6);
    for (int i = 0; loss_kind == NLN_LOSS_SOFTMAX && i < n + N_NEGATIVES; i++) {
        push(&f->list, NLN_OP_VAR, i / 2 % N_VARIABLES);
        assert_int_equal(nln_exprs_finish(&f->list, NULL), NLN_OK);
    }
    for (int i = 0; i < N_EXPRESSIONS; i++) {
        f->truth[i] = i % 5 == 3 ? 0.3 : i % 6 % 2 == 0; /* some in doubt */
        f->weight[i] = 0.5 + i % 3;                      /* and not all of them count the same */
        f->index[i] = i;
        f->keys[i] = (uint64_t)i / 2;
        f->refused[i * N_NEGATIVES + i % N_NEGATIVES] = i % 4 == 0;
    }
}

static void set_up(fixture *f, nln_loss_kind loss_kind, nln_embedding embedding, int random_order)
{
    memset(f, 0, sizeof *f);
    nln_random random = nln_random_seed(7, (uint64_t)embedding);
    make_expressions(f, loss_kind);
    assert_int_equal(
        nln_net_create(&f->net, DIM, HIDDEN, MEMBERS * N_VARIABLES, embedding, 10, NULL), NLN_OK);
    nln_net_draw(f->net, (nln_init){.scale = 0.6, .variables = 0.8}, &random);
    nln_request draw = {.loss_kind = loss_kind,
                        .exprs = &f->list,
                        .truth = f->truth,
                        .weight = f->weight,
                        .index = f->index,
                        .keys = loss_kind == NLN_LOSS_PAIRS ? f->keys : NULL,
                        .n_candidates = N_NEGATIVES,
                        .refused = f->refused,
                        .n = loss_kind == NLN_LOSS_LABELS ? N_EXPRESSIONS / 4 : N_EXPRESSIONS / 2,
                        .key = 5};
    nln_batch_settings settings = {.members = MEMBERS,
                                   .stride = N_VARIABLES,
                                   .association = NLN_ASSOCIATE_PAIRS,
                                   .shuffled = random_order,
                                   .sharing = 1};
    assert_int_equal(nln_thread_pool_create(&f->team, 2, NULL), NLN_OK);
    assert_int_equal(nln_batch_create(&f->batch, f->net, f->team, NULL), NLN_OK);
    assert_int_equal(nln_batch_plan(f->batch, &draw, &settings, NULL), NLN_OK);
    assert_true(f->batch->n_shards >= 2);
}

static void tear_down(fixture *f)
{
    nln_net_free(f->net);
    nln_batch_free(f->batch);
    nln_thread_pool_free(f->team);
    nln_exprs_free(&f->list);
}

static double total(fixture *f, const nln_objective *o)
{
    nln_net_transpose(f->net);
    /* Under these keys no relu is at its kink. */
    uint64_t key = o->laws & NLN_ALL_COMPOUND_LAWS ? 100 : 99;
    nln_loss l = nln_batch_gradient(f->batch, o, key);
    return l.data + l.laws + l.length + l.l2;
}

static double numeric(fixture *f, const nln_objective *o, real *x)
{
    const double step = 1e-6; /* a larger one meets the kink of a relu, a smaller one rounding */
    double old = *x;
    *x = old + step;
    double above = total(f, o);
    *x = old - step;
    double below = total(f, o);
    *x = old;
    return (above - below) / (2 * step);
}

/* Relative to the larger of the two, with an absolute floor: the sums that are subtracted are
 * of the order of 100, so that their difference over two steps is exact to some 1e-8 only. */
static double difference(double a, double b)
{
    double size = fmax(fmax(fabs(a), fabs(b)), 1e-2);
    return fabs(a - b) / size;
}

static double check_variables(fixture *f, const nln_objective *o, const real *dvector,
                              const real *dlogit)
{
    double worst = 0;
    for (int32_t i = 0; i < f->batch->n_variables; i++) {
        size_t variable = (size_t)f->batch->variable[i];
        for (int j = 0; f->net->vector && j < DIM; j++)
            worst = fmax(worst, difference(dvector[i * DIM + j],
                                           numeric(f, o, f->net->vector + variable * DIM + j)));
        if (f->net->logit)
            worst = fmax(worst, difference(dlogit[i], numeric(f, o, f->net->logit + variable)));
    }
    return worst;
}

static double worst_error(fixture *f, const nln_objective *o)
{
    enum { ROOM = 4096 };
    static real block[ROOM], dvector[MEMBERS * N_VARIABLES * DIM], dlogit[MEMBERS * N_VARIABLES];
    const nln_batch *b = f->batch;
    size_t n = nln_modules_size(DIM, HIDDEN);
    assert_true(n < ROOM && b->n_variables == MEMBERS * N_VARIABLES);
    assert_true(isfinite(total(f, o)));
    memcpy(block, b->dmodules, n * sizeof *block);
    if (b->dvector)
        memcpy(dvector, b->dvector, sizeof dvector);
    if (b->dlogit)
        memcpy(dlogit, b->dlogit, sizeof dlogit);
    double worst = check_variables(f, o, dvector, dlogit);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, difference(block[i], numeric(f, o, f->net->weights + i)));
    return worst;
}

static void check(const char *what, nln_embedding embedding, nln_objective o)
{
    fixture f;
    set_up(&f, o.loss_kind, embedding, embedding != NLN_EMBED_LINE);
    double worst = worst_error(&f, &o);
    tear_down(&f);
    if (!(worst < 1e-5))
        print_error("%s: worst relative error %g\n", what, worst);
    assert_true(worst < 1e-5);
}

static const nln_objective plain = {.law_sample = 1};

static void test_modules(void **state)
{
    (void)state;
    check("free", NLN_EMBED_FREE, plain);
    check("line", NLN_EMBED_LINE, plain);
    check("arc", NLN_EMBED_ARC, plain);
}

static void test_each_law(void **state)
{
    (void)state;
    for (int law = 0; law < NLN_N_LAWS + NLN_N_COMPOUND_LAWS; law++)
        for (int embedding = 0; embedding <= NLN_EMBED_ARC_REST; embedding++) {
            nln_objective o = plain;
            o.law_weight = 1;
            o.laws = 1u << law;
            check("law", (nln_embedding)embedding, o);
        }
}

static void test_sampled_laws(void **state)
{
    (void)state;
    nln_objective o = {.law_weight = 0.3, .law_sample = 0.5, .laws = 0x3ff};
    check("sampled laws", NLN_EMBED_ARC_REST, o);
    o.laws = NLN_ALL_LAWS | NLN_ALL_COMPOUND_LAWS;
    check("sampled laws with compound ones", NLN_EMBED_ARC_REST, o);
    o.law_sample = 1;
    check("all laws", NLN_EMBED_ARC_REST, o);
}

static void test_regularizers(void **state)
{
    (void)state;
    static const int32_t frequency[N_VARIABLES] = {3, 4, 2, 1, 1, 3};
    nln_objective o = plain;
    o.length_weight = 0.1;
    check("length", NLN_EMBED_FREE, o);
    check("length", NLN_EMBED_ARC, o);
    o = plain;
    o.l2 = 0.01, o.l2_variables = 0.02, o.l2_logit = 0.3;
    o.frequency = frequency, o.n_names = N_VARIABLES;
    check("l2", NLN_EMBED_ARC, o);
    check("l2", NLN_EMBED_FREE, o);
}

static void test_noise_mean_and_dropout(void **state)
{
    (void)state;
    nln_objective o = plain;
    o.noise = 0.07;
    check("noise", NLN_EMBED_FREE, o);
    o.mean = 1, o.law_weight = 0.5, o.laws = 0x3ff, o.length_weight = 0.1;
    check("mean", NLN_EMBED_LINE, o);
    o.dropout = 0.3, o.dropout_variables = 0.25;
    check("dropout", NLN_EMBED_ARC, o);
    check("dropout", NLN_EMBED_FREE, o);
}

static void test_pairs_and_choices(void **state)
{
    (void)state;
    for (int loss_kind = NLN_LOSS_PAIRS; loss_kind <= NLN_LOSS_SOFTMAX; loss_kind++) {
        nln_objective o = {.loss_kind = (nln_loss_kind)loss_kind, .law_sample = 1};
        check("pairs or choices", NLN_EMBED_FREE, o);
        check("pairs or choices on the arc", NLN_EMBED_ARC, o);
        o.mean = 1, o.law_weight = 0.5, o.laws = 0x3ff, o.length_weight = 0.1;
        o.dropout = 0.3, o.dropout_variables = 0.25;
        check("pairs or choices and all the rest", NLN_EMBED_FREE, o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modules),
        cmocka_unit_test(test_each_law),
        cmocka_unit_test(test_sampled_laws),
        cmocka_unit_test(test_regularizers),
        cmocka_unit_test(test_noise_mean_and_dropout),
        cmocka_unit_test(test_pairs_and_choices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

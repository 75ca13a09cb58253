/* The rows under the laws: each once, pairs and shared as they should be, and with the same
 * gradient as without either: number by number in double, where no relu is so near to 0 that
 * another order of sums switches it, and as a whole in float, with the kernels of this processor.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "net/law_rows.h"
#include "net/objective.h"
#include "plans.h"

enum { DIM = 6, ROUNDS = 30, MANY = 150 };

/* Few units, which are never packed, and more. */
static int hidden_of(int round)
{
    return round % 2 ? 7 : 75;
}

typedef struct fixture {
    nln_random random;
    nln_net *net;
    nln_planner *planner;
    nln_exprs list;
    const nln_plan *plan;
    nln_workspace *work;
    nln_shard_gradient gradient;
} fixture;

static void set_up(fixture *f, int round)
{
    memset(f, 0, sizeof *f);
    f->random = nln_random_seed(31, (uint64_t)round);
    f->list = plans_random_list(&f->random);
    for (int i = 0; round % 5 == 0 && i < MANY; i++) { /* pairs for several tiles */
        nln_exprs_push(&f->list, NLN_OP_VAR, N_VARIABLES + i, NULL);
        nln_exprs_push(&f->list, NLN_OP_NOT, 1, NULL);
        nln_exprs_push(&f->list, NLN_OP_VAR, N_VARIABLES + (i + 7) % MANY, NULL);
        nln_exprs_push(&f->list, i % 2 ? NLN_OP_AND : NLN_OP_OR, 2, NULL);
        nln_exprs_finish(&f->list, NULL);
    }
    f->planner = plans_create();
    f->plan =
        plans_of(f->planner, &f->list, NULL, (int32_t)f->list.n, NLN_ASSOCIATE_PAIRS, &f->random);
    assert_int_equal(nln_net_create(&f->net, DIM, hidden_of(round), N_VARIABLES + MANY,
                                    NLN_EMBED_FREE, 10, NULL),
                     NLN_OK);
    nln_net_draw(f->net, (nln_init){.variables = 1}, &f->random);
    assert_int_equal(nln_workspace_create(&f->work, f->net, 1, NULL), NLN_OK);
    assert_int_equal(nln_workspace_fit(f->work, f->plan->n_rows, NULL), NLN_OK);
    assert_int_equal(nln_workspace_fit_projections(f->work, f->plan->n_rows, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_create(&f->gradient, f->net, NULL), NLN_OK);
    assert_int_equal(nln_shard_gradient_fit(&f->gradient, f->net, f->plan, NULL), NLN_OK);
    /* a row that another shard has under the laws counts nothing in this one */
    for (int32_t r = 0; r < f->plan->n_rows; r++)
        f->work->law.count[r] = nln_random_below(&f->random, 4) ? f->plan->count[r] : 0;
}

static void tear_down(fixture *f)
{
    nln_workspace_free(f->work);
    nln_shard_gradient_free(&f->gradient);
    nln_net_free(f->net);
    nln_planner_free(f->planner);
    nln_exprs_free(&f->list);
}

static nln_module_id kind_of(const nln_plan *plan, int32_t row)
{
    int32_t g = 0;
    while (row >= plan->groups[g].first + plan->groups[g].count)
        g++;
    return plan->groups[g].module;
}

static void check_shared(const fixture *f, int32_t row)
{
    nln_shared_projection shared = f->work->law.shared[row];
    int32_t u = shared.operation;
    int side = shared.projection % NLN_MOST_OPERANDS;
    assert_int_equal(u < 0, shared.projection == NLN_N_PROJECTIONS);
    if (u < 0)
        return;
    assert_int_equal(f->plan->operand[side][u], row);
    assert_int_equal(kind_of(f->plan, u), shared.projection / NLN_MOST_OPERANDS);
}

/* Rows first .. last - 1 of the list are sorted by how true the rows so many before them
 * are, and then by their own shared projections. */
static void check_order(const nln_law_list *l, int32_t first, int32_t last, int32_t before)
{
    for (int32_t i = first + 1; i < last; i++) {
        int degree = l->degree[l->row[i - before]], last_degree = l->degree[l->row[i - 1 - before]];
        assert_true(last_degree <= degree);
        if (last_degree == degree)
            assert_true(l->shared[l->row[i - 1]].projection <= l->shared[l->row[i]].projection);
    }
}

/* The degree is the cosine with T, from -1 to 1, in eight steps. */
static void check_degree(const fixture *f, int32_t row)
{
    const real *T = f->work->H, *w = f->work->H + (size_t)row * DIM;
    double tt = 0, tw = 0, ww = 0;
    for (int i = 0; i < DIM; i++) {
        tt += T[i] * T[i];
        tw += T[i] * w[i];
        ww += w[i] * w[i];
    }
    double place = 4 * (1 + (tw == 0 ? 0 : tw / sqrt(tt * ww))), degree = f->work->law.degree[row];
    assert_true(degree <= place + 1e-9 && place <= degree + 1 + 1e-9);
}

static void check_list(const fixture *f, double weight)
{
    const nln_law_list *l = &f->work->law;
    int32_t *seen = calloc((size_t)f->plan->n_rows, sizeof *seen), shared = 0, rows = 0;
    for (int32_t i = 0; i < l->n; i++) {
        seen[l->row[i]]++;
        assert_true(fabs((double)l->weight[i] - weight * l->count[l->row[i]]) < 1e-5);
        check_shared(f, l->row[i]);
        check_degree(f, l->row[i]);
        shared += l->shared[l->row[i]].operation >= 0;
    }
    for (int32_t r = 0; r < f->plan->n_rows; r++) {
        assert_int_equal(seen[r], r >= NLN_ROW_LEAF && l->count[r] > 0);
        rows += seen[r];
    }
    assert_int_equal(l->n, rows);
    assert_int_equal(l->n_shared, shared);
    for (int32_t i = 0; i < l->n_pairs; i++) {
        int32_t negation = l->row[l->n_pairs + i];
        assert_int_equal(f->plan->operand[0][negation], l->row[i]);
        assert_int_equal(kind_of(f->plan, negation), NLN_MODULE_NOT);
        assert_int_equal(l->shared[l->row[i]].operation, -1);
    }
    check_order(l, l->n_pairs, 2 * l->n_pairs, l->n_pairs);
    check_order(l, 2 * l->n_pairs, l->n, 0);
    free(seen);
}

/* All rows, by vectors that are random. */
static nln_law_selection choice_of(fixture *f, double weight)
{
    for (size_t i = 0; i < (size_t)f->plan->n_rows * DIM; i++)
        f->work->H[i] = (real)nln_random_normal(&f->random);
    memset(f->work->H + NLN_ROW_LEAF * DIM, 0, DIM * sizeof(real)); /* one has no direction */
    return (nln_law_selection){.H = f->work->H, .dim = DIM, .weight = weight, .sharing = 1};
}

static void test_list(void **state)
{
    (void)state;
    int64_t pairs = 0, shared = 0;
    int32_t most = 0;
    for (int round = 0; round < ROUNDS; round++) {
        fixture f;
        set_up(&f, round);
        nln_law_list_make(&f.work->law, f.plan, choice_of(&f, 0.5));
        check_list(&f, 0.5);
        pairs += f.work->law.n_pairs;
        most = f.work->law.n_pairs > most ? f.work->law.n_pairs : most;
        shared += f.work->law.n_shared;
        nln_law_list_make(
            &f.work->law, f.plan,
            (nln_law_selection){f.work->H, DIM, .weight = 2, .sharing = 1, .tree_dropout = 1});
        assert_int_equal(f.work->law.n_pairs, 0);
        check_list(&f, 2);
        tear_down(&f);
    }
    assert_true(pairs > ROUNDS && shared > ROUNDS && most > NLN_LAW_TILE / 2);
}

/* NOT NOT NOT v: v and its NOT, NOT NOT v and its NOT. */
static void test_a_row_is_in_one_pair(void **state)
{
    (void)state;
    fixture f;
    set_up(&f, 0);
    f.list.n = f.list.n_nodes = 0;
    nln_exprs_push(&f.list, NLN_OP_VAR, 0, NULL);
    for (int i = 0; i < 3; i++)
        nln_exprs_push(&f.list, NLN_OP_NOT, 1, NULL);
    nln_exprs_finish(&f.list, NULL);
    f.plan = plans_of(f.planner, &f.list, NULL, 1, NLN_ASSOCIATE_PAIRS, NULL);
    assert_int_equal(nln_workspace_fit(f.work, f.plan->n_rows, NULL), NLN_OK);
    for (int32_t r = 0; r < f.plan->n_rows; r++)
        f.work->law.count[r] = 1;
    nln_law_list_make(&f.work->law, f.plan, choice_of(&f, 1));
    check_list(&f, 1);
    assert_int_equal(f.work->law.n, 4);
    assert_int_equal(f.work->law.n_pairs, 2);
    tear_down(&f);
}

static void expect_near(const real *got, const real *wanted, size_t n, const char *what)
{
    double off = 0, length = 0;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)got[i] - (double)wanted[i]);
        off += difference * difference;
        length += (double)wanted[i] * (double)wanted[i];
        if (sizeof(real) > 4 && !(difference <= 1e-7 * (1 + fabs((double)wanted[i]))))
            fail_msg("%s %zu: %.9g, not %.9g", what, i, (double)got[i], (double)wanted[i]);
    }
    if (!(off <= 1e-4 * length))
        fail_msg("%s: off by %.3g of %.3g", what, sqrt(off), sqrt(length));
}

/* A sample just below 1 has all rows in it too, but no pairs and no shared. */
static void test_sharing_changes_no_gradient(void **state)
{
    (void)state;
    static const real truth[N_EXPRESSIONS + MANY] = {1, 0, 1, 1};
    double skipped_flop = 0;
    int packed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        fixture f;
        size_t n = nln_modules_size(DIM, hidden_of(round));
        real *block = calloc(n, sizeof *block);
        nln_objective o = {.law_weight = 0.3,
                           .laws = round % 4 < 2 ? 0x3ff : 0x2d5 * (unsigned)round & 0x3ff,
                           .dropout = round % 3 ? 0 : 0.2};
        int32_t index[N_EXPRESSIONS + MANY];
        set_up(&f, round);
        for (int32_t i = 0; i < f.plan->n_roots; i++)
            index[i] = i;
        nln_request request = {.n = f.plan->n_roots, .index = index, .truth = truth};
        nln_shard_context share = {.request = &request,
                                   .per_expression = 1,
                                   .per_vector = 1,
                                   .sharing = 1,
                                   .has_truth = 1};
        nln_net_transpose(f.net);
        size_t size = (size_t)f.plan->n_leaves * DIM;
        real *leaves = f.gradient.dvector, *kept = calloc(size, sizeof *kept);
        o.law_sample = nextafter(1, 0);
        nln_loss plain = nln_objective_gradient(&f.gradient, f.work, f.net, f.plan, &o, share, 3);
        assert_int_equal(f.work->law.n_pairs + f.work->law.n_shared, 0);
        int32_t rows = f.work->law.n;
        memcpy(block, f.gradient.block, n * sizeof *block);
        memcpy(kept, leaves, size * sizeof *kept);
        o.law_sample = 1;
        nln_loss shared = nln_objective_gradient(&f.gradient, f.work, f.net, f.plan, &o, share, 3);
        assert_int_equal(f.work->law.n, rows);
        assert_true(f.work->law.n_shared > 0);
        assert_true(fabs(shared.laws - plain.laws) <
                    (sizeof(real) > 4 ? 1e-9 : 1e-4) * (1 + plain.laws));
        skipped_flop += f.work->laws.active.skipped_flop;
        packed += f.work->laws.active.list[0].n < hidden_of(round);
        expect_near(f.gradient.block, block, n, "module");
        expect_near(leaves, kept, size, "vector");
        free(kept);
        free(block);
        tear_down(&f);
    }
    assert_true(skipped_flop > 0 && packed > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_a_row_is_in_one_pair),
        cmocka_unit_test(test_sharing_changes_no_gradient),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The modules of predicates: against golden values from PyTorch, and every gradient of a batch with
 * laws, members and several shards against central differences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "golden/atoms.h"
#include "net/batch_shards.h"

enum { DIM = 5, HIDDEN = 4, ENTITIES = 3, PREDICATES = 3, POSITIONS = 3, MEMBERS = 2 };

/* p(e0), q(e1, e2), q(e2, e2), r(e0, e1, e2) */
static const int32_t arguments[][3] = {{0}, {1, 2}, {2, 2}, {0, 1, 2}};
static const int32_t predicates[] = {0, 1, 1, 2}, arities[] = {1, 2, 2, 3};
enum { ATOMS = 4 };

static nln_net *make_net(nln_atom_module module, int members)
{
    nln_net *net = NULL;
    assert_int_equal(nln_net_create(&net, DIM, HIDDEN, 1, NLN_EMBED_FREE, 3, NULL), NLN_OK);
    assert_int_equal(nln_net_add_relations(net, module, ENTITIES * members, PREDICATES * members,
                                           POSITIONS, NULL),
                     NLN_OK);
    return net;
}

static nln_atoms *make_atoms(void)
{
    nln_atoms *atoms = NULL;
    assert_int_equal(nln_atoms_create(&atoms, NULL), NLN_OK);
    for (int i = 0; i < ATOMS; i++)
        assert_int_equal(nln_atoms_intern(atoms, predicates[i], arguments[i], arities[i]), i);
    return atoms;
}

static int fill(real *x, size_t n, int from)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (real)sin(from + (double)i);
    return from + (int)n;
}

static void expect(const real *found, const double *wanted, size_t n, const char *what)
{
    for (size_t i = 0; i < n; i++)
        if (fabs((double)found[i] - wanted[i]) > 1e-10)
            fail_msg("%s %zu is %.12g instead of %.12g", what, i, (double)found[i], wanted[i]);
}

static void check_golden(nln_atom_module module, const double *out, const double *dentity,
                         const double *dpredicate, const double *dblock)
{
    nln_net *net = make_net(module, 1);
    nln_atoms *atoms = make_atoms();
    nln_exprs list = {.atoms = atoms};
    nln_planner *planner = NULL;
    const nln_plan *plan = NULL;
    nln_atom_workspace w = {0};
    nln_atom_gradient g = {0};
    real H[ATOMS * DIM], Z[ATOMS * HIDDEN], dZ[ATOMS * HIDDEN], dH[ATOMS * DIM];
    size_t width = (size_t)net->predicate_width;
    int at = fill(net->entity, ENTITIES * DIM, 1);
    at = fill(net->predicate, PREDICATES * width, at);
    at = fill(net->atom_weights, net->atom_block_size, at);
    fill(dH, ATOMS * DIM, at);
    nln_net_transpose(net);
    for (int32_t i = 0; i < ATOMS; i++) {
        nln_exprs_push(&list, NLN_OP_ATOM, i, NULL);
        nln_exprs_finish(&list, NULL);
    }
    assert_int_equal(nln_planner_create(&planner, NULL), NLN_OK);
    assert_int_equal(
        nln_planner_plan(&plan, planner, &list, NULL, ATOMS, NLN_ASSOCIATE_PAIRS, NULL, NULL),
        NLN_OK);
    assert_int_equal(plan->n_atoms, ATOMS);
    assert_int_equal(plan->n_rows, NLN_ROW_LEAF + ATOMS);
    assert_int_equal(nln_atom_workspace_fit(&w, net, plan, NULL), NLN_OK);
    assert_int_equal(nln_atom_gradient_fit(&g, net, plan, NULL), NLN_OK);
    nln_atoms_forward(H, Z, &w, net, plan);
    expect(H, out, ATOMS * DIM, "the output");
    nln_atoms_backward(&g, dH, Z, dZ, &w, net, plan);
    for (int32_t i = 0; i < ENTITIES; i++) /* in order of first sight, which is that of the table */
        assert_int_equal(plan->atoms.entity[i], i);
    expect(g.dentity, dentity, ENTITIES * DIM, "the gradient of the entities");
    expect(g.dpredicate, dpredicate, PREDICATES * width, "the gradient of the predicates");
    if (dblock)
        expect(g.block, dblock, net->atom_block_size, "the gradient of the matrices");
    nln_atom_workspace_free(&w);
    nln_atom_gradient_free(&g);
    nln_planner_free(planner);
    nln_exprs_free(&list);
    nln_atoms_free(atoms);
    nln_net_free(net);
}

static void agrees_with_pytorch(void **state)
{
    (void)state;
    check_golden(NLN_ATOM_MLP, mlp_out, mlp_dentity, mlp_dpredicate, mlp_dblock);
    check_golden(NLN_ATOM_PRODUCT, product_out, product_dentity, product_dpredicate, NULL);
}

/* ---- the whole objective ------------------------------------------------------ */

enum { EXPRESSIONS = 40 };

typedef struct fixture {
    nln_net *net;
    nln_atoms *atoms;
    nln_exprs list;
    real truth[EXPRESSIONS];
    int32_t index[EXPRESSIONS];
    nln_thread_pool *pool;
    nln_batch *batch;
    nln_objective objective;
} fixture;

static void set_up(fixture *f, nln_atom_module module, int threads)
{
    nln_random random = nln_random_seed(7, 0);
    *f = (fixture){.net = make_net(module, MEMBERS), .atoms = make_atoms()};
    nln_net_draw(f->net, (nln_init){.scale = NLN_REAL(0.6), .variables = 1}, &random);
    f->list.atoms = f->atoms;
    for (int32_t i = 0; i < EXPRESSIONS; i++) {
        int32_t a = i % ATOMS, b = (i / 2 + 1) % ATOMS;
        nln_exprs_push(&f->list, NLN_OP_ATOM, a, NULL);
        nln_exprs_push(&f->list, NLN_OP_NOT, 0, NULL);
        nln_exprs_push(&f->list, NLN_OP_ATOM, b, NULL);
        nln_exprs_push(&f->list, i % 3 ? NLN_OP_OR : NLN_OP_AND, 2, NULL);
        nln_exprs_finish(&f->list, NULL);
        f->truth[i] = (real)(i % 5 < 3);
        f->index[i] = i;
    }
    f->objective = (nln_objective){.loss_kind = NLN_LOSS_LABELS,
                                   .law_weight = 0.1,
                                   .law_sample = 1,
                                   .laws = (1u << 10) - 1,
                                   .length_weight = 0.01,
                                   .l2 = 0.01,
                                   .l2_variables = 0.02,
                                   .n_names = 1};
    assert_int_equal(nln_thread_pool_create(&f->pool, threads, NULL), NLN_OK);
    assert_int_equal(nln_batch_create(&f->batch, f->net, f->pool, NULL), NLN_OK);
}

static double loss_of(fixture *f)
{
    nln_batch_settings settings = {.members = MEMBERS,
                                   .stride = 0,
                                   .entities = ENTITIES,
                                   .predicates = PREDICATES,
                                   .sharing = 1};
    nln_request r = {.loss_kind = NLN_LOSS_LABELS,
                     .exprs = &f->list,
                     .truth = f->truth,
                     .index = f->index,
                     .n = EXPRESSIONS};
    nln_net_transpose(f->net);
    assert_int_equal(nln_batch_plan(f->batch, &r, &settings, NULL), NLN_OK);
    nln_loss loss = nln_batch_gradient(f->batch, &f->objective, 1);
    return loss.data + loss.laws + loss.length + loss.l2;
}

static void tear_down(fixture *f)
{
    nln_batch_free(f->batch);
    nln_thread_pool_free(f->pool);
    nln_net_free(f->net);
    nln_exprs_free(&f->list);
    nln_atoms_free(f->atoms);
}

/* gradient[i] is that of x[i]. */
static void check_differences(fixture *f, real *x, const double *gradient, size_t n,
                              const char *what)
{
    for (size_t i = 0; i < n; i++) {
        const double step = 1e-6;
        double before = (double)x[i], up, down;
        x[i] = (real)(before + step);
        up = loss_of(f);
        x[i] = (real)(before - step);
        down = loss_of(f);
        x[i] = (real)before;
        double wanted = (up - down) / (2 * step);
        if (fabs(wanted - gradient[i]) > 1e-5 * (1 + fabs(wanted)))
            fail_msg("%s %zu: %.9g instead of %.9g", what, i, gradient[i], wanted);
    }
}

static void scatter(double *out, const nln_shard_rows *rows, const real *gradient, size_t width)
{
    for (int32_t i = 0; i < rows->n; i++)
        for (size_t j = 0; j < width; j++)
            out[(size_t)rows->row[i] * width + j] = (double)gradient[(size_t)i * width + j];
}

static void agrees_with_central_differences(void **state)
{
    (void)state;
    for (int module = NLN_ATOM_MLP; module <= NLN_ATOM_PRODUCT; module++) {
        fixture f;
        double entity[MEMBERS * ENTITIES * DIM] = {0},
                                           block[POSITIONS * DIM * HIDDEN + HIDDEN * DIM];
        double predicate[MEMBERS * PREDICATES * DIM] = {0};
        set_up(&f, (nln_atom_module)module, 1);
        loss_of(&f);
        assert_true(f.batch->n_shards > 1);
        scatter(entity, &f.batch->entities, f.batch->dentity, DIM);
        scatter(predicate, &f.batch->predicates, f.batch->dpredicate,
                (size_t)f.net->predicate_width);
        for (size_t i = 0; i < f.net->atom_block_size; i++)
            block[i] = (double)f.batch->datoms[i];
        check_differences(&f, f.net->entity, entity, MEMBERS * ENTITIES * DIM, "entity");
        check_differences(&f, f.net->predicate, predicate,
                          MEMBERS * PREDICATES * (size_t)f.net->predicate_width, "predicate");
        check_differences(&f, f.net->atom_weights, block, f.net->atom_block_size, "matrix");
        tear_down(&f);
    }
}

static void threads_do_not_change_the_bits(void **state)
{
    (void)state;
    for (int module = NLN_ATOM_MLP; module <= NLN_ATOM_PRODUCT; module++) {
        fixture one, many;
        set_up(&one, (nln_atom_module)module, 1);
        set_up(&many, (nln_atom_module)module, 3);
        double a = loss_of(&one), b = loss_of(&many);
        assert_memory_equal(&a, &b, sizeof a);
        assert_memory_equal(one.batch->dentity, many.batch->dentity,
                            (size_t)one.batch->entities.n * DIM * sizeof(real));
        assert_memory_equal(one.batch->dpredicate, many.batch->dpredicate,
                            (size_t)one.batch->predicates.n * (size_t)one.net->predicate_width *
                                sizeof(real));
        tear_down(&one);
        tear_down(&many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_pytorch),
        cmocka_unit_test(agrees_with_central_differences),
        cmocka_unit_test(threads_do_not_change_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

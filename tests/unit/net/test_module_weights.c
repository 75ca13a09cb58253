/* The table of modules: every row finds its operation, and its tensors fill the block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "net/module_weights.h"

enum { DIM = 5, HIDDEN = 7, ROOM = 2000, N_TENSORS = NLN_N_MODULES * NLN_N_MODULE_TENSORS };

static void operations_find_their_modules(void **state)
{
    (void)state;
    for (int id = 0; id < NLN_N_MODULES; id++)
        assert_int_equal(nln_module_of(nln_module_table[id].op), id);
    assert_int_equal(nln_module_of(NLN_OP_NOT), NLN_MODULE_NOT);
    assert_int_equal(nln_module_of(NLN_OP_AND), NLN_MODULE_AND);
    assert_int_equal(nln_module_of(NLN_OP_OR), NLN_MODULE_OR);
    assert_int_equal(nln_module_of(NLN_OP_XOR), NLN_N_MODULES);
    assert_int_equal(nln_module_of(NLN_OP_VAR), NLN_N_MODULES);
}

/* The logic of truth values: all sorts are TRUTH, and NOT has one operand. */
static void rows_have_operands(void **state)
{
    (void)state;
    for (int id = 0; id < NLN_N_MODULES; id++) {
        const nln_module_row *row = &nln_module_table[id];
        assert_int_equal(row->arity, row->op == NLN_OP_NOT ? 1 : 2);
        assert_int_equal(row->result, NLN_SORT_TRUTH);
        for (int i = 0; i < row->arity; i++)
            assert_int_equal(row->operand[i], NLN_SORT_TRUTH);
    }
}

/* The file format: names, and shapes as [inputs, outputs]. */
static void tensors_are_named_and_shaped(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t rows, columns;
    } expected[] = {{"not.in", DIM, HIDDEN},     {"not.bias", 1, HIDDEN}, {"not.out", HIDDEN, DIM},
                    {"and.in", 2 * DIM, HIDDEN}, {"and.bias", 1, HIDDEN}, {"and.out", HIDDEN, DIM},
                    {"or.in", 2 * DIM, HIDDEN},  {"or.bias", 1, HIDDEN},  {"or.out", HIDDEN, DIM}};
    real block[ROOM];
    nln_modules m = nln_modules_view(block, DIM, HIDDEN);
    assert_int_equal(N_TENSORS, sizeof expected / sizeof *expected);
    for (int i = 0; i < N_TENSORS; i++) {
        nln_net_tensor t = nln_modules_tensor(&m, DIM, HIDDEN, i);
        assert_string_equal(t.name, expected[i].name);
        assert_int_equal(t.rows, expected[i].rows);
        assert_int_equal(t.columns, expected[i].columns);
    }
    assert_ptr_equal(nln_modules_tensor(&m, DIM, HIDDEN, 5).data, m.of[NLN_MODULE_AND].out);
}

/* Views and tensors fill the block without a gap. */
static void views_fill_the_block(void **state)
{
    (void)state;
    static real block[ROOM];
    size_t n = nln_modules_size(DIM, HIDDEN);
    nln_modules m = nln_modules_view(block, DIM, HIDDEN);
    for (int id = 0; id < NLN_N_MODULES; id++) {
        const nln_module *at = &m.of[id];
        assert_int_equal(at->inputs, nln_module_table[id].arity);
        for (int i = 0; i < at->inputs * DIM * HIDDEN; i++)
            at->in[i] += 1;
        for (int i = 0; i < HIDDEN; i++)
            at->bias[i] += 1;
        for (int i = 0; i < HIDDEN * DIM; i++)
            at->out[i] += 1;
    }
    for (int i = 0; i < N_TENSORS; i++) {
        nln_net_tensor t = nln_modules_tensor(&m, DIM, HIDDEN, i);
        for (size_t j = 0; j < t.rows * t.columns; j++)
            t.data[j] += 2;
    }
    for (size_t i = 0; i < ROOM; i++)
        assert_true(block[i] == (i < n ? 3 : 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_find_their_modules),
        cmocka_unit_test(rows_have_operands),
        cmocka_unit_test(tensors_are_named_and_shaped),
        cmocka_unit_test(views_fill_the_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What a label tells about each variable: beside a plain twin that counts all assignments. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/symbols.h"
#include "data/logic_data.h"
#include "inference/label_information.h"
#include "logic/parse.h"

enum { VARIABLES = 6, ASSIGNMENTS = 1 << VARIABLES, MOST_NODES = 64 };

static const double p[VARIABLES] = {0.5, 0.9, 0.2, 0.7, 0, 0.35};

static nln_data *data;

static int set_up(void **state)
{
    nln_error err = {0};
    (void)state;
    if (nln_data_create(&data, &err))
        return 1;
    for (int v = 0; v < VARIABLES; v++) {
        char name[] = {(char)('a' + v), '\0'};
        nln_symbols_intern(data->symbols, name, 1);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    nln_data_free(data);
    return 0;
}

static nln_exprs parsed(const char *text)
{
    nln_exprs list = {0};
    nln_vocabulary names = nln_data_names(data);
    nln_error err = {0};
    assert_int_equal(nln_parse(&list, &names, 0, text, strlen(text), NLN_DIALECT_TEXT, &err), 0);
    return list;
}

/* I(label; v) from the joint probabilities of label and variable. */
static double by_hand(nln_expr e, int v)
{
    double joint[2][2] = {{0, 0}, {0, 0}}, sum = 0;
    for (int a = 0; a < ASSIGNMENTS; a++) {
        uint8_t value[VARIABLES], stack[MOST_NODES];
        double weight = 1;
        for (int i = 0; i < VARIABLES; i++) {
            value[i] = (uint8_t)(a >> i & 1);
            weight *= value[i] ? p[i] : 1 - p[i];
        }
        joint[nln_expr_evaluate(e, value, stack)][value[v]] += weight;
    }
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 2; x++) {
            double alone = (joint[y][0] + joint[y][1]) * (joint[0][x] + joint[1][x]);
            if (joint[y][x] > 0)
                sum += joint[y][x] * log2(joint[y][x] / alone);
        }
    return sum;
}

static void bits_are_those_of_all_assignments(void **state)
{
    (void)state;
    static const char *const texts[] = {"a",
                                        "!b",
                                        "a & !b",
                                        "(a & b & !c) | (d & f)",
                                        "!(a | b | c) | d",
                                        "a -> (b -> c)",
                                        "(a <-> b) & c",
                                        "(a xor b) xor (c & d)",
                                        "e & a",
                                        "e | a | f",
                                        "T & a",
                                        "F"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        nln_exprs list = parsed(texts[i]);
        nln_error err = {0};
        nln_expr e = nln_exprs_get(&list, 0);
        double bits[MOST_NODES];
        assert_int_equal(nln_label_information(bits, &list, p, VARIABLES, VARIABLES, &err), 0);
        for (int32_t k = 0; k < e.n_nodes; k++) {
            int32_t leaf = nln_label_information_leaf(e.nodes[k], VARIABLES);
            double wanted = leaf < 0 ? 0 : by_hand(e, leaf);
            assert_true(fabs(bits[k] - wanted) < 1e-9);
        }
        nln_exprs_free(&list);
    }
}

/* A coin tells one bit about itself, and a sum with a fair coin nothing about a single one. */
static void known_cases(void **state)
{
    (void)state;
    nln_exprs list = parsed("a");
    double bits[MOST_NODES];
    nln_error err = {0};
    assert_int_equal(nln_label_information(bits, &list, p, VARIABLES, VARIABLES, &err), 0);
    assert_true(fabs(bits[0] - 1) < 1e-12);
    nln_exprs_free(&list);
    list = parsed("a xor d");
    assert_int_equal(nln_label_information(bits, &list, p, VARIABLES, VARIABLES, &err), 0);
    assert_true(bits[0] > 0.1 && fabs(bits[1]) < 1e-12);
    nln_exprs_free(&list);
    list = parsed("b & b"); /* all of it is told once */
    assert_int_equal(nln_label_information(bits, &list, p, VARIABLES, VARIABLES, &err), 0);
    assert_true(bits[0] > 0 && bits[1] == 0 && bits[2] == 0);
    nln_exprs_free(&list);
    assert_true(nln_label_information_entropy(0) == 0 && nln_label_information_entropy(1) == 0);
    assert_true(nln_label_information_entropy(0.5) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_all_assignments),
        cmocka_unit_test(known_cases),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "exact/sat_encoding.h"
#include "random_expr.h"

enum { MOST_NODES = 256 };

static void push_random_set(nln_exprs *out, nln_random *r, int n, int32_t n_variables, int32_t most)
{
    int32_t variables[32];
    for (int i = 0; i < n; i++) {
        int32_t leaves = 1 + (int32_t)nln_random_below(r, (uint64_t)most);
        for (int32_t k = 0; k < leaves; k++)
            variables[k] = (int32_t)nln_random_below(r, (uint64_t)n_variables);
        assert_int_equal(push_random_expr(out, r, variables, leaves), NLN_OK);
    }
}

static int explains(const uint8_t *values, const nln_exprs *exprs, const uint8_t *labels)
{
    uint8_t stack[MOST_NODES];
    for (size_t i = 0; i < exprs->n; i++) {
        nln_expr e = nln_exprs_get(exprs, i);
        assert_true(e.n_nodes <= MOST_NODES);
        if (nln_expr_evaluate(e, values, stack) != labels[i])
            return 0;
    }
    return 1;
}

static void explains_every_label(void **state)
{
    (void)state;
    enum { N = 200, VARIABLES = 40 };
    for (uint64_t seed = 1; seed <= 20; seed++) {
        nln_random r = nln_random_seed(seed, 2);
        nln_exprs exprs = {0};
        uint8_t hidden[VARIABLES], values[VARIABLES], labels[N], stack[MOST_NODES];
        int consistent = 0;
        for (int v = 0; v < VARIABLES; v++)
            hidden[v] = (uint8_t)nln_random_below(&r, 2);
        push_random_set(&exprs, &r, N, VARIABLES, 12);
        for (size_t i = 0; i < N; i++)
            labels[i] = (uint8_t)nln_expr_evaluate(nln_exprs_get(&exprs, i), hidden, stack);
        assert_int_equal(nln_sat_solve(values, &consistent, &exprs, labels, VARIABLES, NULL),
                         NLN_OK);
        assert_int_equal(consistent, 1);
        assert_true(explains(values, &exprs, labels));
        nln_exprs_free(&exprs);
    }
}

static int any_explains(const nln_exprs *exprs, const uint8_t *labels, int32_t n_variables)
{
    uint8_t values[8];
    for (uint32_t bits = 0; bits < 1u << n_variables; bits++) {
        set_values(values, bits, n_variables);
        if (explains(values, exprs, labels))
            return 1;
    }
    return 0;
}

static void agrees_with_enumeration(void **state)
{
    (void)state;
    enum { N = 4, VARIABLES = 5, TRIALS = 600 };
    nln_random r = nln_random_seed(5, 2);
    int n_consistent = 0;
    for (int i = 0; i < TRIALS; i++) {
        nln_exprs exprs = {0};
        uint8_t labels[N], values[VARIABLES];
        int consistent = -1;
        push_random_set(&exprs, &r, N, VARIABLES, 8);
        for (int k = 0; k < N; k++)
            labels[k] = (uint8_t)nln_random_below(&r, 2);
        assert_int_equal(nln_sat_solve(values, &consistent, &exprs, labels, VARIABLES, NULL),
                         NLN_OK);
        assert_int_equal(consistent, any_explains(&exprs, labels, VARIABLES));
        if (consistent)
            assert_true(explains(values, &exprs, labels));
        n_consistent += consistent;
        nln_exprs_free(&exprs);
    }
    assert_in_range(n_consistent, TRIALS / 10, TRIALS - TRIALS / 10);
}

/* v0 xor v1 xor ... in a chain as deep as it is long. */
static void push_parity(nln_exprs *out, int32_t n)
{
    for (int32_t v = 0; v < n; v++) {
        assert_int_equal(nln_exprs_push(out, NLN_OP_VAR, v, NULL), NLN_OK);
        if (v > 0)
            assert_int_equal(nln_exprs_push(out, NLN_OP_XOR, 0, NULL), NLN_OK);
    }
    assert_int_equal(nln_exprs_finish(out, NULL), NLN_OK);
}

static void deep_parity_is_linear(void **state)
{
    (void)state;
    enum { N = 5000 };
    static uint8_t values[N];
    for (uint8_t label = 0; label < 2; label++) {
        nln_exprs exprs = {0};
        int consistent = 0, sum = 0;
        push_parity(&exprs, N);
        assert_int_equal(nln_sat_solve(values, &consistent, &exprs, &label, N, NULL), NLN_OK);
        assert_int_equal(consistent, 1);
        for (int v = 0; v < N; v++)
            sum += values[v];
        assert_int_equal(sum % 2, label);
        nln_exprs_free(&exprs);
    }
}

static void what_does_not_occur_is_false(void **state)
{
    (void)state;
    nln_exprs exprs = {0};
    const uint8_t label = 1;
    uint8_t values[] = {7, 7, 7};
    int consistent = 0;
    assert_int_equal(nln_sat_solve(values, &consistent, &exprs, NULL, 3, NULL), NLN_OK);
    assert_int_equal(consistent, 1);
    assert_int_equal(values[0] + values[1] + values[2], 0);
    assert_int_equal(nln_exprs_push(&exprs, NLN_OP_VAR, 1, NULL), NLN_OK);
    assert_int_equal(nln_exprs_finish(&exprs, NULL), NLN_OK);
    values[0] = values[2] = 7;
    assert_int_equal(nln_sat_solve(values, &consistent, &exprs, &label, 3, NULL), NLN_OK);
    assert_int_equal(values[0], 0);
    assert_int_equal(values[1], 1);
    assert_int_equal(values[2], 0);
    nln_exprs_free(&exprs);
}

/* Sends what is written to `from` to a nameless file from now on. */
static int redirect(int from)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout);
    int saved = dup(from);
    assert_true(saved >= 0 && dup2(fileno(file), from) >= 0);
    fclose(file);
    return saved;
}

static off_t restore(int from, int saved)
{
    fflush(stdout);
    off_t written = lseek(from, 0, SEEK_END);
    dup2(saved, from);
    close(saved);
    return written;
}

static void contradiction_is_found_in_silence(void **state)
{
    (void)state;
    nln_exprs exprs = {0};
    const uint8_t labels[] = {1, 0};
    uint8_t values[] = {7};
    int consistent = 1;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(nln_exprs_push(&exprs, NLN_OP_VAR, 0, NULL), NLN_OK);
        assert_int_equal(nln_exprs_finish(&exprs, NULL), NLN_OK);
    }
    int out = redirect(STDOUT_FILENO), err = redirect(STDERR_FILENO);
    nln_status status = nln_sat_solve(values, &consistent, &exprs, labels, 1, NULL);
    off_t written = restore(STDERR_FILENO, err) + restore(STDOUT_FILENO, out);
    assert_int_equal(status, NLN_OK);
    assert_int_equal(consistent, 0);
    assert_int_equal(values[0], 0);
    assert_int_equal(written, 0);
    nln_exprs_free(&exprs);
}

static void too_many_variables(void **state)
{
    (void)state;
    nln_exprs exprs = {0};
    nln_error err = {0};
    int consistent = 0;
    assert_int_equal(nln_sat_solve(NULL, &consistent, &exprs, NULL, (size_t)1 << 31, &err),
                     NLN_LIMIT);
    assert_int_equal(err.status, NLN_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explains_every_label),
        cmocka_unit_test(agrees_with_enumeration),
        cmocka_unit_test(deep_parity_is_linear),
        cmocka_unit_test(what_does_not_occur_is_false),
        cmocka_unit_test(contradiction_is_found_in_silence),
        cmocka_unit_test(too_many_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

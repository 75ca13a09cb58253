#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/model_file_symbols.h"

static nln_symbols *symbols_of(const char *const *names, int n)
{
    nln_symbols *symbols = nln_symbols_create();
    for (int i = 0; i < n; i++)
        assert_int_equal(nln_symbols_intern(symbols, names[i], strlen(names[i])), i);
    return symbols;
}

/* Packs and unpacks, and compares. */
static void expect_same(const nln_symbols *symbols)
{
    size_t n;
    const char *problem = NULL;
    int32_t *numbers = nln_model_file_symbols_pack(&n, symbols);
    nln_symbols *back = nln_symbols_create();
    nln_tensor packed = {.n_dims = 1, .shape = {n, 1}, .whole = numbers};
    assert_int_equal(nln_model_file_symbols_unpack(back, &problem, &packed), NLN_OK);
    assert_int_equal(nln_symbols_count(back), nln_symbols_count(symbols));
    for (int32_t i = 0; i < nln_symbols_count(symbols); i++)
        assert_string_equal(nln_symbols_name(back, i), nln_symbols_name(symbols, i));
    nln_symbols_free(back);
    nln_free(numbers);
}

static void gives_back_what_it_packs(void **state)
{
    (void)state;
    static const char *const names[] = {"a", "bc", "def", "ghij", "\n", "\t", "日本", "\""};
    for (int n = 1; n <= (int)(sizeof names / sizeof *names); n++) {
        nln_symbols *symbols = symbols_of(names, n);
        expect_same(symbols);
        assert_false(nln_model_file_symbols_are_many(symbols));
        nln_symbols_free(symbols);
    }
}

/* In a file the least byte of a number comes first, whatever the machine's order is. */
static void numbers_are_made_of_bytes(void **state)
{
    (void)state;
    size_t n;
    nln_symbols *symbols = symbols_of((const char *const[]){"a", "\xc3\xa9"}, 2);
    int32_t *numbers = nln_model_file_symbols_pack(&n, symbols);
    assert_int_equal(n, 2);
    assert_true((uint32_t)numbers[0] == 0xa9c30061 && numbers[1] == 0);
    nln_free(numbers);
    nln_symbols_free(symbols);
}

static void packs_what_is_many(void **state)
{
    (void)state;
    nln_symbols *symbols = nln_symbols_create();
    char name[32];
    for (int i = 0; i < 1000000; i++) {
        int length = snprintf(name, sizeof name, "name%d", i);
        assert_int_equal(nln_symbols_intern(symbols, name, (size_t)length), i);
    }
    assert_true(nln_model_file_symbols_are_many(symbols));
    expect_same(symbols);
    nln_symbols_free(symbols);

    char *giant = malloc(6000001);
    memset(giant, 'x', 6000000);
    giant[6000000] = '\0';
    symbols = symbols_of((const char *const[]){giant}, 1);
    assert_true(nln_model_file_symbols_are_many(symbols));
    expect_same(symbols);
    nln_symbols_free(symbols);
    free(giant);
}

static void refuses_what_it_did_not_pack(void **state)
{
    (void)state;
    static const struct {
        const char *problem;
        size_t n;
        char bytes[9];
    } cases[] = {
        {"no end", 0, ""},
        {"no end", 1, "abcd"},
        {"no end", 1, "\0\0\0"},
        {"no end", 2, "abc"},
        {"the same", 1, "a\0a"},
        {"not a text", 2, "a\0\0bcd"},
        {"not a text", 2, "\0abcdef"},
        {"the same", 2, "b\0ab\0b"},
        {"not a text", 1, "a\xff"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int32_t numbers[2] = {0};
        const char *problem = NULL;
        nln_symbols *symbols = nln_symbols_create();
        for (size_t b = 0; b < sizeof numbers; b++) {
            uint32_t byte = (unsigned char)cases[i].bytes[b];
            numbers[b / 4] = (int32_t)((uint32_t)numbers[b / 4] | byte << 8 * (b % 4));
        }
        nln_tensor packed = {.n_dims = 1, .shape = {cases[i].n, 1}, .whole = numbers};
        assert_int_equal(nln_model_file_symbols_unpack(symbols, &problem, &packed), NLN_FORMAT);
        assert_non_null(strstr(problem, cases[i].problem));
        nln_symbols_free(symbols);
    }
    const char *problem = NULL;
    nln_symbols *symbols = nln_symbols_create();
    nln_tensor floats = {.n_dims = 1, .shape = {1, 1}, .data = (const float[]){1}};
    assert_int_equal(nln_model_file_symbols_unpack(symbols, &problem, &floats), NLN_FORMAT);
    nln_symbols_free(symbols);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_back_what_it_packs),
        cmocka_unit_test(numbers_are_made_of_bytes),
        cmocka_unit_test(packs_what_is_many),
        cmocka_unit_test(refuses_what_it_did_not_pack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

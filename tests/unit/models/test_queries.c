#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "models/queries.h"

enum { N = 300 };

static nln_literal literal_of(size_t i, size_t j)
{
    return (nln_literal){i * 31 + j, (int)((i + j) % 2), 0};
}

static void append(nln_queries *queries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        nln_literal history[8];
        size_t length = i % 8;
        for (size_t j = 0; j < length; j++)
            history[j] = literal_of(i, j);
        assert_int_equal(nln_queries_append(queries, (int32_t)i - 1, length ? history : NULL,
                                            length, (int32_t)(2 * i) - 1, NULL),
                         NLN_OK);
    }
}

static void expect(const nln_queries *queries, size_t n)
{
    size_t at = 0;
    assert_int_equal(queries->n, n);
    for (size_t i = 0; i < n; i++) {
        const nln_query *c = &queries->list[i];
        assert_int_equal(c->user, (int32_t)i - 1);
        assert_int_equal(c->target, (int32_t)(2 * i) - 1);
        assert_int_equal(c->first, at);
        assert_int_equal(c->n, i % 8);
        for (size_t j = 0; j < c->n; j++) {
            assert_int_equal(queries->literal[at + j].item, literal_of(i, j).item);
            assert_int_equal(queries->literal[at + j].liked, literal_of(i, j).liked);
        }
        at += c->n;
    }
    assert_int_equal(queries->n_literals, at);
}

static void histories_lie_end_to_end(void **state)
{
    (void)state;
    nln_queries queries = {0};
    append(&queries, N);
    expect(&queries, N);
    nln_queries_free(&queries);
}

static void clearing_keeps_the_memory_only(void **state)
{
    (void)state;
    nln_queries queries = {0};
    append(&queries, N);
    size_t room = queries.room;
    nln_queries_clear(&queries);
    expect(&queries, 0);
    append(&queries, N / 2);
    expect(&queries, N / 2);
    assert_int_equal(queries.room, room);
    nln_queries_free(&queries);
    expect(&queries, 0);
    nln_queries_free(&queries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(histories_lie_end_to_end),
        cmocka_unit_test(clearing_keeps_the_memory_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

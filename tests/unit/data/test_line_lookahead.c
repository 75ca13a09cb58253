#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "data/line_lookahead.h"

/* What is taken of a text: "number:line/", with ~ for a line break inside, after `peeked` lines
 * were looked at. */
static const char *taken(const char *text, nln_separator separator, size_t peeked)
{
    static char all[1 << 19];
    nln_line_lookahead ahead = {0};
    char *line, *at = all;
    size_t length, before = nln_memory_used();
    long number;
    assert_int_equal(nln_input_memory(&ahead.in, text, strlen(text), "text", NULL), NLN_OK);
    for (size_t i = 0; i < peeked; i++)
        assert_int_equal(nln_line_lookahead_peek(&line, &ahead, i, NULL), NLN_OK);
    *at = '\0';
    for (;;) {
        assert_int_equal(nln_line_lookahead_take(&line, &length, &number, &ahead, separator, NULL),
                         NLN_OK);
        if (!line)
            break;
        assert_int_equal(strlen(line), length);
        for (char *end = line; (end = strchr(end, '\n'));)
            *end = '~';
        at += sprintf(at, "%ld:%s/", number, line);
    }
    nln_line_lookahead_free(&ahead);
    nln_input_close(ahead.in);
    assert_int_equal(nln_memory_used(), before);
    return all;
}

/* Whether lines have waited makes no difference. */
static void quoted_fields_span_lines(void **state)
{
    (void)state;
    static const struct {
        nln_separator separator;
        const char *text, *taken;
    } cases[] = {
        {NLN_COMMAS, "", ""},
        {NLN_COMMAS, "a,b\n\nc,d", "1:a,b/2:/3:c,d/"},
        {NLN_COMMAS, "a,\"x\ny\",5\nb,z,4\n", "1:a,\"x~y\",5/3:b,z,4/"},
        {NLN_COMMAS, "a,\"x\r\n\r\ny\",5\r\nb,z,4\r\n", "1:a,\"x~~y\",5/4:b,z,4/"},
        {NLN_COMMAS, "a,\"x\ny\",\"\"\"\n,\"\"\"\nb\n", "1:a,\"x~y\",\"\"\"~,\"\"\"/4:b/"},
        {NLN_SEMICOLONS, "a;\"x\ny\";5\n\"b\nc\"\n", "1:a;\"x~y\";5/3:\"b~c\"/"},
        {NLN_TABS, "a\t\"x\ny\"\t5\n", "1:a\t\"x/2:y\"\t5/"},
        {NLN_COMMAS, "a,b\"\nc,\"d\"\n", "1:a,b\"/2:c,\"d\"/"},
        /* never closed, or not as a field is */
        {NLN_COMMAS, "a,\"x\nb,y\nc,z", "1:a,\"x/2:b,y/3:c,z/"},
        {NLN_COMMAS, "a,\"x\nb,\"y\"\nc,z\n", "1:a,\"x/2:b,\"y\"/3:c,z/"},
        {NLN_COMMAS, "a,\"x\nb,\"y\nc\",z\n", "1:a,\"x/2:b,\"y~c\",z/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t peeked = 0; peeked < 6; peeked++)
            assert_string_equal(taken(cases[i].text, cases[i].separator, peeked), cases[i].taken);
}

/* A text with a quote in its first line that is closed in line `n`, lines of `width` letters
 * between. */
static size_t lines_of_first(int n, int width)
{
    static char text[1 << 18];
    char *at = text + sprintf(text, "a,\"\n");
    for (int i = 2; i < n; i++)
        at += sprintf(at, "%0*d\n", width, i);
    sprintf(at, "\",1\nend\n");
    const char *all = taken(text, NLN_COMMAS, 0);
    size_t lines = 1;
    for (; *all != '/'; all++)
        lines += *all == '~';
    return lines;
}

static void a_span_is_bounded(void **state)
{
    (void)state;
    assert_int_equal(lines_of_first(NLN_SPAN_LINES, 5), NLN_SPAN_LINES);
    assert_int_equal(lines_of_first(NLN_SPAN_LINES + 1, 5), 1);
    assert_int_equal(lines_of_first(10, 8000), 10);
    assert_int_equal(lines_of_first(11, 8000), 1);
}

static void errors_of_the_input_are_handed_on(void **state)
{
    (void)state;
    static const char text[] = "a,\"x\nb\0c\n";
    nln_line_lookahead ahead = {0};
    nln_error err = {0};
    char *line;
    size_t length;
    long number;
    assert_int_equal(nln_input_memory(&ahead.in, text, sizeof text - 1, "text", NULL), NLN_OK);
    assert_int_equal(nln_line_lookahead_take(&line, &length, &number, &ahead, NLN_COMMAS, &err),
                     NLN_FORMAT);
    assert_int_equal(err.line, 2);
    nln_line_lookahead_free(&ahead);
    nln_input_close(ahead.in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quoted_fields_span_lines),
        cmocka_unit_test(a_span_is_bounded),
        cmocka_unit_test(errors_of_the_input_are_handed_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

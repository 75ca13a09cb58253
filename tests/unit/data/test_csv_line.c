#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/random.h"
#include "data/csv_line.h"

/* The fields of the line joined by '/', or '!' and the place of a bad quote. */
static const char *cut(nln_separator separator, const char *text, int most)
{
    static char line[256], joined[512];
    nln_field fields[NLN_MOST_FIELDS];
    const char *bad = NULL;
    strcpy(line, text);
    int n = nln_csv_line_cut(fields, most, &bad, separator, line, strlen(line));
    assert_string_equal(line, text);
    joined[0] = '\0';
    if (n == 0) {
        joined[0] = '!';
        joined[1] = (char)('0' + (bad - line));
        joined[2] = '\0';
    }
    for (int i = 0; i < n; i++) {
        if (fields[i].escaped)
            nln_field_unescape(&fields[i]);
        if (i > 0)
            strcat(joined, "/");
        strncat(joined, fields[i].text, fields[i].n);
    }
    return joined;
}

static void lines_are_cut(void **state)
{
    (void)state;
    static const struct {
        nln_separator separator;
        const char *line, *fields;
    } cases[] = {
        {NLN_TABS, "196\t242\t3", "196/242/3"},
        {NLN_TABS, " a b \t\tc", "a b//c"},
        {NLN_TABS, "\"a\t\"", "\"a/\""},
        {NLN_COLONS, "1::a:b::", "1/a:b/"},
        {NLN_COMMAS, "", ""},
        {NLN_COMMAS, "a", "a"},
        {NLN_COMMAS, "a,\"b,c\" ,d", "a/b,c/d"},
        {NLN_COMMAS, "\"say \"\"hi\"\", you\",\"\",\"\"\"\"", "say \"hi\", you//\""},
        {NLN_COMMAS, "a,\"b", "!2"},
        {NLN_COMMAS, "a,\"b\"c", "!2"},
        {NLN_COMMAS, "a,b\"c\"", "a/b\"c\""},
        {NLN_SEMICOLONS, "\"a;b\";2", "a;b/2"},
        {NLN_BARS, "1|Toy Story|", "1/Toy Story/"},
        {NLN_SPACES, "  a   b c  ", "a/b/c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(cut(cases[i].separator, cases[i].line, NLN_MOST_FIELDS),
                            cases[i].fields);
    assert_string_equal(cut(NLN_COMMAS, "a,b,\"c", 2), "a/b");
}

/* Whatever the fields are, quoted they come back. */
static void quoted_fields_come_back(void **state)
{
    (void)state;
    nln_random r = nln_random_seed(1, 0);
    for (int turn = 0; turn < 20000; turn++) {
        char line[256] = "", wanted[4][16] = {""};
        for (int i = 0; i < 4; i++) {
            size_t n = nln_random_below(&r, 8);
            strcat(line, i ? ",\"" : "\"");
            for (size_t k = 0; k < n; k++) {
                char letter[2] = {"a,\" ;"[nln_random_below(&r, 5)], 0};
                strcat(wanted[i], letter);
                strcat(line, letter[0] == '"' ? "\"\"" : letter);
            }
            strcat(line, "\"");
        }
        nln_field fields[4];
        const char *bad;
        assert_int_equal(nln_csv_line_cut(fields, 4, &bad, NLN_COMMAS, line, strlen(line)), 4);
        for (int i = 0; i < 4; i++) {
            if (fields[i].escaped)
                nln_field_unescape(&fields[i]);
            assert_int_equal(fields[i].n, strlen(wanted[i]));
            assert_memory_equal(fields[i].text, wanted[i], fields[i].n);
        }
    }
}

static void what_quotes_leave_behind(void **state)
{
    (void)state;
    static const struct {
        nln_separator separator;
        const char *line;
        nln_quoting fresh, within; /* where the line begins in no field, or in a quoted one */
    } cases[] = {
        {NLN_COMMAS, "", NLN_QUOTE_CLOSED, NLN_QUOTE_OPEN},
        {NLN_COMMAS, "a,b", NLN_QUOTE_CLOSED, NLN_QUOTE_OPEN},
        {NLN_COMMAS, "a,\"b\",", NLN_QUOTE_CLOSED, NLN_QUOTE_BAD},
        {NLN_COMMAS, "a, \"b", NLN_QUOTE_OPEN, NLN_QUOTE_BAD},
        {NLN_COMMAS, "a\" ,\"b\"", NLN_QUOTE_CLOSED, NLN_QUOTE_CLOSED},
        {NLN_COMMAS, "a\",\"b", NLN_QUOTE_OPEN, NLN_QUOTE_OPEN},
        {NLN_COMMAS, "\"a\"b", NLN_QUOTE_BAD, NLN_QUOTE_BAD},
        {NLN_COMMAS, "\"\"", NLN_QUOTE_CLOSED, NLN_QUOTE_OPEN},
        {NLN_COMMAS, "\"\"\"", NLN_QUOTE_OPEN, NLN_QUOTE_CLOSED},
        {NLN_SEMICOLONS, "\"", NLN_QUOTE_OPEN, NLN_QUOTE_CLOSED},
        {NLN_TABS, "\"", NLN_QUOTE_CLOSED, NLN_QUOTE_CLOSED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[32];
        strcpy(line, cases[i].line);
        assert_int_equal(nln_csv_line_quoting(cases[i].separator, line, strlen(line), 0),
                         cases[i].fresh);
        assert_int_equal(nln_csv_line_quoting(cases[i].separator, line, strlen(line), 1),
                         cases[i].within);
    }
    char wide[1024] = "";
    for (int i = 0; i < 2 * NLN_MOST_FIELDS; i++)
        strcat(wide, "a,");
    strcat(wide, "\"");
    assert_int_equal(nln_csv_line_quoting(NLN_COMMAS, wide, strlen(wide), 0), NLN_QUOTE_OPEN);
}

static void spaces_are_trimmed(void **state)
{
    (void)state;
    char text[] = "  a b ";
    nln_field field = {text, strlen(text), 0}, blank = {text, 2, 0};
    nln_field_trim(&field);
    assert_int_equal(field.n, 3);
    assert_memory_equal(field.text, "a b", 3);
    nln_field_trim(&blank);
    assert_int_equal(blank.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_cut),
        cmocka_unit_test(quoted_fields_come_back),
        cmocka_unit_test(what_quotes_leave_behind),
        cmocka_unit_test(spaces_are_trimmed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

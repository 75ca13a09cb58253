#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <zlib.h>

#include "nln.h"
#include "scratch.h"

static nln_titles *titles_of(const char *path)
{
    nln_titles *titles;
    nln_error err = {0};
    if (nln_titles_read(&titles, path, &err))
        fail_msg("%s:%ld:%ld: %s", err.file, err.line, err.column, err.message);
    return titles;
}

/* The title of the item with the id 7, in every format. */
static void every_format_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *title;
    } cases[] = {
        {"1|Toy Story (1995)|01-Jan-1995||http://x|0|1\n7|Am\xe9lie, ou|x|\n", "Am\xc3\xa9lie, ou"},
        {"1|Toy Story\n7|Am\xc3\xa9lie\n", "Am\xc3\xa9lie"},
        {"1::Toy Story (1995)::Animation|Comedy\n7::Heat, 2: x::Drama\n", "Heat, 2: x"},
        {"movieId,title,genres\n1,Toy Story,A|B\n7,\"Good, the \"\"Bad\"\"\",C\n",
         "Good, the \"Bad\""},
        {"1,Toy Story,A|B\n7,Heat,C\n", "Heat"},
        {"item_id:token\tmovie_title:token_seq\tclass:token_seq\n7\tHeat\tDrama\n", "Heat"},
        {"genre\titem_name\tITEM_ID\nx\tHeat\t7\n", "Heat"},
        {"id,Title\n7,Heat\n", "Heat"},
        {"7\tHeat, a | film\n", "Heat, a | film"},
        {"\r\n7\tHeat\r\n\r\n", "Heat"},
        {"7;Heat\n", "Heat"},
        {"\"7\",\"Heat\"\n", "Heat"},
        {"7\tfirst\n7\tlast\n", "last"},
        {"7|a\x1b[31mb\n", "a [31mb"},
        {"7|\n8|x\n", NULL},
        {"7|x|y\n7|\n", "x"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        nln_titles *titles = titles_of(scratch_text("file", cases[i].text));
        const char *found = nln_titles_find(titles, "7");
        if (!cases[i].title)
            assert_null(found);
        else if (!found || strcmp(found, cases[i].title))
            fail_msg("%s: '%s'", cases[i].text, found ? found : "none");
        assert_null(nln_titles_find(titles, "77"));
        assert_null(nln_titles_find(titles, "movieId"));
        nln_titles_free(titles);
    }
    nln_titles_free(NULL);
}

static void all_of_many_are_found(void **state)
{
    (void)state;
    enum { N = 20000 };
    gzFile gz = gzopen(scratch_path("file.gz"), "wb");
    for (int i = 0; i < N; i++)
        gzprintf(gz, "B%05d\tThe title of %d\n", i * 7 % N, i * 7 % N);
    gzclose(gz);
    nln_titles *titles = titles_of(scratch_path("file.gz"));
    assert_int_equal(nln_titles_count(titles), N);
    for (int i = 0; i < N; i++) {
        char item[16], title[32];
        snprintf(item, sizeof item, "B%05d", i);
        snprintf(title, sizeof title, "The title of %d", i);
        assert_string_equal(nln_titles_find(titles, item), title);
    }
    nln_titles_free(titles);
}

/* Any bytes of Latin-1 come out as the characters of the same numbers. */
static void latin_1_becomes_utf_8(void **state)
{
    (void)state;
    char text[256] = "7|\xff", wanted[512] = "\xc3\xbf";
    size_t n = 3, m = 2;
    for (int c = 0xa0; c < 0x100; c++) {
        text[n++] = (char)c;
        wanted[m++] = (char)(0xc0 | c >> 6);
        wanted[m++] = (char)(0x80 | (c & 0x3f));
    }
    nln_titles *titles = titles_of(scratch_bytes("file", text, n));
    assert_string_equal(nln_titles_find(titles, "7"), wanted);
    nln_titles_free(titles);
}

static void bad_files_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long line, column;
        const char *message;
    } cases[] = {
        {"", 0, 0, "the file has no titles"},
        {"movieId,title\n", 0, 0, "the file has no titles"},
        {"word\n", 1, 0, "expected an item and its title with"},
        {"1|a\n2\n", 2, 0, "expected an item and its title in columns 1 and 2"},
        {"1|a\n|b\n", 2, 0, "expected an item and its title in columns 1 and 2"},
        {"1,a\n2,\"b\n", 2, 3, "the quote is not closed"},
        {"item_id\tgenre\n1\tx\n", 1, 0, "names no column of titles; call it 'title'"},
    };
    nln_titles *titles;
    nln_error err = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = scratch_text("file", cases[i].text);
        assert_int_not_equal(nln_titles_read(&titles, path, &err), NLN_OK);
        assert_null(titles);
        assert_string_equal(err.file, path);
        if (err.line != cases[i].line || err.column != cases[i].column ||
            !strstr(err.message, cases[i].message))
            fail_msg("%ld:%ld: %s", err.line, err.column, err.message);
        assert_int_not_equal(nln_titles_read(&titles, path, NULL), NLN_OK);
    }
    assert_int_equal(nln_titles_read(&titles, scratch_path("none"), &err), NLN_IO);
}

static void the_published_titles_are_read(void **state)
{
    (void)state;
    const char *folder = getenv("NLN_DATA");
    if (!folder) {
        print_message("SKIP: set NLN_DATA to the folder of ml-100k to test the published titles\n");
        skip();
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/ml-100k/u.item.gz", folder);
    nln_titles *titles = titles_of(path);
    assert_int_equal(nln_titles_count(titles), 1682);
    assert_string_equal(nln_titles_find(titles, "1"), "Toy Story (1995)");
    assert_string_equal(nln_titles_find(titles, "1633"),
                        "\xc3\x81 k\xc3\xb6ldum klaka (Cold Fever) (1994)");
    nln_titles_free(titles);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_format_is_read),          TEST(all_of_many_are_found),
        TEST(latin_1_becomes_utf_8),         TEST(bad_files_say_where),
        TEST(the_published_titles_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

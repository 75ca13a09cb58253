#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "serve/training_notes.h"

static void add(nln_training_notes *notes, const char *kind, const char *object)
{
    nln_text text = {0};
    nln_text_add(&text, object, strlen(object));
    nln_training_notes_add(notes, kind, &text);
    assert_null(text.bytes);
}

/* All that a stream says until it ends or has nothing more; 0 if there is no stream. */
static int follow(char *out, size_t room, nln_training_notes *notes, int64_t after, double ping)
{
    nln_stream s = {0};
    size_t n = 0;
    ptrdiff_t got;
    if (!nln_training_notes_follow(&s, notes, after, ping))
        return 0;
    while (n + 10 < room && (got = s.read(s.context, out + n, 7)) > 0)
        n += (size_t)got;
    out[n] = '\0';
    s.free(s.context);
    return 1;
}

static void streams_begin_where_they_are_told(void **state)
{
    char text[1000];
    nln_training_notes *notes = nln_training_notes_create();
    (void)state;
    assert_false(follow(text, sizeof text, notes, -1, 9));
    nln_training_notes_begin(notes);
    assert_true(follow(text, sizeof text, notes, -1, 9));
    assert_string_equal(text, "");
    add(notes, "state", "{\"a\":1}");
    add(notes, "epoch", "{\"b\":2}");
    nln_training_notes_end(notes);
    assert_true(follow(text, sizeof text, notes, -1, 9));
    assert_string_equal(text, "id: 1\nevent: state\ndata: {\"a\":1}\n\n"
                              "id: 2\nevent: epoch\ndata: {\"b\":2}\n\n");
    assert_true(follow(text, sizeof text, notes, 1, 9));
    assert_string_equal(text, "id: 2\nevent: epoch\ndata: {\"b\":2}\n\n");
    assert_false(follow(text, sizeof text, notes, 2, 9));
    nln_training_notes_begin(notes); /* numbers go on */
    add(notes, "log", "{}");
    nln_training_notes_end(notes);
    assert_true(follow(text, sizeof text, notes, 0, 9));
    assert_string_equal(text, "id: 3\nevent: log\ndata: {}\n\n");
    nln_training_notes_free(notes);
}

static void a_quiet_stream_pings(void **state)
{
    char text[40];
    nln_training_notes *notes = nln_training_notes_create();
    (void)state;
    nln_training_notes_begin(notes);
    assert_true(follow(text, sizeof text, notes, -1, -1));
    assert_memory_equal(text, ": ping\n\n", 8);
    nln_training_notes_free(notes);
}

static void old_notes_are_forgotten(void **state)
{
    enum { MANY = 5000 };
    char text[100];
    nln_training_notes *notes = nln_training_notes_create();
    nln_text all = {0};
    (void)state;
    nln_training_notes_begin(notes);
    for (int i = 1; i <= MANY; i++) {
        snprintf(text, sizeof text, "{\"i\":%d}", i);
        add(notes, i % 2 ? "epoch" : "log", text);
    }
    nln_training_notes_end(notes);
    follow(text, sizeof text, notes, MANY - 1, 9);
    assert_string_equal(text, "id: 5000\nevent: log\ndata: {\"i\":5000}\n\n");
    nln_json_out_open(&all, NULL, '{');
    nln_training_notes_print(&all, notes, "epochs", "epoch");
    nln_text_add(&all, "", 1);
    assert_null(strstr(all.bytes, "{\"i\":1}"));
    assert_null(strstr(all.bytes, "{\"i\":5000}"));
    assert_non_null(strstr(all.bytes, "{\"i\":4997},{\"i\":4999}]"));
    nln_text_free(&all);
    nln_training_notes_free(notes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_begin_where_they_are_told),
        cmocka_unit_test(a_quiet_stream_pings),
        cmocka_unit_test(old_notes_are_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

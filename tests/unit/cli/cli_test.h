/* What the unit tests of the program share: a folder of their own, files, and captured output. */
#ifndef CLI_TEST_H
#define CLI_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

/* Makes an empty folder and goes there; the paths of a test are relative to it. */
static inline int enter_folder(void **state)
{
    char *path = strdup("/tmp/nln-test-XXXXXX");
    *state = path;
    return !path || !mkdtemp(path) || chdir(path);
}

static inline int leave_folder(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
    int code = chdir("/") || system(command);
    free(*state);
    return code;
}

static inline void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0 && fclose(file) == 0);
}

/* The text of a file, to be freed; NULL if there is none. */
static inline char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    (void)!fread(text, 1, (1 << 20) - 1, file);
    fclose(file);
    return text;
}

static inline void assert_file(const char *path, const char *expected)
{
    char *text = read_file(path);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

/* From here to `release` the descriptor, 1 or 2, writes into a file. */
static inline int capture(int descriptor)
{
    fflush(NULL);
    int kept = dup(descriptor);
    assert_true(kept >= 0);
    assert_non_null(freopen("captured", "w", descriptor == 1 ? stdout : stderr));
    return kept;
}

/* The captured text, to be freed. */
static inline char *release(int descriptor, int kept)
{
    fflush(NULL);
    assert_true(dup2(kept, descriptor) >= 0);
    close(kept);
    return read_file("captured");
}

static inline void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("'%s' lacks '%s'", text, part);
}

#endif

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

#include "base/atomic_file.h"
#include "scratch.h"

static nln_output *open_output(const char *name)
{
    nln_output *out;
    nln_error err = {0};
    assert_int_equal(nln_output_open(&out, scratch_path(name), &err), NLN_OK);
    return out;
}

static void expect_file(const char *name, const char *text)
{
    size_t n;
    char *bytes = scratch_read(&n, name);
    assert_non_null(bytes);
    assert_int_equal(n, strlen(text));
    assert_string_equal(bytes, text);
    free(bytes);
}

static void the_file_appears_whole(void **state)
{
    (void)state;
    nln_error err = {0};
    scratch_text("a", "old");
    nln_output *out = open_output("a"), *other = open_output("b");
    nln_output_write(out, "new ", 4);
    nln_output_printf(out, "%d%s", 17, "!");
    nln_output_write(out, NULL, 0);
    expect_file("a", "old");
    int count = scratch_count(); /* a, and two temporary files where they must have names */
    assert_true(count == 1 || count == 3);
    assert_int_equal(nln_output_finish(out, &err), NLN_OK);
    expect_file("a", "new 17!");
    assert_int_equal(nln_output_finish(other, &err), NLN_OK);
    expect_file("b", "");
    assert_int_equal(scratch_count(), 2);
}

static void what_is_abandoned_leaves_nothing(void **state)
{
    (void)state;
    scratch_text("a", "old");
    nln_output *out = open_output("a");
    nln_output_write(out, "new", 3);
    nln_output_abandon(out);
    nln_output_abandon(NULL);
    expect_file("a", "old");
    assert_int_equal(scratch_count(), 1);
}

static void two_writers_of_one_file_do_not_mix(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_output *one = open_output("a"), *two = open_output("a");
    nln_output_write(one, "one", 3);
    nln_output_write(two, "two", 3);
    assert_int_equal(nln_output_finish(two, &err), NLN_OK);
    expect_file("a", "two");
    assert_int_equal(nln_output_finish(one, &err), NLN_OK);
    expect_file("a", "one");
}

static void the_mode_follows_the_umask(void **state)
{
    (void)state;
    nln_error err = {0};
    struct stat info;
    mode_t old = umask(027);
    nln_output *out = open_output("a");
    umask(old);
    assert_int_equal(nln_output_finish(out, &err), NLN_OK);
    assert_int_equal(stat(scratch_path("a"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void the_mode_of_an_old_file_stays(void **state)
{
    (void)state;
    nln_error err = {0};
    struct stat info;
    static const mode_t modes[] = {0600, 0444, 0666, 0755};
    mode_t old = umask(027);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        scratch_text("a", "old");
        assert_int_equal(chmod(scratch_path("a"), modes[i]), 0);
        assert_int_equal(nln_output_finish(open_output("a"), &err), NLN_OK);
        assert_int_equal(stat(scratch_path("a"), &info), 0);
        assert_int_equal(info.st_mode & 07777, modes[i]);
        unlink(scratch_path("a"));
    }
    umask(old);
}

static void expect_link(const char *name)
{
    struct stat info;
    assert_int_equal(lstat(scratch_path(name), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

static void write_text(const char *name, const char *text)
{
    nln_error err = {0};
    nln_output *out = open_output(name);
    nln_output_write(out, text, strlen(text));
    assert_int_equal(nln_output_finish(out, &err), NLN_OK);
}

/* Links in a row, relative and absolute, to a file that is there and to one that is not. */
static void links_stay_and_lead_to_the_file(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_output *out;
    assert_int_equal(mkdir(scratch_path("folder"), 0700), 0);
    assert_int_equal(symlink("folder/second", scratch_path("first")), 0);
    assert_int_equal(symlink("../third", scratch_path("folder/second")), 0);
    assert_int_equal(symlink(scratch_path("folder/file"), scratch_path("third")), 0);
    for (int i = 0; i < 2; i++) {
        write_text("first", i ? "again" : "new");
        expect_file("folder/file", i ? "again" : "new");
        expect_link("first");
        expect_link("folder/second");
        expect_link("third");
    }
    assert_int_equal(scratch_count(), 3);
    assert_int_equal(symlink("round", scratch_path("round")), 0);
    assert_int_equal(nln_output_open(&out, scratch_path("round"), &err), NLN_IO);
    assert_non_null(strstr(err.message, strerror(ELOOP)));
}

/* As /dev/stdout > file, and after the file has been removed. */
static void open_files_are_written_from_where_they_are(void **state)
{
    (void)state;
    char name[64], text[16] = "";
    int fd = open(scratch_path("a"), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0 && write(fd, "head ", 5) == 5);
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    if (access(name, F_OK))
        skip();
    assert_int_equal(symlink(name, scratch_path("link")), 0);
    write_text("link", "body ");
    assert_int_equal(write(fd, "tail", 4), 4);
    expect_link("link");
    expect_file("a", "head body tail");
    unlink(scratch_path("a"));
    write_text("link", "!");
    assert_int_equal(pread(fd, text, sizeof text - 1, 0), 15);
    assert_string_equal(text, "head body tail!");
    assert_int_equal(scratch_count(), 1);
    close(fd);
}

static void long_names_are_no_trouble(void **state)
{
    (void)state;
    nln_error err = {0};
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    nln_output *out = open_output(name);
    nln_output_write(out, "x", 1);
    assert_int_equal(nln_output_finish(out, &err), NLN_OK);
    expect_file(name, "x");
}

static void bare_names_go_to_the_current_folder(void **state)
{
    (void)state;
    nln_error err = {0};
    nln_output *out;
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(scratch_folder), 0);
    nln_status opened = nln_output_open(&out, "bare", &err);
    nln_status finished = opened ? opened : nln_output_finish(out, &err);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(finished, NLN_OK);
    expect_file("bare", "");
}

static void expect_unwritable(const char *path, int number)
{
    nln_error err = {0};
    nln_output *out = (nln_output *)&err;
    assert_int_equal(nln_output_open(&out, path, &err), NLN_IO);
    assert_null(out);
    assert_non_null(strstr(err.message, path));
    assert_non_null(strstr(err.message, strerror(number)));
}

static void unwritable_paths_say_why(void **state)
{
    (void)state;
    expect_unwritable(scratch_path("no/such/folder"), ENOENT);
    expect_unwritable(scratch_folder, EISDIR);
    scratch_text("file", "");
    expect_unwritable(scratch_path("file/inside"), ENOTDIR);
    expect_unwritable("", ENOENT);
    chmod(scratch_folder, 0500);
    if (access(scratch_folder, W_OK)) /* the superuser may write all the same */
        expect_unwritable(scratch_path("a"), EACCES);
    chmod(scratch_folder, 0700);
}

/* A limit on the size of files stands in for a full disk. */
static void a_failed_write_keeps_the_old_file(void **state)
{
    (void)state;
    nln_error err = {0};
    struct rlimit old, small;
    static char block[1 << 16];
    scratch_text("a", "old");
    nln_output *out = open_output("a");
    getrlimit(RLIMIT_FSIZE, &old);
    small = old;
    small.rlim_cur = 100000;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    for (int i = 0; i < 4; i++)
        nln_output_write(out, block, sizeof block);
    nln_output_printf(out, "the rest");
    nln_status status = nln_output_finish(out, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, NLN_IO);
    assert_non_null(strstr(err.message, strerror(EFBIG)));
    assert_non_null(strstr(err.message, scratch_path("a")));
    expect_file("a", "old");
    assert_int_equal(scratch_count(), 1);
}

/* A pipe and a link of our own stand in for the devices themselves, which a
 * failing test run by the superuser would replace. */
static void devices_are_written_not_replaced(void **state)
{
    (void)state;
    nln_error err = {0};
    struct stat info;
    char byte = 0;
    assert_int_equal(mkfifo(scratch_path("pipe"), 0600), 0);
    int end = open(scratch_path("pipe"), O_RDONLY | O_NONBLOCK);
    nln_output *out = open_output("pipe");
    nln_output_write(out, "x", 1);
    assert_int_equal(nln_output_finish(out, &err), NLN_OK);
    assert_int_equal(read(end, &byte, 1), 1);
    assert_int_equal(byte, 'x');
    close(end);
    assert_int_equal(stat(scratch_path("pipe"), &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    if (access("/dev/full", W_OK))
        return;
    assert_int_equal(symlink("/dev/full", scratch_path("full")), 0);
    out = open_output("full");
    nln_output_write(out, "x", 1);
    assert_int_equal(nln_output_finish(out, &err), NLN_IO);
    assert_non_null(strstr(err.message, strerror(ENOSPC)));
    assert_int_equal(lstat(scratch_path("full"), &info), 0);
    assert_true(S_ISLNK(info.st_mode));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_file_appears_whole),
        TEST(what_is_abandoned_leaves_nothing),
        TEST(two_writers_of_one_file_do_not_mix),
        TEST(the_mode_follows_the_umask),
        TEST(the_mode_of_an_old_file_stays),
        TEST(links_stay_and_lead_to_the_file),
        TEST(open_files_are_written_from_where_they_are),
        TEST(long_names_are_no_trouble),
        TEST(bare_names_go_to_the_current_folder),
        TEST(unwritable_paths_say_why),
        TEST(a_failed_write_keeps_the_old_file),
        TEST(devices_are_written_not_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

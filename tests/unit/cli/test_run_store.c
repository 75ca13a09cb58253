/* The store of runs, with a program of its own in place of nln: see cli_main. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "main.h"
#include "messages.h"
#include "runs/run_store.h"

static const char store[] = "store", elsewhere[] = "elsewhere";

static void pause_for(double seconds)
{
    struct timespec time = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&time, NULL);
}

static void append_line(const char *path, const char *line)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (file < 0 || dprintf(file, "%s\n", line) < 0 || close(file))
        abort();
}

static size_t count_lines(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t n = 0;
    for (int c; file && (c = getc(file)) != EOF;)
        n += c == '\n';
    if (file)
        fclose(file);
    return n;
}

/* ---- the program ------------------------------------------------------------- */

static int need(const char *path)
{
    return access(path, F_OK) ? cli_message_failed("there is no %s", path) : CLI_OK;
}

/* The commands: `say N`, `fail`, `die`, `chatter`, and `sleep SECONDS` or `late SECONDS`, which
 * do so after or before they heed the options --append=FILE and --need=FILE.  They print N and
 * how they were called. */
int cli_main(char *const *words, int n_words)
{
    int json = 0, threads = 0;
    double number = n_words > 1 ? strtod(words[1], NULL) : 0;

    if (strcmp(words[0], "late") == 0)
        pause_for(number);
    for (int i = 0; i < n_words; i++) {
        json |= strcmp(words[i], "--json") == 0;
        sscanf(words[i], "--threads=%d", &threads);
        if (strncmp(words[i], "--append=", 9) == 0)
            append_line(words[i] + 9, n_words > 1 ? words[1] : "");
        if (strncmp(words[i], "--need=", 7) == 0 && need(words[i] + 7))
            return CLI_FAILED;
    }
    fprintf(stderr, "log of %s\n\n", words[0]);
    if (strcmp(words[0], "sleep") == 0)
        pause_for(number);
    if (strcmp(words[0], "fail") == 0)
        return cli_message_failed("this is why");
    if (strcmp(words[0], "die") == 0)
        raise(SIGUSR1);
    if (strcmp(words[0], "chatter") == 0)
        puts("no object");
    else
        printf("{\"n\": %.17g, \"in\": {\"x@10\": {\"y\": 2}}, \"json\": %d, \"threads\": %d}\n",
               number, json, threads);
    fflush(stdout);
    return CLI_OK;
}

/* ---- stores ------------------------------------------------------------------ */

static void open_store(cli_runs *runs, const char *folder)
{
    assert_int_equal(cli_runs_open(runs, folder, 1), CLI_OK);
}

static cli_run *add(cli_runs *runs, const char *name, const char *words)
{
    cli_run *run = cli_runs_add(runs, "%s", name);
    cli_runs_words(run, words);
    return run;
}

static int has_file(const cli_runs *runs, const cli_run *run, const char *file)
{
    char *path = cli_runs_path(runs, run, file);
    int found = access(path, F_OK) == 0;
    free(path);
    return found;
}

static void write_text(const cli_runs *runs, const cli_run *run, const char *file, const char *text)
{
    char *path = cli_runs_path(runs, run, file);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
    free(path);
}

/* Each test has an empty folder of its own to work in. */
static int enter(void **state)
{
    char *folder = strdup("/tmp/nln-runs-XXXXXX");
    *state = folder;
    return !folder || !mkdtemp(folder) || chdir(folder);
}

static int leave(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", (char *)*state);
    int code = chdir("/") || system(command);
    free(*state);
    return code;
}

/* ---- results ------------------------------------------------------------------ */

static void results_are_kept(void **state)
{
    (void)state;
    for (int round = 0; round < 3; round++) {
        cli_runs runs;
        open_store(&runs, "a/b/store/");
        cli_run *one = add(&runs, "one", "say 0.1 --append=+/calls");
        cli_run *two = add(&runs, "deep/er/two", "say  7 --append=@/calls ");
        assert_int_equal(round < 2 ? cli_runs_do(&runs, 2, 1) : CLI_OK, CLI_OK);
        if (round == 2)
            assert_int_equal(cli_runs_read(&runs), 2);
        assert_true(one->was_there == (round > 0) && !one->failure && !two->failure);
        assert_true(cli_runs_number(one, "n") == .1 && cli_runs_number(two, "n") == 7);
        assert_true(cli_runs_number(two, "in.x@10.y") == 2);
        assert_true(isnan(cli_runs_number(two, "in.x@10")) && isnan(cli_runs_number(two, "z.n")));
        assert_true(one->seconds >= 0 && one->seconds < 60 && one->peak_rss > 1e5);
        assert_int_equal(count_lines("a/b/store/calls"), 1);
        assert_int_equal(count_lines("a/b/store/deep/er/two/calls"), 1);
        assert_true(has_file(&runs, two, "log.txt") && has_file(&runs, two, "timing.json"));
        assert_false(has_file(&runs, two, "output.tmp"));
        cli_runs_close(&runs);
    }
}

static void options_of_all_runs(void **state)
{
    (void)state;
    cli_runs runs;
    open_store(&runs, store);
    cli_run *plain = add(&runs, "plain", "say 1");
    cli_run *own = add(&runs, "own", "say 1 --threads=5 -- 3");
    runs.threads = 6;
    assert_int_equal(cli_runs_do(&runs, 2, 1), CLI_OK);
    assert_true(cli_runs_number(plain, "json") == 1 && cli_runs_number(plain, "threads") == 3);
    assert_true(cli_runs_number(own, "json") == 1 && cli_runs_number(own, "threads") == 5);
    cli_runs_close(&runs);
}

/* Only an operand or the value of an option begins with a folder. */
static void folders_in_words(void **state)
{
    (void)state;
    cli_runs runs;
    open_store(&runs, store);
    cli_run *run = add(&runs, "x/y", "say 1 --append=@/mine --append=+/ours --append=./a@/no");
    mkdir("a@", 0777);
    assert_int_equal(cli_runs_do(&runs, 1, 1), CLI_OK);
    assert_true(has_file(&runs, run, "mine"));
    assert_int_equal(count_lines("store/ours") + count_lines("a@/no"), 2);
    cli_runs_close(&runs);
}

/* ---- what is done again -------------------------------------------------------- */

/* Does one run in the store and returns whether it was there. */
static int once(const char *words)
{
    cli_runs runs;
    open_store(&runs, store);
    cli_run *run = add(&runs, "run", words);
    assert_int_equal(cli_runs_do(&runs, 1, 1), CLI_OK);
    int there = run->was_there;
    cli_runs_close(&runs);
    return there;
}

static void other_words_are_done_anew(void **state)
{
    (void)state;
    cli_runs runs;
    assert_false(once("say 1 --append=@/stale"));
    assert_true(once("say 1 --append=@/stale"));
    open_store(&runs, store);
    cli_run *inner = add(&runs, "run/inner", "say 5");
    assert_int_equal(cli_runs_do(&runs, 1, 1), CLI_OK);
    assert_false(once("say 2"));
    assert_int_equal(access("store/run/stale", F_OK), -1);
    assert_int_equal(cli_runs_read(&runs), 1);
    assert_true(inner->was_there);
    cli_runs_close(&runs);
    assert_true(once("say 2"));
    assert_false(once("say 2 2"));
    assert_false(once("say 2"));
}

/* Does a run and one that comes after it; returns how many of them were there. */
static int twice(const char *first, const char *second)
{
    cli_runs runs;
    open_store(&runs, store);
    cli_run *a = add(&runs, "first", first), *b = add(&runs, "second", second);
    b->stage = 1;
    b->after = a;
    assert_int_equal(cli_runs_do(&runs, 1, 1), CLI_OK);
    int there = (a->was_there != 0) + (b->was_there != 0);
    cli_runs_close(&runs);
    return there;
}

static void what_comes_after_other_words_is_done_anew(void **state)
{
    (void)state;
    assert_int_equal(twice("say 1", "say 2"), 0);
    assert_int_equal(twice("say 1", "say 2"), 2);
    assert_int_equal(twice("say 1", "say 3"), 1);
    assert_int_equal(twice("say 4", "say 3"), 0);
    assert_int_equal(twice("say 4", "say 3"), 2);
}

static void damaged_runs_are_done_anew(void **state)
{
    (void)state;
    static const struct {
        const char *file, *text;
    } damages[] = {{"result.json", "{\"n\": 1"},
                   {"result.json", "[1]"},
                   {"result.json", ""},
                   {"command.json", ""},
                   {"command.json", "{}"}};
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        once("say 1");
        assert_true(once("say 1"));
        cli_runs runs;
        open_store(&runs, store);
        write_text(&runs, add(&runs, "run", "say 1"), damages[i].file, damages[i].text);
        cli_runs_close(&runs);
        assert_false(once("say 1"));
    }
}

/* ---- order --------------------------------------------------------------------- */

static void stages_wait_for_each_other(void **state)
{
    (void)state;
    cli_runs runs;
    open_store(&runs, store);
    for (int i = 0; i < 6; i++) {
        cli_run *run = cli_runs_add(&runs, "user-%d", i);
        cli_runs_words(run, "say 1");
        cli_runs_word(run, "--need=+/made-%d", i % 3);
        run->stage = 2;
        run->weight = 100;
    }
    for (int i = 0; i < 3; i++) {
        cli_run *run = cli_runs_add(&runs, "maker-%d", i);
        cli_runs_words(run, "late 0.1 --need=+/ground/it");
        cli_runs_word(run, "--append=+/made-%d", i);
        run->stage = 1;
    }
    add(&runs, "ground", "late 0.3 --append=+/ground/it");
    assert_int_equal(cli_runs_do(&runs, 4, 1), CLI_OK);
    cli_runs_close(&runs);
}

static void the_heaviest_goes_first(void **state)
{
    (void)state;
    static const double weights[] = {1, 5, 3, 5, 2};
    cli_runs runs;
    char text[64] = "";
    open_store(&runs, store);
    for (int i = 0; i < 5; i++) {
        cli_run *run = cli_runs_add(&runs, "%d", i);
        cli_runs_word(run, "say");
        cli_runs_word(run, "%d", i);
        cli_runs_word(run, "--append=+/order");
        run->weight = weights[i];
    }
    assert_int_equal(cli_runs_do(&runs, 1, 1), CLI_OK);
    FILE *file = fopen("store/order", "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "1\n3\n2\n4\n0\n");
    cli_runs_close(&runs);
}

/* ---- failures ------------------------------------------------------------------- */

static void failures_stop_nobody(void **state)
{
    (void)state;
    cli_runs runs;
    open_store(&runs, store);
    cli_run *failed = add(&runs, "failed", "fail"), *died = add(&runs, "died", "die");
    cli_run *chatter = add(&runs, "chatter", "chatter"), *good = add(&runs, "good", "say 3");
    append_line("store/in-the-way", "a file, not a folder");
    cli_run *barred = add(&runs, "in-the-way/x", "say 1");
    for (int round = 0; round < 2; round++) {
        assert_int_equal(cli_runs_do(&runs, 2, 1), CLI_FAILED);
        assert_false(runs.interrupted);
        assert_true(!failed->result && !died->result && !chatter->result && good->result);
        assert_string_equal(failed->failure, "this is why");
        assert_non_null(strstr(died->failure, "signal"));
        assert_non_null(strstr(chatter->failure, "no JSON"));
        assert_non_null(strstr(barred->failure, "cannot write"));
        assert_false(has_file(&runs, failed, "result.json"));
        assert_true(good->was_there == round);
    }
    cli_runs_close(&runs);
}

/* ---- claims ---------------------------------------------------------------------- */

static void a_store_is_claimed(void **state)
{
    (void)state;
    cli_runs runs, other;
    assert_int_equal(cli_runs_open(&runs, store, 0), CLI_OK);
    pid_t child = fork();
    if (child == 0)
        _exit(cli_runs_open(&other, store, 1));
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WEXITSTATUS(status), CLI_FAILED);
    cli_runs_close(&runs);

    assert_int_equal(cli_runs_open(&runs, store, 0), CLI_FAILED);
    cli_runs_close(&runs);
    assert_int_equal(cli_runs_open(&runs, store, 1), CLI_OK);
    cli_runs_close(&runs);
    assert_int_equal(mkdir(elsewhere, 0777), 0);
    append_line("elsewhere/letter", "dear diary");
    assert_int_equal(cli_runs_open(&runs, elsewhere, 1), CLI_FAILED);
    cli_runs_close(&runs);
    assert_int_equal(cli_runs_open(&runs, "elsewhere/letter", 1), CLI_FAILED);
    cli_runs_close(&runs);
    assert_int_equal(count_lines("elsewhere/letter"), 1);
}

/* ---- interruptions ---------------------------------------------------------------- */

enum { N_BRIEF = 12 };

/* A process that does many brief runs, or two long ones.  All its processes hold the pipe open;
 * it exits with 10 more than its code if it was interrupted. */
static pid_t start_parent(int *end_of_all, int brief)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t parent = fork();
    if (parent == 0) {
        cli_runs runs;
        close(ends[0]);
        open_store(&runs, store);
        for (int i = 0; i < (brief ? N_BRIEF : 2); i++) {
            cli_run *run = cli_runs_add(&runs, "%d", i);
            cli_runs_words(run,
                           brief ? "sleep 0.02 --append=@/model" : "sleep 60 --append=+/begun");
        }
        int code = cli_runs_do(&runs, 2, 1);
        code += runs.interrupted ? 10 : 0;
        cli_runs_close(&runs);
        _exit(code);
    }
    close(ends[1]);
    *end_of_all = ends[0];
    return parent;
}

/* Ends when every process that holds the pipe is gone; cmocka's own time limit is the
 * patience of whoever runs it, so an alarm kills the test. */
static int wait_for_end(pid_t parent, int end_of_all)
{
    int status = 0;
    char byte;
    alarm(20);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    assert_int_equal(read(end_of_all, &byte, 1), 0);
    alarm(0);
    close(end_of_all);
    return status;
}

/* The results that there are, each of which must be whole; fills in when they were written. */
static size_t check_results(struct timespec *written)
{
    size_t n = 0;
    for (int i = 0; i < N_BRIEF; i++) {
        char path[64];
        struct stat about;
        snprintf(path, sizeof path, "store/%d/result.json", i);
        if (stat(path, &about))
            continue;
        json_t *result = json_load_file(path, 0, NULL);
        assert_true(json_is_object(result));
        json_decref(result);
        snprintf(path, sizeof path, "store/%d/model", i);
        assert_int_equal(count_lines(path), 1);
        if (written[i].tv_sec)
            assert_true(written[i].tv_sec == about.st_mtim.tv_sec &&
                        written[i].tv_nsec == about.st_mtim.tv_nsec);
        written[i] = about.st_mtim;
        n++;
    }
    return n;
}

static void killed_at_any_moment(void **state)
{
    (void)state;
    struct timespec written[N_BRIEF] = {{0, 0}};
    size_t n = 0, rounds = 0;
    for (unsigned step = 7; n < N_BRIEF && rounds < 200; step = step * 37 % 61, rounds++) {
        int end_of_all;
        pid_t parent = start_parent(&end_of_all, 1);
        pause_for(.001 * step * (1 + (double)rounds / 10)); /* where all is slow, too */
        kill(parent, SIGKILL);
        wait_for_end(parent, end_of_all);
        size_t now = check_results(written);
        assert_true(now >= n);
        n = now;
    }
    assert_true(rounds > 2 && n == N_BRIEF);
}

static void killed_with_its_children(void **state)
{
    (void)state;
    int end_of_all;
    pid_t parent = start_parent(&end_of_all, 0);
    for (int i = 0; i < 500 && count_lines("store/begun") < 2; i++)
        pause_for(.01);
    kill(parent, SIGKILL);
    wait_for_end(parent, end_of_all);
    assert_int_equal(count_lines("store/begun"), 2);
}

static void asked_to_stop(void **state)
{
    (void)state;
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < 2; i++) {
        int end_of_all;
        pid_t parent = start_parent(&end_of_all, 0);
        for (int k = 0; k < 500 && count_lines("store/begun") < 2 * (i + 1); k++)
            pause_for(.01);
        time_t before = time(NULL);
        kill(parent, signals[i]);
        int status = wait_for_end(parent, end_of_all);
        assert_true(time(NULL) - before < 8); /* asked, not killed after ten seconds */
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 10 + CLI_FAILED);
    }
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter, leave)
    const struct CMUnitTest tests[] = {
        IN_FOLDER(results_are_kept),
        IN_FOLDER(options_of_all_runs),
        IN_FOLDER(folders_in_words),
        IN_FOLDER(other_words_are_done_anew),
        IN_FOLDER(what_comes_after_other_words_is_done_anew),
        IN_FOLDER(damaged_runs_are_done_anew),
        IN_FOLDER(stages_wait_for_each_other),
        IN_FOLDER(the_heaviest_goes_first),
        IN_FOLDER(failures_stop_nobody),
        IN_FOLDER(a_store_is_claimed),
        IN_FOLDER(killed_at_any_moment),
        IN_FOLDER(killed_with_its_children),
        IN_FOLDER(asked_to_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

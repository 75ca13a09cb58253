#include "runs/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "allocate.h"
#include "messages.h"
#include "runs/machine_info.h"
#include "show/json_output.h"
#include "show/output_file.h"

#define OUTPUT "output.tmp" /* what the process prints, until it is a result */

static int fail(cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int fail(cli_run *run, const char *format, ...)
{
    va_list args;

    free(run->failure);
    va_start(args, format);
    run->failure = cli_memory_vprint(format, args);
    va_end(args);
    return CLI_FAILED;
}

int cli_runfolder_make(const char *path)
{
    char *part = cli_memory_copy(path, strlen(path));
    int code = 0;

    for (char *slash = part; slash && !code;) {
        slash = part[0] ? strchr(slash + 1, '/') : NULL;
        if (slash)
            *slash = '\0';
        code = mkdir(part, 0777) && errno != EEXIST ? -1 : 0;
        if (slash)
            *slash = '/';
    }
    free(part);
    return code;
}

/* ---- reading ------------------------------------------------------------------- */

static json_t *load(const cli_runs *runs, const cli_run *run, const char *file)
{
    char *path = cli_runs_path(runs, run, file);
    json_t *value = json_load_file(path, 0, NULL);

    free(path);
    if (json_is_object(value))
        return value;
    json_decref(value);
    return NULL;
}

static json_t *words_json(const cli_run *run)
{
    json_t *words = cli_json_array();
    for (int i = 0; i < run->n_words; i++)
        cli_json_append(words, cli_json_text(run->words[i]));
    return words;
}

static int has_same_words(const cli_runs *runs, const cli_run *run)
{
    json_t *command = load(runs, run, "command.json"), *words = words_json(run);
    json_t *after = run->after ? words_json(run->after) : NULL;
    json_t *was_after = json_object_get(command, "after");
    int same = json_equal(json_object_get(command, "words"), words) &&
               (after ? json_equal(was_after, after) : !was_after);

    json_decref(words);
    json_decref(after);
    json_decref(command);
    return same;
}

int cli_runfolder_read(const cli_runs *runs, cli_run *run)
{
    json_t *timing = NULL;

    json_decref(run->result);
    run->result = has_same_words(runs, run) ? load(runs, run, "result.json") : NULL;
    if (!run->result)
        return 0;
    timing = load(runs, run, "timing.json");
    const json_t *seconds = json_object_get(timing, "seconds");
    const json_t *peak = json_object_get(timing, "peak_rss_bytes");
    run->seconds = json_is_number(seconds) ? json_number_value(seconds) : NAN;
    run->peak_rss = json_is_number(peak) ? json_number_value(peak) : NAN;
    json_decref(timing);
    return 1;
}

/* ---- beginning ----------------------------------------------------------------- */

/* Removes the files of a folder, but no folders in it: these may be other runs. */
static int remove_files(const char *folder)
{
    struct dirent *entry;
    struct stat about;
    DIR *open_folder = opendir(folder);
    int code = open_folder ? 0 : -1;

    while (!code && (entry = readdir(open_folder))) {
        int at = dirfd(open_folder);
        if (fstatat(at, entry->d_name, &about, AT_SYMLINK_NOFOLLOW))
            code = -1;
        else if (!S_ISDIR(about.st_mode))
            code = unlinkat(at, entry->d_name, 0);
    }
    if (open_folder)
        closedir(open_folder);
    return code;
}

/* Empties the folder.  The result goes first: as long as it is there, so are its other files. */
static int clear(const cli_runs *runs, const cli_run *run)
{
    char *result = cli_runs_path(runs, run, "result.json"), *folder = cli_runs_path(runs, run, "");
    int code = cli_runfolder_make(folder);

    if (!code && unlink(result) && errno != ENOENT)
        code = -1;
    if (!code)
        code = remove_files(folder);
    free(folder);
    free(result);
    return code;
}

/* Writes the object, which it releases, as a file that appears whole. */
static int write_json(const cli_runs *runs, cli_run *run, const char *name, json_t *object)
{
    char *path = cli_runs_path(runs, run, name);
    cli_file file;
    int code = cli_file_open(&file, path, "--out");

    if (!code) {
        cli_json_write(file.stream, json_incref(object));
        code = cli_file_finish(&file);
    }
    if (code)
        fail(run, "cannot write %s", path);
    json_decref(object);
    free(path);
    return code;
}

int cli_runfolder_begin(const cli_runs *runs, cli_run *run)
{
    if (clear(runs, run))
        return fail(run, "cannot write in %s/%s: %s", runs->folder, run->name, strerror(errno));
    json_t *command = cli_json_object();
    cli_json_put(command, "words", words_json(run));
    if (run->after)
        cli_json_put(command, "after", words_json(run->after));
    cli_json_put(command, "version", cli_json_text(nln_version()));
    cli_json_put(command, "date", cli_machine_date());
    cli_json_put(command, "machine", cli_machine_json());
    return write_json(runs, run, "command.json", command);
}

/* ---- starting ------------------------------------------------------------------ */

/* The word with the folder that its @ or + stands for. */
static char *expand(const cli_runs *runs, const cli_run *run, const char *word)
{
    const char *equals = strchr(word, '=');
    const char *at = equals && word[0] == '-' ? equals + 1 : word;
    int length = (int)(at - word);

    if (strncmp(at, "@/", 2) == 0)
        return cli_memory_print("%.*s%s/%s%s", length, word, runs->folder, run->name, at + 1);
    if (strncmp(at, "+/", 2) == 0)
        return cli_memory_print("%.*s%s%s", length, word, runs->folder, at + 1);
    return cli_memory_copy(word, strlen(word));
}

/* The command line of the process: the options that all runs have stand before the run's own, so
 * that the latter win. */
static char **command_line(int *n, const cli_runs *runs, const cli_run *run, int threads)
{
    char **words = cli_memory_resize(NULL, (size_t)run->n_words + 2, sizeof *words);
    int first = 0;

    while (first < run->n_words && run->words[first][0] != '-')
        first++;
    *n = 0;
    for (int i = 0; i <= run->n_words; i++) {
        if (i == first) {
            words[(*n)++] = cli_memory_print("--json");
            words[(*n)++] = cli_memory_print("--threads=%d", threads);
        }
        if (i < run->n_words)
            words[(*n)++] = expand(runs, run, run->words[i]);
    }
    return words;
}

pid_t cli_runfolder_start(const cli_runs *runs, cli_run *run, int threads)
{
    int n_words;
    char **words = command_line(&n_words, runs, run, threads);
    char *output = cli_runs_path(runs, run, OUTPUT), *log = cli_runs_path(runs, run, "log.txt");
    pid_t pid = cli_child_start(words, n_words, output, log);

    if (pid < 0)
        fail(run, "cannot start a process: %s", strerror(errno));
    for (int i = 0; i < n_words; i++)
        free(words[i]);
    free(words);
    free(output);
    free(log);
    return pid;
}

/* ---- ending -------------------------------------------------------------------- */

/* Keeps the reason of a failure: the last line of the log that is not empty, without `nln: `. */
static void explain_failure(const cli_runs *runs, cli_run *run, const cli_ending *ending)
{
    char line[1024], last[1024] = "it said nothing", *log = cli_runs_path(runs, run, "log.txt");
    FILE *file = fopen(log, "r");

    while (file && fgets(line, sizeof line, file)) {
        const char *text = strncmp(line, "nln: ", 5) == 0 ? line + 5 : line;
        if (strcspn(text, "\r\n") > 0)
            snprintf(last, sizeof last, "%.*s", (int)strcspn(text, "\r\n"), text);
    }
    if (file)
        fclose(file);
    free(log);
    if (ending->signal == SIGKILL)
        fail(run, "it was killed, perhaps for lack of memory: fewer --jobs need less");
    else if (ending->signal)
        fail(run, "it died of signal %d (%s)", ending->signal, strsignal(ending->signal));
    else
        fail(run, "%s", last);
}

/* Renames the printed object to result.json once it is safely on the disk. */
static int keep_output(const cli_runs *runs, cli_run *run)
{
    char *output = cli_runs_path(runs, run, OUTPUT),
         *path = cli_runs_path(runs, run, "result.json");
    int descriptor = open(output, O_RDONLY | O_CLOEXEC);
    int code = descriptor < 0 || fsync(descriptor) || rename(output, path);

    if (code)
        fail(run, "cannot write %s: %s", path, strerror(errno));
    if (descriptor >= 0)
        close(descriptor);
    free(output);
    free(path);
    return code;
}

void cli_runfolder_finish(const cli_runs *runs, cli_run *run, const cli_ending *ending)
{
    json_t *result = ending->code == 0 ? load(runs, run, OUTPUT) : NULL;

    run->peak_rss = ending->peak_rss;
    if (ending->code != 0) {
        explain_failure(runs, run, ending);
    } else if (!result) {
        fail(run, "it printed no JSON object");
    } else {
        json_t *timing = cli_json_object();
        cli_json_put(timing, "seconds", cli_json_number(run->seconds));
        cli_json_put(timing, "processor_seconds", cli_json_number(ending->processor_seconds));
        cli_json_put(timing, "peak_rss_bytes", cli_json_number(run->peak_rss));
        if (!write_json(runs, run, "timing.json", timing) && !keep_output(runs, run))
            run->result = json_incref(result);
    }
    json_decref(result);
}

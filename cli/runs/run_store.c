#include "runs/run_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocate.h"
#include "messages.h"
#include "runs/machine_info.h"
#include "runs/run_folder.h"
#include "runs/worker_pool.h"

/* The file that marks a store, and that its user holds a lock on. */
#define MARK ".nln-runs"

static char *format_text(const char *format, va_list args)
{
    cli_text text;

    cli_text_open(&text);
    vfprintf(text.stream, format, args);
    return cli_text_close(&text);
}

/* ---- the store ----------------------------------------------------------------- */

static int is_empty(const char *folder)
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    int empty = 1;

    while (open_folder && empty && (entry = readdir(open_folder)))
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (open_folder)
        closedir(open_folder);
    return empty;
}

/* A lock of this kind goes with its process, and children do not inherit it. */
static int lock_whole(int descriptor)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(descriptor, F_SETLK, &lock);
}

static int take(cli_runs *runs, const char *mark)
{
    runs->lock = open(mark, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (runs->lock < 0)
        return cli_message_failed("%s: cannot write here (%s); choose another --out", runs->folder,
                                  strerror(errno));
    if (lock_whole(runs->lock) && (errno == EACCES || errno == EAGAIN))
        return cli_message_failed("%s: another nln is at work in this folder; wait for it, or "
                                  "choose another --out",
                                  runs->folder);
    return CLI_OK;
}

int cli_runs_open(cli_runs *runs, const char *folder, int resume)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    *runs = (cli_runs){.folder = cli_memory_copy(folder, length), .lock = -1};
    size_t room = length + sizeof "/" MARK;
    char *mark = cli_memory_resize(NULL, room, 1);
    int code = CLI_OK;

    snprintf(mark, room, "%s/%s", runs->folder, MARK);
    if (cli_runfolder_make(runs->folder))
        code = cli_message_failed("%s: cannot make this folder (%s); choose another --out", folder,
                                  strerror(errno));
    else if (access(mark, F_OK) != 0 && !is_empty(runs->folder))
        code =
            cli_message_failed("%s: this folder holds other files; choose another --out", folder);
    else if (access(mark, F_OK) == 0 && !resume)
        code = cli_message_failed("%s: there are runs here; go on with them by --resume, or choose "
                                  "another --out",
                                  folder);
    else
        code = take(runs, mark);
    free(mark);
    return code;
}

static void free_run(cli_run *run)
{
    for (int i = 0; i < run->n_words; i++)
        free(run->words[i]);
    free(run->words);
    free(run->name);
    free(run->failure);
    json_decref(run->result);
    free(run);
}

void cli_runs_close(cli_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++)
        free_run(runs->all[i]);
    free(runs->all);
    if (runs->folder && runs->lock >= 0)
        close(runs->lock);
    free(runs->folder);
    *runs = (cli_runs){.lock = -1};
}

/* ---- runs ---------------------------------------------------------------------- */

cli_run *cli_runs_add(cli_runs *runs, const char *name, ...)
{
    cli_run *run = cli_memory_resize(NULL, 1, sizeof *run);
    va_list args;

    *run = (cli_run){.weight = 1, .seconds = NAN, .peak_rss = NAN};
    va_start(args, name);
    run->name = format_text(name, args);
    va_end(args);
    runs->all = cli_memory_grow(runs->all, runs->n, &runs->room, sizeof *runs->all);
    runs->all[runs->n++] = run;
    return run;
}

/* Takes over the word. */
static void append(cli_run *run, char *word)
{
    run->words = cli_memory_grow(run->words, (size_t)run->n_words, &run->room, sizeof *run->words);
    run->words[run->n_words++] = word;
}

void cli_runs_word(cli_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    append(run, format_text(format, args));
    va_end(args);
}

void cli_runs_words(cli_run *run, const char *words)
{
    for (words += strspn(words, " "); *words; words += strspn(words, " ")) {
        size_t length = strcspn(words, " ");
        append(run, cli_memory_copy(words, length));
        words += length;
    }
}

char *cli_runs_path(const cli_runs *runs, const cli_run *run, const char *file)
{
    size_t room = strlen(runs->folder) + strlen(run->name) + strlen(file) + 3;
    char *path = cli_memory_resize(NULL, room, 1);
    snprintf(path, room, "%s/%s%s%s", runs->folder, run->name, file[0] ? "/" : "", file);
    return path;
}

double cli_runs_number(const cli_run *run, const char *path)
{
    const json_t *value = run->result;
    char key[64];

    while (value && path) {
        size_t length = strcspn(path, ".");
        snprintf(key, sizeof key, "%.*s", (int)length, path);
        value = json_object_get(value, key);
        path = path[length] ? path + length + 1 : NULL;
    }
    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* ---- doing them ---------------------------------------------------------------- */

size_t cli_runs_read(cli_runs *runs)
{
    size_t n = 0;
    for (size_t i = 0; i < runs->n; i++) {
        runs->all[i]->was_there = cli_runfolder_read(runs, runs->all[i]);
        n += runs->all[i]->was_there != 0;
    }
    return n;
}

/* A run and its place in the list, which decides between equals. */
typedef struct entry {
    cli_run *run;
    size_t place;
} entry;

static int by_turn(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->run->stage != y->run->stage)
        return x->run->stage < y->run->stage ? -1 : 1;
    if (x->run->weight != y->run->weight)
        return x->run->weight > y->run->weight ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* The runs without a result, in the order in which they are to be done. */
static cli_run **list_missing(size_t *n, const cli_runs *runs)
{
    entry *entries = cli_memory_resize(NULL, runs->n, sizeof *entries);
    cli_run **missing = cli_memory_resize(NULL, runs->n, sizeof(cli_run *));

    *n = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (!runs->all[i]->result)
            entries[(*n)++] = (entry){runs->all[i], i};
    qsort(entries, *n, sizeof *entries, by_turn);
    for (size_t i = 0; i < *n; i++)
        missing[i] = entries[i].run;
    free(entries);
    return missing;
}

static int tell_failures(const cli_runs *runs)
{
    size_t n_missing = 0;
    for (size_t i = 0; i < runs->n; i++) {
        const cli_run *run = runs->all[i];
        n_missing += !run->result;
        if (run->failure)
            cli_message_note("%s failed: %s (its log: %s/%s/log.txt)", run->name, run->failure,
                             runs->folder, run->name);
    }
    if (runs->interrupted)
        return cli_message_failed("interrupted: %zu of %zu runs are done, and --resume goes on",
                                  runs->n - n_missing, runs->n);
    if (n_missing > 0)
        return cli_message_failed("%zu of %zu runs failed; --resume tries them again", n_missing,
                                  runs->n);
    return CLI_OK;
}

int cli_runs_do(cli_runs *runs, int jobs, int quiet)
{
    int cores = runs->threads > 0 ? runs->threads : cli_machine_cores();
    int wanted = jobs > 0 ? jobs : cores;
    size_t n_missing;

    cli_runs_read(runs);
    cli_run **missing = list_missing(&n_missing, runs);
    if (n_missing > 0 && (size_t)wanted > n_missing)
        wanted = (int)n_missing;
    int threads = cores / wanted > 1 ? cores / wanted : 1;
    runs->interrupted = cli_worker_pool_work(runs, missing, n_missing, wanted, threads, quiet) != 0;
    free(missing);
    return tell_failures(runs);
}

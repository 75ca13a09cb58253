#include "runs/run_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocate.h"
#include "messages.h"
#include "runs/machine_info.h"
#include "runs/run_claims.h"
#include "runs/run_folder.h"
#include "runs/worker_pool.h"

/* The file that marks a store, and that its user holds a lock on. */
#define MARK ".nln-runs"

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

/* The lock ends with the process, and children do not inherit it. */
static int take(cli_runs *runs, const char *mark)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    runs->lock = open(mark, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (runs->lock < 0)
        return cli_message_failed("%s: cannot write here (%s); choose another --out", runs->folder,
                                  strerror(errno));
    if (fcntl(runs->lock, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN))
        return cli_message_failed("%s: another nln is at work in this folder; wait for it, or "
                                  "choose another --out",
                                  runs->folder);
    return CLI_OK;
}

int cli_runs_open(cli_runs *runs, const char *folder, int resume)
{
    size_t length = strlen(folder);
    int code;

    while (length > 1 && folder[length - 1] == '/')
        length--;
    *runs = (cli_runs){.folder = cli_memory_copy(folder, length), .lock = -1};
    if (nln_cluster_rank()) /* rank 0 takes it for all */
        return CLI_OK;
    if (cli_runfolder_make(runs->folder))
        return cli_message_failed("%s: cannot make this folder (%s); choose another --out", folder,
                                  strerror(errno));
    char *mark = cli_memory_print("%s/%s", runs->folder, MARK);
    int is_store = access(mark, F_OK) == 0;
    if (!is_store && !is_empty(runs->folder))
        code =
            cli_message_failed("%s: this folder holds other files; choose another --out", folder);
    else if (is_store && !resume)
        code = cli_message_failed("%s: there are runs here; go on with them by --resume, or choose "
                                  "another --out",
                                  folder);
    else
        code = take(runs, mark);
    free(mark);
    return code;
}

void cli_runs_close(cli_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++) {
        cli_run *run = runs->all[i];
        for (int w = 0; w < run->n_words; w++)
            free(run->words[w]);
        free(run->words);
        free(run->name);
        free(run->failure);
        json_decref(run->result);
        free(run);
    }
    free(runs->all);
    free(runs->claims);
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

    *run = (cli_run){.place = runs->n, .weight = 1, .seconds = NAN, .peak_rss = NAN};
    va_start(args, name);
    run->name = cli_memory_vprint(name, args);
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
    append(run, cli_memory_vprint(format, args));
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
    return cli_memory_print("%s/%s%s%s", runs->folder, run->name, file[0] ? "/" : "", file);
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

/* By stage, then the heaviest first, then by the place in the list. */
static int by_turn(const void *a, const void *b)
{
    const cli_run *x = *(cli_run *const *)a, *y = *(cli_run *const *)b;
    if (x->stage != y->stage)
        return x->stage < y->stage ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    return x->place < y->place ? -1 : 1;
}

/* The runs without a result, in the order in which they start. */
static cli_run **list_missing(size_t *n, const cli_runs *runs)
{
    cli_run **missing = cli_memory_resize(NULL, runs->n, sizeof(cli_run *));

    *n = 0;
    for (size_t i = 0; i < runs->n; i++)
        if (!runs->all[i]->result)
            missing[(*n)++] = runs->all[i];
    qsort(missing, *n, sizeof *missing, by_turn);
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

/* How many runs of a list, sorted by stage, are up to this one; all of them without ranks. */
static size_t count_stage(const cli_runs *runs, cli_run *const *list, size_t n, int stage)
{
    size_t end = 0;
    while (end < n && (!runs->claims || list[end]->stage <= stage))
        end++;
    return end;
}

/* Stage by stage where ranks have to meet between them.  While a rank does runs it is alone. */
static int work(cli_runs *runs, cli_run **list, size_t n, int jobs, int threads, int quiet)
{
    int last_stage = 0, code = cli_run_claims_open(runs);
    for (size_t i = 0; runs->claims && i < runs->n; i++)
        last_stage = runs->all[i]->stage > last_stage ? runs->all[i]->stage : last_stage;
    for (int stage = 0; !code && stage <= last_stage; stage++) {
        size_t end = count_stage(runs, list, n, stage);
        nln_cluster_alone(1);
        runs->interrupted = cli_worker_pool_work(runs, list, end, jobs, threads, quiet) != 0;
        nln_cluster_alone(0);
        if (runs->interrupted)
            break;
        code = cli_run_claims_meet(runs);
        list += end;
        n -= end;
    }
    cli_run_claims_close(runs);
    return code;
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
    int code = work(runs, missing, n_missing, wanted, threads, quiet);
    free(missing);
    if (code || (nln_cluster_rank() && !runs->interrupted))
        return code; /* rank 0 tells */
    return tell_failures(runs);
}

/* A store of runs: a folder with the results of command lines of this program.
 *
 * A run has a name, which is its folder in the store, and words, which are a command line
 * without `nln`.  Missing results are computed, several runs at a time, each in a process of
 * its own; results that are there are never computed again.  The folder of a run holds
 *
 *     command.json   the words, the version, the date and the machine
 *     log.txt        what the run said on standard error
 *     timing.json    seconds and peak memory of its process
 *     result.json    the JSON object that it printed
 *
 * and the files that the command itself writes.  result.json appears last, and whole: a run is
 * finished if it has one and its words, and those of the run that it comes after, are those of
 * command.json.  Otherwise the files in its folder are removed and the run starts again.  So
 * whatever stops the program, nothing unfinished looks finished.  The words are trusted: data that
 * changes under the same name is not noticed.
 *
 *     cli_runs runs;
 *     int code = cli_runs_open(&runs, "results/runs", resume);
 *     cli_run *run = cli_runs_add(&runs, "data/seed-%d", seed);
 *     cli_runs_words(run, "generate logic --variables 100 --out +/data/seed-1/set");
 *     run = cli_runs_add(&runs, "table2/seed-%d", seed);
 *     run->stage = 1;
 *     cli_runs_words(run, "train +/data/seed-1/set --out @/model.nln");
 *     cli_runs_word(run, "--seed=%d", seed);
 *     if (!code)
 *         code = cli_runs_do(&runs, jobs, quiet);
 *     ... cli_runs_number(run, "test.accuracy") ...
 *     cli_runs_close(&runs);
 */
#ifndef CLI_RUNS_RUN_STORE_H
#define CLI_RUNS_RUN_STORE_H

#include <jansson.h>
#include <stddef.h>

typedef struct cli_run {
    char *name; /* unique, such as table2/bilstm/seed-3; parts that are folders, no `..` */
    /* In a word @/FILE and in an option --NAME=@/FILE the @ stands for the folder of the run;
     * + stands for the folder of the store.  --json and --threads are added to the words. */
    char **words;
    int n_words;
    size_t room;
    const struct cli_run *after; /* a run whose files this one reads, or NULL: where that one has
                                  * other words now, this one is done again too */
    int stage;     /* the runs of a stage begin when all of the stages below it have ended */
    double weight; /* a guess of how long it takes, in any unit; 1 unless set */
    size_t place;  /* in the list of runs */
    int is_mine;   /* this rank of a job has claimed it: see run_claims.h */

    /* After cli_runs_read or cli_runs_do: */
    int was_there;   /* finished before, and not computed now */
    json_t *result;  /* NULL if the run failed or has not been done */
    char *failure;   /* why it failed, in a line; NULL if it did not */
    double seconds;  /* of the run, NaN when unknown */
    double peak_rss; /* in bytes, NaN when unknown */
} cli_run;

typedef struct cli_runs {
    char *folder;
    cli_run **all; /* [n]; a run keeps its address */
    size_t n, room;
    int threads;     /* most, of all processes together; 0, unless set: one for each core */
    int lock;        /* descriptor */
    int interrupted; /* by a signal, in cli_runs_do */
    char *claims;    /* of a job of several ranks, the folder of their claims; else NULL */
} cli_runs;

/* Under mpirun every rank makes the same calls; the runs are shared out over the ranks, and only
 * rank 0 has results afterwards (see run_claims.h). */

/* Takes the folder, which is made if there is none, for this process alone.  It must be
 * empty or, with `resume`, may be an old store.  Returns an exit code; whatever it is,
 * cli_runs_close releases the store. */
int cli_runs_open(cli_runs *runs, const char *folder, int resume);
void cli_runs_close(cli_runs *runs);

/* A new run without words. */
cli_run *cli_runs_add(cli_runs *runs, const char *name, ...) __attribute__((format(printf, 2, 3)));
/* Appends one word, whatever it holds. */
void cli_runs_word(cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the words of a text, separated by spaces. */
void cli_runs_words(cli_run *run, const char *words);

/* Fills in the results that are there, and returns how many. */
size_t cli_runs_read(cli_runs *runs);
/* The same, and computes the missing ones, `jobs` at a time (0: as many as there are threads),
 * the heaviest of a stage first.  A failed run does not stop the others; messages at the end
 * name the failures.  SIGINT and SIGTERM stop all runs.  The process must have no threads.  Returns
 * CLI_OK if every run has its result, else CLI_FAILED. */
int cli_runs_do(cli_runs *runs, int jobs, int quiet);

/* A number of the result by its path, such as "test.full.ndcg@10"; NaN if there is none. */
double cli_runs_number(const cli_run *run, const char *path);
/* The path of a file in the folder of a run; the caller frees it. */
char *cli_runs_path(const cli_runs *runs, const cli_run *run, const char *file);

#endif

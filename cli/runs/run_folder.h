/* The folder of one run in its store: see run_store.h. */
#ifndef CLI_RUNS_RUN_FOLDER_H
#define CLI_RUNS_RUN_FOLDER_H

#include "runs/run_store.h"
#include "runs/subprocess.h"

/* Makes a folder and those above it.  Returns 0, or -1 with errno. */
int cli_runfolder_make(const char *path);
/* Whether the run is finished; fills in its result then. */
int cli_runfolder_read(const cli_runs *runs, cli_run *run);
/* Removes the files of an unfinished or different run, and writes command.json.  Returns an exit
 * code; run->failure says what is wrong. */
int cli_runfolder_begin(const cli_runs *runs, cli_run *run);
/* Starts the process of a run; -1 with run->failure set if it cannot be started. */
pid_t cli_runfolder_start(const cli_runs *runs, cli_run *run, int threads);
/* Keeps what the process printed, if it ended well; else run->failure says what happened. */
void cli_runfolder_finish(const cli_runs *runs, cli_run *run, const cli_ending *ending);

#endif

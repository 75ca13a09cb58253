/* Processes that do runs, several at a time. */
#ifndef CLI_RUNS_WORKER_POOL_H
#define CLI_RUNS_WORKER_POOL_H

#include "runs/run_store.h"

/* Does runs[0..n), which are sorted by stage and have no result, `jobs` at a time with so many
 * threads each.  Their result or failure says how it went; a run that a signal to this process
 * has prevented has neither.  Returns that signal, or 0. */
int cli_worker_pool_work(cli_runs *store, cli_run **runs, size_t n, int jobs, int threads,
                         int quiet);

#endif

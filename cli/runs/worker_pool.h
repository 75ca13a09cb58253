/* Does runs in processes, several at a time, with progress on standard error unless quiet. */
#ifndef CLI_RUNS_WORKER_POOL_H
#define CLI_RUNS_WORKER_POOL_H

#include "runs/run_store.h"

/* Does runs[0..n), which are sorted by stage and have no result, `jobs` at a time with `threads`
 * threads each, and fills in their result or failure; a run that a signal to this process
 * prevented has neither.  Returns that signal, or 0. */
int cli_worker_pool_work(cli_runs *store, cli_run **runs, size_t n, int jobs, int threads,
                         int quiet);

#endif

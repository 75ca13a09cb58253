/* The runs of a store divided among the ranks of a job (mpirun), which start a process for each.
 *
 * An idle rank takes the next run: it makes a file in a folder of claims, which only one can
 * make. So the folder of the store must be one that all machines see.  A stage begins when all
 * ranks have ended the one before.  Results come to rank 0, which goes on alone with them.  In a
 * process without ranks all of this does nothing, and every run is its own. */
#ifndef CLI_RUNS_RUN_CLAIMS_H
#define CLI_RUNS_RUN_CLAIMS_H

#include "runs/run_store.h"

/* Every rank calls these.  Returns an exit code. */
int cli_run_claims_open(cli_runs *runs);
/* Ends a stage: waits for all ranks, and fills in on rank 0 what the others have done. */
int cli_run_claims_meet(cli_runs *runs);
void cli_run_claims_close(cli_runs *runs);

/* Whether this rank does the run. */
int cli_run_claims_claim(const cli_runs *runs, cli_run *run);

#endif

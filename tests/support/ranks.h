/* A test that runs on several ranks: run without mpirun, it starts itself under mpirun. */
#ifndef NLN_TESTS_RANKS_H
#define NLN_TESTS_RANKS_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nln.h"

/* The program itself with each number of ranks; the exit code of the first that fails.  Where there
 * is no MPI that is said, and only the part for one process is run. */
static inline int ranks_run(const int *sizes, int n)
{
    char path[PATH_MAX], command[PATH_MAX + 200];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    if (!nln_cluster_plugin() || system("command -v mpirun >/dev/null 2>&1")) {
        puts("SKIPPED: there is no MPI, so nothing was tried on several ranks");
        return 0;
    }
    setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
    setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    for (int i = 0; i < n; i++) {
        snprintf(command, sizeof command, "timeout 120 mpirun --quiet --oversubscribe -n %d '%s'",
                 sizes[i], path);
        fflush(stdout);
        if (system(command)) {
            printf("it failed on %d ranks\n", sizes[i]);
            return 1;
        }
    }
    return 0;
}

#endif

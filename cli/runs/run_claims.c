#include "runs/run_claims.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "allocate.h"
#include "messages.h"
#include "nln.h"
#include "runs/run_folder.h"

/* ---- what ranks tell each other ----------------------------------------------------- */

/* The texts of all ranks, end to end, on every rank; NULL after a message. */
static char *gather(const char *mine)
{
    nln_error err = {0};
    char *all;
    size_t n;
    if (!nln_cluster_gather(&all, &n, mine, strlen(mine), &err))
        return all;
    cli_message_error(&err);
    return NULL;
}

/* ---- claims ------------------------------------------------------------------------- */

static char *claim_path(const cli_runs *runs, const cli_run *run)
{
    return cli_memory_print("%s/%zu", runs->claims, run->place);
}

/* A folder for this job alone: one that a job left behind is another. */
static int make_claims(cli_runs *runs)
{
    runs->claims = cli_memory_print("%s/.claims-%ld-%lld", runs->folder, (long)getpid(),
                                    (long long)time(NULL));
    if (mkdir(runs->claims, 0777) == 0)
        return CLI_OK;
    return cli_message_failed("%s: cannot make this folder: %s", runs->claims, strerror(errno));
}

/* The folder may take a while to be seen from another machine. */
static int find_claims(cli_runs *runs)
{
    enum { LOOKS = 50 };
    const struct timespec tenth = {0, 100000000};
    for (int i = 0; i < LOOKS; i++) {
        if (access(runs->claims, W_OK) == 0)
            return CLI_OK;
        nanosleep(&tenth, NULL);
    }
    return cli_message_failed(
        "%s: this machine does not see the folder of rank 0; --out must be on "
        "a file system that all machines share",
        runs->folder);
}

int cli_run_claims_open(cli_runs *runs)
{
    if (nln_cluster_size() == 1)
        return CLI_OK;
    int code = nln_cluster_rank() ? CLI_OK : make_claims(runs);
    if (code)
        return code;
    char *name = gather(runs->claims ? runs->claims : "");
    if (!name)
        return CLI_FAILED;
    if (!runs->claims) {
        runs->claims = cli_memory_copy(name, strlen(name));
        code = find_claims(runs);
    }
    nln_free(name);
    return code;
}

int cli_run_claims_claim(const cli_runs *runs, cli_run *run)
{
    if (!runs->claims)
        return 1;
    char *path = claim_path(runs, run);
    int descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    free(path);
    if (descriptor >= 0)
        close(descriptor);
    run->is_mine = descriptor >= 0;
    return run->is_mine;
}

void cli_run_claims_close(cli_runs *runs)
{
    for (size_t i = 0; runs->claims && !nln_cluster_rank() && i < runs->n; i++) {
        char *path = claim_path(runs, runs->all[i]);
        unlink(path);
        free(path);
    }
    if (runs->claims && !nln_cluster_rank())
        rmdir(runs->claims);
    free(runs->claims);
    runs->claims = NULL;
}

/* ---- meeting ------------------------------------------------------------------------ */

/* A line for each run that this rank has done since the last time: its place, and why it failed, if
 * it did. */
static char *report(cli_runs *runs)
{
    cli_text text;
    cli_text_open(&text);
    for (size_t i = 0; i < runs->n; i++) {
        cli_run *run = runs->all[i];
        if (run->is_mine && nln_cluster_rank())
            fprintf(text.stream, "%zu %s\n", i, run->failure ? run->failure : "");
        run->is_mine = 0;
    }
    return cli_text_close(&text);
}

/* A result that another machine has written may take a while to be seen here. */
static void read_result(cli_runs *runs, cli_run *run)
{
    enum { LOOKS = 100 };
    const struct timespec tenth = {0, 100000000};
    for (int i = 0; i < LOOKS && !cli_runfolder_read(runs, run); i++)
        nanosleep(&tenth, NULL);
    if (!run->result)
        run->failure = cli_memory_print("its result is not seen on the machine of rank 0");
}

static void take_report(cli_runs *runs, char *lines)
{
    char *rest = NULL;
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *text = NULL;
        size_t place = (size_t)strtoull(line, &text, 10);
        if (place >= runs->n || *text != ' ')
            continue;
        if (text[1])
            runs->all[place]->failure = cli_memory_copy(text + 1, strlen(text + 1));
        else
            read_result(runs, runs->all[place]);
    }
}

int cli_run_claims_meet(cli_runs *runs)
{
    if (!runs->claims)
        return CLI_OK;
    char *mine = report(runs), *all = gather(mine);
    if (all && !nln_cluster_rank())
        take_report(runs, all);
    free(mine);
    nln_free(all);
    return all ? CLI_OK : CLI_FAILED;
}

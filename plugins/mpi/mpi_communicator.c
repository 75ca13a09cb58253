/* The communicator of base/communicator.h on MPI, as a plug-in of its own: the only file of the
 * project that knows MPI. */
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/communicator.h"

static nln_communicator *self;

/* A message of MPI has at most 2^31 - 1 items. */
enum { CHUNK = 1 << 30, TAG = 1 };

static void rest(long nanoseconds)
{
    nanosleep(&(struct timespec){0, nanoseconds}, NULL);
}

/* Starts the messages of one direction, in pieces; returns how many requests that makes. */
static int start(MPI_Request *request, const nln_message *message, int n, int sends)
{
    int count = 0;
    for (int i = 0; i < n; i++)
        for (size_t at = 0; at < message[i].n; at += CHUNK) {
            size_t left = message[i].n - at;
            int bytes = (int)(left < CHUNK ? left : CHUNK);
            char *data = (char *)message[i].data + at;
            if (sends)
                MPI_Isend(data, bytes, MPI_BYTE, message[i].rank, TAG, MPI_COMM_WORLD,
                          &request[count++]);
            else
                MPI_Irecv(data, bytes, MPI_BYTE, message[i].rank, TAG, MPI_COMM_WORLD,
                          &request[count++]);
        }
    return count;
}

static size_t pieces(const nln_message *message, int n)
{
    size_t count = 0;
    for (int i = 0; i < n; i++)
        count += (message[i].n + CHUNK - 1) / CHUNK;
    return count;
}

/* Looks often at first, so that short waits stay short, and then rests between looks, so that a
 * rank that waits long leaves the processor to others. */
static int wait_for(MPI_Request *request, int n, double patience)
{
    double begin = MPI_Wtime(), waited = 0;
    int done = 0;
    while (!done) {
        MPI_Testall(n, request, &done, MPI_STATUSES_IGNORE);
        if (done)
            break;
        waited = MPI_Wtime() - begin;
        if (waited > patience)
            return 0;
        if (waited > 0.02)
            rest(waited > 1 ? 1000000 : 50000);
        else
            sched_yield();
    }
    return 1;
}

static int exchange(const nln_message *send, int n_send, const nln_message *receive, int n_receive,
                    double patience)
{
    enum { FEW = 64 };
    MPI_Request few[FEW], *request = few;
    size_t n = pieces(send, n_send) + pieces(receive, n_receive);
    if (n > FEW && !(request = malloc(n * sizeof *request))) {
        self->abort("out of memory");
        return -1;
    }
    int count = start(request, receive, n_receive, 0);
    count += start(request + count, send, n_send, 1);
    int done = wait_for(request, count, patience);
    if (request != few)
        free(request);
    if (done)
        return -1;
    return n_receive ? receive[0].rank : n_send ? send[0].rank : 0;
}

/* Where standard error was when the process joined: that of other ranks than 0 may be closed. */
static FILE *errors;

static void say(const char *sentence)
{
    if (sentence)
        fprintf(errors ? errors : stderr, "nln: %s: %s\n", self->host, sentence);
    fflush(errors ? errors : stderr);
}

static void end_job(const char *sentence)
{
    say(sentence);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Ends the parent if it is mpirun by one of its names.  It has to be killed: asked to end, it waits
 * for the machine that is cut off, and asked twice it crashes (Open MPI 4.1). */
static void end_launcher(void)
{
    static const char *const names[] = {"mpirun\n", "mpiexec\n", "orterun\n", "prterun\n",
                                        "hydra_pmi_proxy\n"};
    char path[64], name[64] = "";
    pid_t parent = getppid();
    snprintf(path, sizeof path, "/proc/%ld/comm", (long)parent);
    FILE *in = fopen(path, "r");
    if (!in)
        return;
    int is_named = fgets(name, sizeof name, in) != NULL;
    fclose(in);
    for (size_t i = 0; is_named && i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            kill(parent, SIGKILL);
}

static void give_up(const char *sentence, int is_cut)
{
    say(sentence);
    if (is_cut) {
        rest(300000000); /* for the launcher to pass the sentence on */
        end_launcher();
    }
    _exit(1);
}

/* Rests while the others are still at work, where MPI_Finalize would spin. */
static void leave(void)
{
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        rest(1000000);
    MPI_Finalize();
}

__attribute__((visibility("default"))) int nln_plugin_join(nln_communicator *out);

int nln_plugin_join(nln_communicator *out)
{
    int provided, started = 0, n;
    char host[MPI_MAX_PROCESSOR_NAME] = "";
    if (out->version != NLN_COMMUNICATOR_VERSION)
        return -1;
    MPI_Initialized(&started);
    if (!started && MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided))
        return -1;
    self = out;
    MPI_Comm_rank(MPI_COMM_WORLD, &out->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &out->size);
    MPI_Get_processor_name(host, &n);
    int kept = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    errors = kept < 0 ? NULL : fdopen(kept, "w");
    snprintf(out->host, sizeof out->host, "%.*s", NLN_HOST_ROOM - 1, host);
    out->exchange = exchange;
    out->abort = end_job;
    out->give_up = give_up;
    out->leave = leave;
    return 0;
}

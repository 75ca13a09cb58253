#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for dladdr */
#endif
#include "base/communicator.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/heartbeat.h"

#ifndef NLN_PLUGIN_FROM_BIN /* the build knows the folder of libraries */
#define NLN_PLUGIN_FROM_BIN "../lib/nln/nln-mpi.so"
#endif

static struct {
    nln_communicator own; /* valid once joined */
    int joined;
    const nln_communicator *current;
    nln_communicator_counts counts;
    nln_heartbeat *heartbeat;    /* NULL if ranks cannot reach rank 0 beside MPI */
    char (*host)[NLN_HOST_ROOM]; /* [size] of the ranks */
} job;

const nln_communicator *nln_communicator_get(void)
{
    return job.current;
}

void nln_communicator_set(const nln_communicator *c)
{
    job.current = c;
}

int nln_communicator_rank(void)
{
    return job.current ? job.current->rank : 0;
}

int nln_communicator_size(void)
{
    return job.current ? job.current->size : 1;
}

nln_communicator_counts *nln_communicator_count(void)
{
    return &job.counts;
}

/* ---- messages ------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds_of(const char *variable, double otherwise)
{
    const char *text = getenv(variable);
    double seconds = text ? strtod(text, NULL) : 0;
    return seconds > 0 ? seconds : otherwise;
}

/* How long a rank that is alive may keep another one waiting. */
static double patience(void)
{
    return seconds_of("NLN_CLUSTER_TIMEOUT", 600);
}

static const char *host_of(int rank)
{
    return job.host ? job.host[rank] : "another machine";
}

void nln_communicator_exchange(const nln_message *send, int n_send, const nln_message *receive,
                               int n_receive)
{
    double before = now(), limit = patience();
    int silent = job.current->exchange(send, n_send, receive, n_receive, limit);
    if (silent >= 0) {
        char sentence[256];
        snprintf(sentence, sizeof sentence,
                 "rank %d on %s has not answered for %g s (NLN_CLUSTER_TIMEOUT); the job ends",
                 silent, host_of(silent), limit);
        nln_cluster_abort(sentence);
    }
    job.counts.seconds_waited += now() - before;
    job.counts.messages += n_send;
    for (int i = 0; i < n_send; i++)
        job.counts.bytes_sent += (double)send[i].n;
}

/* Without memory for the table of parts the job cannot go on. */
static void end_without_memory(void)
{
    nln_cluster_abort(nln_memory_shortage());
}

/* From rank 0 to 1, from 0 and 1 to 2 and 3, and so on. */
void nln_communicator_broadcast(void *data, size_t n)
{
    int rank = nln_communicator_rank(), size = nln_communicator_size();
    for (int step = 1; step < size && n; step *= 2) {
        nln_message m = {rank < step ? rank + step : rank - step, data, n};
        if (rank < step && m.rank < size)
            nln_communicator_exchange(&m, 1, NULL, 0);
        else if (rank >= step && rank < 2 * step)
            nln_communicator_exchange(NULL, 0, &m, 1);
    }
}

void nln_communicator_gather_parts(void *all, const size_t *first, size_t size)
{
    char *bytes = all;
    int rank = nln_communicator_rank(), n_ranks = nln_communicator_size();
    for (int r = 1; r < n_ranks; r++) {
        nln_message m = {rank ? 0 : r, bytes + first[r] * size, (first[r + 1] - first[r]) * size};
        if (m.n && rank == r)
            nln_communicator_exchange(&m, 1, NULL, 0);
        else if (m.n && !rank)
            nln_communicator_exchange(NULL, 0, &m, 1);
    }
    nln_communicator_broadcast(all, first[n_ranks] * size);
}

void nln_communicator_gather_directly(void *all, const size_t *first, size_t size)
{
    char *bytes = all;
    size_t me = (size_t)nln_communicator_rank(), n_ranks = (size_t)nln_communicator_size();
    int n_send = 0, n_receive = 0;
    if (n_ranks == 1)
        return;
    nln_message *send = nln_array_zeroed(2 * n_ranks, sizeof *send);
    if (!send) {
        end_without_memory();
        return;
    }
    nln_message *receive = send + n_ranks;
    for (size_t r = 0; r < n_ranks; r++) {
        size_t theirs = (first[r + 1] - first[r]) * size, mine = (first[me + 1] - first[me]) * size;
        if (r == me)
            continue;
        if (theirs)
            receive[n_receive++] = (nln_message){(int)r, bytes + first[r] * size, theirs};
        if (mine)
            send[n_send++] = (nln_message){(int)r, bytes + first[me] * size, mine};
    }
    nln_communicator_exchange(send, n_send, receive, n_receive);
    nln_free(send);
}

void nln_communicator_gather(void *all, const void *mine, size_t n)
{
    size_t n_ranks = (size_t)nln_communicator_size();
    memmove((char *)all + (size_t)nln_communicator_rank() * n, mine, n);
    if (n_ranks == 1)
        return;
    size_t *first = nln_array_zeroed(n_ranks + 1, sizeof *first);
    if (!first) {
        end_without_memory();
        return;
    }
    for (size_t r = 0; r <= n_ranks; r++)
        first[r] = r;
    nln_communicator_gather_parts(all, first, n);
    nln_free(first);
}

int nln_communicator_any(int says)
{
    size_t n = (size_t)nln_communicator_size();
    int any = says != 0;
    if (n == 1)
        return any;
    char *all = nln_array_zeroed(n, 1), mine = (char)any;
    if (!all) {
        end_without_memory();
        return any;
    }
    nln_communicator_gather(all, &mine, 1);
    for (size_t i = 0; i < n; i++)
        any |= all[i];
    nln_free(all);
    return any;
}

/* ---- shares -------------------------------------------------------------------------------- */

static size_t share_begin(size_t n, size_t block, size_t rank)
{
    size_t size = (size_t)nln_communicator_size(), blocks = n / block + (n % block > 0);
    size_t first = (blocks / size * rank + blocks % size * rank / size) * block;
    return first < n ? first : n;
}

nln_share nln_communicator_share(size_t n, size_t block)
{
    size_t rank = (size_t)nln_communicator_rank();
    return (nln_share){share_begin(n, block, rank), share_begin(n, block, rank + 1)};
}

void nln_communicator_join_shares(void *all, size_t n, size_t block, size_t size)
{
    size_t n_ranks = (size_t)nln_communicator_size();
    if (n_ranks == 1)
        return;
    size_t *first = nln_array_zeroed(n_ranks + 1, sizeof *first);
    if (!first) {
        end_without_memory();
        return;
    }
    for (size_t r = 0; r <= n_ranks; r++)
        first[r] = share_begin(n, block, r);
    nln_communicator_gather_parts(all, first, size);
    nln_free(first);
}

/* ---- files --------------------------------------------------------------------------------- */

/* The whole file, with its size; NULL if it cannot be read or there is no memory. */
static char *read_whole(size_t *n, const char *path)
{
    FILE *in = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0, got = 1;
    *n = 0;
    while (in && got) {
        if (!nln_array_grow(&bytes, &room, *n + (1u << 20), 1))
            break;
        got = fread(bytes + *n, 1, room - *n, in);
        *n += got;
    }
    int ok = in && !got && !ferror(in);
    if (in)
        fclose(in);
    if (!ok) {
        nln_free(bytes);
        return NULL;
    }
    return bytes;
}

static nln_status keep_copy(nln_shared_file *f, const char *bytes, size_t n, nln_error *err)
{
    FILE *copy = tmpfile();
    int ok = copy && fwrite(bytes, 1, n, copy) == n && !fflush(copy);
    f->descriptor = ok ? dup(fileno(copy)) : -1;
    if (copy)
        fclose(copy);
    if (f->descriptor < 0)
        return nln_error_set(err, NLN_IO, "cannot keep a copy of the file of rank 0");
    snprintf(f->path, sizeof f->path, "/dev/fd/%d", f->descriptor);
    return NLN_OK;
}

nln_status nln_shared_file_open(nln_shared_file *f, const char **path, nln_error *err)
{
    uint64_t about[2] = {0, 0}; /* whether there is one, and its size */
    size_t n = 0;
    char *bytes = NULL;
    nln_status status = NLN_OK;
    f->descriptor = -1;
    if (!job.current)
        return NLN_OK;
    if (!job.current->rank && (bytes = read_whole(&n, *path))) {
        about[0] = 1;
        about[1] = n;
    }
    nln_communicator_broadcast(about, sizeof about);
    if (!about[0]) {
        *path = NULL;
        return NLN_OK;
    }
    if (job.current->rank && !(bytes = nln_array_zeroed((size_t)about[1] + 1, 1)))
        return nln_error_memory(err);
    nln_communicator_broadcast(bytes, (size_t)about[1]);
    if (job.current->rank) {
        status = keep_copy(f, bytes, (size_t)about[1], err);
        *path = f->path;
    }
    nln_free(bytes);
    return status;
}

void nln_shared_file_close(nln_shared_file *f)
{
    if (f->descriptor >= 0)
        close(f->descriptor);
    f->descriptor = -1;
}

/* ---- joining ------------------------------------------------------------------------------- */

static int is_file(const char *path)
{
    return access(path, R_OK) == 0;
}

/* Beside the library or the program, in its folder of plug-ins, or where the library was to be
 * installed. */
const char *nln_cluster_plugin(void)
{
    static char path[1024];
    static const char *const places[] = {"nln-mpi.so", "nln/nln-mpi.so", "../lib/nln/nln-mpi.so",
                                         NLN_PLUGIN_FROM_BIN};
    const char *given = getenv("NLN_PLUGINS"), *slash;
    Dl_info about;
    if (given) {
        snprintf(path, sizeof path, "%s/nln-mpi.so", given);
        return is_file(path) ? path : NULL;
    }
    if (!dladdr(&job, &about) || !about.dli_fname)
        return NULL;
    char folder[512] = ".";
    ssize_t n = -1;
    if (!strchr(about.dli_fname, '/')) /* a program found by PATH */
        n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    if (n > 0)
        folder[n] = '\0';
    else
        snprintf(folder, sizeof folder, "%s", about.dli_fname);
    if ((slash = strrchr(folder, '/')))
        folder[slash - folder] = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, places[i]);
        if (is_file(path))
            return path;
    }
    return NULL;
}

/* Whether a launcher of MPI started this process. */
static int is_launched(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE"};
    const char *wish = getenv("NLN_CLUSTER");
    if (wish && strcmp(wish, "off") == 0)
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]))
            return 1;
    return 0;
}

/* ---- watching ------------------------------------------------------------------------------- */

static void alarm_of(void *context, int rank, double silent)
{
    char how[64] = "has ended without a word", sentence[384];
    (void)context;
    if (rank == NLN_HEARTBEAT_TOLD) {
        job.own.give_up(NULL, 0);
        return;
    }
    if (silent > 0)
        snprintf(how, sizeof how, "has not been heard of for %.0f s", silent);
    snprintf(sentence, sizeof sentence,
             "rank %d on %s %s: it was killed, or its machine or network has failed; the job ends, "
             "and --resume goes on from its last checkpoint",
             rank, host_of(rank), how);
    job.own.give_up(sentence, silent > 0 && strcmp(host_of(rank), job.own.host) != 0);
}

/* Rank 0 watches all others, and they watch rank 0; all do, or none. */
static void begin_watch(void)
{
    double limit = seconds_of("NLN_CLUSTER_SILENCE", 10);
    nln_heartbeat_place place = {0};
    nln_status status = NLN_OK;
    if ((job.host = nln_array_zeroed((size_t)job.own.size, sizeof *job.host)))
        nln_communicator_gather(job.host, job.own.host, sizeof *job.host);
    else
        end_without_memory();
    if (!job.own.rank) {
        status = nln_heartbeat_listen(&job.heartbeat, &place, job.own.size, NULL);
        if (!status)
            status = nln_heartbeat_start(job.heartbeat, limit, alarm_of, NULL, NULL);
    }
    nln_communicator_broadcast(&place, sizeof place);
    if (job.own.rank) {
        status = nln_heartbeat_connect(&job.heartbeat, &place, job.own.rank, NULL);
        if (!status)
            status = nln_heartbeat_start(job.heartbeat, limit, alarm_of, NULL, NULL);
    }
    if (nln_communicator_any(status != NLN_OK)) {
        nln_heartbeat_free(job.heartbeat);
        job.heartbeat = NULL;
    }
}

void nln_cluster_alone(int alone)
{
    if (job.joined && job.own.size > 1)
        job.current = alone ? NULL : &job.own;
}

int nln_cluster_is_watched(void)
{
    return job.heartbeat || !job.current;
}

/* ---- the job -------------------------------------------------------------------------------- */

nln_status nln_cluster_join(nln_error *err)
{
    nln_communicator_join *join = NULL;
    if (job.joined || !is_launched())
        return NLN_OK;
    const char *path = nln_cluster_plugin();
    if (!path)
        return nln_error_set(err, NLN_INVALID,
                             "the process was started by mpirun, but there is no nln-mpi.so: "
                             "install nln-mpi, or set NLN_CLUSTER=off");
    /* MPI opens plug-ins of its own, which look for its names. */
    void *library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library)
        *(void **)&join = dlsym(library, NLN_COMMUNICATOR_SYMBOL);
    if (!join)
        return nln_error_set(err, NLN_INVALID, "cannot open %s: %s", path, dlerror());
    job.own.version = NLN_COMMUNICATOR_VERSION;
    if (join(&job.own))
        return nln_error_set(err, NLN_INVALID, "%s is of another version, or MPI cannot start",
                             path);
    job.joined = 1;
    if (job.own.size > 1) {
        job.current = &job.own;
        begin_watch();
    }
    return NLN_OK;
}

void nln_cluster_leave(void)
{
    if (job.joined)
        job.own.leave();
    nln_heartbeat_free(job.heartbeat);
    nln_free(job.host);
    job.heartbeat = NULL;
    job.host = NULL;
    job.joined = 0;
    job.current = NULL;
}

void nln_cluster_abort(const char *sentence)
{
    if (job.heartbeat)
        nln_heartbeat_quiet(job.heartbeat);
    if (job.joined)
        job.own.abort(sentence);
}

int nln_cluster_rank(void)
{
    return nln_communicator_rank();
}

int nln_cluster_size(void)
{
    return nln_communicator_size();
}

const char *nln_cluster_host(void)
{
    return job.joined ? job.own.host : "";
}

nln_status nln_cluster_gather(char **all, size_t *n_all, const char *mine, size_t n, nln_error *err)
{
    size_t n_ranks = (size_t)nln_communicator_size();
    size_t *first = nln_array_zeroed(n_ranks + 1, sizeof *first);
    size_t *length = nln_array_zeroed(n_ranks, sizeof *length);
    *all = NULL;
    *n_all = 0;
    if (first && length) {
        nln_communicator_gather(length, &n, sizeof n);
        for (size_t r = 0; r < n_ranks; r++)
            first[r + 1] = first[r] + length[r];
        *n_all = first[n_ranks];
        if ((*all = nln_array_zeroed(*n_all + 1, 1))) {
            memcpy(*all + first[nln_communicator_rank()], mine, n);
            nln_communicator_gather_parts(*all, first, 1);
        }
    }
    nln_free(first);
    nln_free(length);
    return *all ? NLN_OK : nln_error_memory(err);
}

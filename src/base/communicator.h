/* The processes of a job on several machines, as the library sees them.
 *
 * The library knows no MPI.  A plug-in (plugins/mpi), which is opened only in a process that mpirun
 * has started, fills in this table; everything that ranks say to each other is built on its
 * `exchange`.  In a plain process there is no communicator, and nothing else changes.
 *
 * Every rank runs the same program on the same data and comes to the same decisions, so ranks meet
 * in the same order.  All calls are made by the thread that joined. */
#ifndef NLN_BASE_COMMUNICATOR_H
#define NLN_BASE_COMMUNICATOR_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { NLN_COMMUNICATOR_VERSION = 2, NLN_HOST_ROOM = 64 };

/* n bytes to or from another rank. */
typedef struct nln_message {
    int rank;
    void *data;
    size_t n;
} nln_message;

typedef struct nln_communicator {
    int version; /* of this table: NLN_COMMUNICATOR_VERSION */
    int rank, size;
    char host[NLN_HOST_ROOM];
    /* Sends and receives all messages, and returns when they have gone and come.  Returns -1, or a
     * rank that has not answered for `patience` seconds. */
    int (*exchange)(const nln_message *send, int n_send, const nln_message *receive, int n_receive,
                    double patience);
    /* Says a sentence with the name of this host on standard error, unless it is NULL, and ends all
     * processes of the job with exit code 1. */
    void (*abort)(const char *sentence);
    /* The same where another rank has gone, from any thread and without waiting for anybody: ends
     * this process.  With `is_cut` the launcher on this machine too, which would wait for a machine
     * that does not answer. */
    void (*give_up)(const char *sentence, int is_cut);
    void (*leave)(void); /* waits for the other ranks */
} nln_communicator;

/* The function that a plug-in exports: joins the job. */
#define NLN_COMMUNICATOR_SYMBOL "nln_plugin_join"
typedef int nln_communicator_join(nln_communicator *out);

/* That of this process; NULL if there are no other ranks. */
const nln_communicator *nln_communicator_get(void);
/* Rank 0 of 1 without one. */
int nln_communicator_rank(void);
int nln_communicator_size(void);
/* In place of the process's own, for tests; NULL: none. */
void nln_communicator_set(const nln_communicator *c);

/* `exchange` of the communicator, which there is: counts bytes and seconds, and ends the job when a
 * rank does not answer. */
void nln_communicator_exchange(const nln_message *send, int n_send, const nln_message *receive,
                               int n_receive);

/* The following do nothing without a communicator, and are called by all ranks.  The bytes of rank
 * 0 come to all. */
void nln_communicator_broadcast(void *data, size_t n);
/* all[r * n ...] = the n bytes of rank r, on every rank; `mine` may lie in its place in `all`. */
void nln_communicator_gather(void *all, const void *mine, size_t n);
/* The same of ranks that have part [first[r], first[r + 1]) of `all`, in items of `size` bytes. */
void nln_communicator_gather_parts(void *all, const size_t *first, size_t size);
/* The same, of parts that are small: every rank sends its own to all others. */
void nln_communicator_gather_directly(void *all, const size_t *first, size_t size);
/* Whether any rank says so. */
int nln_communicator_any(int says);

/* The share of n items that a rank has, the items first .. last - 1, in whole blocks: what is
 * computed block by block has the same bits on any number of ranks. */
typedef struct nln_share {
    size_t first, last;
} nln_share;
nln_share nln_communicator_share(size_t n, size_t block);
/* After each rank has filled in its share of n items of `size` bytes: fills in the rest. */
void nln_communicator_join_shares(void *all, size_t n, size_t block, size_t size);

/* A file as rank 0 has it: on other ranks *path becomes a copy in memory, which is gone when it is
 * closed.  *path is NULL if rank 0 cannot read the file. */
typedef struct nln_shared_file {
    char path[32];
    int descriptor; /* -1: the file itself */
} nln_shared_file;
nln_status nln_shared_file_open(nln_shared_file *f, const char **path, nln_error *err);
void nln_shared_file_close(nln_shared_file *f);

/* Whether all ranks stop after this batch: ranks say what they want, and the next sum over the
 * shards of a batch (net/shard_exchange) makes it known to all. */
typedef struct nln_communicator_counts {
    double bytes_sent, seconds_waited;
    double messages;
    int wants_stop, stops;
} nln_communicator_counts;
nln_communicator_counts *nln_communicator_count(void);

#endif

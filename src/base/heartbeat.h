/* Notices that another process of a job has gone: it was killed, its machine failed, or the network
 * between was cut, which MPI itself may wait for without end.
 *
 * A thread of its own in every process, so that long computations do not matter.  Every rank holds
 * a TCP connection to rank 0, and both ends send a byte each second.  A connection that ends
 * without a word of farewell, or from which nothing is heard for some seconds, is a rank that has
 * gone.  A process that was itself stopped for a while, as a suspended job is, begins to count
 * anew. */
#ifndef NLN_BASE_HEARTBEAT_H
#define NLN_BASE_HEARTBEAT_H

#include <stdint.h>

#include "base/error.h"

/* Where rank 0 listens; it is sent to the others as it is. */
enum { NLN_HEARTBEAT_ADDRESSES = 16 };
typedef struct nln_heartbeat_place {
    uint64_t token; /* of the job */
    uint16_t port;
    uint8_t n;
    uint8_t address[NLN_HEARTBEAT_ADDRESSES][16]; /* IPv6, or IPv4 within it */
} nln_heartbeat_place;

typedef struct nln_heartbeat nln_heartbeat;

/* Called once, by the thread of the heartbeat, with the rank that has gone, or NLN_HEARTBEAT_TOLD
 * if another rank has noticed one, and says so; silent is how long nothing was heard of it, 0 if
 * its connection has ended. */
enum { NLN_HEARTBEAT_TOLD = -1 };
typedef void nln_heartbeat_alarm(void *context, int rank, double silent);

/* Rank 0 begins to listen on all of its addresses. */
nln_status nln_heartbeat_listen(nln_heartbeat **out, nln_heartbeat_place *place, int size,
                                nln_error *err);
/* Any other rank connects to it; place is that of rank 0. */
nln_status nln_heartbeat_connect(nln_heartbeat **out, const nln_heartbeat_place *place, int rank,
                                 nln_error *err);
/* Begins to watch; rank 0 begins before the others connect. */
nln_status nln_heartbeat_start(nln_heartbeat *w, double patience, nln_heartbeat_alarm *alarm,
                               void *context, nln_error *err);
/* Ends watching, and says to the other ranks that whatever ends from now on was told already: the
 * job is aborted.  As all functions but the alarm, for the thread that made the heartbeat. */
void nln_heartbeat_quiet(nln_heartbeat *w);
/* Says farewell, and ends the thread.  NULL is allowed. */
void nln_heartbeat_free(nln_heartbeat *w);

#endif

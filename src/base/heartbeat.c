#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for accept4, getifaddrs and the flags of interfaces */
#endif
#include "base/heartbeat.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/memory.h"

/* What a byte says. */
enum { ALIVE = 'h', FAREWELL = 'b', ABORTED = 'a', GIVEN_UP = 'x' };

enum { BEAT_MS = 1000, ANSWER_MS = 1500, NOBODY = -2 };

typedef enum peer_state { ABSENT, PRESENT, LEFT, GONE } peer_state;

typedef struct peer {
    int rank, socket;
    peer_state state;
    double heard;
} peer;

struct nln_heartbeat {
    uint64_t token;
    int listener;        /* of rank 0; else -1 */
    int wake[2];         /* a pipe that ends the wait of the thread */
    int n_peers;         /* rank 0 has all others, which have rank 0 */
    peer *peer;          /* [n_peers] */
    struct pollfd *poll; /* [n_peers + 2] */
    pthread_t thread;
    int started;
    atomic_int leaving;
    int quiet, given_up; /* as another rank says */
    double patience;
    nln_heartbeat_alarm *alarm;
    void *context;
};

/* The first words on a connection, answered with the same. */
typedef struct greeting {
    uint64_t token;
    int64_t rank;
} greeting;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- making --------------------------------------------------------------------------------- */

static void close_socket(int *socket)
{
    if (*socket >= 0)
        close(*socket);
    *socket = -1;
}

static void release(nln_heartbeat *w)
{
    close_socket(&w->listener);
    close_socket(&w->wake[0]);
    close_socket(&w->wake[1]);
    for (int i = 0; w->peer && i < w->n_peers; i++)
        close_socket(&w->peer[i].socket);
    nln_free(w->peer);
    nln_free(w->poll);
    nln_free(w);
}

static nln_status create(nln_heartbeat **out, int n_peers, nln_error *err)
{
    nln_heartbeat *w = nln_memory_zeroed(1, sizeof *w);
    if (!w)
        return nln_error_memory(err);
    w->listener = w->wake[0] = w->wake[1] = -1;
    w->n_peers = n_peers;
    w->peer = nln_array_zeroed((size_t)n_peers, sizeof *w->peer);
    w->poll = nln_array_zeroed((size_t)n_peers + 2, sizeof *w->poll);
    for (int i = 0; w->peer && i < n_peers; i++)
        w->peer[i] = (peer){.rank = i + 1, .socket = -1};
    nln_status status = w->peer && w->poll ? NLN_OK : nln_error_memory(err);
    if (!status && pipe2(w->wake, O_CLOEXEC | O_NONBLOCK))
        status = nln_error_set(err, NLN_IO, "cannot make a pipe: %s", strerror(errno));
    if (status)
        release(w);
    else
        *out = w;
    return status;
}

static void map_address(uint8_t out[16], const struct sockaddr *a)
{
    static const uint8_t prefix[12] = {[10] = 0xff, [11] = 0xff};
    if (a->sa_family == AF_INET6) {
        memcpy(out, &((const struct sockaddr_in6 *)(const void *)a)->sin6_addr, 16);
        return;
    }
    memcpy(out, prefix, sizeof prefix);
    memcpy(out + 12, &((const struct sockaddr_in *)(const void *)a)->sin_addr, 4);
}

/* The addresses of this machine's interfaces, those of the machine to itself last; addresses that
 * hold on one link only, and need its name, are left out. */
static void list_addresses(nln_heartbeat_place *place)
{
    struct ifaddrs *all = NULL;
    if (getifaddrs(&all))
        return;
    for (int to_itself = 0; to_itself < 2; to_itself++)
        for (struct ifaddrs *i = all; i && place->n < NLN_HEARTBEAT_ADDRESSES; i = i->ifa_next) {
            if (!i->ifa_addr || !(i->ifa_flags & IFF_UP) ||
                ((i->ifa_flags & IFF_LOOPBACK) != 0) != to_itself ||
                (i->ifa_addr->sa_family != AF_INET && i->ifa_addr->sa_family != AF_INET6))
                continue;
            uint8_t *address = place->address[place->n];
            map_address(address, i->ifa_addr);
            if (address[0] != 0xfe)
                place->n++;
        }
    freeifaddrs(all);
}

/* A socket for both kinds of addresses, or for IPv4 alone where there is no other. */
static int open_listener(uint16_t *port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any};
    struct sockaddr_in four = {.sin_family = AF_INET};
    socklen_t n = sizeof six;
    int off = 0, flags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    int s = socket(AF_INET6, flags, 0);
    if (s < 0 || setsockopt(s, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) ||
        bind(s, (struct sockaddr *)&six, sizeof six)) {
        close_socket(&s);
        s = socket(AF_INET, flags, 0);
        if (s >= 0 && bind(s, (struct sockaddr *)&four, sizeof four))
            close_socket(&s);
    }
    if (s >= 0 && (listen(s, 256) || getsockname(s, (struct sockaddr *)&six, &n)))
        close_socket(&s);
    *port = ntohs(six.sin6_port); /* which is at the same place for IPv4 */
    return s;
}

nln_status nln_heartbeat_listen(nln_heartbeat **out, nln_heartbeat_place *place, int size,
                                nln_error *err)
{
    *place = (nln_heartbeat_place){0};
    nln_status status = create(out, size - 1, err);
    if (status)
        return status;
    (*out)->listener = open_listener(&place->port);
    if ((*out)->listener < 0 ||
        getrandom(&place->token, sizeof place->token, 0) != sizeof place->token) {
        status = nln_error_set(err, NLN_IO, "cannot listen on a port: %s", strerror(errno));
        release(*out);
        return status;
    }
    (*out)->token = place->token;
    list_addresses(place);
    return NLN_OK;
}

/* ---- connecting ------------------------------------------------------------------------------ */

static int is_ready(int socket, short events, int milliseconds)
{
    struct pollfd p = {.fd = socket, .events = events};
    return poll(&p, 1, milliseconds) == 1;
}

static int connect_to(const uint8_t address[16], uint16_t port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    int is_four = address[10] == 0xff && address[11] == 0xff && !address[0], problem = 0;
    socklen_t n = sizeof problem;
    memcpy(&six.sin6_addr, address, 16);
    memcpy(&four.sin_addr, address + 12, 4);
    int s = socket(is_four ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const struct sockaddr *to =
        is_four ? (const struct sockaddr *)&four : (const struct sockaddr *)&six;
    if (s < 0)
        return s;
    if (connect(s, to, is_four ? sizeof four : sizeof six) && errno != EINPROGRESS)
        close_socket(&s);
    else if (!is_ready(s, POLLOUT, ANSWER_MS) ||
             getsockopt(s, SOL_SOCKET, SO_ERROR, &problem, &n) || problem)
        close_socket(&s);
    return s;
}

/* Whether the other end knows the job. */
static int greet(int socket, greeting mine)
{
    greeting answer = {0};
    return send(socket, &mine, sizeof mine, MSG_NOSIGNAL) == sizeof mine &&
           is_ready(socket, POLLIN, ANSWER_MS) &&
           recv(socket, &answer, sizeof answer, 0) == sizeof answer &&
           memcmp(&answer, &mine, sizeof mine) == 0;
}

nln_status nln_heartbeat_connect(nln_heartbeat **out, const nln_heartbeat_place *place, int rank,
                                 nln_error *err)
{
    nln_status status = create(out, 1, err);
    if (status)
        return status;
    peer *zero = &(*out)->peer[0];
    zero->rank = 0;
    for (int i = 0; zero->socket < 0 && i < place->n; i++) {
        zero->socket = connect_to(place->address[i], place->port);
        if (zero->socket >= 0 && !greet(zero->socket, (greeting){place->token, rank}))
            close_socket(&zero->socket);
    }
    if (zero->socket < 0) {
        release(*out);
        return nln_error_set(err, NLN_IO, "cannot reach rank 0 at port %d of any of its addresses",
                             place->port);
    }
    zero->state = PRESENT;
    return NLN_OK;
}

/* A rank that has connected: its greeting is there at once, or it is somebody else. */
static void admit(nln_heartbeat *w)
{
    greeting g = {0};
    int s = accept4(w->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), on = 1;
    if (s < 0)
        return;
    if (!is_ready(s, POLLIN, ANSWER_MS) || recv(s, &g, sizeof g, 0) != sizeof g ||
        g.token != w->token || g.rank < 1 || g.rank > w->n_peers ||
        w->peer[g.rank - 1].state != ABSENT || send(s, &g, sizeof g, MSG_NOSIGNAL) != sizeof g) {
        close(s);
        return;
    }
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    w->peer[g.rank - 1] = (peer){(int)g.rank, s, PRESENT, now()};
}

/* ---- watching -------------------------------------------------------------------------------- */

static void say(const nln_heartbeat *w, char what)
{
    for (int i = 0; i < w->n_peers; i++)
        if (w->peer[i].state == PRESENT) /* a connection that takes nothing is noticed otherwise */
            (void)!send(w->peer[i].socket, &what, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void hear(nln_heartbeat *w, peer *p)
{
    char words[256];
    ssize_t n = recv(p->socket, words, sizeof words, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    p->heard = now();
    for (ssize_t i = 0; i < n; i++) {
        if (words[i] == FAREWELL)
            p->state = LEFT;
        if (words[i] == ABORTED)
            w->quiet = 1;
        if (words[i] == GIVEN_UP)
            w->given_up = 1;
    }
    if (n <= 0 && p->state == PRESENT)
        p->state = GONE;
}

/* Waits for a second, or less if something is heard. */
static void listen_once(nln_heartbeat *w)
{
    int n = 0;
    w->poll[n++] = (struct pollfd){.fd = w->wake[0], .events = POLLIN};
    w->poll[n++] = (struct pollfd){.fd = w->listener, .events = POLLIN};
    for (int i = 0; i < w->n_peers; i++)
        w->poll[n++] = (struct pollfd){.fd = w->peer[i].state == PRESENT ? w->peer[i].socket : -1,
                                       .events = POLLIN};
    if (poll(w->poll, (nfds_t)n, BEAT_MS) <= 0)
        return;
    for (int i = 0; i < w->n_peers; i++)
        if (w->poll[i + 2].revents)
            hear(w, &w->peer[i]);
    if (w->poll[1].revents)
        admit(w);
}

/* The rank that has gone, or NOBODY; *silent is 0 if its connection has ended. */
static int missing(const nln_heartbeat *w, double *silent)
{
    double time = now();
    for (int i = 0; i < w->n_peers; i++) {
        *silent = w->peer[i].state == PRESENT ? time - w->peer[i].heard : 0;
        if (w->peer[i].state == GONE || *silent > w->patience)
            return w->peer[i].rank;
    }
    return NOBODY;
}

static void *watch(void *context)
{
    nln_heartbeat *w = context;
    double last = now(), beat = 0, silent = 0;
    for (int i = 0; i < w->n_peers; i++)
        w->peer[i].heard = last;
    while (!w->leaving && !w->quiet) {
        if (now() - beat >= 0.9e-3 * BEAT_MS) {
            say(w, ALIVE);
            beat = now();
        }
        listen_once(w);
        for (int i = 0; now() - last > 3e-3 * BEAT_MS && i < w->n_peers; i++)
            w->peer[i].heard = now(); /* this process was stopped */
        last = now();
        int rank = w->given_up ? NLN_HEARTBEAT_TOLD : missing(w, &silent);
        if (rank == NOBODY || w->leaving || w->quiet)
            continue;
        say(w, GIVEN_UP);
        w->alarm(w->context, rank, w->given_up ? 0 : silent);
        break;
    }
    if (w->quiet) /* rank 0 passes it on: the others hear of it alone, and see it end */
        say(w, ABORTED);
    return NULL;
}

nln_status nln_heartbeat_start(nln_heartbeat *w, double patience, nln_heartbeat_alarm *alarm,
                               void *context, nln_error *err)
{
    sigset_t all, before;
    w->patience = patience;
    w->alarm = alarm;
    w->context = context;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the thread that trains */
    int problem = pthread_create(&w->thread, NULL, watch, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (problem)
        return nln_error_set(err, NLN_LIMIT, "cannot start a thread: %s", strerror(problem));
    w->started = 1;
    return NLN_OK;
}

/* Ends the thread, and then says the last word. */
static void stop(nln_heartbeat *w, char what)
{
    w->leaving = 1;
    (void)!write(w->wake[1], "", 1);
    if (w->started)
        pthread_join(w->thread, NULL);
    w->started = 0;
    say(w, what);
}

void nln_heartbeat_quiet(nln_heartbeat *w)
{
    stop(w, ABORTED);
}

void nln_heartbeat_free(nln_heartbeat *w)
{
    if (!w)
        return;
    stop(w, FAREWELL);
    release(w);
}

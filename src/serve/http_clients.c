/* The connections: their limits, and the time that each has for its request. */
#include <string.h>

#include "serve/http_exchange.h"

static int same_address(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    if (a->ss_family != b->ss_family)
        return 0;
    if (a->ss_family == AF_INET)
        return ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
               ((const struct sockaddr_in *)b)->sin_addr.s_addr;
    return memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
                  &((const struct sockaddr_in6 *)b)->sin6_addr, 16) == 0;
}

void nln_http_enter(nln_http_client *c, nln_http_phase p)
{
    atomic_store(&c->since, nln_clock_now());
    atomic_store(&c->phase, (int)p);
}

void nln_http_add_client(nln_http *h, nln_http_client *c)
{
    size_t same = 0;
    const nln_serve_settings *s = &h->server->settings;
    pthread_mutex_lock(&h->lock);
    for (const nln_http_client *other = h->clients; other; other = other->next)
        same += (size_t)same_address(&other->address, &c->address);
    c->next = h->clients;
    if (h->clients)
        h->clients->previous = c;
    h->clients = c;
    h->n_clients++;
    c->refused = h->n_clients > s->connections ? 503 : same >= s->per_address ? 429 : 0;
    pthread_mutex_unlock(&h->lock);
}

void nln_http_remove_client(nln_http *h, nln_http_client *c)
{
    pthread_mutex_lock(&h->lock);
    if (c->next)
        c->next->previous = c->previous;
    if (c->previous)
        c->previous->next = c->next;
    else
        h->clients = c->next;
    h->n_clients--;
    pthread_mutex_unlock(&h->lock);
    nln_free(c);
}

static const char late_reply[] =
    "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: application/json\r\n"
    "Content-Length: 86\r\n\r\n"
    "{\"error\":{\"status\":408,\"message\":\"the request did not arrive in time; send it "
    "faster\"}}";

void nln_http_close_late(nln_http *h)
{
    double now = nln_clock_now(), limit = h->server->settings.request_time;
    pthread_mutex_lock(&h->lock);
    for (nln_http_client *c = h->clients; c; c = c->next) {
        nln_http_phase p = (nln_http_phase)atomic_load(&c->phase);
        if (p == NLN_HTTP_ANSWERING ||
            now - atomic_load(&c->since) < (p == NLN_HTTP_UPLOADING ? 10 * limit : limit))
            continue;
        if (p != NLN_HTTP_IDLE) {
            atomic_fetch_add(&h->late, 1);
            ssize_t n = send(c->fd, late_reply, sizeof late_reply - 1, MSG_DONTWAIT | MSG_NOSIGNAL);
            (void)n; /* a courtesy */
        }
        shutdown(c->fd, SHUT_RDWR);
        nln_http_enter(c, NLN_HTTP_ANSWERING); /* once is enough */
    }
    pthread_mutex_unlock(&h->lock);
}

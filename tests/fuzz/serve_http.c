/* Whatever comes on a connection: what is answered is HTTP, every connection comes to an end, and
 * the next client is served. */
#include <errno.h>

#include "http_client.h"
#include "served.h"

/* Reads until nothing has come for some milliseconds or the server has closed. */
static void read_replies(int fd)
{
    char reply[4096] = "";
    struct pollfd p = {.fd = fd, .events = POLLIN};
    ssize_t got = poll(&p, 1, 20) > 0 ? recv(fd, reply, sizeof reply, 0) : 0;
    require(got <= 0 || (got > 9 && strncmp(reply, "HTTP/1.1 ", 9) == 0));
    while (got > 0 && poll(&p, 1, 2) > 0)
        got = recv(fd, reply, sizeof reply, 0);
}

static void send_all(int fd, const uint8_t *bytes, size_t n)
{
    for (ssize_t sent; n && (sent = send(fd, bytes, n, MSG_NOSIGNAL)) > 0; bytes += sent)
        n -= (size_t)sent;
}

/* Connections that were left are closed in the time of a request, which is so short that on a busy
 * machine this client, too, may come too late. */
static void require_served(void)
{
    nln_serve *server = served_once(1);
    char reply[4096];
    double end = nln_clock_now() + 20;
    int status = 0; /* a connection that has sent nothing in time is closed without a word */
    while ((status == 408 || status == 0) && nln_clock_now() < end)
        status =
            client_ask(reply, sizeof reply, nln_serve_port(server), "GET", "/health/live", "", "");
    require(status == 200);
    while (nln_http_count(server->http).connections && nln_clock_now() < end)
        client_sleep(1);
    require(!nln_http_count(server->http).connections);
    require(!nln_http_count(server->http).requests);
}

/* Many connections in a short time use up the ports of the machine, which come back by themselves.
 */
static int connect_patiently(int port)
{
    int fd = client_connect(port);
    for (int tries = 0; fd < 0 && (errno == EADDRNOTAVAIL || errno == EINTR) && tries < 120;
         tries++) {
        client_sleep(500);
        fd = client_connect(port);
    }
    if (fd < 0)
        perror("connect");
    return fd;
}

/* The first byte says in how many pieces the rest comes, whether its end is told, and whether the
 * connection is broken off in the end. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n_bytes)
{
    static unsigned n_inputs;
    nln_serve *server = served_once(1);
    if (!n_inputs++)
        require(!atexit(require_served));
    if (!n_bytes)
        return 0;
    size_t pieces = 1 + bytes[0] % 4, n = n_bytes - 1, piece = n / pieces;
    int fd = connect_patiently(nln_serve_port(server));
    require(fd >= 0);
    for (size_t i = 0; i < pieces; i++)
        send_all(fd, bytes + 1 + i * piece, i + 1 < pieces ? piece : n - i * piece);
    if (bytes[0] & 4)
        shutdown(fd, SHUT_WR);
    read_replies(fd);
    if (bytes[0] & 8) {
        const struct linger none = {.l_onoff = 1};
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &none, sizeof none);
    }
    close(fd);
    if (n_inputs % 64 == 0)
        require_served();
    return 0;
}

/* A plain HTTP client over a socket, for tests of the network. */
#ifndef NLN_TESTS_HTTP_CLIENT_H
#define NLN_TESTS_HTTP_CLIENT_H

#include <arpa/inet.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static inline void client_sleep(int milliseconds)
{
    const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&pause, NULL);
}

static inline int client_connect(int port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to)) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static inline void client_write(int fd, const char *text)
{
    for (size_t n = strlen(text), done = 0; done < n;) {
        ssize_t got = send(fd, text + done, n - done, MSG_NOSIGNAL);
        if (got <= 0)
            return;
        done += (size_t)got;
    }
}

/* Reads one reply with its headers, as Content-Length says, or to the end; returns its status, or
 * 0 if there is none within some seconds. */
static inline int client_read(char *out, size_t room, int fd)
{
    size_t n = 0, whole = SIZE_MAX;
    out[0] = '\0';
    while (n + 1 < room && n < whole) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (poll(&p, 1, 20000) <= 0)
            return 0;
        ssize_t got = recv(fd, out + n, room - 1 - n, 0);
        if (got <= 0)
            break;
        out[n += (size_t)got] = '\0';
        const char *end = strstr(out, "\r\n\r\n"), *length = strstr(out, "Content-Length: ");
        if (end && length && length < end)
            whole = (size_t)(end + 4 - out) + strtoull(length + 16, NULL, 10);
    }
    return strncmp(out, "HTTP/1.1 ", 9) == 0 ? atoi(out + 9) : 0;
}

/* One request on a connection of its own. */
static inline int client_ask(char *out, size_t room, int port, const char *method, const char *path,
                             const char *headers, const char *body)
{
    char head[1024];
    int fd = client_connect(port);
    if (fd < 0)
        return -1;
    snprintf(head, sizeof head,
             "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: %zu\r\n%s"
             "\r\n",
             method, path, strlen(body), headers);
    client_write(fd, head);
    client_write(fd, body);
    int status = client_read(out, room, fd);
    close(fd);
    return status;
}

#endif

/* A server of a small model that listens, for the tests of its network. */
#ifndef NLN_TESTS_LISTENING_H
#define NLN_TESTS_LISTENING_H

#include "asking.h"
#include "http_client.h"
#include "scratch.h"

static char reply[1 << 17];

static inline int make_model(void **state)
{
    if (scratch_setup(state))
        return -1;
    asking_save(scratch_path("model"), "task=topk epochs=1 dimension=4");
    return 0;
}

static inline nln_serve *start(const char *settings)
{
    char all[700];
    snprintf(all, sizeof all, "listen=127.0.0.1:0 threads=2 %s", settings);
    nln_serve *s = asking_server(scratch_path("model"), all);
    nln_error err = {0};
    tiny_need(nln_serve_start(s, &err), &err);
    return s;
}

static inline int get(nln_serve *s, const char *path)
{
    return client_ask(reply, sizeof reply, nln_serve_port(s), "GET", path, "", "");
}

static inline int post(nln_serve *s, const char *path, const char *body)
{
    return client_ask(reply, sizeof reply, nln_serve_port(s), "POST", path, "", body);
}

#endif

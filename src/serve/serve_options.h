/* The options of the server, as a table and as numbers. */
#ifndef NLN_SERVE_SERVE_OPTIONS_H
#define NLN_SERVE_SERVE_OPTIONS_H

#include "base/error.h"

typedef enum nln_serve_logging {
    NLN_LOG_REQUESTS,
    NLN_LOG_PROBLEMS,
    NLN_LOG_NONE
} nln_serve_logging;

typedef struct nln_serve_settings {
    const char *titles, *store, *keys, *data, *origins, *train_data,
        *train_config; /* "" if not given */
    char host[128], port[16];
    int open;
    int threads, workers, train_threads;
    size_t queue, connections, per_address, body, upload;
    double request_time, answer_time, ping, drain, train_memory; /* seconds; bytes */
    double retrain; /* seconds from one training to the next; 0: none */
    nln_serve_logging log;
} nln_serve_settings;

/* The texts belong to the options. */
nln_status nln_serve_settings_read(nln_serve_settings *out, const nln_options *options,
                                   nln_error *err);
/* Whether the host is this machine's own: localhost, 127.x.y.z or ::1. */
int nln_serve_is_loopback(const char *host);

#endif

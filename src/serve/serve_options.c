#include "serve/serve_options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/thread_pool.h"
#include "nln_serve.h"

static const nln_option table[] = {
    {"listen", NLN_OPTION_TEXT, "127.0.0.1:8080", 0, 0, NULL,
     "ADDRESS:PORT to answer on; port 0 means any free one"},
    {"titles", NLN_OPTION_TEXT, "", 0, 0, NULL, "a file of titles of the items"},
    {"store", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "where events are kept: a file, which is made if it is not there, or postgresql://..."},
    {"keys", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file of ROLE KEY lines, where ROLE is read, write or admin; needed to listen elsewhere "
     "than on this machine"},
    {"open", NLN_OPTION_FLAG, "false", 0, 0, NULL,
     "answer anyone without a key, also from other machines"},
    {"allow-origin", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "origins of other pages that may ask, separated by commas, such as https://shop.example"},
    {"data", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "logic: the data folder of the model, for what exact reasoning says beside it"},
    {"threads", NLN_OPTION_INT, "0", 0, 256, NULL,
     "threads that read requests and answer quick ones; 0 means all cores"},
    {"workers", NLN_OPTION_INT, "1", 1, 256, NULL, "threads for answers that take long"},
    {"queue", NLN_OPTION_INT, "256", 1, 1000000, NULL,
     "requests that may wait for a worker; more are refused with 503"},
    {"connections", NLN_OPTION_INT, "4096", 1, 1000000, NULL,
     "connections at a time; more are refused with 503"},
    {"per-address", NLN_OPTION_INT, "2048", 1, 1000000, NULL,
     "connections at a time from one address; more are refused with 429"},
    {"body-limit", NLN_OPTION_INT, "1048576", 1024, 1073741824, NULL,
     "bytes of a request's body; more are refused with 413"},
    {"upload-limit", NLN_OPTION_INT, "67108864", 1024, 2147483648.0, NULL,
     "the same for data to train on"},
    {"request-time", NLN_OPTION_REAL, "30", 0.1, 86400, NULL,
     "seconds in which a client must have sent a request, and may be idle between two"},
    {"answer-time", NLN_OPTION_REAL, "30", 0.1, 86400, NULL,
     "seconds that an answer may take, waiting included; then it is given up with 503"},
    {"ping", NLN_OPTION_REAL, "10", 0.1, 86400, NULL,
     "seconds after which a stream that is quiet says that it is alive"},
    {"drain", NLN_OPTION_REAL, "10", 0, 86400, NULL,
     "seconds that requests under way have when the server is told to stop"},
    {"retrain", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "train from the store again and again: every 6h, every 30m or every 90s"},
    {"train-threads", NLN_OPTION_INT, "1", 1, 256, NULL, "threads of a training"},
    {"train-memory", NLN_OPTION_REAL, "2048", 1, 1e9, NULL,
     "megabytes that a training may take beyond the rest; then it is stopped"},
    {"train-data", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file of ratings that retraining learns from together with the store"},
    {"train-config", NLN_OPTION_TEXT, "", 0, 0, NULL,
     "a file of training options for retraining; the model's own without it"},
    {"log", NLN_OPTION_CHOICE, "requests", 0, 0, "requests|problems|none",
     "a line of JSON for every request, for those with a status from 400 on and for changes of "
     "the model, or none"},
};

const nln_option *nln_serve_options(int *n_rows)
{
    *n_rows = (int)(sizeof table / sizeof *table);
    return table;
}

int nln_serve_is_loopback(const char *host)
{
    if (strncmp(host, "127.", 4) == 0)
        return strspn(host, "0123456789.") == strlen(host);
    return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0;
}

/* "127.0.0.1:80", "[::1]:80", "localhost:80" or a port alone. */
static nln_status read_address(nln_serve_settings *s, const char *text, nln_error *err)
{
    const char *colon = strrchr(text, ':'), *port = colon ? colon + 1 : text;
    size_t n = colon ? (size_t)(colon - text) : 0;
    char *end;
    double number = nln_number_parse(port, &end);
    if (!*port || *end || number < 0 || number > 65535 || floor(number) != number ||
        n >= sizeof s->host)
        return nln_error_set(err, NLN_INVALID,
                             "listen is \"%.80s\"; give ADDRESS:PORT, such as 127.0.0.1:8080 or "
                             "[::1]:8080",
                             text);
    snprintf(s->port, sizeof s->port, "%d", (int)number);
    if (n > 1 && text[0] == '[' && text[n - 1] == ']')
        text++, n -= 2;
    snprintf(s->host, sizeof s->host, "%.*s", (int)n, text);
    if (!n)
        snprintf(s->host, sizeof s->host, "%s", colon ? "0.0.0.0" : "127.0.0.1");
    return NLN_OK;
}

/* "every 6h", or "6h". */
static nln_status read_interval(double *seconds, const char *text, nln_error *err)
{
    static const struct {
        char unit;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    const char *number = strncmp(text, "every", 5) == 0 ? text + 5 : text;
    char *end;
    *seconds = 0;
    if (!text[0])
        return NLN_OK;
    number += strspn(number, " ");
    double value = nln_number_parse(number, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != number && end[0] == units[i].unit && !end[1])
            *seconds = value * units[i].seconds;
    if (*seconds >= 1)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "retrain is \"%.40s\"; give a time of a second or more, such as every 6h, "
                         "every 30m or every 90s",
                         text);
}

nln_status nln_serve_settings_read(nln_serve_settings *out, const nln_options *o, nln_error *err)
{
    *out = (nln_serve_settings){
        .titles = nln_options_text(o, "titles"),
        .store = nln_options_text(o, "store"),
        .keys = nln_options_text(o, "keys"),
        .data = nln_options_text(o, "data"),
        .origins = nln_options_text(o, "allow-origin"),
        .train_data = nln_options_text(o, "train-data"),
        .train_config = nln_options_text(o, "train-config"),
        .open = nln_options_number(o, "open") != 0,
        .threads = (int)nln_options_number(o, "threads"),
        .workers = (int)nln_options_number(o, "workers"),
        .train_threads = (int)nln_options_number(o, "train-threads"),
        .queue = (size_t)nln_options_number(o, "queue"),
        .connections = (size_t)nln_options_number(o, "connections"),
        .per_address = (size_t)nln_options_number(o, "per-address"),
        .body = (size_t)nln_options_number(o, "body-limit"),
        .upload = (size_t)nln_options_number(o, "upload-limit"),
        .request_time = nln_options_number(o, "request-time"),
        .answer_time = nln_options_number(o, "answer-time"),
        .ping = nln_options_number(o, "ping"),
        .drain = nln_options_number(o, "drain"),
        .train_memory = 1e6 * nln_options_number(o, "train-memory"),
        .log = (nln_serve_logging)nln_options_number(o, "log"),
    };
    if (!out->threads)
        out->threads = nln_thread_pool_processors();
    nln_status status = read_address(out, nln_options_text(o, "listen"), err);
    if (!status)
        status = read_interval(&out->retrain, nln_options_text(o, "retrain"), err);
    if (!status && out->retrain > 0 && !out->store[0])
        status = nln_error_set(err, NLN_INVALID, "retrain needs a store to learn from: give store");
    if (!status && out->train_data[0] && !out->store[0])
        status = nln_error_set(err, NLN_INVALID,
                               "train-data is learned together with a store: give store");
    if (!status && out->train_data[0] && access(out->train_data, R_OK))
        status = nln_error_set(err, NLN_IO, "train-data is %.200s, which cannot be read",
                               out->train_data);
    if (!status && !nln_serve_is_loopback(out->host) && !out->keys[0] && !out->open)
        status = nln_error_set(err, NLN_INVALID,
                               "listen is %.80s, which other machines can reach: give keys, or "
                               "open to answer anyone",
                               out->host);
    return status;
}

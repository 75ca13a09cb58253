/* nln_serve.h: a server for a model: answers over HTTP, events, training and a page.
 *
 * It is a library of its own, libnln_serve, so that programs which only train and ask need no HTTP.
 * The conventions are those of nln.h.  What the server answers is described by itself, at
 * /openapi.json.
 *
 * Example: serve a model until a line is read from standard input.
 *
 *     nln_error err = {0};
 *     nln_serve *server = NULL;
 *
 *     if (nln_serve_create(&server, "films.model", &err) ||
 *         nln_serve_set(server, "listen", "127.0.0.1:0", &err) ||
 *         nln_serve_set(server, "store", "films.events", &err) ||
 *         nln_serve_start(server, &err))
 *         fprintf(stderr, "%s\n", err.message);
 *     else {
 *         printf("http://127.0.0.1:%d/\n", nln_serve_port(server));
 *         getchar();
 *     }
 *     nln_serve_free(server);
 */
#ifndef NLN_SERVE_H
#define NLN_SERVE_H

#include <nln.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the server --------------------------------------------------------- */

typedef struct nln_serve nln_serve;

/* A server for the model file `model`, which is read by nln_serve_start. */
NLN_API nln_status nln_serve_create(nln_serve **out, const char *model, nln_error *err);
/* The table of the options, for help texts; it lasts as long as the program. */
NLN_API const nln_option *nln_serve_options(int *n_rows);
/* Sets an option before the start. */
NLN_API nln_status nln_serve_set(nln_serve *server, const char *name, const char *value,
                                 nln_error *err);
/* Receives every line of the log, a JSON object without its newline, from many threads at once.
 * Keys and bodies are never part of it.  To be called before the start. */
NLN_API void nln_serve_log(nln_serve *server, void (*log)(void *context, const char *line),
                           void *context);
/* Loads the model, opens the store and answers from now on, on threads of its own. */
NLN_API nln_status nln_serve_start(nln_serve *server, nln_error *err);
/* The port that it listens on; 0 before the start. */
NLN_API int nln_serve_port(const nln_serve *server);
/* Loads the model file and the titles again beside those in service and swaps.  Requests under way
 * finish with the old model.  After a failure the old model stays in service. */
NLN_API nln_status nln_serve_reload(nln_serve *server, nln_error *err);
/* Accepts no more connections, lets the requests under way finish within the option `drain`, and
 * stops a training.  Everything that was acknowledged is committed. */
NLN_API void nln_serve_stop(nln_serve *server);
/* Stops the server, if it runs, and releases it. */
NLN_API void nln_serve_free(nln_serve *server);

/* ---- stores of events --------------------------------------------------- */

/* Whether `where` names a store of events: postgresql://..., or an SQLite file. */
NLN_API int nln_serve_is_store(const char *where);
/* What the users of a store like, dislike and have rated, as ratings; options of "ratings", or
 * NULL. Where there are ratings and likes, a like counts as the best rating of the scale, and a
 * dislike as the worst.  `report` may be NULL. */
NLN_API nln_status nln_serve_ratings(nln_ratings **out, nln_ratings_report *report,
                                     const char *where, const nln_options *options, nln_error *err);

#ifdef __cplusplus
}
#endif
#endif

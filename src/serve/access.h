/* Who may ask: keys with roles, and pages of which origin. */
#ifndef NLN_SERVE_ACCESS_H
#define NLN_SERVE_ACCESS_H

#include "base/error.h"
#include "serve/http_request.h"

typedef struct nln_keys {
    char *text;
    struct nln_key {
        const char *key;
        size_t length;
        nln_role role;
    } * rows;
    size_t n, room;
} nln_keys;

/* Reads lines of a role and a key, in either order; # begins a comment. */
nln_status nln_keys_read(nln_keys *out, const char *path, nln_error *err);
void nln_keys_free(nln_keys *keys);
/* The highest role of a key, NLN_ROLE_NONE for any other text.  Takes the same time for every text
 * of the same length. */
nln_role nln_keys_role(const nln_keys *keys, const char *key);
/* The key of the headers Authorization (Bearer KEY) and X-API-Key, either of which may be NULL; or
 * NULL. */
const char *nln_keys_given(const char *authorization, const char *api_key);

/* Whether a page of this origin may ask a server that was called by the name `host`: the same host,
 * or one of `origins`, separated by commas.  Programs send no origin. */
int nln_access_origin(const char *origin, const char *host, const char *origins);
/* Whether the origin is one of the list. */
int nln_access_listed(const char *origin, const char *origins);
/* Whether the header Host names this machine, so that no stranger's page can ask by a name of its
 * own that leads here. */
int nln_access_local_name(const char *host);

#endif

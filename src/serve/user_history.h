/* What the server knows about a user: the history that the model has kept, and then the events of
 * the store.  An event about an item replaces what was said before; a retraction removes it. */
#ifndef NLN_SERVE_USER_HISTORY_H
#define NLN_SERVE_USER_HISTORY_H

#include "serve/served_model.h"
#include "store/store.h"

/* An array of *n literals for nln_free, oldest first; items that the model does not know are left
 * out.  *known is 0 if neither the model nor the store, which may be NULL, has the user. */
nln_status nln_user_history(nln_literal **out, size_t *n, int *known, const nln_served *served,
                            nln_store *store, const char *user, nln_error *err);

#endif

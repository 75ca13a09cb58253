/* Ratings out of a store, for programs that train from it. */
#include "nln_serve.h"
#include "store/store_ratings.h"

int nln_serve_is_store(const char *where)
{
    return nln_store_recognise(where);
}

nln_status nln_serve_ratings(nln_ratings **out, nln_ratings_report *report, const char *where,
                             const nln_options *options, nln_error *err)
{
    const nln_store_options reading = {.read_only = 1};
    nln_store *store;
    *out = NULL;
    nln_status status = nln_store_open(&store, where, &reading, err);
    if (status)
        return status;
    status = nln_store_ratings(out, report, store, NLN_STORE_ALL, options, err);
    nln_store_close(store);
    return status;
}

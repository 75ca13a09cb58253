/* Questions to a recommender: after this history, how about this item? */
#ifndef NLN_MODELS_QUERIES_H
#define NLN_MODELS_QUERIES_H

#include "net/request.h"

typedef struct nln_query {
    int32_t user;   /* of the model, or -1 for somebody else */
    int32_t target; /* an item, or -1 where all of them are in question */
    size_t first;   /* the history is literal[first .. first + n) of the list, in time order */
    size_t n;
} nln_query;

/* A list of queries, histories end to end.  Zero-initialise it; nln_queries_free releases it. */
typedef struct nln_queries {
    nln_query *list;
    size_t n, room;
    nln_literal *literal;
    size_t n_literals, literal_room;
} nln_queries;

void nln_queries_free(nln_queries *queries);
void nln_queries_clear(nln_queries *queries); /* keeps the memory */
/* Appends a query; its history is copied. */
nln_status nln_queries_append(nln_queries *queries, int32_t user, const nln_literal *history,
                              size_t n, int32_t target, nln_error *err);

#endif

/* Events: what users said about items, one row each, and lists of them. */
#ifndef NLN_STORE_EVENTS_H
#define NLN_STORE_EVENTS_H

#include <stdint.h>

#include "base/error.h"

typedef enum nln_event_kind {
    NLN_EVENT_LIKE,
    NLN_EVENT_DISLIKE,
    NLN_EVENT_RATING,
    NLN_EVENT_RETRACT, /* the user takes back everything said about the item */
    NLN_EVENT_KINDS
} nln_event_kind;

typedef struct nln_event {
    const char *id;   /* the client's name for this event, so that it can be sent again; or NULL */
    const char *user; /* names are UTF-8 without control characters, of 1 to 512 bytes */
    const char *item; /* any name: the store need not know the item */
    nln_event_kind kind;
    double rating; /* finite; of NLN_EVENT_RATING only */
    double time; /* seconds since 1970, kept to the millisecond; NAN in a new event: its arrival */
    int64_t number; /* the store's: rises with every event in the order of the commits; never 0 */
} nln_event;

enum { NLN_EVENT_LONGEST_NAME = 512 };

typedef enum nln_verdict_kind { NLN_STORED, NLN_DUPLICATE, NLN_REFUSED } nln_verdict_kind;

/* What the store did with one event.  A duplicate has the id of an event that is stored already,
 * and changes nothing. */
typedef struct nln_verdict {
    nln_verdict_kind kind;
    const char *field; /* of NLN_REFUSED: the member of the event, such as "rating"; else NULL */
    const char *why;   /* of NLN_REFUSED: one sentence; else NULL.  Both are constants */
} nln_verdict;

/* NLN_STORED for an event that the store may take, else NLN_REFUSED. */
nln_verdict nln_event_check(const nln_event *event);
/* "like", "dislike", "rating" or "retract". */
const char *nln_event_kind_name(nln_event_kind kind);

/* A list that owns its rows and their texts. */
typedef struct nln_events {
    nln_event *rows;
    size_t n, room;
    char **blocks; /* of text */
    size_t n_blocks, blocks_room, block_used, block_size;
} nln_events;

/* Appends a copy of the event; on failure nothing is added. */
nln_status nln_events_add(nln_events *list, const nln_event *event, nln_error *err);
void nln_events_free(nln_events *list);

/* Turns the events of one user, by number, into the user's history, in place: of each item the last
 * event counts, a retraction removes the item, and the rest are put in the order of their times,
 * those of equal times in the order of their numbers.  Returns how many are left. */
size_t nln_events_to_history(nln_event *rows, size_t n);

#endif

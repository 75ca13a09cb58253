#include "store/events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"

/* ---- one event ------------------------------------------------------------ */

/* Seconds of the years 1 and 10000, which every date lies between.  Milliseconds do not. */
static const double first_second = -62135596800.0, last_second = 253402300800.0;

const char *nln_event_kind_name(nln_event_kind kind)
{
    static const char *const names[NLN_EVENT_KINDS] = {
        [NLN_EVENT_LIKE] = "like",
        [NLN_EVENT_DISLIKE] = "dislike",
        [NLN_EVENT_RATING] = "rating",
        [NLN_EVENT_RETRACT] = "retract",
    };
    return (unsigned)kind < NLN_EVENT_KINDS ? names[kind] : "unknown";
}

/* NULL for a name that the store takes. */
static const char *problem_of_name(const char *name)
{
    if (!name || !*name)
        return "a name must not be empty";
    size_t n = strnlen(name, NLN_EVENT_LONGEST_NAME + 1);
    if (n > NLN_EVENT_LONGEST_NAME)
        return "a name may have at most 512 bytes";
    if (!nln_utf8_valid(name, n))
        return "a name must be UTF-8";
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < 0x20 || name[i] == 0x7f)
            return "a name must not have control characters";
    if (name[0] == ' ' || name[n - 1] == ' ')
        return "a name must not begin or end with a space";
    return NULL;
}

nln_verdict nln_event_check(const nln_event *event)
{
    const char *why;
    if ((why = problem_of_name(event->user)))
        return (nln_verdict){NLN_REFUSED, "user", why};
    if ((why = problem_of_name(event->item)))
        return (nln_verdict){NLN_REFUSED, "item", why};
    if (event->id && (why = problem_of_name(event->id)))
        return (nln_verdict){NLN_REFUSED, "id", why};
    if ((unsigned)event->kind >= NLN_EVENT_KINDS)
        return (nln_verdict){NLN_REFUSED, "kind",
                             "the kind must be like, dislike, rating or retract"};
    if (event->kind == NLN_EVENT_RATING && !isfinite((float)event->rating))
        return (nln_verdict){NLN_REFUSED, "rating", "a rating must be a finite number"};
    if (!isnan(event->time) && !(event->time >= first_second && event->time < last_second))
        return (nln_verdict){NLN_REFUSED, "time", "a time must be in seconds since 1970"};
    return (nln_verdict){NLN_STORED, NULL, NULL};
}

/* ---- lists ---------------------------------------------------------------- */

enum { BLOCK = 4096 };

/* Room for a text of `size` bytes, which never moves; NULL when out of memory. */
static char *take_text(nln_events *list, size_t size)
{
    if (list->n_blocks == 0 || size > list->block_size - list->block_used) {
        size_t room = size > BLOCK ? size : BLOCK;
        char *block = nln_memory_take(room);
        if (!block || !NLN_ARRAY_RESERVE(list->blocks, list->blocks_room, list->n_blocks + 1)) {
            nln_free(block);
            return NULL;
        }
        list->blocks[list->n_blocks++] = block;
        list->block_size = room;
        list->block_used = 0;
    }
    char *text = list->blocks[list->n_blocks - 1] + list->block_used;
    list->block_used += size;
    return text;
}

static int copy_text(const char **to, nln_events *list, const char *text)
{
    size_t size = text ? strlen(text) + 1 : 0;
    char *copy = text ? take_text(list, size) : NULL;
    *to = copy ? memcpy(copy, text, size) : NULL;
    return !text || copy;
}

/* Rows of one user, who often has several in succession, share the name. */
nln_status nln_events_add(nln_events *list, const nln_event *event, nln_error *err)
{
    nln_event row = *event;
    const nln_event *last = list->n ? &list->rows[list->n - 1] : NULL;
    int same_user = last && !strcmp(last->user, event->user);
    if (same_user)
        row.user = last->user;
    if (!NLN_ARRAY_RESERVE(list->rows, list->room, list->n + 1) ||
        (!same_user && !copy_text(&row.user, list, event->user)) ||
        !copy_text(&row.item, list, event->item) || !copy_text(&row.id, list, event->id))
        return nln_error_memory(err);
    list->rows[list->n++] = row;
    return NLN_OK;
}

void nln_events_free(nln_events *list)
{
    for (size_t i = 0; i < list->n_blocks; i++)
        nln_free(list->blocks[i]);
    nln_free(list->blocks);
    nln_free(list->rows);
    *list = (nln_events){0};
}

/* ---- histories ------------------------------------------------------------ */

static int by_number(const nln_event *a, const nln_event *b)
{
    return (a->number > b->number) - (a->number < b->number);
}

static int by_item_and_number(const void *a, const void *b)
{
    const nln_event *x = a, *y = b;
    int order = strcmp(x->item, y->item);
    return order ? order : by_number(x, y);
}

static int by_time_and_number(const void *a, const void *b)
{
    const nln_event *x = a, *y = b;
    int order = (x->time > y->time) - (x->time < y->time);
    return order ? order : by_number(x, y);
}

size_t nln_events_to_history(nln_event *rows, size_t n)
{
    size_t kept = 0;
    if (n == 0)
        return 0;
    qsort(rows, n, sizeof *rows, by_item_and_number);
    for (size_t i = 0; i < n; i++) {
        int is_last = i + 1 == n || strcmp(rows[i].item, rows[i + 1].item);
        if (is_last && rows[i].kind != NLN_EVENT_RETRACT)
            rows[kept++] = rows[i];
    }
    qsort(rows, kept, sizeof *rows, by_time_and_number);
    return kept;
}

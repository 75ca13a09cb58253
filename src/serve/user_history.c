#include "serve/user_history.h"

#include <string.h>

#include "base/array.h"

static nln_literal literal_of(const nln_model *model, size_t item, const nln_event *event)
{
    if (event->kind == NLN_EVENT_RATING)
        return nln_model_rated(model, item, event->rating);
    return (nln_literal){item, event->kind == NLN_EVENT_LIKE, 0};
}

/* Every event of the user, by number. */
static nln_status read_events(nln_events *out, nln_store *store, const char *user, nln_error *err)
{
    enum { PAGE = 4096 };
    int64_t after = 0;
    size_t got = PAGE;
    nln_status status = NLN_OK;
    while (!status && got == PAGE) {
        nln_events page = {0};
        status = nln_store_list(&page, store, user, after, PAGE, err);
        got = page.n;
        for (size_t i = 0; !status && i < page.n; i++)
            status = nln_events_add(out, &page.rows[i], err);
        if (got)
            after = page.rows[got - 1].number;
        nln_events_free(&page);
    }
    return status;
}

/* Drops the literals of items that the events speak of; *mentioned is scratch of all items. */
static size_t drop_mentioned(nln_literal *list, size_t n, const nln_model *model,
                             const nln_events *events, uint8_t *mentioned)
{
    size_t kept = 0, item;
    for (size_t i = 0; i < events->n; i++)
        if (!nln_model_find(&item, model, events->rows[i].item, NULL))
            mentioned[item] = 1;
    for (size_t i = 0; i < n; i++)
        if (!mentioned[list[i].item])
            list[kept++] = list[i];
    return kept;
}

static nln_status append(nln_literal **list, size_t *n, const nln_model *model, nln_events *events,
                         nln_error *err)
{
    uint8_t *mentioned = nln_array_zeroed(nln_model_variables(model), 1);
    size_t room = *n + events->n, item;
    nln_literal *longer = mentioned ? nln_array_zeroed(room, sizeof *longer) : NULL;
    nln_status status = longer ? NLN_OK : nln_error_memory(err);
    if (!status) {
        if (*n)
            memcpy(longer, *list, *n * sizeof *longer);
        *n = drop_mentioned(longer, *n, model, events, mentioned);
        events->n = nln_events_to_history(events->rows, events->n);
    }
    for (size_t i = 0; !status && i < events->n; i++)
        if (!nln_model_find(&item, model, events->rows[i].item, NULL))
            longer[(*n)++] = literal_of(model, item, &events->rows[i]);
    nln_free(mentioned);
    if (status) {
        nln_free(longer);
        return status;
    }
    nln_free(*list);
    *list = longer;
    return NLN_OK;
}

nln_status nln_user_history(nln_literal **out, size_t *n, int *known, const nln_served *served,
                            nln_store *store, const char *user, nln_error *err)
{
    nln_events events = {0};
    nln_status status = NLN_UNKNOWN;
    *out = NULL;
    *n = 0;
    if (served->abilities.keeps_histories)
        status = nln_model_history(out, n, served->model, user, err);
    *known = !status;
    if (status == NLN_UNKNOWN)
        status = NLN_OK;
    if (!status && store)
        status = read_events(&events, store, user, err);
    if (!status && events.n) {
        *known = 1;
        status = append(out, n, served->model, &events, err);
    }
    nln_events_free(&events);
    if (status) {
        nln_free(*out);
        *out = NULL;
    }
    return status;
}

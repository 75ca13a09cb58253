#include "store/store_ratings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

/* ---- the scale ------------------------------------------------------------ */

nln_store_scale nln_store_scale_of(double least, double most)
{
    static const nln_store_scale known[] = {{0, 1},  {1, 5},   {0, 5},  {1, 10},
                                            {0, 10}, {1, 100}, {0, 100}};
    nln_store_scale out = isnan(least) ? known[0] : (nln_store_scale){least, most};
    for (size_t i = sizeof known / sizeof *known; i-- > 0;)
        if (least >= known[i].worst && most <= known[i].best)
            out = known[i];
    return out;
}

nln_status nln_store_scale_find(nln_store_scale *out, nln_store *store, nln_error *err)
{
    double least, most;
    nln_status status = nln_store_rating_range(&least, &most, store, err);
    *out = nln_store_scale_of(least, most);
    return status;
}

double nln_store_scale_rating(nln_store_scale scale, const nln_event *event)
{
    if (event->kind == NLN_EVENT_RATING)
        return event->rating;
    return event->kind == NLN_EVENT_LIKE ? scale.best : scale.worst;
}

/* ---- text ----------------------------------------------------------------- */

/* With the fewest digits that are read back exactly. */
static void print_number(char text[NLN_NUMBER_ROOM], double x)
{
    double again;
    nln_number_round(text, x, 15);
    if (!nln_number_read(&again, text, strlen(text)) || again != x)
        nln_number_print(text, x);
}

nln_status nln_store_export_lines(char **text, size_t *n, size_t *room, const nln_events *list,
                                  nln_store_scale scale, nln_error *err)
{
    for (size_t i = 0; i < list->n; i++) {
        const nln_event *e = &list->rows[i];
        char rating[NLN_NUMBER_ROOM], time[NLN_NUMBER_ROOM];
        print_number(rating, nln_store_scale_rating(scale, e));
        print_number(time, e->time);
        size_t most = strlen(e->user) + strlen(e->item) + strlen(rating) + strlen(time) + 5;
        if (!NLN_ARRAY_RESERVE(*text, *room, *n + most))
            return nln_error_memory(err);
        *n +=
            (size_t)snprintf(*text + *n, most, "%s\t%s\t%s\t%s\n", e->user, e->item, rating, time);
    }
    return NLN_OK;
}

/* ---- ratings -------------------------------------------------------------- */

/* Rows that are read at a time. */
enum { PAGE = 10000 };

static nln_status add_page(nln_ratings_builder *builder, const nln_events *page,
                           nln_store_scale scale, nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t i = 0; i < page->n && !status; i++) {
        const nln_event *e = &page->rows[i];
        double rating = nln_store_scale_rating(scale, e);
        status = nln_ratings_builder_add(builder, &e->user, &e->item, &rating, &e->time, 1, err);
    }
    return status;
}

nln_status nln_store_ratings_add(nln_ratings_builder *builder, size_t *n, nln_store *store,
                                 int64_t until, nln_store_scale scale, nln_error *err)
{
    nln_status status = NLN_OK;
    int64_t cursor = 0;
    int more = 1;
    *n = 0;
    while (!status && more) {
        nln_events page;
        status = nln_store_histories(&page, &cursor, &more, store, until, PAGE, err);
        if (!status)
            status = add_page(builder, &page, scale, err);
        *n += page.n;
        nln_events_free(&page);
    }
    return status;
}

nln_status nln_store_ratings(nln_ratings **out, nln_ratings_report *report, nln_store *store,
                             int64_t until, const nln_options *options, nln_error *err)
{
    nln_ratings_builder *builder = NULL;
    nln_store_scale scale;
    size_t n = 0;
    *out = NULL;
    nln_status status = nln_store_scale_find(&scale, store, err);
    if (!status)
        status = nln_ratings_builder_create(&builder, options, err);
    if (!status)
        status = nln_store_ratings_add(builder, &n, store, until, scale, err);
    if (!status && n == 0)
        status = nln_error_set(err, NLN_INVALID, "the store has no likes, dislikes or ratings yet");
    if (status) {
        nln_ratings_builder_free(builder);
        return status;
    }
    status = nln_ratings_builder_finish(out, report, builder, err);
    if (!status && report)
        report->format = "store";
    return status;
}

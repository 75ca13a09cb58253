/* From events to ratings: what a model learns from a store, and the same as text. */
#ifndef NLN_STORE_STORE_RATINGS_H
#define NLN_STORE_STORE_RATINGS_H

#include "store/store.h"

/* The scale of the ratings.  Where a store has ratings and likes, a like counts as the best rating
 * of the scale, and a dislike as the worst.  The scale is 0:1 where there are no ratings, else the
 * first of 0:1, 1:5, 0:5, 1:10, 0:10, 1:100 and 0:100 that holds every rating, else the range of
 * the ratings themselves. */
typedef struct nln_store_scale {
    double worst, best;
} nln_store_scale;

/* The scale of ratings between these two; NAN: there are none. */
nln_store_scale nln_store_scale_of(double least, double most);
nln_status nln_store_scale_find(nln_store_scale *out, nln_store *store, nln_error *err);
/* The rating that stands for an event. */
double nln_store_scale_rating(nln_store_scale scale, const nln_event *event);

/* Text that `nln train` reads: a header, then a line for each row of a list of histories. */
#define NLN_STORE_EXPORT_HEADER "user\titem\trating\ttime\n"
/* Appends the lines to *text, which grows and is freed with nln_free; *n is its length. */
nln_status nln_store_export_lines(char **text, size_t *n, size_t *room, const nln_events *list,
                                  nln_store_scale scale, nln_error *err);

/* Adds the histories of all users, of events with numbers up to `until`; *n is their number. */
nln_status nln_store_ratings_add(nln_ratings_builder *builder, size_t *n, nln_store *store,
                                 int64_t until, nln_store_scale scale, nln_error *err);
/* The histories of all users, of events with numbers up to `until`, as ratings; options of
 * "ratings", or NULL.  The ratings are those of a file with the exported text. */
nln_status nln_store_ratings(nln_ratings **out, nln_ratings_report *report, nln_store *store,
                             int64_t until, const nln_options *options, nln_error *err);

#endif

#include "serve/retraining_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/options.h"
#include "data/ratings.h"
#include "store/store_ratings.h"

/* The most events that are held out, and the fewest interactions of a user who validates. */
enum { MOST_HELD_OUT = 10000, LEAST_TO_VALIDATE = 5, HELD_OUT_OF = 5 };

void nln_retraining_data_free(nln_retraining_data *d)
{
    nln_ratings_free(d->learned);
    nln_ratings_free(d->compared);
    *d = (nln_retraining_data){0};
}

double nln_retraining_data_since(const nln_served *served)
{
    const nln_record *record = nln_model_record(served->model);
    double newest = record ? record->newest : NAN;
    /* A time that had not come when the file was written is none to wait for. */
    return newest <= served->modified ? newest : served->modified;
}

/* ---- everything that there is ---------------------------------------------- */

/* Options that read ratings as the model's own were, all of them for training. */
static nln_status reading_of(nln_options **out, const nln_served *served, nln_error *err)
{
    nln_status status = nln_model_reading(out, served->model, err);
    return status ? status : nln_options_set(*out, "split", "none", err);
}

static nln_status read_base(nln_ratings **out, const char *path, const nln_options *reading,
                            nln_error *err)
{
    *out = NULL;
    return path[0] ? nln_ratings_read(out, NULL, path, reading, err) : NLN_OK;
}

/* The scale that likes and dislikes are turned into ratings on: that of both. */
static nln_status find_scale(nln_store_scale *out, nln_store *store, const nln_ratings *base,
                             nln_error *err)
{
    double least, most;
    nln_status status = nln_store_rating_range(&least, &most, store, err);
    for (size_t i = 0; base && base->has_rating && i < base->n; i++) {
        least = fmin(least, (double)base->rating[i]);
        most = fmax(most, (double)base->rating[i]);
    }
    *out = nln_store_scale_of(least, most);
    return status;
}

static double newest_of(const nln_ratings *r)
{
    double newest = -INFINITY;
    for (size_t i = 0; r && r->time && i < r->n; i++)
        newest = fmax(newest, r->time[i]);
    return newest;
}

/* Rows without times come before all events. */
static nln_status add_base(nln_ratings_builder *b, const nln_ratings *base, nln_store_scale scale,
                           nln_error *err)
{
    nln_status status = NLN_OK;
    for (size_t u = 0; base && u < nln_ratings_users(base); u++)
        for (size_t i = base->start[u]; !status && i < base->start[u + 1]; i++) {
            const char *user = nln_ratings_user(base, u);
            const char *item = nln_ratings_item(base, (size_t)base->item[i]);
            double rating = base->has_rating ? (double)base->rating[i] : scale.best;
            double when = base->time ? base->time[i] : 0;
            status = nln_ratings_builder_add(b, &user, &item, &rating, &when, 1, err);
        }
    return status;
}

/* Base and store as one, of each pair of user and item the last word; all of it is training. */
static nln_status gather(nln_ratings **out, size_t *n_events, nln_store *store,
                         const nln_ratings *base, const nln_options *reading, nln_error *err)
{
    nln_ratings_builder *builder = NULL;
    nln_store_scale scale;
    nln_status status = find_scale(&scale, store, base, err);
    if (!status)
        status = nln_ratings_builder_create(&builder, reading, err);
    if (!status)
        status = add_base(builder, base, scale, err);
    if (!status)
        status = nln_store_ratings_add(builder, n_events, store, NLN_STORE_ALL, scale, err);
    if (!status && !*n_events)
        status = nln_error_set(err, NLN_LIMIT, "the store has no likes, dislikes or ratings yet");
    if (!status)
        return nln_ratings_builder_finish(out, NULL, builder, err);
    nln_ratings_builder_free(builder);
    return status;
}

/* ---- what is held out -------------------------------------------------------- */

static int later_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static nln_status too_few(size_t n, double since, nln_error *err)
{
    char text[40] = "";
    time_t when = (time_t)since;
    struct tm parts;
    if (gmtime_r(&when, &parts))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return nln_error_set(err, NLN_LIMIT,
                         "%zu events of the store are newer than what the model in service learned "
                         "from (%s UTC), and a comparison needs %d: nothing was trained, the old "
                         "model stays in service",
                         n, text, NLN_RETRAINING_LEAST);
}

/* How many of the n events since the model in service are held out. */
static size_t held_of(size_t n)
{
    size_t held = n / HELD_OUT_OF;
    held = held < NLN_RETRAINING_LEAST ? NLN_RETRAINING_LEAST : held;
    return held > MOST_HELD_OUT ? MOST_HELD_OUT : held;
}

/* Marks what is later than the cut and, of the `n_ties` at that very time, as events of one request
 * have, `n_left`, spread over the users. */
static void mark_held(uint8_t *held, const nln_ratings *all, double cut, double now, size_t n_ties,
                      size_t n_left)
{
    size_t seen = 0;
    for (size_t u = 0; u < nln_ratings_users(all); u++)
        for (size_t i = all->start[u + 1]; i-- > all->start[u];) {
            held[i] = all->time[i] > cut && all->time[i] <= now;
            if (all->time[i] == cut) {
                held[i] = (seen + 1) * n_left / n_ties > seen * n_left / n_ties;
                seen++;
            }
        }
}

/* Which interactions are held out: the newest of those since the model in service. */
static nln_status find_held(uint8_t *held, const nln_ratings *all, double since, double now,
                            nln_error *err)
{
    size_t n = 0, above = 0, ties = 0;
    double *times = nln_array_zeroed(all->n, sizeof *times);
    if (!times)
        return nln_error_memory(err);
    for (size_t i = 0; all->time && i < all->n; i++)
        if (all->time[i] > since && all->time[i] <= now)
            times[n++] = all->time[i];
    qsort(times, n, sizeof *times, later_first);
    size_t most = held_of(n);
    nln_status status = n < most ? too_few(n, since, err) : NLN_OK;
    for (size_t i = 0; !status && i < n; i++) {
        above += times[i] > times[most - 1];
        ties += times[i] == times[most - 1];
    }
    if (!status)
        mark_held(held, all, times[most - 1], now, ties, most - above);
    nln_free(times);
    return status;
}

/* ---- two parts ---------------------------------------------------------------- */

/* Which interactions of a user validate: from the last like that is not held out on, if there are
 * enough before it. */
static size_t first_of_valid(const nln_ratings *all, size_t user, const uint8_t *held)
{
    size_t last = SIZE_MAX, n = 0;
    for (size_t i = all->start[user]; i < all->start[user + 1]; i++) {
        if (held[i])
            continue;
        if (nln_ratings_liked(all, i) && n >= LEAST_TO_VALIDATE)
            last = i;
        n++;
    }
    return last;
}

static nln_status add_row(nln_ratings_rows *rows, const nln_ratings *all, size_t user, size_t i,
                          nln_split split, nln_error *err)
{
    const char *name = nln_ratings_user(all, user);
    const char *item = nln_ratings_item(all, (size_t)all->item[i]);
    int32_t new_user = nln_symbols_intern(rows->users, name, strlen(name));
    int32_t new_item = nln_symbols_intern(rows->items, item, strlen(item));
    if (new_user < 0 || new_item < 0)
        return nln_error_memory(err);
    return nln_ratings_rows_add(rows, new_user, new_item, all->rating[i], all->time[i],
                                (uint8_t)(nln_ratings_liked(all, i) | (int)split << NLN_MARK_SPLIT),
                                err);
}

/* The rows that are not held out and, where a model is given, those held out whose items it knows,
 * as the test. */
static nln_status take_part(nln_ratings **out, const nln_ratings *all, const uint8_t *held,
                            const nln_model *knows, nln_error *err)
{
    nln_ratings_rows rows;
    nln_ratings_report report = {0};
    nln_status status = nln_ratings_rows_create(&rows, err);
    if (status)
        return status;
    rows.has_rating = all->has_rating;
    rows.has_time = 1;
    for (size_t u = 0; u < nln_ratings_users(all); u++) {
        size_t valid = first_of_valid(all, u, held), item;
        for (size_t i = all->start[u]; !status && i < all->start[u + 1]; i++) {
            const char *name = nln_ratings_item(all, (size_t)all->item[i]);
            if (!held[i])
                status = add_row(&rows, all, u, i, i >= valid ? NLN_VALID : NLN_TRAIN, err);
            else if (knows && !nln_model_find(&item, knows, name, NULL))
                status = add_row(&rows, all, u, i, NLN_TEST, err);
        }
    }
    if (!status)
        status = nln_ratings_from_rows(out, &report, &rows, 0, err);
    nln_ratings_rows_free(&rows);
    if (!status)
        (*out)->origin = all->origin;
    return status;
}

static nln_status divide(nln_retraining_data *d, const nln_ratings *all, const nln_served *served,
                         double since, double now, nln_error *err)
{
    uint8_t *held = nln_array_zeroed(all->n, sizeof *held);
    nln_status status = held ? find_held(held, all, since, now, err) : nln_error_memory(err);
    if (!status)
        status = take_part(&d->learned, all, held, NULL, err);
    if (!status)
        status = take_part(&d->compared, all, held, served->model, err);
    nln_free(held);
    if (!status && !d->learned->n)
        status = nln_error_set(err, NLN_LIMIT, "the store has too few events to learn from yet");
    if (status)
        return status;
    d->n_held_out = all->n - d->learned->n;
    d->n_compared = nln_ratings_size(d->compared, NLN_TEST);
    return NLN_OK;
}

/* ---- both ------------------------------------------------------------------------ */

nln_status nln_retraining_data_read(nln_retraining_data *out, nln_store *store, const char *base,
                                    const nln_served *served, double now, nln_error *err)
{
    nln_options *reading = NULL;
    nln_ratings *read = NULL, *all = NULL;
    size_t n_events = 0;
    *out = (nln_retraining_data){0};
    nln_status status = reading_of(&reading, served, err);
    if (!status)
        status = read_base(&read, base, reading, err);
    if (!status)
        status = gather(&all, &n_events, store, read, reading, err);
    double since = fmax(nln_retraining_data_since(served), newest_of(read));
    if (!status)
        status = divide(out, all, served, since, now, err);
    if (!status) {
        nln_ratings *learned = out->learned;
        snprintf(learned->name, sizeof learned->name, "%.100s%sstore", read ? read->name : "",
                 read ? " and the " : "");
        snprintf(out->account, sizeof out->account,
                 "learning from %zu interactions of %.120s with %zu items (the model in service "
                 "knows %zu); the %zu newest events, which it has not learned either, are held out",
                 learned->n, learned->name, nln_ratings_items(learned),
                 nln_model_variables(served->model), out->n_held_out);
    }
    nln_ratings_free(read);
    nln_ratings_free(all);
    nln_options_free(reading);
    if (status)
        nln_retraining_data_free(out);
    return status;
}

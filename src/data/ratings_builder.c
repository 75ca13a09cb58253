/* Ratings from memory: the rows that a reader would find in a file. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "base/utf8.h"
#include "data/ratings.h"

struct nln_ratings_builder {
    nln_ratings_rows rows;
    nln_ratings_report report;
    nln_ratings_rules rules;
    nln_options *options; /* a copy; NULL: the defaults */
    nln_error first;      /* the first row that was left out */
};

nln_status nln_ratings_builder_create(nln_ratings_builder **out, const nln_options *options,
                                      nln_error *err)
{
    *out = NULL;
    nln_ratings_builder *b = nln_memory_zeroed(1, sizeof *b);
    if (!b)
        return nln_error_memory(err);
    nln_status status = nln_ratings_rules_read(&b->rules, options, err);
    if (!status && options)
        status = nln_options_copy(&b->options, options, err);
    if (!status)
        status = nln_ratings_rows_create(&b->rows, err);
    b->report.format = "memory";
    if (status)
        nln_ratings_builder_free(b);
    else
        *out = b;
    return status;
}

void nln_ratings_builder_free(nln_ratings_builder *b)
{
    if (!b)
        return;
    nln_ratings_rows_free(&b->rows);
    nln_options_free(b->options);
    nln_free(b);
}

/* ---- one row ---------------------------------------------------------------------- */

static nln_status check_name(const char *name, const char *role, nln_error *err)
{
    if (!name || !*name)
        return nln_error_set(err, NLN_SYNTAX, "the row has no %s", role);
    size_t n = strlen(name);
    int valid = nln_utf8_valid(name, n);
    for (size_t i = 0; i < n && valid; i++)
        valid = (unsigned char)name[i] >= 0x20 && name[i] != 0x7f;
    return valid ? NLN_OK
                 : nln_error_set(err, NLN_SYNTAX,
                                 "the %s is not UTF-8 text without control characters", role);
}

/* Checks what is not a name; NAN is a value that is missing. */
static nln_status check_numbers(const nln_ratings_rules *rules, double rating, double time,
                                nln_error *err)
{
    double least = isnan(rules->least) ? -FLT_MAX : rules->least;
    double most = isnan(rules->most) ? FLT_MAX : rules->most;
    if (isinf(rating) || isinf(time))
        return nln_error_set(err, NLN_SYNTAX, "the %s is not finite",
                             isinf(rating) ? "rating" : "time");
    if (rating < least || rating > most)
        return nln_error_set(err, NLN_INVALID,
                             "the rating %.9g is outside %.9g:%.9g; set rating-range if the scale "
                             "is another one",
                             rating, least, most);
    return NLN_OK;
}

/* A name as bytes. */
typedef struct name {
    const char *text;
    size_t n;
} name;

/* Counts a row that cannot be used, which b->first may tell of; in `strict` it is an error. */
static nln_status leave_out(nln_ratings_builder *b, nln_status status, nln_error *err)
{
    nln_error_place(&b->first, NULL, (long)b->report.lines);
    ++*(status == NLN_INVALID ? &b->report.out_of_range : &b->report.bad);
    if (b->rules.strict && err)
        *err = b->first;
    return b->rules.strict ? status : NLN_OK;
}

/* Adds a row whose names are valid and which is counted already. */
static nln_status add_row(nln_ratings_builder *b, name user, name item, double rating, double time,
                          nln_error *err)
{
    nln_ratings_rows *rows = &b->rows;
    nln_status status = check_numbers(&b->rules, rating, time, b->first.status ? NULL : &b->first);
    if (status)
        return leave_out(b, status, err);
    if ((status = nln_ratings_rows_locate(rows, (long)b->report.lines, NLN_TRAIN, err)))
        return status;
    int32_t new_user = nln_symbols_intern(rows->users, user.text, user.n);
    int32_t new_item = nln_symbols_intern(rows->items, item.text, item.n);
    if (new_user < 0 || new_item < 0)
        return nln_error_memory(err);
    b->report.without_time += isnan(time) != 0;
    return nln_ratings_rows_add(rows, new_user, new_item, (float)rating, time,
                                NLN_TRAIN << NLN_MARK_SPLIT, err);
}

/* ---- many rows -------------------------------------------------------------------- */

nln_status nln_ratings_builder_add(nln_ratings_builder *b, const char *const *users,
                                   const char *const *items, const double *ratings,
                                   const double *times, size_t n, nln_error *err)
{
    nln_status status = nln_ratings_rows_reserve(&b->rows, n, err);
    for (size_t i = 0; i < n && !status; i++) {
        nln_error *problem = b->first.status ? NULL : &b->first;
        b->report.lines++;
        if ((status = check_name(users[i], "user", problem)) ||
            (status = check_name(items[i], "item", problem)))
            status = leave_out(b, status, err);
        else
            status =
                add_row(b, (name){users[i], strlen(users[i])}, (name){items[i], strlen(items[i])},
                        ratings ? ratings[i] : NAN, times ? times[i] : NAN, err);
    }
    return status;
}

enum { DIGITS = 24 };

/* The decimal digits of a number, at the end of `room`; quicker than printf by far. */
static name name_of(char room[DIGITS], int64_t number)
{
    char *at = room + DIGITS;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        *--at = '-';
    return (name){at, (size_t)(room + DIGITS - at)};
}

nln_status nln_ratings_builder_add_numbers(nln_ratings_builder *b, const int64_t *users,
                                           const int64_t *items, const double *ratings,
                                           const double *times, size_t n, nln_error *err)
{
    char user[DIGITS], item[DIGITS];
    nln_status status = nln_ratings_rows_reserve(&b->rows, n, err);
    for (size_t i = 0; i < n && !status; i++) {
        b->report.lines++;
        status = add_row(b, name_of(user, users[i]), name_of(item, items[i]),
                         ratings ? ratings[i] : NAN, times ? times[i] : NAN, err);
    }
    return status;
}

nln_status nln_ratings_builder_finish(nln_ratings **out, nln_ratings_report *report,
                                      nln_ratings_builder *b, nln_error *err)
{
    nln_status status = nln_ratings_rows_agree(&b->rows, &b->report, &b->first, 0, &b->rules, err);
    *out = NULL;
    b->report.first = b->first;
    if (!status && b->rows.n == 0)
        status = b->first.status
                     ? nln_error_set(err, NLN_FORMAT,
                                     "none of the %zu rows can be used, because "
                                     "%.300s",
                                     b->report.lines, b->first.message)
                     : nln_error_set(err, NLN_FORMAT, "there are no ratings; add some first");
    if (!status)
        status = nln_ratings_rows_complete(&b->rows, &b->report, 0, &b->rules, err);
    if (!status)
        status = nln_ratings_settle(out, &b->report, &b->rows, &b->rules, b->options, 0, err);
    if (report)
        *report = b->report;
    nln_ratings_builder_free(b);
    return status;
}

/* From rows to ratings: what the rows of one file, or of memory, are made to agree on, the options
 * that say how, and the split. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/options.h"
#include "data/ratings.h"

/* ---- options ------------------------------------------------------------------- */

static int is_auto(const char *text)
{
    return !text || !strcmp(text, "auto");
}

static int read_bound(double *out, const char *text, size_t n)
{
    return nln_number_read(out, text, n) && fabs(*out) <= FLT_MAX;
}

nln_status nln_ratings_rules_read(nln_ratings_rules *out, const nln_options *options,
                                  nln_error *err)
{
    *out = (nln_ratings_rules){.like_from = NAN, .least = NAN, .most = NAN};
    if (!options)
        return NLN_OK;
    nln_status status = nln_options_check(options, "ratings", err);
    if (status)
        return status;
    const char *from = nln_options_text(options, "like-from");
    const char *range = nln_options_text(options, "rating-range");
    out->format = (int)nln_options_number(options, "format");
    out->strict = nln_options_number(options, "strict") != 0;
    out->stars = strcmp(from, "stars") == 0;
    status = nln_column_choice_parse(&out->columns, nln_options_text(options, "columns"), err);
    if (status)
        return status;
    if (!is_auto(from) && !out->stars && !read_bound(&out->like_from, from, strlen(from)))
        return nln_error_set(err, NLN_INVALID,
                             "option --like-from must be a number, auto or stars, not '%.80s'",
                             from);
    if (is_auto(range))
        return NLN_OK;
    const char *colon = strchr(range, ':');
    if (colon && read_bound(&out->least, range, (size_t)(colon - range)) &&
        read_bound(&out->most, colon + 1, strlen(colon + 1)) && out->least <= out->most)
        return NLN_OK;
    return nln_error_set(err, NLN_INVALID,
                         "option --rating-range must be LEAST:MOST, such as 1:10, or auto, not "
                         "'%.80s'",
                         range);
}

/* ---- the rows of one source -------------------------------------------------------- */

nln_status nln_ratings_rows_agree(nln_ratings_rows *rows, nln_ratings_report *report,
                                  nln_error *earlier, size_t first_row,
                                  const nln_ratings_rules *rules, nln_error *err)
{
    size_t first[2] = {0, 0}, n[2] = {0, 0};
    for (size_t i = rows->n; i-- > first_row;) {
        int rated = !isnan(rows->rating[i]);
        first[rated] = i;
        n[rated]++;
    }
    int rarer = n[1] < n[0];
    rows->has_rating |= n[1] >= n[0] && n[1] > 0;
    if (n[rarer] == 0)
        return NLN_OK;
    nln_error problem = {0};
    long line;
    const char *path = nln_ratings_rows_where(&line, rows, first[rarer]);
    nln_error_at(&problem, NLN_SYNTAX, path, line, 0,
                 rarer ? "the line has a rating, though most lines have none"
                       : "the line has no rating, though most lines have one");
    if (rules->strict && err)
        *err = problem;
    if (rules->strict)
        return problem.status;
    if (!earlier->status || earlier->line > line)
        *earlier = problem;
    report->bad += n[rarer];
    for (size_t i = first_row; i < rows->n; i++)
        if ((!isnan(rows->rating[i])) == rarer)
            report->without_time -= isnan(rows->time[i]) != 0;
    return nln_ratings_rows_keep(rows, first_row, !rarer, err);
}

/* In a file that has times, a row without one takes the time of the row before it, or of the
 * first row that has one; in `strict` it is an error. */
static nln_status fill_times(nln_ratings_rows *rows, nln_ratings_report *report, size_t first_row,
                             int strict, nln_error *err)
{
    nln_error *problem = strict ? err : &report->first;
    double last = NAN;
    for (size_t i = first_row; i < rows->n && isnan(last); i++)
        last = rows->time[i];
    if (isnan(last))
        return NLN_OK;
    rows->has_time = 1;
    for (size_t i = first_row; i < rows->n; last = rows->time[i++]) {
        if (!isnan(rows->time[i]))
            continue;
        if (strict || !problem->status) {
            long line = 0;
            const char *path = nln_ratings_rows_where(&line, rows, i);
            nln_error_at(problem, NLN_SYNTAX, path, line, 0,
                         "this line has no time, though others have one");
        }
        if (strict)
            return NLN_SYNTAX;
        rows->time[i] = last;
    }
    return NLN_OK;
}

/* Counts the times in seconds among milliseconds, or the other way round: the rarer kind, where
 * both look like times since 1970. */
static size_t count_mixed_times(const nln_ratings_rows *rows, size_t first_row)
{
    size_t n[2] = {0, 0};
    for (size_t i = first_row; i < rows->n; i++) {
        double time = rows->time[i];
        n[0] += time >= 1e8 && time < 1e10;
        n[1] += time >= 1e11 && time < 1e13;
    }
    return n[0] < n[1] ? n[0] : n[1];
}

/* The least rating that is a like, on the scale that the ratings show: 1 of labels, 4 of at most
 * five stars, and three quarters of the way up on any other scale, which is where 4 of 1 to 5 is.
 */
static double like_from_scale(double least, double most, int labels)
{
    double top = most > 100 ? most : most > 10 ? 100 : 10;
    if (labels)
        return 1;
    if (least >= 0 && most <= 1)
        return 0.75;
    if (least >= 0 && most <= 5)
        return 4;
    return least + 0.75 * (top - least);
}

/* Marks the likes of all rows so far, since a rating may show that the others are no labels. */
static void mark_likes(nln_ratings_rows *rows, nln_ratings_report *report,
                       const nln_ratings_rules *rules)
{
    int labels = 1, zeros = 0;
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < rows->n; i++) {
        double rating = rows->rating[i];
        labels &= isnan(rating) || rating == 0 || rating == 1;
        zeros |= rating == 0;
        least = rating < least ? rating : least;
        most = rating > most ? rating : most;
    }
    int stars = rules->stars && labels && !zeros;
    double from = rules->like_from;
    if (isnan(from))
        from = stars ? 4 : like_from_scale(least, most, labels);
    for (size_t i = 0; i < rows->n; i++) {
        int liked = isnan(rows->rating[i]) || rows->rating[i] >= (float)from;
        rows->mark[i] = (uint8_t)((rows->mark[i] & ~NLN_MARK_LIKED) | (liked ? NLN_MARK_LIKED : 0));
    }
    report->like_from = most >= least ? from : NAN;
    report->least = most >= least ? least : NAN;
    report->most = most >= least ? most : NAN;
}

nln_status nln_ratings_rows_complete(nln_ratings_rows *rows, nln_ratings_report *report,
                                     size_t first_row, const nln_ratings_rules *rules,
                                     nln_error *err)
{
    nln_status status = fill_times(rows, report, first_row, rules->strict, err);
    report->mixed_times += count_mixed_times(rows, first_row);
    report->has_rating = rows->has_rating;
    report->has_time = rows->has_time;
    mark_likes(rows, report, rules);
    return status;
}

/* ---- ratings ------------------------------------------------------------------- */

/* Notes how the ratings were read.  Where `auto` has found more than labels, other files are to
 * be read as ratings on the same scale, too. */
static void note_provenance(nln_ratings *r, const nln_ratings_report *report,
                            const nln_ratings_rules *rules, const char *split, uint64_t seed,
                            const char *columns)
{
    nln_data_provenance *out = &r->origin;
    int stars = rules->stars || !nln_ratings_are_labels(r);
    snprintf(out->split, sizeof out->split, "%s", split);
    if (strlen(columns) < sizeof out->columns)
        memcpy(out->columns, columns, strlen(columns) + 1);
    nln_number_print(out->split_seed, (double)seed);
    snprintf(out->like_from, sizeof out->like_from, "%s", stars ? "stars" : "auto");
    if (!isnan(rules->like_from) || (stars && report->has_rating && report->like_from != 4))
        nln_number_print(out->like_from, report->like_from);
}

nln_status nln_ratings_settle(nln_ratings **out, nln_ratings_report *report, nln_ratings_rows *rows,
                              const nln_ratings_rules *rules, const nln_options *options,
                              int is_split, nln_error *err)
{
    nln_split_method method = NLN_SPLIT_AUTO;
    const char *split = "", *columns = "";
    uint64_t seed = 1;
    int core = 0;
    if (options) {
        method = (nln_split_method)nln_options_number(options, "split");
        split = nln_options_text(options, "split");
        seed = (uint64_t)nln_options_number(options, "split-seed");
        core = (int)nln_options_number(options, "core");
        columns = nln_options_text(options, "columns");
    }
    nln_status status = nln_ratings_from_rows(out, report, rows, rules->strict, err);
    if (status)
        return status;
    note_provenance(*out, report, rules,
                    is_split                   ? NLN_ORIGIN_FOLDER
                    : method == NLN_SPLIT_AUTO ? "paper"
                                               : split,
                    seed, columns);
    if (core > 1) {
        nln_number_print((*out)->origin.core, core);
        status = nln_ratings_core(out, core, err);
    }
    if (!status && !is_split)
        status = nln_ratings_split_by(*out, method, seed, err);
    if (status) {
        nln_ratings_free(*out);
        *out = NULL;
    }
    return status;
}

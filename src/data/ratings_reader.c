#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "data/data_folder.h"
#include "data/line_lookahead.h"
#include "data/ratings.h"
#include "data/ratings_line.h"

/* The first lines of a file, up to this many bytes, tell its layout. */
enum { MOST_HEAD_BYTES = 1 << 20 };

/* A file on its way into rows. */
typedef struct reader {
    nln_ratings_rows *rows;
    nln_ratings_report *report;
    nln_line_lookahead ahead;
    nln_split split;
    const nln_ratings_rules *rules;
    nln_ratings_format layout;
    size_t first_row; /* of this file */
    size_t lines;     /* of this file, as in the report */
    nln_error first;  /* the first line of this file that was left out */
} reader;

/* ---- lines ----------------------------------------------------------------- */

static int is_blank(const char *line, size_t length)
{
    return strspn(line, " \t") == length;
}

/* The next line that is not blank; NULL at the end. */
static nln_status next_line(char **line, size_t *length, long *number, reader *r, nln_error *err)
{
    nln_separator separator = r->layout.is_json ? NLN_TABS : r->layout.separator;
    nln_status status;
    do
        status = nln_line_lookahead_take(line, length, number, &r->ahead, separator, err);
    while (!status && *line && is_blank(*line, *length));
    return status;
}

/* Adds the row of a line.  A bad line is counted, and its problem kept if it is the first of the
 * file; in `strict` it is an error. */
static nln_status read_line(reader *r, char *line, size_t length, long number, nln_error *err)
{
    nln_ratings_rows *rows = r->rows;
    nln_ratings_line values;
    nln_error *problem = r->first.status ? NULL : &r->first;
    r->lines++;
    r->report->lines++;
    nln_status status = nln_ratings_line_read(&values, &r->layout, line, length, problem);
    if (status) {
        const char *next = memchr(line, '\n', length);
        /* In a line that was joined from several, a column behind the first would mislead. */
        if (next && problem && problem->column > nln_input_column(line, next))
            problem->column = 0;
        nln_error_place(problem, nln_input_path(r->ahead.in), number);
        ++*(status == NLN_INVALID ? &r->report->out_of_range : &r->report->bad);
        if (r->rules->strict && err)
            *err = *problem;
        return r->rules->strict ? status : NLN_OK;
    }
    status = nln_ratings_rows_locate(rows, number, r->split, err);
    if (status)
        return status;
    int32_t user = nln_symbols_intern(rows->users, values.user.text, values.user.n);
    int32_t item = nln_symbols_intern(rows->items, values.item.text, values.item.n);
    if (user < 0 || item < 0)
        return nln_error_memory(err);
    r->report->without_time += isnan(values.time) != 0;
    return nln_ratings_rows_add(rows, user, item, (float)values.rating, values.time,
                                (uint8_t)(r->split << NLN_MARK_SPLIT), err);
}

/* ---- the head ----------------------------------------------------------------- */

/* Looks at the first lines that are not blank, which stay where they are; *number is that of the
 * first of them. */
static nln_status peek_head(char **lines, int *n, long *number, reader *r, nln_error *err)
{
    size_t bytes = 0;
    *n = 0;
    for (size_t i = 0; *n < NLN_LAYOUT_LINES && bytes < MOST_HEAD_BYTES; i++) {
        char *line;
        nln_status status = nln_line_lookahead_peek(&line, &r->ahead, i, err);
        if (status || !line)
            return status;
        size_t length = strlen(line);
        int blank = is_blank(line, length);
        if (*n == 0)
            *number = (long)i + 1;
        bytes += blank && *n == 0 ? 0 : length + 1;
        if (!blank)
            lines[(*n)++] = line;
    }
    return NLN_OK;
}

static nln_status read_head(reader *r, nln_error *err)
{
    char *lines[NLN_LAYOUT_LINES], *header;
    size_t length;
    long number;
    int n = 0;
    nln_status status = peek_head(lines, &n, &number, r, err);
    if (status || n == 0)
        return status;
    status = nln_ratings_format_detect(&r->layout, lines, n, (nln_format)r->rules->format,
                                       &r->rules->columns, err);
    if (status) {
        nln_error_place(err, nln_input_path(r->ahead.in), number);
        return status;
    }
    if (!isnan(r->rules->least))
        r->layout.least = r->rules->least;
    if (!isnan(r->rules->most))
        r->layout.most = r->rules->most;
    if (!r->report->format) {
        nln_ratings_report *report = r->report;
        report->format = r->layout.name;
        memcpy(report->unused, r->layout.unused, sizeof report->unused);
        memcpy(report->looks_like_rating, r->layout.looks[NLN_ROLE_RATING],
               sizeof report->looks_like_rating);
        memcpy(report->looks_like_time, r->layout.looks[NLN_ROLE_TIME],
               sizeof report->looks_like_time);
    }
    r->rows->has_rating |= r->layout.column[NLN_ROLE_RATING] >= 0;
    return r->layout.has_header ? next_line(&header, &length, &number, r, err) : NLN_OK;
}

/* ---- the whole file ------------------------------------------------------------- */

/* Where the first lines have no rating and later lines do, either the rows with a rating or those
 * without are left out: the rarer kind. */
static nln_status leave_rarer_out(reader *r, nln_error *err)
{
    nln_ratings_rows *rows = r->rows;
    size_t first[2] = {0, 0}, n[2] = {0, 0};
    if (!(r->layout.unseen >> NLN_ROLE_RATING & 1))
        return NLN_OK;
    for (size_t i = rows->n; i-- > r->first_row;) {
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
    if (r->rules->strict && err)
        *err = problem;
    if (r->rules->strict)
        return problem.status;
    if (!r->first.status || r->first.line > line)
        r->first = problem;
    r->report->bad += n[rarer];
    for (size_t i = r->first_row; i < rows->n; i++)
        if ((!isnan(rows->rating[i])) == rarer)
            r->report->without_time -= isnan(rows->time[i]) != 0;
    return nln_ratings_rows_keep(rows, r->first_row, !rarer, err);
}

/* In a file that has times, a row without one takes the time of the row before it, or of the
 * first row that has one; in `strict` it is an error. */
static nln_status fill_times(const reader *r, nln_error *err)
{
    nln_ratings_rows *rows = r->rows;
    nln_error *problem = r->rules->strict ? err : &r->report->first;
    double last = NAN;
    for (size_t i = r->first_row; i < rows->n && isnan(last); i++)
        last = rows->time[i];
    if (isnan(last))
        return NLN_OK;
    rows->has_time = 1;
    for (size_t i = r->first_row; i < rows->n; last = rows->time[i++]) {
        if (!isnan(rows->time[i]))
            continue;
        if (r->rules->strict || !problem->status) {
            long line = 0;
            const char *path = nln_ratings_rows_where(&line, rows, i);
            nln_error_at(problem, NLN_SYNTAX, path, line, 0,
                         "this line has no time, though others have one");
        }
        if (r->rules->strict)
            return NLN_SYNTAX;
        rows->time[i] = last;
    }
    return NLN_OK;
}

/* Counts the times in seconds among milliseconds, or the other way round: the rarer kind, where
 * both look like times since 1970. */
static void count_mixed_times(const reader *r)
{
    size_t n[2] = {0, 0};
    for (size_t i = r->first_row; i < r->rows->n; i++) {
        double time = r->rows->time[i];
        n[0] += time >= 1e8 && time < 1e10;
        n[1] += time >= 1e11 && time < 1e13;
    }
    r->report->mixed_times += n[0] < n[1] ? n[0] : n[1];
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

/* Valid and test files may be empty; any other file must have a usable line. */
static nln_status check_use(const reader *r, nln_error *err)
{
    if (r->rows->n > r->first_row || (r->lines == 0 && r->split != NLN_TRAIN))
        return NLN_OK;
    if (r->lines == 0)
        return nln_error_at(err, NLN_FORMAT, nln_input_path(r->ahead.in), 0, 0,
                            "the file has no ratings; expected lines of a user, an item and "
                            "perhaps a rating and a time");
    char lines[64] = "the only line cannot";
    if (r->lines > 1)
        snprintf(lines, sizeof lines, "none of the %zu lines can", r->lines);
    return nln_error_at(err, NLN_FORMAT, nln_input_path(r->ahead.in), r->first.line,
                        r->first.column, "%s be used, %sbecause %.300s", lines,
                        r->lines > 1 ? "here " : "", r->first.message);
}

nln_status nln_ratings_rows_read(nln_ratings_rows *rows, nln_ratings_report *report, nln_input *in,
                                 nln_split split, const nln_ratings_rules *rules, nln_error *err)
{
    reader r = {.rows = rows,
                .report = report,
                .ahead = {.in = in},
                .split = split,
                .rules = rules,
                .first_row = rows->n};
    char *line, *path = nln_memory_copy(nln_input_path(in));
    size_t length;
    long number;
    if (!path)
        return nln_error_memory(err);
    nln_free(rows->path[split]);
    rows->path[split] = path;
    nln_status status = read_head(&r, err);
    while (!status && !(status = next_line(&line, &length, &number, &r, err)) && line)
        status = read_line(&r, line, length, number, err);
    if (!status && !(status = leave_rarer_out(&r, err)))
        status = check_use(&r, err);
    nln_line_lookahead_free(&r.ahead);
    if (!report->first.status)
        report->first = r.first;
    if (!status)
        status = fill_times(&r, err);
    count_mixed_times(&r);
    report->has_rating = rows->has_rating;
    report->has_time = rows->has_time;
    mark_likes(rows, report, rules);
    return status;
}

/* ---- options ------------------------------------------------------------------- */

static int is_auto(const char *text)
{
    return !text || !strcmp(text, "auto");
}

static int read_bound(double *out, const char *text, size_t n)
{
    return nln_number_read(out, text, n) && fabs(*out) <= FLT_MAX;
}

static nln_status read_rules(nln_ratings_rules *out, const nln_options *options, nln_error *err)
{
    *out = (nln_ratings_rules){.like_from = NAN, .least = NAN, .most = NAN};
    if (!options)
        return NLN_OK;
    const char *from = nln_options_text(options, "like-from");
    const char *range = nln_options_text(options, "rating-range");
    out->format = (int)nln_options_number(options, "format");
    out->strict = nln_options_number(options, "strict") != 0;
    out->stars = strcmp(from, "stars") == 0;
    nln_status status =
        nln_column_choice_parse(&out->columns, nln_options_text(options, "columns"), err);
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

/* ---- files and folders ------------------------------------------------------------ */

/* Reads the three files of a folder, or one file. */
static nln_status read_files(nln_ratings_rows *rows, nln_ratings_report *report, const char *path,
                             int is_folder, const nln_ratings_rules *rules, nln_error *err)
{
    nln_folder folder = {0};
    nln_status status = is_folder ? nln_folder_list(&folder, path, err) : NLN_OK;
    for (int i = NLN_TRAIN; is_folder && !status && i <= NLN_TEST; i++)
        status = nln_folder_need(&folder, i, err);
    for (int i = NLN_TRAIN; !status && i <= (is_folder ? NLN_TEST : NLN_TRAIN); i++) {
        nln_input *in;
        status = is_folder ? nln_folder_open(&in, &folder, i, err) : nln_input_open(&in, path, err);
        if (!status)
            status = nln_ratings_rows_read(rows, report, in, (nln_split)i, rules, err);
        nln_input_close(in);
    }
    nln_folder_free(&folder);
    return status;
}

/* Notes how the ratings were read.  Where `auto` has found more than labels, other files are to
 * be read as ratings on the same scale, too. */
static void note_provenance(nln_ratings *r, const nln_ratings_report *report,
                            const nln_ratings_rules *rules, const char *split, uint64_t seed)
{
    nln_reading_rules *out = &r->origin;
    int stars = rules->stars || !nln_ratings_are_labels(r);
    snprintf(out->split, sizeof out->split, "%s", split);
    nln_number_print(out->split_seed, (double)seed);
    snprintf(out->like_from, sizeof out->like_from, "%s", stars ? "stars" : "auto");
    if (!isnan(rules->like_from) || (stars && report->has_rating && report->like_from != 4))
        nln_number_print(out->like_from, report->like_from);
}

nln_status nln_ratings_read(nln_ratings **out, nln_ratings_report *report, const char *path,
                            const nln_options *options, nln_error *err)
{
    nln_ratings_rules rules;
    nln_ratings_report unasked = {0};
    nln_ratings_rows rows;
    int is_folder = nln_folder_exists(path);
    *out = NULL;
    report = report ? report : &unasked;
    memset(report, 0, sizeof *report);
    nln_status status = options ? nln_options_check(options, "ratings", err) : NLN_OK;
    if (status || (status = read_rules(&rules, options, err)) ||
        (status = nln_ratings_rows_create(&rows, err)))
        return status;
    status = read_files(&rows, report, path, is_folder, &rules, err);
    if (status)
        nln_ratings_rows_free(&rows);
    else
        status = nln_ratings_from_rows(out, report, &rows, rules.strict, err);
    if (!status) {
        const char *split = options ? nln_options_text(options, "split") : "paper";
        nln_split_method method = NLN_SPLIT_PAPER;
        uint64_t seed = 1;
        if (options) {
            method = (nln_split_method)nln_options_number(options, "split");
            seed = (uint64_t)nln_options_number(options, "split-seed");
        }
        int core = options ? (int)nln_options_number(options, "core") : 0;
        note_provenance(*out, report, &rules, is_folder ? NLN_ORIGIN_FOLDER : split, seed);
        if (core > 1) {
            nln_number_print((*out)->origin.core, core);
            status = nln_ratings_core(out, core, err);
        }
        if (!status && !is_folder)
            status = nln_ratings_split_by(*out, method, seed, err);
    }
    if (status) {
        nln_ratings_free(*out);
        *out = NULL;
    }
    return status;
}

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
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
    if (!status && r.layout.unseen >> NLN_ROLE_RATING & 1)
        status = nln_ratings_rows_agree(rows, report, &r.first, r.first_row, rules, err);
    if (!status)
        status = check_use(&r, err);
    nln_line_lookahead_free(&r.ahead);
    if (!report->first.status)
        report->first = r.first;
    return status ? status : nln_ratings_rows_complete(rows, report, r.first_row, rules, err);
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
    nln_status status = nln_ratings_rules_read(&rules, options, err);
    if (status || (status = nln_ratings_rows_create(&rows, err)))
        return status;
    status = read_files(&rows, report, path, is_folder, &rules, err);
    if (!status) {
        status = nln_ratings_settle(out, report, &rows, &rules, options, is_folder, err);
        if (!status)
            nln_data_name((*out)->name, path);
        return status;
    }
    nln_ratings_rows_free(&rows);
    return status;
}

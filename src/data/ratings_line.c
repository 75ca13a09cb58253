#include "data/ratings_line.h"

#include <math.h>
#include <string.h>

#include "base/date.h"
#include "base/input.h"
#include "base/number.h"
#include "base/utf8.h"
#include "data/json_line.h"

static nln_status fail_at(const char *line, const char *at, const char *sentence, nln_error *err)
{
    return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, at), "%s", sentence);
}

/* Seconds or any other number, or a date. */
static int read_time(double *out, nln_field part)
{
    nln_field_trim(&part);
    return nln_number_read(out, part.text, part.n) || nln_date_read(out, part.text, part.n);
}

/* ---- from a line to its parts: fields[role], text NULL where there is none ---- */

/* Fields may span lines, but ids may not. */
static nln_status check_spans(const nln_field *parts, const char *line, nln_error *err)
{
    for (int role = NLN_ROLE_USER; role <= NLN_ROLE_ITEM; role++)
        if (parts[role].n > 0 && memchr(parts[role].text, '\n', parts[role].n))
            return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, parts[role].text),
                                "the %s is a quoted field that goes on in the next line",
                                nln_ratings_format_role_name((nln_role)role));
    return NLN_OK;
}

static nln_status cut_table(nln_field *parts, const nln_ratings_format *layout, char *line,
                            size_t length, nln_error *err)
{
    nln_field fields[NLN_MOST_FIELDS];
    const char *bad = line;
    int n = nln_csv_line_cut(fields, layout->n_columns, &bad, layout->separator, line, length);
    if (n == 0)
        return fail_at(line, bad, "the quote is not closed, or text follows it", err);
    for (int role = 0; role < NLN_ROLES; role++) {
        int column = layout->late >> role & 1 ? role : layout->column[role];
        parts[role] = column >= 0 && column < n ? fields[column] : (nln_field){NULL, 0, 0};
    }
    double time;
    if (layout->second_time && parts[NLN_ROLE_TIME].text && !read_time(&time, parts[NLN_ROLE_TIME]))
        parts[NLN_ROLE_TIME] = (nln_field){NULL, 0, 0};
    for (int role = NLN_ROLE_USER; role <= NLN_ROLE_ITEM; role++)
        if (parts[role].escaped)
            nln_field_unescape(&parts[role]);
    return check_spans(parts, line, err);
}

/* Of members of one role the first counts, or the first of those whose name is not second to
 * others; null, true, false, objects and arrays are none. */
static nln_status cut_json(nln_field *parts, char *line, size_t length, nln_error *err)
{
    nln_json_line in = nln_json_line_begin(line, length);
    nln_json_member member;
    int more, second, only_second[NLN_ROLES] = {0};
    double time;
    for (int role = 0; role < NLN_ROLES; role++)
        parts[role] = (nln_field){NULL, 0, 0};
    while ((more = nln_json_line_next(&member, &in)) > 0) {
        int role = nln_ratings_format_role(&second, member.key.text, member.key.n);
        if (role < 0 || member.kind == NLN_JSON_OTHER ||
            (parts[role].text && (second || !only_second[role])))
            continue;
        if (role == NLN_ROLE_TIME && second && !read_time(&time, member.value))
            continue;
        only_second[role] = second;
        parts[role] = member.value;
        if (member.kind == NLN_JSON_STRING && !nln_json_line_unescape(&parts[role]))
            return fail_at(line, member.value.text, "the string has a malformed escape", err);
    }
    return more == 0 ? NLN_OK : fail_at(line, in.at, "the line is not a JSON object", err);
}

/* ---- from parts to values ------------------------------------------------- */

static int has_control(nln_field field)
{
    for (size_t i = 0; i < field.n; i++)
        /* NOLINTNEXTLINE: a field without a text has no length */
        if ((unsigned char)field.text[i] < 0x20 || field.text[i] == 0x7f)
            return 1;
    return 0;
}

static nln_status read_name(nln_field *out, nln_field part, nln_role role, const char *line,
                            size_t length, nln_error *err)
{
    const char *what = nln_ratings_format_role_name(role);
    const char *at = part.text ? part.text : line + length;
    if (part.text)
        nln_field_trim(&part);
    *out = part;
    if (part.n == 0)
        return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, at),
                            "the line has no %s", what);
    if (has_control(part) || !nln_utf8_valid(part.text, part.n))
        return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, at),
                            "the %s is not UTF-8 text without control characters", what);
    return NLN_OK;
}

static nln_status fail_number(nln_field part, const char *wanted, const char *line, nln_error *err)
{
    nln_field_trim(&part);
    return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, part.text),
                        "expected %s, not '%.*s'", wanted, (int)(part.n < 40 ? part.n : 40),
                        part.text);
}

static nln_status read_rating(double *out, nln_field part, const nln_ratings_format *layout,
                              const char *line, size_t length, nln_error *err)
{
    if (!part.text)
        return fail_at(line, line + length, "the line has no rating", err);
    nln_field_trim(&part);
    if (!nln_number_read(out, part.text, part.n))
        return fail_number(part, "a number as the rating", line, err);
    if (*out >= layout->least && *out <= layout->most)
        return NLN_OK;
    return nln_error_at(err, NLN_INVALID, NULL, 0, nln_input_column(line, part.text),
                        "the rating %.9g is outside %.9g:%.9g; set rating-range if the scale is "
                        "another one",
                        *out, layout->least, layout->most);
}

static nln_status read_late(nln_ratingsline *out, const nln_field *parts,
                            const nln_ratings_format *layout, const char *line, size_t length,
                            nln_error *err)
{
    nln_field rating = parts[NLN_ROLE_RATING], time = parts[NLN_ROLE_TIME];
    double number;
    if (rating.text)
        nln_field_trim(&rating);
    if (layout->late >> NLN_ROLE_TIME & 1 && time.n > 0 && read_time(&number, time))
        out->time = number;
    if (layout->late >> NLN_ROLE_RATING & 1 && rating.n > 0 &&
        nln_number_read(&number, rating.text, rating.n))
        return read_rating(&out->rating, rating, layout, line, length, err);
    return NLN_OK;
}

nln_status nln_ratingsline_read(nln_ratingsline *out, const nln_ratings_format *layout, char *line,
                                size_t length, nln_error *err)
{
    nln_field parts[NLN_ROLES] = {{0}};
    nln_status status = layout->is_json ? cut_json(parts, line, length, err)
                                        : cut_table(parts, layout, line, length, err);
    out->rating = out->time = NAN;
    if (!status)
        status = read_name(&out->user, parts[NLN_ROLE_USER], NLN_ROLE_USER, line, length, err);
    if (!status)
        status = read_name(&out->item, parts[NLN_ROLE_ITEM], NLN_ROLE_ITEM, line, length, err);
    if (!status && layout->column[NLN_ROLE_RATING] >= 0)
        status = read_rating(&out->rating, parts[NLN_ROLE_RATING], layout, line, length, err);
    if (!status && layout->column[NLN_ROLE_TIME] >= 0 && parts[NLN_ROLE_TIME].n > 0 &&
        !read_time(&out->time, parts[NLN_ROLE_TIME]))
        status = fail_number(parts[NLN_ROLE_TIME], "a number or a date as the time", line, err);
    return status || !layout->late ? status : read_late(out, parts, layout, line, length, err);
}

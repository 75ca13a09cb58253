#include "data/ratings_line.h"

#include <math.h>
#include <string.h>

#include "base/date.h"
#include "base/input.h"
#include "base/number.h"
#include "base/utf8.h"
#include "data/json_members.h"

/* The message is `before`, `role` and `after`. */
static nln_status fail_at(const char *line, const char *at, const char *before, const char *role,
                          const char *after, nln_error *err)
{
    return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, at), "%s%s%s", before,
                        role, after);
}

/* Seconds or any other number, or a date. */
static int read_time(double *out, nln_field part)
{
    nln_field_trim(&part);
    return nln_number_read(out, part.text, part.n) || nln_date_read(out, part.text, part.n);
}

/* ---- from a line to its parts: fields[role], text NULL where there is none ---- */

static nln_status cut_table(nln_field *parts, const nln_ratings_format *layout, char *line,
                            size_t length, nln_error *err)
{
    nln_field fields[NLN_MOST_FIELDS];
    const char *bad = line;
    int n = nln_csv_line_cut(fields, layout->n_columns, &bad, layout->separator, line, length);
    if (n == 0)
        return fail_at(line, bad, "the quote is not closed, or text follows it", "", "", err);
    for (int role = 0; role < NLN_ROLES; role++) {
        int column = layout->unseen >> role & 1 ? role : layout->column[role];
        if (column >= 0 && column < n)
            parts[role] = fields[column];
    }
    for (int role = NLN_ROLE_USER; role <= NLN_ROLE_ITEM; role++) {
        nln_field *id = &parts[role];
        nln_field_unescape(id);
        if (id->n > 0 && memchr(id->text, '\n', id->n))
            return fail_at(line, id->text, "the ", nln_ratings_column_word((nln_column_role)role),
                           " is a quoted field that goes on in the next line", err);
    }
    return NLN_OK;
}

/* Of several members of one role the first counts, or the first whose name is not a fallback;
 * null, true, false, objects and arrays do not count. */
static nln_status cut_json(nln_field *parts, const nln_ratings_format *layout, char *line,
                           size_t length, nln_error *err)
{
    nln_json_members in = nln_json_members_begin(line, length);
    nln_json_member member;
    int more, fallback, by_fallback[NLN_ROLES] = {0};
    while ((more = nln_json_members_next(&member, &in)) > 0) {
        int role =
            nln_ratings_column_role(&fallback, &layout->choice, member.key.text, member.key.n);
        if (role < 0 || member.kind == NLN_JSON_OTHER ||
            (parts[role].text && (fallback || !by_fallback[role])))
            continue;
        by_fallback[role] = fallback;
        parts[role] = member.value;
        if (member.kind == NLN_JSON_STRING && !nln_json_members_unescape(&parts[role]))
            return fail_at(line, member.value.text, "the string has a malformed escape", "", "",
                           err);
    }
    return more == 0 ? NLN_OK : fail_at(line, in.at, "the line is not a JSON object", "", "", err);
}

/* ---- from parts to values ------------------------------------------------- */

static nln_status read_name(nln_field *out, nln_field part, nln_column_role role, const char *line,
                            size_t length, nln_error *err)
{
    const char *what = nln_ratings_column_word(role);
    const char *at = part.text ? part.text : line + length;
    if (part.text)
        nln_field_trim(&part);
    *out = part;
    if (part.n == 0)
        return fail_at(line, at, "the line has no ", what, "", err);
    int valid = nln_utf8_valid(part.text, part.n);
    for (size_t i = 0; i < part.n && valid; i++)
        valid = (unsigned char)part.text[i] >= 0x20 && part.text[i] != 0x7f;
    return valid ? NLN_OK
                 : fail_at(line, at, "the ", what, " is not UTF-8 text without control characters",
                           err);
}

static nln_status fail_number(nln_field part, const char *wanted, const char *line, nln_error *err)
{
    nln_field_trim(&part);
    return nln_error_at(err, NLN_SYNTAX, NULL, 0, nln_input_column(line, part.text),
                        "expected %s, not '%.*s'", wanted, (int)(part.n < 40 ? part.n : 40),
                        part.text);
}

/* The rating, which need not be there and may be anything if the first lines had none. */
static nln_status read_rating(double *out, nln_field part, const nln_ratings_format *layout,
                              const char *line, size_t length, nln_error *err)
{
    int needed = layout->column[NLN_ROLE_RATING] >= 0;
    double rating;
    if (!needed && !(layout->unseen >> NLN_ROLE_RATING & 1 && part.n > 0))
        return NLN_OK;
    if (!part.text)
        return fail_at(line, line + length, "the line has no rating", "", "", err);
    nln_field_trim(&part);
    if (!nln_number_read(&rating, part.text, part.n))
        return needed ? fail_number(part, "a number as the rating", line, err) : NLN_OK;
    *out = rating;
    if (rating >= layout->least && rating <= layout->most)
        return NLN_OK;
    return nln_error_at(err, NLN_INVALID, NULL, 0, nln_input_column(line, part.text),
                        "the rating %.9g is outside %.9g:%.9g; set rating-range if the scale is "
                        "another one",
                        rating, layout->least, layout->most);
}

nln_status nln_ratings_line_read(nln_ratings_line *out, const nln_ratings_format *layout,
                                 char *line, size_t length, nln_error *err)
{
    nln_field parts[NLN_ROLES] = {{0}};
    const nln_field *time = &parts[NLN_ROLE_TIME];
    int needs_time = layout->column[NLN_ROLE_TIME] >= 0;
    double seconds;
    nln_status status = layout->is_json ? cut_json(parts, layout, line, length, err)
                                        : cut_table(parts, layout, line, length, err);
    out->rating = out->time = NAN;
    if (status ||
        (status = read_name(&out->user, parts[NLN_ROLE_USER], NLN_ROLE_USER, line, length, err)) ||
        (status = read_name(&out->item, parts[NLN_ROLE_ITEM], NLN_ROLE_ITEM, line, length, err)) ||
        (status = read_rating(&out->rating, parts[NLN_ROLE_RATING], layout, line, length, err)))
        return status;
    if (time->n == 0 || (!needs_time && !(layout->unseen >> NLN_ROLE_TIME & 1)))
        return NLN_OK;
    if (read_time(&seconds, *time))
        out->time = seconds;
    else if (needs_time)
        return fail_number(*time, "a number or a date as the time (--columns time=none ignores it)",
                           line, err);
    return NLN_OK;
}

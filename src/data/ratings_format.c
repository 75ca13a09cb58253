#include "data/ratings_format.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/json_line.h"

#define BIT(separator) (1u << (separator))
#define ANY \
    (BIT(NLN_TABS) | BIT(NLN_COLONS) | BIT(NLN_SEMICOLONS) | BIT(NLN_COMMAS) | BIT(NLN_SPACES))

enum { NEVER, MAYBE, ALWAYS };

static const struct format_row {
    const char *name;
    const char *example; /* of a line, for messages */
    unsigned separators; /* as bits; 0 for JSON */
    int header;          /* NEVER, MAYBE or ALWAYS */
    double least, most;  /* of the ratings, where the option `rating-range` is auto */
} formats[NLN_FORMATS] = {
    [NLN_FORMAT_AUTO] = {"auto",
                         "a user, an item and perhaps a rating and a time, with tabs, ::, commas, "
                         "semicolons or spaces between them",
                         ANY, MAYBE, -FLT_MAX, FLT_MAX},
    [NLN_FORMAT_MOVIELENS] = {"movielens", "user TAB item TAB rating TAB time", BIT(NLN_TABS),
                              NEVER, 0, 5},
    [NLN_FORMAT_DAT] = {"dat", "user::item::rating::time", BIT(NLN_COLONS), NEVER, 0, 5},
    [NLN_FORMAT_CSV] = {"csv", "userId,movieId,rating,timestamp", BIT(NLN_COMMAS), MAYBE, 0, 5},
    [NLN_FORMAT_INTER] = {"inter", "user_id:token TAB item_id:token TAB rating:float",
                          BIT(NLN_TABS), ALWAYS, -FLT_MAX, FLT_MAX},
    [NLN_FORMAT_RECHORUS] = {"rechorus", "user_id TAB item_id TAB time",
                             BIT(NLN_TABS) | BIT(NLN_COMMAS), ALWAYS, -FLT_MAX, FLT_MAX},
    [NLN_FORMAT_AMAZON] =
        {"amazon",
         "{\"reviewerID\": ..., \"asin\": ..., \"overall\": ..., \"unixReviewTime\": ...}", 0,
         NEVER, 0, 5},
    [NLN_FORMAT_PLAIN] = {"plain", "user, item, rating, time", ANY, MAYBE, -FLT_MAX, FLT_MAX},
};

/* ---- names of columns ---------------------------------------------------- */

static const struct role_row {
    const char *message;    /* what it is called in messages */
    const char *names[12];  /* in small letters and digits only */
    const char *second[12]; /* names that count where there is none of the others */
} roles[NLN_ROLES] = {
    [NLN_ROLE_USER] = {"user",
                       {"user", "userid", "uid", "reviewerid", "reviewer", "customer", "customerid",
                        "visitorid"},
                       {NULL}},
    [NLN_ROLE_ITEM] = {"item",
                       {"item", "itemid", "iid", "movieid", "movie", "asin", "product", "productid",
                        "bookid", "artistid"},
                       {"isbn"}},
    [NLN_ROLE_RATING] = {"rating",
                         {"rating", "label", "overall", "score", "stars"},
                         {"bookrating"}},
    [NLN_ROLE_TIME] = {"time",
                       {"time", "timestamp", "unixreviewtime", "unixtime"},
                       {"ts", "date", "datetime", "createdat", "reviewtime", "reviewdate",
                        "eventtime", "unixtimestamp"}},
};

const char *nln_ratings_format_role_name(nln_role role)
{
    return roles[role].message;
}

enum { LONGEST_NAME = 16 };

/* The name in small letters, without its type; 0 when it is longer than any known. */
static size_t simplify(char out[LONGEST_NAME], const char *name, size_t n)
{
    size_t length = 0;
    for (size_t i = 0; i < n && name[i] != ':'; i++) {
        char c = name[i];
        if (c == '_' || c == '-' || c == ' ')
            continue;
        if (length == LONGEST_NAME)
            return 0;
        out[length++] = c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
    }
    return length;
}

static int is_among(const char *const *names, const char *name, size_t n)
{
    for (; *names; names++)
        if ((*names)[0] == name[0] && strlen(*names) == n && !memcmp(*names, name, n))
            return 1;
    return 0;
}

int nln_ratings_format_role(int *second, const char *name, size_t n)
{
    char simple[LONGEST_NAME];
    size_t length = simplify(simple, name, n);
    *second = 0;
    for (int role = 0; length > 0 && role < NLN_ROLES; role++) {
        if (is_among(roles[role].names, simple, length))
            return role;
        *second = is_among(roles[role].second, simple, length);
        if (*second)
            return role;
    }
    return -1;
}

/* ---- one line ------------------------------------------------------------- */

/* What one line tells. */
typedef struct shape {
    int is_json;
    nln_separator separator;
    int n; /* fields, at most four; of JSON the roles as bits; 0 when it is no line of data */
} shape;

static int cut(nln_field *fields, nln_separator separator, char *line)
{
    const char *bad;
    return nln_csv_line_cut(fields, NLN_MOST_FIELDS, &bad, separator, line, strlen(line));
}

/* Whether the line is a JSON object; *seen gets the roles of its members, as bits. */
static int see_members(unsigned *seen, char *line)
{
    nln_json_line in = nln_json_line_begin(line, strlen(line));
    nln_json_member member;
    int more, second;
    *seen = 0;
    while ((more = nln_json_line_next(&member, &in)) > 0) {
        int role = nln_ratings_format_role(&second, member.key.text, member.key.n);
        *seen |= role >= 0 ? 1u << role : 0;
    }
    return more == 0;
}

static shape json_shape(char *line)
{
    const unsigned needed = 1u << NLN_ROLE_USER | 1u << NLN_ROLE_ITEM;
    unsigned seen;
    int usable = see_members(&seen, line) && (seen & needed) == needed;
    return (shape){1, NLN_TABS, usable ? (int)seen : 0};
}

/* The first of the separators that the line has between two fields. */
static shape shape_of(char *line, unsigned separators, int may_be_json)
{
    nln_field fields[NLN_MOST_FIELDS];
    if (may_be_json && nln_json_line_likely(line, strlen(line)))
        return json_shape(line);
    for (int s = 0; s < NLN_SEPARATORS && separators; s++) {
        int n = separators & BIT(s) ? cut(fields, (nln_separator)s, line) : 0;
        if (n > 1)
            return (shape){0, (nln_separator)s, n < NLN_ROLES ? n : NLN_ROLES};
    }
    return (shape){may_be_json && !separators, NLN_SPACES, 0};
}

/* The columns that the fields of the line name; returns how many roles are among them, or 0
 * when there is a number too, as no header has. */
static int name_columns(nln_ratings_format *out, nln_separator separator, char *line)
{
    nln_field fields[NLN_MOST_FIELDS];
    int n = cut(fields, separator, line), known = 0, only_second[NLN_ROLES] = {0}, second;
    int *column = out->column;
    for (int role = 0; role < NLN_ROLES; role++)
        column[role] = -1;
    for (int i = 0; i < n; i++) {
        double number;
        int role = nln_ratings_format_role(&second, fields[i].text, fields[i].n);
        if (nln_number_read(&number, fields[i].text, fields[i].n))
            return 0;
        if (role < 0 || (column[role] >= 0 && (second || !only_second[role])))
            continue;
        known += column[role] < 0;
        column[role] = i;
        only_second[role] = second;
    }
    out->second_time = only_second[NLN_ROLE_TIME];
    return known;
}

/* The field that a role has in the line; empty where it has none. */
static nln_field field_of(const nln_ratings_format *layout, nln_role role, char *line)
{
    nln_field fields[NLN_MOST_FIELDS];
    int n = cut(fields, layout->separator, line), i = layout->column[role];
    return i >= 0 && i < n ? fields[i] : (nln_field){line, 0, 0};
}

/* ---- the file ------------------------------------------------------------- */

/* Adds " no column of the ROLE: call it A, B or C" to the text, with another word for column. */
static void add_missing(char *text, size_t room, const char *column, nln_role role)
{
    const char *const *name = roles[role].names;
    size_t n = strlen(text);
    n += (size_t)snprintf(text + n, room - n, "%s no %s of the %s: call it ", n ? "; and" : "",
                          column, roles[role].message);
    for (; *name && n < room; name++)
        n += (size_t)snprintf(text + n, room - n, "%s%s", *name,
                              !name[1]   ? ""
                              : !name[2] ? " or "
                                         : ", ");
}

/* A header with names, all lines after it as it says. */
static nln_status use_header(nln_ratings_format *out, const char *line, nln_error *err)
{
    char missing[384] = "";
    for (int role = NLN_ROLE_USER; role <= NLN_ROLE_ITEM; role++)
        if (out->column[role] < 0)
            add_missing(missing, sizeof missing, "column", (nln_role)role);
    out->has_header = 1;
    if (!missing[0])
        return NLN_OK;
    return nln_error_set(err, NLN_FORMAT, "the header '%.60s' names%s; or remove the line", line,
                         missing);
}

/* Whether the file looks like JSON that does not keep to lines: an array, or an object whose
 * members have lines of their own. */
static int spans_lines(char *const *lines, int n_lines)
{
    char *first = lines[0] + strspn(lines[0], " \t"), *rest = first + (*first != '\0');
    const char *next = n_lines > 1 ? lines[1] + strspn(lines[1], " \t") : "";
    if (*first == '[' && nln_json_line_likely(rest, strlen(rest)))
        return 1;
    return rest[strspn(rest, " \t")] == '\0' &&
           ((*first == '[' && *next == '{') || (*first == '{' && *next == '"'));
}

/* Lines of which none can be used.  Objects lack the user or the item, of which the first tells. */
static nln_status fail_lines(char *const *lines, const shape *shapes, int n_lines,
                             const struct format_row *row, nln_error *err)
{
    char missing[384] = "";
    unsigned seen;
    for (int i = 0; i < n_lines && !missing[0]; i++)
        if (shapes[i].is_json && see_members(&seen, lines[i]))
            for (int role = NLN_ROLE_USER; role <= NLN_ROLE_ITEM; role++)
                if (!(seen >> role & 1))
                    add_missing(missing, sizeof missing, "member", (nln_role)role);
    if (missing[0])
        return nln_error_set(err, NLN_SYNTAX, "the JSON object has%s", missing);
    return nln_error_set(err, NLN_SYNTAX, "expected %s", row->example);
}

/* Without a header: user, item, rating and time, as many as there are. */
static void use_shape(nln_ratings_format *out, shape s)
{
    out->is_json = s.is_json;
    out->separator = s.separator;
    out->second_time = 0;
    for (int role = 0; role < NLN_ROLES; role++) {
        int has = s.is_json ? s.n >> role & 1 : role < s.n;
        out->column[role] = !has ? -1 : s.is_json ? 0 : role;
        out->late |= has ? 0 : 1u << role;
    }
}

/* The index of the line whose shape most lines have, the first where several are as frequent,
 * or -1 when no line has any. */
static int vote(const shape *shapes, int n)
{
    int best = -1, most = 0;
    for (int i = 0; i < n; i++) {
        int votes = 0;
        for (int j = i; shapes[i].n > 0 && j < n; j++)
            votes += shapes[j].is_json == shapes[i].is_json &&
                     shapes[j].separator == shapes[i].separator && shapes[j].n == shapes[i].n;
        if (votes > most) {
            most = votes;
            best = i;
        }
    }
    return best;
}

static int is_number(nln_field field)
{
    double number;
    return nln_number_read(&number, field.text, field.n);
}

/* Whether the first line holds names, known or not: it has no number, and one of its fields stands
 * above numbers.  An id may be a number by chance, so that all of at least two lines must have one
 * in the first two columns; in the others, most lines.  `like` is the shape of lines of data. */
static int heads_numbers(char *const *lines, const shape *shapes, int n_lines, shape like)
{
    nln_field names[NLN_MOST_FIELDS], fields[NLN_MOST_FIELDS];
    int numbers[NLN_MOST_FIELDS] = {0}, others = 0, n = cut(names, like.separator, lines[0]);
    for (int k = 0; k < n; k++)
        if (is_number(names[k]))
            return 0;
    for (int i = 1; n > 1 && i < n_lines; i++) {
        int same = !shapes[i].is_json && shapes[i].separator == like.separator;
        int m = same && shapes[i].n == like.n ? cut(fields, like.separator, lines[i]) : 0;
        others += m > 0;
        for (int k = 0; k < m; k++)
            numbers[k] += is_number(fields[k]);
    }
    for (int k = 0; k < n; k++) {
        int is_id = k < NLN_ROLE_RATING;
        int all = others > 1 && numbers[k] == others, most = 2 * numbers[k] > others;
        if (names[k].n > 0 && (is_id ? all : most))
            return 1;
    }
    return 0;
}

static int is_called(nln_field field, const char *name)
{
    char simple[LONGEST_NAME];
    size_t n = simplify(simple, field.text, field.n);
    return n == strlen(name) && !memcmp(simple, name, n);
}

static nln_format classify_header(const nln_ratings_format *layout, char *header)
{
    nln_field user = field_of(layout, NLN_ROLE_USER, header);
    nln_field item = field_of(layout, NLN_ROLE_ITEM, header);
    nln_field rating = field_of(layout, NLN_ROLE_RATING, header);
    int tabs = layout->separator == NLN_TABS, commas = layout->separator == NLN_COMMAS;
    if (tabs && memchr(user.text, ':', user.n))
        return NLN_FORMAT_INTER;
    if (commas && is_called(item, "movieid"))
        return NLN_FORMAT_CSV;
    if ((tabs || commas) && layout->column[NLN_ROLE_TIME] >= 0 && !layout->second_time &&
        (rating.n == 0 || is_called(rating, "label")))
        return NLN_FORMAT_RECHORUS;
    return NLN_FORMAT_PLAIN;
}

static int is_whole(nln_field field)
{
    return field.n > 0 && strspn(field.text, "0123456789") >= field.n;
}

/* What a file without a header is, from a line of its data. */
static nln_format classify(const nln_ratings_format *layout, char *line)
{
    if (layout->is_json)
        return NLN_FORMAT_AMAZON;
    if (layout->separator == NLN_COLONS)
        return NLN_FORMAT_DAT;
    if (layout->separator == NLN_TABS && layout->column[NLN_ROLE_TIME] >= 0 &&
        is_whole(field_of(layout, NLN_ROLE_USER, line)) &&
        is_whole(field_of(layout, NLN_ROLE_ITEM, line)))
        return NLN_FORMAT_MOVIELENS;
    return NLN_FORMAT_PLAIN;
}

static void finish(nln_ratings_format *out, nln_format format)
{
    out->format = format;
    out->name = formats[format].name;
    out->least = formats[format].least;
    out->most = formats[format].most;
    out->n_columns = 0;
    for (int role = 0; role < NLN_ROLES; role++)
        if (out->column[role] >= out->n_columns)
            out->n_columns = out->column[role] + 1;
    if (out->late)
        out->n_columns = NLN_ROLES;
}

static nln_status detect_header(nln_ratings_format *out, char *line, nln_separator separator,
                                nln_format format, nln_error *err)
{
    name_columns(out, separator, line);
    out->separator = separator;
    nln_status status = use_header(out, line, err);
    finish(out, format ? format : classify_header(out, line));
    return status;
}

nln_status nln_ratings_format_detect(nln_ratings_format *out, char *const *lines, int n_lines,
                                     nln_format format, nln_error *err)
{
    const struct format_row *row = &formats[format];
    int may_be_json = format == NLN_FORMAT_AUTO || format == NLN_FORMAT_AMAZON;
    int may_head = row->header != NEVER, i;
    shape shapes[NLN_LAYOUT_LINES] = {{0}};
    *out = (nln_ratings_format){.format = format};
    if (may_be_json && spans_lines(lines, n_lines))
        return nln_error_set(
            err, NLN_SYNTAX,
            "this is JSON over several lines, or an array; one object on each line "
            "is wanted, as jq -c '.[]' writes the elements of an array");
    for (i = 0; i < n_lines; i++)
        shapes[i] = shape_of(lines[i], row->separators, may_be_json);
    if (may_head && !shapes[0].is_json && shapes[0].n > 0 &&
        name_columns(out, shapes[0].separator, lines[0]) > 1)
        return detect_header(out, lines[0], shapes[0].separator, format, err);
    i = vote(shapes, n_lines);
    if (may_head && i >= 0 && !shapes[i].is_json &&
        heads_numbers(lines, shapes, n_lines, shapes[i]))
        return detect_header(out, lines[0], shapes[i].separator, format, err);
    if (row->header == ALWAYS)
        return nln_error_set(err, NLN_FORMAT,
                             "the first line of the format '%s' must name its columns, such as "
                             "'%s'; is it another format?",
                             row->name, row->example);
    if (i < 0)
        return fail_lines(lines, shapes, n_lines, row, err);
    use_shape(out, shapes[i]);
    finish(out, format ? format : classify(out, lines[i]));
    return NLN_OK;
}

#include "data/ratings_format.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "data/json_members.h"

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
    const char *message;      /* its word in messages */
    const char *names[2][12]; /* in small letters and digits only: those that always count, and
                               * fallbacks that count where there is none of the others */
} roles[NLN_ROLES] = {
    [NLN_ROLE_USER] = {"user",
                       {{"user", "userid", "uid", "reviewerid", "reviewer", "customer",
                         "customerid", "visitorid"}}},
    [NLN_ROLE_ITEM] = {"item",
                       {{"item", "itemid", "iid", "movieid", "movie", "asin", "product",
                         "productid", "bookid", "artistid"},
                        {"isbn"}}},
    [NLN_ROLE_RATING] = {"rating",
                         {{"rating", "label", "overall", "score", "stars"}, {"bookrating"}}},
    [NLN_ROLE_TIME] = {"time",
                       {{"time", "timestamp", "unixreviewtime", "unixtime"},
                        {"ts", "date", "datetime", "createdat", "reviewtime", "reviewdate",
                         "eventtime", "unixtimestamp"}}},
};

const char *nln_ratings_format_role_name(nln_column_role role)
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

int nln_ratings_format_role(int *fallback, const char *name, size_t n)
{
    char simple[LONGEST_NAME];
    size_t length = simplify(simple, name, n);
    for (int role = 0; length > 0 && role < NLN_ROLES; role++)
        for (*fallback = 0; *fallback < 2; ++*fallback)
            for (const char *const *known = roles[role].names[*fallback]; *known; known++)
                if ((*known)[0] == simple[0] && strlen(*known) == length &&
                    !memcmp(*known, simple, length))
                    return role;
    *fallback = 0;
    return -1;
}

/* ---- one line ------------------------------------------------------------- */

/* What one line shows of the format. */
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
    nln_json_members in = nln_json_members_begin(line, strlen(line));
    nln_json_member member;
    int more, fallback;
    *seen = 0;
    while ((more = nln_json_members_next(&member, &in)) > 0) {
        int role = nln_ratings_format_role(&fallback, member.key.text, member.key.n);
        *seen |= role >= 0 ? 1u << role : 0;
    }
    return more == 0;
}

/* An object needs a user and an item; any other line is cut by the first of the separators that
 * it has between two fields. */
static shape shape_of(char *line, unsigned separators, int may_be_json)
{
    const unsigned needed = 1u << NLN_ROLE_USER | 1u << NLN_ROLE_ITEM;
    nln_field fields[NLN_MOST_FIELDS];
    unsigned seen;
    if (may_be_json && nln_json_members_likely(line, strlen(line))) {
        int usable = see_members(&seen, line) && (seen & needed) == needed;
        return (shape){1, NLN_TABS, usable ? (int)seen : 0};
    }
    for (int s = 0; s < NLN_SEPARATORS && separators; s++) {
        int n = separators & BIT(s) ? cut(fields, (nln_separator)s, line) : 0;
        if (n > 1)
            return (shape){0, (nln_separator)s, n < NLN_ROLES ? n : NLN_ROLES};
    }
    return (shape){may_be_json && !separators, NLN_SPACES, 0};
}

static int has_shape(shape a, shape b)
{
    return a.is_json == b.is_json && a.separator == b.separator && a.n == b.n;
}

static int is_number(nln_field field)
{
    double number;
    return nln_number_read(&number, field.text, field.n);
}

/* ---- headers ---------------------------------------------------------------- */

/* The columns that the fields of the line name.  Returns the number of roles among them, or 0
 * when a field is a number, since no header has one. */
static int name_columns(nln_ratings_format *out, nln_separator separator, char *line)
{
    nln_field fields[NLN_MOST_FIELDS];
    int n = cut(fields, separator, line), known = 0, by_fallback[NLN_ROLES] = {0}, fallback;
    int *column = out->column;
    for (int role = 0; role < NLN_ROLES; role++)
        column[role] = -1;
    for (int i = 0; i < n; i++) {
        int role = nln_ratings_format_role(&fallback, fields[i].text, fields[i].n);
        if (is_number(fields[i]))
            return 0;
        if (role < 0 || (column[role] >= 0 && (fallback || !by_fallback[role])))
            continue;
        known += column[role] < 0;
        column[role] = i;
        by_fallback[role] = fallback;
    }
    out->lenient_time = by_fallback[NLN_ROLE_TIME];
    return known;
}

/* Whether the first line holds names, known or not: it has no number, and one of its fields stands
 * above numbers.  An id may be a number by chance, so in the first two columns all of at least two
 * lines must have one; in the others, most lines.  `like` is the shape of the lines of data. */
static int heads_numbers(char *const *lines, const shape *shapes, int n_lines, shape like)
{
    nln_field names[NLN_MOST_FIELDS], fields[NLN_MOST_FIELDS];
    int numbers[NLN_MOST_FIELDS] = {0}, others = 0, n = cut(names, like.separator, lines[0]);
    for (int k = 0; k < n; k++)
        if (is_number(names[k]))
            return 0;
    for (int i = 1; n > 1 && i < n_lines; i++) {
        int m = has_shape(shapes[i], like) ? cut(fields, like.separator, lines[i]) : 0;
        others += m > 0;
        for (int k = 0; k < m; k++)
            numbers[k] += is_number(fields[k]);
    }
    for (int k = 0; k < n; k++) {
        int all = others > 1 && numbers[k] == others, most = 2 * numbers[k] > others;
        int enough = k < NLN_ROLE_RATING ? all : most;
        if (enough && names[k].n > 0)
            return 1;
    }
    return 0;
}

/* Adds " no column of the ROLE: call it A, B or C" for every role of user and item that `has`
 * lacks, with another word for column. */
static void tell_missing(char *text, size_t room, const char *column, unsigned has)
{
    size_t n = 0;
    for (int role = NLN_ROLE_USER; role <= NLN_ROLE_ITEM; role++) {
        const char *const *name = roles[role].names[0];
        if (has >> role & 1)
            continue;
        n += (size_t)snprintf(text + n, room - n, "%s no %s of the %s: call it ", n ? "; and" : "",
                              column, roles[role].message);
        for (; *name && n < room; name++)
            n += (size_t)snprintf(text + n, room - n, "%s%s", *name,
                                  !name[1]   ? ""
                                  : !name[2] ? " or "
                                             : ", ");
    }
}

/* The field that a role has in the line; empty where it has none. */
static nln_field field_of(const nln_ratings_format *layout, nln_column_role role, char *line)
{
    nln_field fields[NLN_MOST_FIELDS];
    int n = cut(fields, layout->separator, line), i = layout->column[role];
    return i >= 0 && i < n ? fields[i] : (nln_field){line, 0, 0};
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
    nln_field rating = field_of(layout, NLN_ROLE_RATING, header);
    int tabs = layout->separator == NLN_TABS, commas = layout->separator == NLN_COMMAS;
    if (tabs && memchr(user.text, ':', user.n))
        return NLN_FORMAT_INTER;
    if (commas && is_called(field_of(layout, NLN_ROLE_ITEM, header), "movieid"))
        return NLN_FORMAT_CSV;
    if ((tabs || commas) && layout->column[NLN_ROLE_TIME] >= 0 && !layout->lenient_time &&
        (rating.n == 0 || is_called(rating, "label")))
        return NLN_FORMAT_RECHORUS;
    return NLN_FORMAT_PLAIN;
}

/* The format of a file without a header, from a line of its data. */
static nln_format classify(const nln_ratings_format *layout, char *line)
{
    if (layout->is_json)
        return NLN_FORMAT_AMAZON;
    if (layout->separator == NLN_COLONS)
        return NLN_FORMAT_DAT;
    if (layout->separator != NLN_TABS || layout->column[NLN_ROLE_TIME] < 0)
        return NLN_FORMAT_PLAIN;
    for (int role = NLN_ROLE_USER; role <= NLN_ROLE_ITEM; role++) {
        nln_field id = field_of(layout, (nln_column_role)role, line);
        if (id.n == 0 || strspn(id.text, "0123456789") < id.n)
            return NLN_FORMAT_PLAIN;
    }
    return NLN_FORMAT_MOVIELENS;
}

/* ---- the file ------------------------------------------------------------- */

static void finish(nln_ratings_format *out, nln_format format)
{
    out->format = format;
    out->name = formats[format].name;
    out->least = formats[format].least;
    out->most = formats[format].most;
    out->n_columns = out->unseen ? NLN_ROLES : 0;
    for (int role = 0; role < NLN_ROLES && !out->unseen; role++)
        if (out->column[role] >= out->n_columns)
            out->n_columns = out->column[role] + 1;
}

static nln_status use_header(nln_ratings_format *out, char *line, nln_separator separator,
                             nln_format format, nln_error *err)
{
    char missing[384] = "";
    name_columns(out, separator, line);
    out->separator = separator;
    out->has_header = 1;
    finish(out, format ? format : classify_header(out, line));
    tell_missing(missing, sizeof missing, "column",
                 (out->column[NLN_ROLE_USER] >= 0 ? 1u << NLN_ROLE_USER : 0) |
                     (out->column[NLN_ROLE_ITEM] >= 0 ? 1u << NLN_ROLE_ITEM : 0));
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
    if (*first == '[' && nln_json_members_likely(rest, strlen(rest)))
        return 1;
    return rest[strspn(rest, " \t")] == '\0' &&
           ((*first == '[' && *next == '{') || (*first == '{' && *next == '"'));
}

/* No line can be used: the first object is told which member it lacks. */
static nln_status fail_lines(char *const *lines, const shape *shapes, int n_lines,
                             const struct format_row *row, nln_error *err)
{
    char missing[384] = "";
    unsigned seen;
    for (int i = 0; i < n_lines && !missing[0]; i++)
        if (shapes[i].is_json && see_members(&seen, lines[i]))
            tell_missing(missing, sizeof missing, "member", seen);
    if (missing[0])
        return nln_error_set(err, NLN_SYNTAX, "the JSON object has%s", missing);
    return nln_error_set(err, NLN_SYNTAX, "expected %s", row->example);
}

nln_status nln_ratings_format_detect(nln_ratings_format *out, char *const *lines, int n_lines,
                                     nln_format format, nln_error *err)
{
    const struct format_row *row = &formats[format];
    int may_be_json = format == NLN_FORMAT_AUTO || format == NLN_FORMAT_AMAZON;
    int may_head = row->header != NEVER, typical = -1, most = 0;
    shape shapes[NLN_LAYOUT_LINES] = {{0}};
    *out = (nln_ratings_format){.format = format};
    if (may_be_json && spans_lines(lines, n_lines))
        return nln_error_set(err, NLN_SYNTAX,
                             "this is JSON over several lines, or an array; write one object on "
                             "each line, as jq -c '.[]' does for the elements of an array");
    for (int i = 0; i < n_lines; i++)
        shapes[i] = shape_of(lines[i], row->separators, may_be_json);
    if (may_head && !shapes[0].is_json && shapes[0].n > 0 &&
        name_columns(out, shapes[0].separator, lines[0]) > 1)
        return use_header(out, lines[0], shapes[0].separator, format, err);
    /* The most frequent shape decides, the first where several are as frequent. */
    for (int i = 0; i < n_lines; i++) {
        int votes = 0;
        for (int j = i; shapes[i].n > 0 && j < n_lines; j++)
            votes += has_shape(shapes[j], shapes[i]);
        typical = votes > most ? i : typical;
        most = votes > most ? votes : most;
    }
    shape like = {0};
    if (typical >= 0)
        like = shapes[typical];
    if (may_head && typical >= 0 && !like.is_json && heads_numbers(lines, shapes, n_lines, like))
        return use_header(out, lines[0], like.separator, format, err);
    if (row->header == ALWAYS)
        return nln_error_set(err, NLN_FORMAT,
                             "the first line of the format '%s' must name its columns, such as "
                             "'%s'; is it another format?",
                             row->name, row->example);
    if (typical < 0)
        return fail_lines(lines, shapes, n_lines, row, err);
    /* Without a header the columns are user, item, rating and time, as many as there are. */
    out->is_json = like.is_json;
    out->separator = like.separator;
    out->lenient_time = 0;
    for (int role = 0; role < NLN_ROLES; role++) {
        int has = like.is_json ? like.n >> role & 1 : role < like.n;
        out->column[role] = !has ? -1 : like.is_json ? 0 : role;
        out->unseen |= has ? 0 : 1u << role;
    }
    finish(out, format ? format : classify(out, lines[typical]));
    return NLN_OK;
}

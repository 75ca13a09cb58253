#include "data/ratings_format.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "base/date.h"
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
static int see_members(unsigned *seen, char *line, const nln_column_choice *choice)
{
    nln_json_members in = nln_json_members_begin(line, strlen(line));
    nln_json_member member;
    int more, fallback;
    *seen = 0;
    while ((more = nln_json_members_next(&member, &in)) > 0) {
        int role = nln_ratings_column_role(&fallback, choice, member.key.text, member.key.n);
        *seen |= role >= 0 ? 1u << role : 0;
    }
    return more == 0;
}

/* An object needs a user and an item; any other line is cut by the first of the separators that
 * it has between two fields. */
static shape shape_of(char *line, unsigned separators, int may_be_json,
                      const nln_column_choice *choice)
{
    const unsigned needed = 1u << NLN_ROLE_USER | 1u << NLN_ROLE_ITEM;
    nln_field fields[NLN_MOST_FIELDS];
    unsigned seen;
    if (may_be_json && nln_json_members_likely(line, strlen(line))) {
        int usable = see_members(&seen, line, choice) && (seen & needed) == needed;
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

/* Puts the columns that the caller has chosen by number in their places; no other role keeps one
 * of them. */
static void place_numbers(nln_ratings_format *out)
{
    for (int role = 0; role < NLN_ROLES; role++) {
        int number = out->choice.number[role];
        for (int other = 0; number > 0 && other < NLN_ROLES; other++)
            if (out->column[other] == number - 1)
                out->column[other] = -1;
    }
    for (int role = 0; role < NLN_ROLES; role++)
        if (out->choice.number[role])
            out->column[role] = out->choice.number[role] > 0 ? out->choice.number[role] - 1 : -1;
}

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
        int role = nln_ratings_column_role(&fallback, &out->choice, fields[i].text, fields[i].n);
        if (is_number(fields[i]))
            return 0;
        if (role < 0 || (column[role] >= 0 && (fallback || !by_fallback[role])))
            continue;
        known += column[role] < 0;
        column[role] = i;
        by_fallback[role] = fallback;
    }
    place_numbers(out);
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
        const char *name;
        if (has >> role & 1)
            continue;
        n += (size_t)snprintf(text + n, room - n, "%s no %s of the %s: call it ", n ? "; and" : "",
                              column, nln_ratings_column_word((nln_column_role)role));
        for (int i = 0; (name = nln_ratings_column_known((nln_column_role)role, i)) && n < room;
             i++)
            n += (size_t)snprintf(text + n, room - n, "%s%s", name,
                                  !nln_ratings_column_known((nln_column_role)role, i + 1)   ? ""
                                  : !nln_ratings_column_known((nln_column_role)role, i + 2) ? " or "
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

static nln_format classify_header(const nln_ratings_format *layout, char *header)
{
    nln_field user = field_of(layout, NLN_ROLE_USER, header);
    nln_field rating = field_of(layout, NLN_ROLE_RATING, header);
    nln_field time = field_of(layout, NLN_ROLE_TIME, header);
    int fallback;
    int tabs = layout->separator == NLN_TABS, commas = layout->separator == NLN_COMMAS;
    if (tabs && memchr(user.text, ':', user.n))
        return NLN_FORMAT_INTER;
    if (commas && nln_ratings_column_called(field_of(layout, NLN_ROLE_ITEM, header), "movieid"))
        return NLN_FORMAT_CSV;
    if ((tabs || commas) && time.n > 0 &&
        nln_ratings_column_role(&fallback, NULL, time.text, time.n) == NLN_ROLE_TIME && !fallback &&
        (rating.n == 0 || nln_ratings_column_called(rating, "label")))
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

/* ---- columns that are not used ----------------------------------------------- */

/* Adds 'NAME' to the list of unused columns. */
static void add_unused(nln_ratings_format *out, const char *name, int n)
{
    size_t length = strlen(out->unused);
    snprintf(out->unused + length, sizeof out->unused - length, "%s'%.*s'", length ? ", " : "",
             n < 40 ? n : 40, name);
}

static int is_used(const nln_ratings_format *out, int column)
{
    for (int role = 0; role < NLN_ROLES; role++)
        if (out->column[role] == column)
            return 1;
    return 0;
}

/* Whether a field of an unused column could be a rating: a number of a common scale; or a time: a
 * date, or seconds or milliseconds since some year after 1973. */
static int could_be(nln_column_role role, nln_field field)
{
    double number;
    int read = nln_number_read(&number, field.text, field.n);
    if (role == NLN_ROLE_RATING)
        return read && number >= -10 && number <= 100;
    return read ? number >= 1e8 && number < 1e14 : nln_date_read(&number, field.text, field.n);
}

/* Ratings repeat: at most three of four values of a column are different, as those of a scale of
 * 100 are on the first lines of a file, and not all are equal. */
static int repeats(const nln_field *values, int n)
{
    int different = 0;
    for (int i = 0; i < n; i++) {
        int seen = 0;
        for (int j = 0; j < i && !seen; j++)
            seen =
                values[i].n == values[j].n && !memcmp(values[i].text, values[j].text, values[i].n);
        different += !seen;
    }
    return different > 1 && 4 * different <= 3 * n;
}

/* Names the columns of a table that are not used, and those of them that look like ratings or
 * times where the file has none that was not ruled out. */
static void list_unused(nln_ratings_format *out, char *const *lines, int n_lines)
{
    nln_field names[NLN_MOST_FIELDS], fields[NLN_MOST_FIELDS], values[NLN_LAYOUT_LINES];
    int n = cut(names, out->separator, lines[0]);
    for (int column = 0; column < n; column++) {
        char number[24];
        const char *name = names[column].text;
        int length = (int)names[column].n, n_values = 0;
        if (is_used(out, column) || (out->unseen && column < NLN_ROLES))
            continue;
        if (!out->has_header) {
            length = snprintf(number, sizeof number, "%d", column + 1);
            name = number;
        }
        add_unused(out, name, length);
        for (int i = out->has_header; i < n_lines; i++)
            if (cut(fields, out->separator, lines[i]) > column)
                values[n_values++] = fields[column];
        for (int role = NLN_ROLE_RATING; role <= NLN_ROLE_TIME; role++) {
            int all = n_values > 1 && out->column[role] < 0 && !out->choice.number[role] &&
                      !out->looks[role][0];
            for (int i = 0; i < n_values && all; i++)
                all = could_be((nln_column_role)role, values[i]);
            if (all && (role == NLN_ROLE_TIME || repeats(values, n_values)))
                snprintf(out->looks[role], sizeof out->looks[role], "%.*s", length, name);
        }
    }
}

/* Names the members of the first object that are not used. */
static void list_unused_members(nln_ratings_format *out, char *line)
{
    nln_json_members in = nln_json_members_begin(line, strlen(line));
    nln_json_member member;
    int fallback;
    while (nln_json_members_next(&member, &in) > 0)
        if (nln_ratings_column_role(&fallback, &out->choice, member.key.text, member.key.n) < 0)
            add_unused(out, member.key.text, (int)member.key.n);
}

/* ---- the file ------------------------------------------------------------- */

/* A header needs every column that the caller has named, and the user and the item. */
static nln_status use_header(nln_ratings_format *out, char *const *lines, int n_lines,
                             nln_separator separator, nln_format format, nln_error *err)
{
    char missing[384] = "";
    name_columns(out, separator, lines[0]);
    out->separator = separator;
    out->has_header = 1;
    finish(out, format ? format : classify_header(out, lines[0]));
    for (int role = 0; role < NLN_ROLES; role++)
        if (out->choice.name[role].text && out->column[role] < 0)
            return nln_error_set(
                err, NLN_FORMAT,
                "the header '%.60s' has no column '%.*s', which --columns names as "
                "the %s",
                lines[0], (int)out->choice.name[role].n, out->choice.name[role].text,
                nln_ratings_column_word((nln_column_role)role));
    tell_missing(missing, sizeof missing, "column",
                 (out->column[NLN_ROLE_USER] >= 0 ? 1u << NLN_ROLE_USER : 0) |
                     (out->column[NLN_ROLE_ITEM] >= 0 ? 1u << NLN_ROLE_ITEM : 0));
    if (missing[0])
        return nln_error_set(
            err, NLN_FORMAT,
            "the header '%.60s' names%s, or say --columns user=NAME,item=NAME, and "
            "rating=NAME,time=NAME where there are such; or remove the line",
            lines[0], missing);
    list_unused(out, lines, n_lines);
    return NLN_OK;
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

static int is_one_of(const char *const *words, const char *text, size_t n)
{
    for (; *words; words++)
        if (strlen(*words) == n && !memcmp(*words, text, n))
            return 1;
    return 0;
}

/* Whether the text of n bytes has an operator, as a sign or as a word. */
static int has_operator(const char *text, size_t n)
{
    static const char *const words[] = {"and", "or", "not", "xor", "implies", "iff", NULL};
    for (size_t at = 0, length; at < n; at += length + 1) {
        length = strcspn(text + at, " \t");
        if (is_one_of(words, text + at, length))
            return 1;
    }
    return strcspn(text, "&|!~^()=>\\/") < n;
}

/* Whether every line is an expression, its label and perhaps a weight, and some have operators. */
static int are_expressions(char *const *lines, int n_lines)
{
    static const char *const labels[] = {"T", "F", "true", "false", "1", "0", NULL};
    int operators = 0;
    for (int i = 0; i < n_lines; i++) {
        size_t n = strcspn(lines[i], "\t");
        const char *label = lines[i][n] ? lines[i] + n + 1 : "";
        int is_header =
            i == 0 && (!strcmp(lines[i], "expression\tlabel") || !strcmp(lines[i], "sent\tlabel"));
        if (is_header || !is_one_of(labels, label, strcspn(label, " \t\r")))
            return is_header;
        operators |= has_operator(lines[i], n);
    }
    return operators;
}

/* No line can be used: the first object is told which member it lacks. */
static nln_status fail_lines(char *const *lines, const shape *shapes, int n_lines,
                             const struct format_row *row, const nln_column_choice *choice,
                             nln_error *err)
{
    char missing[384] = "";
    unsigned seen;
    for (int i = 0; i < n_lines && !missing[0]; i++)
        if (shapes[i].is_json && see_members(&seen, lines[i], choice))
            tell_missing(missing, sizeof missing, "member", seen);
    if (missing[0])
        return nln_error_set(err, NLN_SYNTAX, "the JSON object has%s", missing);
    return nln_error_set(err, NLN_SYNTAX, "expected %s", row->example);
}

nln_status nln_ratings_format_detect(nln_ratings_format *out, char *const *lines, int n_lines,
                                     nln_format format, const nln_column_choice *choice,
                                     nln_error *err)
{
    const struct format_row *row = &formats[format];
    int may_be_json = format == NLN_FORMAT_AUTO || format == NLN_FORMAT_AMAZON;
    int may_head = row->header != NEVER, typical = -1, most = 0;
    shape shapes[NLN_LAYOUT_LINES] = {{0}};
    *out = (nln_ratings_format){.format = format};
    if (choice)
        out->choice = *choice;
    if (may_be_json && spans_lines(lines, n_lines))
        return nln_error_set(err, NLN_SYNTAX,
                             "this is JSON over several lines, or an array; write one object on "
                             "each line, as jq -c '.[]' does for the elements of an array");
    if (are_expressions(lines, n_lines))
        return nln_error_set(
            err, NLN_FORMAT,
            "these are labelled expressions, not ratings; --task logic learns from "
            "them");
    for (int i = 0; i < n_lines; i++)
        shapes[i] = shape_of(lines[i], row->separators, may_be_json, choice);
    if (may_head && !shapes[0].is_json && shapes[0].n > 0 &&
        (name_columns(out, shapes[0].separator, lines[0]) > 1 || nln_column_choice_by_name(choice)))
        return use_header(out, lines, n_lines, shapes[0].separator, format, err);
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
        return use_header(out, lines, n_lines, like.separator, format, err);
    if (row->header == ALWAYS)
        return nln_error_set(err, NLN_FORMAT,
                             "the first line of the format '%s' must name its columns, such as "
                             "'%s'; is it another format?",
                             row->name, row->example);
    if (typical < 0)
        return fail_lines(lines, shapes, n_lines, row, choice, err);
    /* Without a header the columns are user, item, rating and time, as many as there are. */
    out->is_json = like.is_json;
    out->separator = like.separator;
    for (int role = 0; role < NLN_ROLES; role++) {
        int has = like.is_json ? like.n >> role & 1 : role < like.n;
        out->column[role] = !has ? -1 : like.is_json ? 0 : role;
        out->unseen |= has ? 0 : 1u << role;
    }
    if (nln_column_choice_any(choice) && !like.is_json) {
        place_numbers(out);
        out->unseen = 0;
    }
    finish(out, format ? format : classify(out, lines[typical]));
    if (out->column[NLN_ROLE_USER] < 0 || out->column[NLN_ROLE_ITEM] < 0)
        return nln_error_set(err, NLN_INVALID,
                             "option --columns leaves no column for the %s: name it too",
                             nln_ratings_column_word(
                                 out->column[NLN_ROLE_USER] < 0 ? NLN_ROLE_USER : NLN_ROLE_ITEM));
    if (like.is_json)
        list_unused_members(out, lines[typical]);
    else
        list_unused(out, lines + typical, n_lines - typical);
    return NLN_OK;
}

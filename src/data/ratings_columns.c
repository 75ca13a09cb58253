#include "data/ratings_columns.h"

#include <string.h>

#include "base/number.h"

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
                         {{"rating", "label", "overall", "score", "stars"},
                          {"bookrating", "rate", "userrating", "grade"}}},
    [NLN_ROLE_TIME] = {"time",
                       {{"time", "timestamp", "unixreviewtime", "unixtime"},
                        {"ts", "date", "datetime", "createdat", "reviewtime", "reviewdate",
                         "eventtime", "unixtimestamp"}}},
};

const char *nln_ratings_column_word(nln_column_role role)
{
    return roles[role].message;
}

const char *nln_ratings_column_known(nln_column_role role, int i)
{
    return roles[role].names[0][i];
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

int nln_ratings_column_called(nln_field name, const char *known)
{
    char simple[LONGEST_NAME];
    size_t n = simplify(simple, name.text, name.n);
    return n == strlen(known) && !memcmp(simple, known, n);
}

/* ---- the option `columns` ------------------------------------------------- */

static int is_same(nln_field a, const char *text, size_t n)
{
    return a.n == n && !memcmp(a.text, text, n);
}

/* One ROLE=COLUMN. */
static nln_status choose(nln_column_choice *out, const char *text, size_t n, nln_error *err)
{
    const char *equals = memchr(text, '=', n);
    size_t before = equals ? (size_t)(equals - text) : n;
    size_t after = equals ? n - before - 1 : 0;
    int role = 0;
    double number;
    while (role < NLN_ROLES && (strlen(roles[role].message) != before ||
                                memcmp(roles[role].message, text, before) != 0))
        role++;
    if (!equals || after == 0 || role == NLN_ROLES)
        return nln_error_set(err, NLN_INVALID,
                             "option --columns must be a list such as "
                             "user=uid,item=asin,rating=rate,time=ts, not '%.*s'",
                             (int)(n < 60 ? n : 60), text);
    if (out->name[role].text || out->number[role])
        return nln_error_set(err, NLN_INVALID, "option --columns names the %s twice",
                             roles[role].message);
    const char *column = equals + 1;
    if (after == 4 && !memcmp(column, "none", 4) && role >= NLN_ROLE_RATING) {
        out->number[role] = NLN_COLUMN_NONE;
    } else if (nln_number_read(&number, column, after)) {
        if (number < 1 || number > NLN_MOST_FIELDS || number != (int)number)
            return nln_error_set(err, NLN_INVALID,
                                 "option --columns: the number of a column is 1 to %d, not %.9g",
                                 NLN_MOST_FIELDS, number);
        out->number[role] = (int)number;
    } else {
        out->name[role] = (nln_field){(char *)column, after, 0};
    }
    return NLN_OK;
}

nln_status nln_column_choice_parse(nln_column_choice *out, const char *text, nln_error *err)
{
    nln_status status = NLN_OK;
    memset(out, 0, sizeof *out);
    while (!status && *text) {
        size_t n = strcspn(text, ",");
        status = choose(out, text, n, err);
        text += n + (text[n] == ',');
    }
    for (int a = 0; a < NLN_ROLES && !status; a++)
        for (int b = 0; b < a && !status; b++)
            if ((out->number[a] > 0 && out->number[a] == out->number[b]) ||
                (out->name[a].text && out->name[b].text &&
                 is_same(out->name[a], out->name[b].text, out->name[b].n)))
                status = nln_error_set(err, NLN_INVALID,
                                       "option --columns gives the %s and the %s the same column",
                                       roles[b].message, roles[a].message);
    return status;
}

int nln_column_choice_by_name(const nln_column_choice *choice)
{
    for (int role = 0; choice && role < NLN_ROLES; role++)
        if (choice->name[role].text)
            return 1;
    return 0;
}

int nln_column_choice_any(const nln_column_choice *choice)
{
    for (int role = 0; choice && role < NLN_ROLES; role++)
        if (choice->number[role])
            return 1;
    return nln_column_choice_by_name(choice);
}

/* ---- from a name to its role ------------------------------------------------ */

int nln_ratings_column_role(int *fallback, const nln_column_choice *choice, const char *name,
                            size_t n)
{
    char simple[LONGEST_NAME];
    size_t length = simplify(simple, name, n);
    *fallback = 0;
    for (int role = 0; choice && role < NLN_ROLES; role++)
        if (choice->name[role].text && is_same(choice->name[role], name, n))
            return role;
    for (int role = 0; length > 0 && role < NLN_ROLES; role++) {
        if (choice && (choice->name[role].text || choice->number[role]))
            continue;
        for (*fallback = 0; *fallback < 2; ++*fallback)
            for (const char *const *known = roles[role].names[*fallback]; *known; known++)
                if ((*known)[0] == simple[0] && strlen(*known) == length &&
                    !memcmp(*known, simple, length))
                    return role;
    }
    *fallback = 0;
    return -1;
}

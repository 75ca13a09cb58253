#include "data/labelled.h"

#include <string.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/number.h"
#include "data/csv_line.h"

/* ---- lines -------------------------------------------------------------- */

nln_status nln_labelled_line(char **line, nln_input *in, nln_error *err)
{
    size_t length;
    nln_status status;
    while (!(status = nln_input_line(line, &length, in, err)) && *line) {
        char first = (*line)[strspn(*line, " \t")];
        if (first && first != '#')
            break;
    }
    return status;
}

static nln_status fail_at(const nln_input *in, const char *line, const char *at,
                          const char *expected, nln_error *err)
{
    int n = (int)strnlen(at, 40);
    return nln_error_at(err, NLN_SYNTAX, nln_input_path(in), nln_input_line_number(in),
                        nln_input_column(line, at), n ? "expected %s, not '%.*s'" : "expected %s",
                        expected, n, at);
}

size_t nln_labelled_trimmed(const char *text)
{
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        n--;
    return n;
}

/* The value of T, F, 1, 0, true and false, -1 of ?, and -2 of anything else. */
static int word_value(const char *text, size_t n)
{
    static const struct {
        const char *text;
        int value;
    } words[] = {{"T", 1}, {"F", 0}, {"1", 1}, {"0", 0}, {"true", 1}, {"false", 0}, {"?", -1}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].text) == n && !memcmp(words[i].text, text, n))
            return words[i].value;
    return -2;
}

/* The text after the first TAB, without spaces around it; the line ends before the TAB then. */
static nln_status cut(char **rest, char *line, const nln_input *in, nln_error *err)
{
    char *tab = strchr(line, '\t');
    if (!tab)
        return fail_at(
            in, line, line + strlen(line),
            "an expression, a TAB and then T, F, 1, 0, true or false; ratings are read with "
            "--task topk or --task preference",
            err);
    *tab = '\0';
    *rest = tab + 1 + strspn(tab + 1, " ");
    return NLN_OK;
}

nln_status nln_labelled_value(int *value, char *line, const nln_input *in, nln_error *err)
{
    char *rest = line;
    nln_status status = cut(&rest, line, in, err);
    if (status)
        return status;
    *value = word_value(rest, nln_labelled_trimmed(rest));
    if (*value >= -1)
        return NLN_OK;
    line[strlen(line)] = '\t'; /* the message counts columns */
    return fail_at(in, line, rest, "T, F, 1, 0, true or false after the TAB", err);
}

/* Reads the weight after the label, if there is one, and cuts it off. */
static nln_status cut_weight(double *weight, char *label, const char *line, const nln_input *in,
                             nln_error *err)
{
    char *tab = strchr(label, '\t');
    *weight = 1;
    if (!tab)
        return NLN_OK;
    const char *text = tab + 1 + strspn(tab + 1, " ");
    size_t n = nln_labelled_trimmed(text);
    if (n && (!nln_number_read(weight, text, n) || nln_labelled_check(1, *weight, NULL)))
        return fail_at(in, line, text, "a weight of at least 0 after the label and a TAB", err);
    *tab = '\0';
    return NLN_OK;
}

static nln_status cut_label(double *label, double *weight, char *line, const nln_input *in,
                            nln_error *err)
{
    char *rest = line;
    nln_status status = cut(&rest, line, in, err);
    if (status)
        return status;
    char *tab = line + strlen(line);
    *tab = '\t'; /* messages count columns */
    if ((status = cut_weight(weight, rest, line, in, err)))
        return status;
    size_t n = nln_labelled_trimmed(rest);
    int word = word_value(rest, n);
    *label = word;
    if (word < 0 && (!nln_number_read(label, rest, n) || nln_labelled_check(*label, 1, NULL)))
        return fail_at(in, line, rest,
                       "T, F, true, false or a number between 0 and 1 after the TAB", err);
    *tab = '\0';
    return NLN_OK;
}

/* ---- tables -------------------------------------------------------------- */

enum { MOST_COLUMNS = 3 }; /* the expression, its label and its weight */

static int is_word(nln_field field, const char *word)
{
    return field.n == strlen(word) && !memcmp(field.text, word, field.n);
}

static int is_label(nln_field field)
{
    double label;
    return word_value(field.text, field.n) >= 0 ||
           (nln_number_read(&label, field.text, field.n) && !nln_labelled_check(label, 1, NULL));
}

/* Whether the text can be nothing but an expression: it has an operator. */
static int has_operator(nln_field field)
{
    for (size_t i = 0; i < field.n; i++)
        if (strchr("&|!~()^=<>", field.text[i]))
            return 1;
    return 0;
}

static int cut_row(nln_field fields[MOST_COLUMNS + 1], nln_separator separator, char *line)
{
    const char *bad;
    return nln_csv_line_cut(fields, MOST_COLUMNS + 1, &bad, separator, line, strlen(line));
}

/* A header has any name for the expression, then label, then perhaps weight. */
static int is_header(nln_separator separator, char *line)
{
    nln_field f[MOST_COLUMNS + 1];
    int n = cut_row(f, separator, line);
    return (n == 2 || (n == 3 && is_word(f[2], "weight"))) && is_word(f[1], "label");
}

/* By its first line a file of expressions and labels may be one that spreadsheets write. */
static nln_separator separator_of(char *line)
{
    static const nln_separator others[] = {NLN_COMMAS, NLN_SEMICOLONS};
    for (size_t i = 0; i < sizeof others / sizeof *others && !strchr(line, '\t'); i++) {
        nln_field f[MOST_COLUMNS + 1];
        int n = cut_row(f, others[i], line);
        if (is_header(others[i], line) ||
            (n >= 2 && n <= MOST_COLUMNS && has_operator(f[0]) && is_label(f[1])))
            return others[i];
    }
    return NLN_TABS;
}

/* Makes a row of such a file a line with TABs, every text in its column; a row of another number
 * of fields stays, and is refused later. */
static void put_tabs(char *line, nln_separator separator)
{
    nln_field f[MOST_COLUMNS + 1];
    char *at = line, *end = line + strlen(line);
    int n = separator == NLN_TABS ? 0 : cut_row(f, separator, line);
    for (int i = 0; i < n && n <= MOST_COLUMNS; i++) {
        char *behind = f[i].text + f[i].n;
        if (f[i].escaped)
            nln_field_unescape(&f[i]);
        memset(at, ' ', (size_t)(f[i].text - at));
        memset(f[i].text + f[i].n, ' ', (size_t)(behind - f[i].text) - f[i].n);
        at = behind;
        if (i + 1 < n)
            *at++ = '\t';
    }
    if (at > line)
        memset(at, ' ', (size_t)(end - at));
}

nln_status nln_labelled_read(nln_labelled *set, const nln_vocabulary *names, nln_input *in,
                             nln_error *err)
{
    nln_dialect dialect = NLN_DIALECT_TEXT;
    char *line;
    nln_status status = nln_labelled_line(&line, in, err);
    nln_separator separator = !status && line ? separator_of(line) : NLN_TABS;
    if (!status && line && is_header(separator, line)) {
        dialect = strncmp(line, "sent\t", 5) ? NLN_DIALECT_TEXT : NLN_DIALECT_PUBLISHED;
        status = nln_labelled_line(&line, in, err);
    }
    while (!status && line) {
        double label = 0, weight = 1;
        put_tabs(line, separator);
        if ((status = cut_label(&label, &weight, line, in, err)))
            break;
        status = nln_parse(&set->exprs, names, 1, line, strlen(line), dialect, err);
        if (status)
            nln_error_place(err, nln_input_path(in), nln_input_line_number(in));
        else if (!(status = nln_labelled_add(set, label, weight, err)))
            status = nln_labelled_line(&line, in, err);
    }
    return status;
}

/* ---- sets --------------------------------------------------------------- */

nln_truths nln_labelled_truths(const nln_labelled *set)
{
    return (nln_truths){set->labels, set->soft, set->weights};
}

void nln_labelled_free(nln_labelled *set)
{
    nln_exprs_free(&set->exprs);
    nln_free(set->labels);
    nln_free(set->soft);
    nln_free(set->weights);
    *set = (nln_labelled){0};
}

nln_status nln_labelled_check(double label, double weight, nln_error *err)
{
    if (!(label >= 0 && label <= 1))
        return nln_error_set(err, NLN_INVALID, "a label must be between 0 and 1, not %g", label);
    if (!(weight >= 0 && weight <= 1e9))
        return nln_error_set(err, NLN_INVALID, "a weight must be between 0 and 1e9, not %g",
                             weight);
    return NLN_OK;
}

/* Makes room for n numbers, and gives a list that begins only now the earlier ones. */
static int reserve(float **list, size_t *room, size_t n, const uint8_t *earlier)
{
    int is_new = *list == NULL;
    if (!NLN_ARRAY_RESERVE(*list, *room, n))
        return 0;
    for (size_t i = 0; is_new && i < n; i++)
        (*list)[i] = earlier ? (float)earlier[i] : 1;
    return 1;
}

nln_status nln_labelled_add(nln_labelled *set, double label, double weight, nln_error *err)
{
    size_t n = set->exprs.n;
    int is_soft = set->soft || (label > 0 && label < 1);
    int is_weighted = set->weights || weight != 1;
    if (!NLN_ARRAY_RESERVE(set->labels, set->labels_room, n))
        return nln_error_memory(err);
    set->labels[n - 1] = label >= 0.5;
    if ((is_soft && !reserve(&set->soft, &set->soft_room, n, set->labels)) ||
        (is_weighted && !reserve(&set->weights, &set->weights_room, n, NULL)))
        return nln_error_memory(err);
    if (is_soft)
        set->soft[n - 1] = (float)label;
    if (is_weighted)
        set->weights[n - 1] = (float)weight;
    return NLN_OK;
}

nln_status nln_labelled_copy(nln_labelled *to, const nln_labelled *from, size_t i, nln_error *err)
{
    nln_truths truths = nln_labelled_truths(from);
    to->exprs.atoms = from->exprs.atoms;
    nln_status status = nln_exprs_append(&to->exprs, nln_exprs_get(&from->exprs, i), err);
    return status ? status
                  : nln_labelled_add(to, nln_truths_label(&truths, i),
                                     nln_truths_weight(&truths, i), err);
}

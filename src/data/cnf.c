#include "data/cnf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "data/logic_data.h"

enum { MOST_VARIABLES = INT32_MAX - 1 };

void nln_cnf_free(nln_cnf *cnf)
{
    if (!cnf)
        return;
    nln_free(cnf->start);
    nln_free(cnf->literal);
    nln_free(cnf);
}

size_t nln_cnf_variables(const nln_cnf *cnf)
{
    return cnf->n_variables;
}

size_t nln_cnf_clauses(const nln_cnf *cnf)
{
    return cnf->n_clauses;
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef struct reader {
    nln_cnf *cnf;
    nln_input *in;
    const char *line; /* the current line, for columns */
    size_t wanted;    /* clauses that the header announces */
    int has_header, is_open;
    nln_error *err;
} reader;

/* What is wrong at `at` of the current line. */
#define FAIL(r, at, ...) place((r), (at), nln_error_set((r)->err, NLN_SYNTAX, __VA_ARGS__))

static nln_status place(const reader *r, const char *at, nln_status status)
{
    nln_error_place(r->err, nln_input_path(r->in), nln_input_line_number(r->in));
    if (r->err && at)
        r->err->column = nln_input_column(r->line, at);
    return status;
}

static const char *after_blanks(const char *at)
{
    return at + strspn(at, " \t\v\f\r");
}

/* A whole number from -most to most that ends at a blank; whether there was one. */
static int read_number(int64_t *out, const char **at, int64_t most)
{
    const char *p = *at;
    int negative = *p == '-';
    int64_t x = 0;
    p += negative;
    if (*p < '0' || *p > '9')
        return 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        x = 10 * x + (*p - '0');
        if (x > most)
            return 0;
    }
    if (*p && !strchr(" \t\v\f\r", *p))
        return 0;
    *out = negative ? -x : x;
    *at = p;
    return 1;
}

static nln_status read_header(reader *r, const char *at)
{
    int64_t variables = 0, clauses = 0;
    const char *start = at;
    if (r->has_header)
        return FAIL(r, at, "a second header; a DIMACS file has one line 'p cnf VARIABLES CLAUSES'");
    at = after_blanks(at + 1);
    int ok = strncmp(at, "cnf", 3) == 0 && strchr(" \t", at[3]) && at[3];
    if (ok)
        at = after_blanks(at + 3);
    ok = ok && read_number(&variables, &at, MOST_VARIABLES) && variables >= 0;
    if (ok)
        at = after_blanks(at);
    ok = ok && read_number(&clauses, &at, INT64_MAX / 16) && clauses >= 0 && !*after_blanks(at);
    if (!ok)
        return FAIL(r, start, "expected a header such as 'p cnf 200 840': variables and clauses");
    r->has_header = 1;
    r->cnf->n_variables = (size_t)variables;
    r->wanted = (size_t)clauses;
    return NLN_OK;
}

static nln_status add_literal(reader *r, int64_t literal)
{
    nln_cnf *c = r->cnf;
    if (!r->is_open) {
        if (!NLN_ARRAY_RESERVE(c->start, c->start_room, c->n_clauses + 2))
            return nln_error_memory(r->err);
        c->start[c->n_clauses] = c->n_literals;
        r->is_open = 1;
    }
    if (literal == 0) {
        c->start[++c->n_clauses] = c->n_literals;
        r->is_open = 0;
        return NLN_OK;
    }
    if (!NLN_ARRAY_RESERVE(c->literal, c->literal_room, c->n_literals + 1))
        return nln_error_memory(r->err);
    c->literal[c->n_literals++] = (int32_t)literal;
    return NLN_OK;
}

static nln_status read_literals(reader *r, const char *at)
{
    nln_status status = NLN_OK;
    while (!status && *(at = after_blanks(at))) {
        int64_t literal;
        const char *start = at;
        if (!r->has_header)
            return FAIL(r, at, "clauses come after the header 'p cnf VARIABLES CLAUSES'");
        if (!read_number(&literal, &at, INT64_MAX / 16))
            return FAIL(r, at, "expected a literal, a whole number such as 3 or -3, or 0");
        if (literal > (int64_t)r->cnf->n_variables || -literal > (int64_t)r->cnf->n_variables)
            return FAIL(r, start, "literal %lld, but the header announces %zu variables",
                        (long long)literal, r->cnf->n_variables);
        if (!r->is_open && r->cnf->n_clauses == r->wanted)
            return FAIL(r, start, "more clauses than the %zu that the header announces", r->wanted);
        status = add_literal(r, literal);
    }
    return status;
}

static nln_status read_lines(reader *r)
{
    for (;;) {
        char *line;
        size_t length;
        nln_status status = nln_input_line(&line, &length, r->in, r->err);
        if (status || !line)
            return status;
        const char *at = after_blanks(line);
        r->line = line;
        if (*at == '%')
            return NLN_OK;
        if (*at == 'c' && (!at[1] || strchr(" \t", at[1])))
            continue;
        status = *at == 'p' ? read_header(r, at) : read_literals(r, at);
        if (status)
            return status;
    }
}

static nln_status check_end(const reader *r)
{
    if (!r->has_header)
        return FAIL(r, NULL, "there is no header 'p cnf VARIABLES CLAUSES'");
    if (r->is_open)
        return FAIL(r, NULL, "the last clause does not end with 0");
    if (r->cnf->n_clauses != r->wanted)
        return FAIL(r, NULL, "%zu clauses, but the header announces %zu", r->cnf->n_clauses,
                    r->wanted);
    return NLN_OK;
}

nln_status nln_cnf_read_input(nln_cnf **out, nln_input *in, nln_error *err)
{
    nln_cnf *cnf = nln_memory_zeroed(1, sizeof *cnf);
    reader r = {.cnf = cnf, .in = in, .err = err};
    *out = NULL;
    if (!cnf)
        return nln_error_memory(err);
    nln_status status = read_lines(&r);
    if (!status)
        status = check_end(&r);
    if (status)
        nln_cnf_free(cnf);
    else
        *out = cnf;
    return status;
}

nln_status nln_cnf_read(nln_cnf **out, const char *path, nln_error *err)
{
    nln_input *in = NULL;
    *out = NULL;
    nln_status status = nln_input_open(&in, path, err);
    if (!status)
        status = nln_cnf_read_input(out, in, err);
    nln_input_close(in);
    return status;
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static nln_status push_clause(nln_exprs *list, const nln_cnf *cnf, size_t clause,
                              const int32_t *number, nln_error *err)
{
    nln_status status = NLN_OK;
    size_t first = cnf->start[clause], end = cnf->start[clause + 1];
    for (size_t i = first; !status && i < end; i++) {
        status = nln_exprs_push(list, NLN_OP_VAR, number[abs(cnf->literal[i]) - 1], err);
        if (!status && cnf->literal[i] < 0)
            status = nln_exprs_push(list, NLN_OP_NOT, 0, err);
    }
    if (!status && end - first > INT32_MAX)
        status = nln_error_set(err, NLN_LIMIT, "clause %zu has too many literals", clause + 1);
    if (!status && end == first)
        status = nln_exprs_push(list, NLN_OP_FALSE, 0, err);
    if (!status && end - first > 1)
        status = nln_exprs_push(list, NLN_OP_OR, (int32_t)(end - first), err);
    return status ? status : nln_exprs_finish(list, err);
}

/* number[v] of each variable that occurs: its number among the names of the data. */
static nln_status name_variables(int32_t *number, nln_symbols *symbols, const nln_cnf *cnf,
                                 nln_error *err)
{
    uint8_t *used = nln_array_zeroed(cnf->n_variables, 1);
    nln_status status = used ? NLN_OK : nln_error_memory(err);
    for (size_t i = 0; !status && i < cnf->n_literals; i++)
        used[abs(cnf->literal[i]) - 1] = 1;
    for (size_t v = 0; !status && v < cnf->n_variables; v++) {
        char name[24];
        int length = snprintf(name, sizeof name, "%zu", v + 1);
        if (used[v] && (number[v] = nln_symbols_intern(symbols, name, (size_t)length)) < 0)
            status = nln_error_memory(err);
    }
    nln_free(used);
    return status;
}

nln_status nln_cnf_data(nln_data **out, const nln_cnf *cnf, nln_error *err)
{
    nln_data *data = NULL;
    int32_t *number = nln_array_zeroed(cnf->n_variables, sizeof *number);
    nln_status status = number ? nln_data_create(&data, err) : nln_error_memory(err);
    if (!status)
        status = name_variables(number, data->symbols, cnf, err);
    for (size_t i = 0; !status && i < cnf->n_clauses; i++) {
        nln_labelled *train = &data->split[NLN_TRAIN];
        status = push_clause(&train->exprs, cnf, i, number, err);
        if (!status)
            status = nln_labelled_add(train, 1, 1, err);
    }
    nln_free(number);
    if (status)
        nln_data_free(data);
    *out = status ? NULL : data;
    return status;
}

size_t nln_cnf_count(uint8_t *satisfied, const nln_cnf *cnf, const uint8_t *value)
{
    size_t n = 0;
    for (size_t c = 0; c < cnf->n_clauses; c++) {
        int holds = 0;
        for (size_t i = cnf->start[c]; !holds && i < cnf->start[c + 1]; i++)
            holds = value[abs(cnf->literal[i]) - 1] == (cnf->literal[i] > 0);
        n += (size_t)holds;
        if (satisfied)
            satisfied[c] = (uint8_t)holds;
    }
    return n;
}

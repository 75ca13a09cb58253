/* nln query: which unlabelled expressions to label next. */
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln.h"
#include "show/input_lines.h"
#include "show/json_output.h"

/* The lines of the file, and how many of them cannot be read. */
typedef struct pool {
    cli_lines lines;
    size_t n_refused;
} pool;

static void refuse(void *context, size_t index, const nln_error *reason)
{
    pool *p = context;
    nln_error err = *reason;

    p->n_refused++;
    snprintf(err.file, sizeof err.file, "%s", p->lines.name);
    err.line = p->lines.number[index];
    cli_message_error(&err);
}

static void print_rows(const nln_query_row *rows, size_t n, const pool *p)
{
    for (size_t i = 0; i < n; i++)
        printf("%.4f\t%.4f\t%.4f\t%s\n", rows[i].value, rows[i].p, rows[i].spread,
               p->lines.text[rows[i].index]);
}

static void print_json(const cli_call *call, const nln_query_row *rows, size_t n, const pool *p)
{
    json_t *object = cli_json_result("model", call->operands[0]), *list = cli_json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *row = cli_json_object();
        cli_json_put(row, "line", cli_json_count((size_t)p->lines.number[rows[i].index]));
        cli_json_put(row, "expression", cli_json_text(p->lines.text[rows[i].index]));
        cli_json_put(row, "value", cli_json_number(rows[i].value));
        cli_json_put(row, "p", cli_json_number(rows[i].p));
        cli_json_put(row, "spread", cli_json_number(rows[i].spread));
        cli_json_append(list, row);
    }
    cli_json_put(object, "queries", list);
    cli_json_put(object, "refused", cli_json_count(p->n_refused));
    cli_json_print(object);
}

static int query(const cli_call *call, const nln_model *model, pool *p)
{
    nln_error err = {0};
    size_t n = 0;
    nln_query_row *rows = cli_memory_resize(NULL, p->lines.n, sizeof *rows);
    nln_status status =
        nln_query_choose(rows, &n, model, (const char *const *)p->lines.text, p->lines.n,
                         cli_call_library(call, "query"), refuse, p, &err);

    if (!status && cli_call_flag(call, "json"))
        print_json(call, rows, n, p);
    else if (!status)
        print_rows(rows, n, p);
    free(rows);
    return status ? cli_message_error(&err) : p->n_refused ? CLI_FAILED : CLI_OK;
}

int cli_query(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    pool p = {0};

    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    int code = cli_lines_read(&p.lines, call->operands[1], 0);
    if (!code && !p.lines.n)
        code = cli_message_failed("%s: there is no expression in it; write one on each line",
                                  call->operands[1]);
    if (!code)
        code = query(call, model, &p);
    cli_lines_free(&p.lines);
    nln_model_free(model);
    return code;
}

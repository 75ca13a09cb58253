/* nln predict: prints a probability for every expression of a file, or of the command line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/input_lines.h"
#include "show/json_output.h"
#include "show/metrics_table.h"

/* The expressions of a file, their probabilities, and those that were refused. */
typedef struct answers {
    const cli_lines *lines;
    double *p;      /* [lines->n]; NaN where the expression was refused */
    double *spread; /* [lines->n] of --spread, else NULL */
    char **form;    /* [lines->n] of --normal-form, else NULL */
    size_t n_refused;
    json_t *refused; /* of --json, else NULL */
} answers;

/* Users count the lines of the file, not the expressions. */
static void place(nln_error *err, const cli_lines *lines, size_t index)
{
    snprintf(err->file, sizeof err->file, "%s", lines->name);
    err->line = lines->number[index];
}

static void refuse(void *context, size_t index, const nln_error *reason)
{
    answers *a = context;
    nln_error err = *reason;

    a->n_refused++;
    place(&err, a->lines, index);
    cli_message_error(&err);
    if (!a->refused)
        return;
    json_t *row = cli_json_object();
    cli_json_put(row, "line", cli_json_count((size_t)err.line));
    cli_json_put(row, "expression", cli_json_text(a->lines->text[index]));
    cli_json_put(row, "message", cli_json_text(err.message));
    cli_json_append(a->refused, row);
}

static void print_json(const cli_call *call, const answers *a)
{
    json_t *object = cli_json_result("model", call->operands[0]), *predictions = cli_json_array();

    for (size_t i = 0; i < a->lines->n; i++) {
        if (isnan(a->p[i]))
            continue;
        json_t *row = cli_json_object();
        cli_json_put(row, "expression", cli_json_text(a->lines->text[i]));
        cli_json_put(row, "p", cli_json_number(a->p[i]));
        if (a->spread)
            cli_json_put(row, "spread", cli_json_number(a->spread[i]));
        if (a->form)
            cli_json_put(row, "normal_form", cli_json_text(a->form[i]));
        cli_json_append(predictions, row);
    }
    cli_json_put(object, "predictions", predictions);
    cli_json_put(object, "refused", json_incref(a->refused));
    cli_json_print(object);
}

/* Answers every line that it can; with --strict the first that cannot be read ends it. */
static int ask(answers *a, const cli_call *call, const nln_model *model)
{
    const char *const *texts = (const char *const *)a->lines->text;
    nln_error err = {0};
    size_t n = a->lines->n;
    int strict = cli_call_flag(call, "strict");
    nln_status status =
        a->spread && !strict ? nln_predict_spread(a->p, a->spread, model, texts, n,
                                                  call->library[0], refuse, a, &err)
        : strict             ? nln_predict_many(a->p, model, texts, n, call->library[0], &err)
                 : nln_predict_each(a->p, model, texts, n, call->library[0], refuse, a, &err);

    if (status && strict && err.line >= 1 && (size_t)err.line <= n)
        place(&err, a->lines, (size_t)err.line - 1);
    if (!status && strict && a->spread)
        status = nln_predict_spread(a->p, a->spread, model, texts, n, call->library[0], NULL, NULL,
                                    &err);
    for (size_t i = 0; !status && a->form && i < n; i++)
        if (!isnan(a->p[i]))
            status = nln_normal_form(&a->form[i], model, texts[i], 0, &err);
    return status ? cli_message_error(&err) : CLI_OK;
}

/* p, the spread, the expression, its normal form: each that was asked for. */
static void print_row(const answers *a, size_t i)
{
    printf("%.6f\t", a->p[i]);
    if (a->spread)
        printf("%.6f\t", a->spread[i]);
    printf("%s", a->lines->text[i]);
    if (a->form)
        printf("\t%s", a->form[i]);
    putchar('\n');
}

static int predict(const cli_call *call, const nln_model *model, const cli_lines *lines)
{
    int as_json = cli_call_flag(call, "json");
    answers a = {.lines = lines, .p = cli_memory_resize(NULL, lines->n, sizeof *a.p)};

    if (cli_call_flag(call, "spread"))
        a.spread = cli_memory_resize(NULL, lines->n, sizeof *a.spread);
    if (cli_call_flag(call, "normal-form"))
        a.form = cli_memory_resize(NULL, lines->n, sizeof *a.form);
    for (size_t i = 0; a.form && i < lines->n; i++)
        a.form[i] = NULL;
    a.refused = as_json ? cli_json_array() : NULL;
    int code = ask(&a, call, model);
    if (!code && as_json)
        print_json(call, &a);
    for (size_t i = 0; !code && !as_json && i < lines->n; i++)
        if (!isnan(a.p[i]))
            print_row(&a, i);
    for (size_t i = 0; a.form && i < lines->n; i++)
        nln_free(a.form[i]);
    free(a.form);
    free(a.spread);
    free(a.p);
    json_decref(a.refused);
    return code ? code : a.n_refused ? CLI_FAILED : CLI_OK;
}

/* Whether a text can be no name of a file: it has the signs of an expression. */
static int has_operators(const char *text)
{
    return strpbrk(text, "&|!~()<>=\"' ") != NULL;
}

/* What is to be predicted: the lines of a file, or, where there is none of this name, expressions.
 * One word may be a variable, or a file that is not there. */
static int read_lines(cli_lines *lines, const cli_call *call, const nln_model *model)
{
    const char *const *texts = &call->operands[1];
    int n = call->n_operands - 1;
    nln_error err = {0};
    double p;

    if (n == 0)
        return cli_lines_read(lines, "-", 0);
    if (n == 1 && (strcmp(texts[0], "-") == 0 || access(texts[0], F_OK) == 0))
        return cli_lines_read(lines, texts[0], 0);
    if (n == 1 && !has_operators(texts[0]) && nln_predict(&p, model, texts[0], &err))
        return cli_message_failed("%s: there is no such file, and no such expression: %s", texts[0],
                                  err.message);
    cli_lines_take(lines, texts, n);
    return CLI_OK;
}

int cli_predict(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    cli_lines lines = {0};
    int code;

    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    cli_task task = cli_metrics_task(nln_model_options(model));
    if (task == CLI_TOPK || task == CLI_PREFERENCE) {
        nln_model_free(model);
        return cli_message_usage("%s: this model learned from ratings; ask it with nln recommend "
                                 "MODEL --like ITEM",
                                 call->operands[0]);
    }
    code = read_lines(&lines, call, model);
    if (!code && !lines.n)
        code = cli_message_failed("%s: there is no expression in it; write one on each line",
                                  lines.name);
    if (!code)
        code = predict(call, model, &lines);
    cli_lines_free(&lines);
    nln_model_free(model);
    return code;
}

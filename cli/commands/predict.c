/* nln predict: prints a probability for every expression of a file. */
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/input_lines.h"
#include "show/json_output.h"

static void print_json(const cli_call *call, const cli_lines *lines, const double *p)
{
    json_t *object = cli_json_result("model", call->operands[0]), *predictions = cli_json_array();

    for (size_t i = 0; i < lines->n; i++) {
        json_t *row = cli_json_object();
        cli_json_put(row, "expression", cli_json_text(lines->text[i]));
        cli_json_put(row, "p", cli_json_number(p[i]));
        cli_json_append(predictions, row);
    }
    cli_json_put(object, "predictions", predictions);
    cli_json_print(object);
}

static int predict(const cli_call *call, const nln_model *model, const cli_lines *lines)
{
    nln_error err = {0};
    int code = CLI_OK;
    double *p = cli_memory_resize(NULL, lines->n, sizeof *p);

    if (nln_predict_many(p, model, (const char *const *)lines->text, lines->n, call->library[0],
                         &err)) {
        size_t index = (size_t)err.line; /* of an expression; users count the lines of the file */
        if (index >= 1 && index <= lines->n) {
            snprintf(err.file, sizeof err.file, "%s", lines->name);
            err.line = lines->number[index - 1];
        }
        code = cli_message_error(&err);
    } else if (cli_call_flag(call, "json")) {
        print_json(call, lines, p);
    } else {
        for (size_t i = 0; i < lines->n; i++)
            printf("%.6f\t%s\n", p[i], lines->text[i]);
    }
    free(p);
    return code;
}

int cli_predict(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    cli_lines lines = {0};
    int code;

    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    const char *path = call->operands[1] ? call->operands[1] : "-";
    code = cli_lines_read(&lines, path, 0);
    if (!code && !lines.n)
        code = cli_message_failed("%s: there is no expression in it; write one on each line", path);
    if (!code)
        code = predict(call, model, &lines);
    cli_lines_free(&lines);
    nln_model_free(model);
    return code;
}

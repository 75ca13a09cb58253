/* nln solve: the value of every variable and how sure it is. */
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/json_output.h"

typedef struct solution {
    double *confidence; /* [variables of the model] */
    int scored;
    double recovered;
    size_t n_scored;
} solution;

static const char *value_of(double confidence)
{
    return confidence > 0.5 ? "T" : "F";
}

static void print_json(const cli_call *call, const nln_model *model, const solution *found)
{
    json_t *object = cli_json_object(), *variables = cli_json_array();

    for (size_t i = 0; i < nln_model_variables(model); i++) {
        json_t *row = cli_json_object();
        cli_json_put(row, "name", cli_json_text(nln_model_variable(model, i)));
        cli_json_put(row, "value", cli_json_text(value_of(found->confidence[i])));
        cli_json_put(row, "confidence", cli_json_number(found->confidence[i]));
        cli_json_append(variables, row);
    }
    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(call->operands[0]));
    if (found->scored) {
        cli_json_put(object, "recovered", cli_json_number(found->recovered));
        cli_json_put(object, "recovered_n", cli_json_count(found->n_scored));
    }
    cli_json_put(object, "variables", variables);
    cli_json_print(object);
}

static void print_lines(const nln_model *model, const solution *found)
{
    for (size_t i = 0; i < nln_model_variables(model); i++)
        printf("%s\t%s\t%.6f\n", nln_model_variable(model, i), value_of(found->confidence[i]),
               found->confidence[i]);
    if (found->scored)
        printf("# recovered %.4f of %zu variables\n", found->recovered, found->n_scored);
}

static int solve(solution *found, const cli_call *call, const nln_model *model)
{
    nln_error err = {0};
    const char *truth = cli_call_text(call, "truth");

    found->confidence =
        cli_memory_resize(NULL, nln_model_variables(model), sizeof *found->confidence);
    if (nln_solve(found->confidence, model, &err))
        return cli_message_error(&err);
    found->scored = truth[0] != '\0';
    if (found->scored && nln_solve_score(&found->recovered, &found->n_scored, model, truth, &err))
        return cli_message_error(&err);
    return CLI_OK;
}

int cli_solve(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    solution found = {0};

    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    int code = solve(&found, call, model);
    if (!code && cli_call_flag(call, "json"))
        print_json(call, model, &found);
    else if (!code)
        print_lines(model, &found);
    free(found.confidence);
    nln_model_free(model);
    return code;
}

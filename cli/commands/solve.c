/* nln solve: prints the value of every variable and how certain it is; or solves clauses. */
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/solve_cnf.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/struct_fields.h"

typedef struct variable {
    const char *name, *value;
    double confidence;
} variable;

static const cli_field fields[] = {
    CLI_FIELD(variable, name, TEXT, "name", NULL, 0),
    CLI_FIELD(variable, value, TEXT, "value", NULL, 0),
    CLI_FIELD(variable, confidence, NUMBER, "confidence", NULL, 0),
};

typedef struct solution {
    variable *variables; /* [n] */
    size_t n, n_scored;  /* variables of the model, and those with a known value */
    double recovered;    /* share of the latter that is right; with --truth */
} solution;

static int solve(solution *found, const nln_model *model, const char *truth)
{
    nln_error err = {0};
    double *confidence = cli_memory_resize(NULL, found->n, sizeof *confidence);
    nln_status status = nln_solve(confidence, model, &err);

    found->variables = cli_memory_resize(NULL, found->n, sizeof *found->variables);
    for (size_t i = 0; !status && i < found->n; i++)
        found->variables[i] = (variable){nln_model_variable(model, i),
                                         confidence[i] > 0.5 ? "T" : "F", confidence[i]};
    free(confidence);
    if (!status && truth[0])
        status = nln_solve_score(&found->recovered, &found->n_scored, model, truth, &err);
    return status ? cli_message_error(&err) : CLI_OK;
}

static void print_json(const cli_call *call, const solution *found)
{
    json_t *object = cli_json_result("model", call->operands[0]);

    if (cli_call_text(call, "truth")[0]) {
        cli_json_put(object, "recovered", cli_json_number(found->recovered));
        cli_json_put(object, "recovered_n", cli_json_count(found->n_scored));
    }
    cli_json_put(object, "variables",
                 cli_fields_array(fields, CLI_COUNT(fields), found->variables, found->n,
                                  sizeof *found->variables));
    cli_json_print(object);
}

static void print_lines(const cli_call *call, const solution *found)
{
    for (size_t i = 0; i < found->n; i++) {
        const variable *v = &found->variables[i];
        printf("%s\t%s\t%.6f\n", v->name, v->value, v->confidence);
    }
    if (cli_call_text(call, "truth")[0])
        printf("# recovered %.4f of %zu variables\n", found->recovered, found->n_scored);
}

int cli_solve(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;

    if (cli_solve_is_cnf(call->operands[0]))
        return cli_solve_cnf(call);
    if (cli_call_refuse(call, "sat", "is for clauses, a file such as problem.cnf, not for a model"))
        return CLI_USAGE;
    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    solution found = {.n = nln_model_variables(model)};
    int code = solve(&found, model, cli_call_text(call, "truth"));
    if (!code && cli_call_flag(call, "json"))
        print_json(call, &found);
    else if (!code)
        print_lines(call, &found);
    free(found.variables);
    nln_model_free(model);
    return code;
}

#include "commands/solve_cnf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/json_output.h"

typedef struct solved {
    size_t n_variables, n_clauses;
    uint8_t *value; /* [n_variables] */
    nln_sat_report report;
} solved;

int cli_solve_is_cnf(const char *path)
{
    static const char *const endings[] = {".cnf",     ".dimacs",    ".cnf.gz",
                                          ".cnf.zst", ".dimacs.gz", ".dimacs.zst"};
    size_t length = strlen(path);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (length > n && strcmp(path + length - n, endings[i]) == 0)
            return 1;
    }
    return 0;
}

static const char *status_text(int answer)
{
    return answer == 1 ? "SATISFIABLE" : answer == 0 ? "UNSATISFIABLE" : "UNKNOWN";
}

static double share(const solved *s)
{
    return s->n_clauses ? (double)s->report.satisfied / (double)s->n_clauses : 1;
}

/* ---- JSON ------------------------------------------------------------------------- */

static json_t *run_json(const nln_sat_run *run)
{
    json_t *object = cli_json_object();
    cli_json_put(object, "status", cli_json_text(status_text(run->answer)));
    cli_json_put(object, "conflicts", cli_json_count(run->conflicts));
    cli_json_put(object, "seconds", cli_json_number(run->seconds));
    return object;
}

static void print_json(const cli_call *call, const solved *s)
{
    const nln_sat_report *r = &s->report;
    json_t *object = cli_json_result("clauses", call->operands[0]), *network = cli_json_object(),
           *values = cli_json_array();

    for (size_t v = 0; v < s->n_variables; v++)
        cli_json_append(values, json_integer(s->value[v] ? (json_int_t)v + 1 : -(json_int_t)v - 1));
    cli_json_put(object, "n_variables", cli_json_count(s->n_variables));
    cli_json_put(object, "n_clauses", cli_json_count(s->n_clauses));
    cli_json_put(object, "status", cli_json_text(status_text(r->answer)));
    cli_json_put(network, "satisfied", cli_json_count(r->satisfied));
    cli_json_put(network, "rounded", cli_json_count(r->rounded));
    cli_json_put(network, "share", cli_json_number(share(s)));
    cli_json_put(network, "trainings", json_integer(r->trainings));
    cli_json_put(network, "seconds", cli_json_number(r->seconds));
    cli_json_put(object, "network", network);
    if (cli_call_flag(call, "cadical")) {
        cli_json_put(object, "cadical", run_json(&r->plain));
        cli_json_put(object, "cadical_with_phases", run_json(&r->phased));
    }
    cli_json_put(object, "assignment", values);
    cli_json_print(object);
}

/* ---- lines, as in the competitions of SAT solvers ------------------------------------ */

/* Lines of at most 78 characters, each after `prefix`. */
static void print_values(const solved *s, const char *prefix)
{
    size_t column = 0;

    for (size_t v = 0; v <= s->n_variables; v++) {
        char literal[32] = " 0";
        if (v < s->n_variables)
            snprintf(literal, sizeof literal, " %s%zu", s->value[v] ? "" : "-", v + 1);
        if (column && column + strlen(literal) > 78) {
            putchar('\n');
            column = 0;
        }
        if (!column)
            column = (size_t)printf("%s", prefix);
        column += (size_t)printf("%s", literal);
    }
    putchar('\n');
}

static void print_lines(const cli_call *call, const solved *s)
{
    const nln_sat_report *r = &s->report;

    printf("c %zu variables, %zu clauses\n", s->n_variables, s->n_clauses);
    printf("c the network satisfies %zu clauses, %.4f of them, after %d training%s\n", r->satisfied,
           share(s), r->trainings, r->trainings == 1 ? "" : "s");
    if (cli_call_flag(call, "cadical"))
        printf("c CaDiCaL: %s, %zu conflicts; with the learned values as first phases: %s, %zu "
               "conflicts\n",
               status_text(r->plain.answer), r->plain.conflicts, status_text(r->phased.answer),
               r->phased.conflicts);
    if (r->answer == 0)
        puts("c CaDiCaL has proved that no assignment satisfies all clauses; the network's best:");
    else if (r->answer < 0)
        puts("c no assignment that satisfies all clauses was found; the network's best:");
    if (r->answer != 1)
        print_values(s, "c");
    printf("s %s\n", status_text(r->answer));
    if (r->answer == 1)
        print_values(s, "v");
}

int cli_solve_cnf(const cli_call *call)
{
    nln_error err = {0};
    nln_cnf *cnf = NULL;
    solved s = {0};

    if (cli_call_text(call, "truth")[0])
        return cli_message_usage("--truth is for a model; %s has clauses", call->operands[0]);
    if (nln_cnf_read(&cnf, call->operands[0], &err))
        return cli_message_error(&err);
    s.n_variables = nln_cnf_variables(cnf);
    s.n_clauses = nln_cnf_clauses(cnf);
    s.value = cli_memory_resize(NULL, s.n_variables, sizeof *s.value);
    int code = CLI_OK;
    if (nln_cnf_solve(s.value, &s.report, cnf, cli_call_library(call, "sat"), NULL, &err))
        code = cli_message_error(&err);
    else if (cli_call_flag(call, "json"))
        print_json(call, &s);
    else
        print_lines(call, &s);
    free(s.value);
    nln_cnf_free(cnf);
    return code;
}

/* nln inspect: the options of a model, its tensors, and how well it keeps the
 * laws of logic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/text_table.h"

enum { MOST_LAWS = 64 };

typedef struct laws {
    nln_law_score scores[MOST_LAWS];
    size_t n;
} laws;

static const char *wanted(const nln_law_score *law)
{
    return law->far_apart ? "far" : "near";
}

static json_t *tensors_json(const nln_model *model)
{
    json_t *array = cli_json_array();
    nln_tensor_info info;

    for (size_t i = 0; i < nln_model_tensor(&info, model, i); i++) {
        json_t *row = cli_json_object();
        cli_json_put(row, "name", cli_json_text(info.name));
        cli_json_put(row, "rows", cli_json_count(info.rows));
        cli_json_put(row, "columns", cli_json_count(info.columns));
        cli_json_put(row, "norm", cli_json_number(info.norm));
        cli_json_put(row, "least", cli_json_number(info.least));
        cli_json_put(row, "most", cli_json_number(info.most));
        cli_json_append(array, row);
    }
    return array;
}

static json_t *laws_json(const laws *all)
{
    json_t *array = cli_json_array();

    for (size_t i = 0; i < all->n; i++) {
        const nln_law_score *law = &all->scores[i];
        json_t *row = cli_json_object();
        cli_json_put(row, "name", cli_json_text(law->name));
        cli_json_put(row, "formula", cli_json_text(law->formula));
        cli_json_put(row, "wanted", cli_json_text(wanted(law)));
        cli_json_put(row, "n", cli_json_count(law->n));
        cli_json_put(row, "mean_similarity", cli_json_number(law->n ? law->mean_similarity : NAN));
        cli_json_put(row, "mean_cosine", cli_json_number(law->n ? law->mean_cosine : NAN));
        cli_json_put(row, "kept", cli_json_number(law->n ? law->kept : NAN));
        cli_json_append(array, row);
    }
    return array;
}

static void print_json(const cli_call *call, const nln_model *model, const nln_options *reading,
                       const laws *all)
{
    json_t *object = cli_json_object();

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(call->operands[0]));
    cli_json_put(object, "variables", cli_json_count(nln_model_variables(model)));
    cli_json_put(object, "options", cli_json_options(nln_model_options(model)));
    cli_json_put(object, "reading", reading ? cli_json_options(reading) : json_null());
    cli_json_put(object, "tensors", tensors_json(model));
    cli_json_put(object, "laws", laws_json(all));
    cli_json_print(object);
}

/* Options that differ from their default come first. */
static void print_options(const nln_options *options, int changed)
{
    static const cli_column columns[] = {{"option", 0}, {"value", 0}, {"default", 0}};
    int n_rows = 0;
    const nln_option *rows = nln_options_table(&n_rows, options);
    cli_table table;

    cli_table_open(&table, columns, 3);
    for (int same = 0; same <= (changed ? 0 : 1); same++) {
        for (int i = 0; i < n_rows; i++) {
            const char *value = nln_options_text(options, rows[i].name);
            if ((strcmp(value, rows[i].initial) == 0) != same)
                continue;
            cli_table_add(&table, "%s", rows[i].name);
            cli_table_add(&table, "%s", value[0] ? value : "-");
            cli_table_add(&table, "%s", rows[i].initial[0] ? rows[i].initial : "-");
        }
    }
    if (table.n_cells)
        cli_table_print(&table, stdout);
    else
        puts("Every option has its default value.");
    cli_table_close(&table);
}

/* How to read ratings as the model's were. */
static void print_reading(const nln_options *reading)
{
    int n_rows = 0;
    const nln_option *rows = nln_options_table(&n_rows, reading);

    printf("its ratings were read with");
    for (int i = 0; i < n_rows; i++)
        if (nln_options_source(reading, rows[i].name) != NLN_FROM_DEFAULT)
            printf(" --%s %s", rows[i].name, nln_options_text(reading, rows[i].name));
    puts("\n");
}

static void print_tensors(const nln_model *model)
{
    static const cli_column columns[] = {{"tensor", 0}, {"rows", 1},  {"columns", 1},
                                         {"norm", 1},   {"least", 1}, {"most", 1}};
    nln_tensor_info info;
    cli_table table;

    cli_table_open(&table, columns, 6);
    for (size_t i = 0; i < nln_model_tensor(&info, model, i); i++) {
        cli_table_add(&table, "%s", info.name);
        cli_table_count(&table, info.rows);
        cli_table_count(&table, info.columns);
        cli_table_number(&table, 4, info.norm);
        cli_table_number(&table, 4, info.least);
        cli_table_number(&table, 4, info.most);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

static void print_laws(const laws *all)
{
    static const cli_column columns[] = {{"law", 0}, {"formula", 0},  {"wanted", 0},
                                         {"n", 1},   {"mean Sim", 1}, {"kept %", 1}};
    cli_table table;

    cli_table_open(&table, columns, 6);
    for (size_t i = 0; i < all->n; i++) {
        const nln_law_score *law = &all->scores[i];
        cli_table_add(&table, "%s", law->name);
        cli_table_add(&table, "%s", law->formula);
        cli_table_add(&table, "%s", wanted(law));
        cli_table_count(&table, law->n);
        cli_table_number(&table, 4, law->n ? law->mean_similarity : NAN);
        cli_table_number(&table, 1, law->n ? law->kept * 100 : NAN);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

static int inspect(const cli_call *call, const nln_model *model, const nln_options *reading,
                   const nln_data *data)
{
    nln_error err = {0};
    laws all = {0};

    if (nln_inspect(all.scores, MOST_LAWS, &all.n, model, data, &err))
        return cli_message_error(&err);
    all.n = all.n < MOST_LAWS ? all.n : MOST_LAWS;
    if (cli_call_flag(call, "json")) {
        print_json(call, model, reading, &all);
        return CLI_OK;
    }
    printf("%zu variables\n\n", nln_model_variables(model));
    print_options(nln_model_options(model), cli_call_flag(call, "changed"));
    putchar('\n');
    if (reading)
        print_reading(reading);
    print_tensors(model);
    putchar('\n');
    if (all.n) /* only a Neural Logic Network has laws */
        print_laws(&all);
    return CLI_OK;
}

static int has_ratings(const nln_model *model)
{
    return cli_metrics_task(nln_model_options(model)) != CLI_LOGIC;
}

int cli_inspect(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    nln_options *reading = NULL;
    nln_data *data = NULL;
    int code;

    if (nln_model_load(&model, call->operands[0], &err) ||
        (call->operands[1] && nln_data_read(&data, call->operands[1], &err)) ||
        (has_ratings(model) && nln_model_reading(&reading, model, &err)))
        code = cli_message_error(&err);
    else
        code = inspect(call, model, reading, data);
    nln_options_free(reading);
    nln_data_free(data);
    nln_model_free(model);
    return code;
}

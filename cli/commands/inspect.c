/* nln inspect: shows the options and tensors of a model, and how well it keeps the laws of
 * logic. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "nln_lab.h"
#include "show/metrics_table.h"
#include "show/struct_fields.h"

enum { MOST_LAWS = 64 };

typedef struct law {
    nln_law_score score;
    const char *wanted;
    double kept_percent;
} law;

static const cli_field law_fields[] = {
    CLI_FIELD(law, score.name, TEXT, "name", "law", 0),
    CLI_FIELD(law, score.formula, TEXT, "formula", "formula", 0),
    CLI_FIELD(law, wanted, TEXT, "wanted", "wanted", 0),
    CLI_FIELD(law, score.n, COUNT, "n", "n", 0),
    CLI_FIELD(law, score.mean_similarity, NUMBER, "mean_similarity", "mean Sim", 4),
    CLI_FIELD(law, score.mean_cosine, NUMBER, "mean_cosine", NULL, 4),
    CLI_FIELD(law, score.kept, NUMBER, "kept", NULL, 4),
    CLI_FIELD(law, kept_percent, NUMBER, NULL, "kept %", 1),
};
static const cli_field tensor_fields[] = {
    CLI_FIELD(nln_tensor_info, name, TEXT, "name", "tensor", 0),
    CLI_FIELD(nln_tensor_info, rows, COUNT, "rows", "rows", 0),
    CLI_FIELD(nln_tensor_info, columns, COUNT, "columns", "columns", 0),
    CLI_FIELD(nln_tensor_info, norm, NUMBER, "norm", "norm", 4),
    CLI_FIELD(nln_tensor_info, least, NUMBER, "least", "least", 4),
    CLI_FIELD(nln_tensor_info, most, NUMBER, "most", "most", 4),
};

typedef struct inspection {
    const cli_call *call;
    nln_model *model;
    nln_options *reading; /* of its ratings; NULL for a model of expressions */
    law laws[MOST_LAWS];
    size_t n_laws;
    nln_tensor_info *tensors; /* [n_tensors] */
    size_t n_tensors;
} inspection;

static int measure(inspection *i, const nln_data *data)
{
    nln_law_score scores[MOST_LAWS];
    nln_tensor_info info;
    nln_error err = {0};

    if (nln_inspect(scores, MOST_LAWS, &i->n_laws, i->model, data, &err))
        return cli_message_error(&err);
    i->n_laws = i->n_laws < MOST_LAWS ? i->n_laws : MOST_LAWS;
    for (size_t l = 0; l < i->n_laws; l++) {
        nln_law_score *s = &scores[l];
        if (!s->n)
            s->mean_similarity = s->mean_cosine = s->kept = NAN;
        i->laws[l] = (law){*s, s->far_apart ? "far" : "near", s->kept * 100};
    }
    i->n_tensors = nln_model_tensor(&info, i->model, SIZE_MAX);
    i->tensors = cli_memory_resize(NULL, i->n_tensors, sizeof *i->tensors);
    for (size_t t = 0; t < i->n_tensors; t++)
        nln_model_tensor(&i->tensors[t], i->model, t);
    return CLI_OK;
}

/* ---- how it came about ---------------------------------------------------------- */

static json_t *time_json(double seconds)
{
    char text[40];
    time_t when = (time_t)seconds;
    struct tm parts;

    if (isnan(seconds) || !gmtime_r(&when, &parts))
        return json_null();
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return cli_json_text(text);
}

static json_t *record_json(const nln_record *r)
{
    static const char *const splits[] = {"train", "valid", "test"};
    char fingerprint[24];

    if (!r)
        return json_null();
    json_t *object = cli_json_object(), *rows = cli_json_object();
    json_t *valid = cli_json_object(), *test = cli_json_object();
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, r->fingerprint);
    for (int s = 0; s < 3; s++)
        cli_json_put(rows, splits[s], cli_json_count(r->rows[s]));
    for (size_t m = 0; m < r->n_measures; m++) {
        cli_json_put(valid, r->measures[m].name, cli_json_number(r->measures[m].valid));
        cli_json_put(test, r->measures[m].name, cli_json_number(r->measures[m].test));
    }
    cli_json_put(object, "data", r->data[0] ? cli_json_text(r->data) : json_null());
    cli_json_put(object, "fingerprint", cli_json_text(fingerprint));
    cli_json_put(object, "rows", rows);
    cli_json_put(object, "newest", cli_json_number(r->newest));
    cli_json_put(object, "epochs", cli_json_count((size_t)r->epochs));
    cli_json_put(object, "best_epoch", cli_json_count((size_t)r->best_epoch));
    cli_json_put(object, "valid", valid);
    cli_json_put(object, "test", test);
    cli_json_put(object, "trained", time_json(r->trained));
    return object;
}

static void print_record(const nln_record *r)
{
    static const cli_column columns[] = {{"metric", 0}, {"valid", 1}, {"test", 1}};
    cli_table table;

    printf("trained on %s (%zu train, %zu valid, %zu test; fingerprint %016" PRIx64
           "), best epoch %d of %d\n\n",
           r->data[0] ? r->data : "data from memory", r->rows[0], r->rows[1], r->rows[2],
           r->fingerprint, r->best_epoch, r->epochs);
    if (!r->n_measures)
        return;
    cli_table_open(&table, columns, 3);
    for (size_t m = 0; m < r->n_measures; m++) {
        cli_table_add(&table, "%s", r->measures[m].name);
        cli_table_number(&table, 4, r->measures[m].valid);
        cli_table_number(&table, 4, r->measures[m].test);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    putchar('\n');
}

static void print_json(const inspection *i)
{
    json_t *object = cli_json_result("model", i->call->operands[0]);

    cli_json_put(object, "variables", cli_json_count(nln_model_variables(i->model)));
    cli_json_put(object, "options", cli_json_options(nln_model_options(i->model)));
    cli_json_put(object, "reading", i->reading ? cli_json_options(i->reading) : json_null());
    cli_json_put(object, "record", record_json(nln_model_record(i->model)));
    cli_json_put(object, "tensors",
                 cli_fields_array(tensor_fields, CLI_COUNT(tensor_fields), i->tensors, i->n_tensors,
                                  sizeof *i->tensors));
    cli_json_put(
        object, "laws",
        cli_fields_array(law_fields, CLI_COUNT(law_fields), i->laws, i->n_laws, sizeof *i->laws));
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

/* The options that read ratings as the model's own were read. */
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

static void print_tables(const inspection *i)
{
    printf("%zu variables\n\n", nln_model_variables(i->model));
    print_options(nln_model_options(i->model), cli_call_flag(i->call, "changed"));
    putchar('\n');
    if (i->reading)
        print_reading(i->reading);
    if (nln_model_record(i->model))
        print_record(nln_model_record(i->model));
    cli_fields_print(tensor_fields, CLI_COUNT(tensor_fields), i->tensors, i->n_tensors,
                     sizeof *i->tensors);
    putchar('\n');
    if (i->n_laws) /* only a Neural Logic Network has laws */
        cli_fields_print(law_fields, CLI_COUNT(law_fields), i->laws, i->n_laws, sizeof *i->laws);
}

int cli_inspect(const cli_call *call)
{
    nln_error err = {0};
    inspection i = {.call = call};
    nln_data *data = NULL;
    int code;

    if (nln_model_load(&i.model, call->operands[0], &err) ||
        (call->operands[1] && nln_data_read_for(&data, NULL, i.model, call->operands[1], &err)) ||
        (cli_metrics_task(nln_model_options(i.model)) != CLI_LOGIC &&
         nln_model_reading(&i.reading, i.model, &err)))
        code = cli_message_error(&err);
    else
        code = measure(&i, data);
    if (!code && cli_call_flag(call, "json"))
        print_json(&i);
    else if (!code)
        print_tables(&i);
    free(i.tensors);
    nln_options_free(i.reading);
    nln_data_free(data);
    nln_model_free(i.model);
    return code;
}

/* nln generate logic, ratings, facts: make data and write it. */
#include <math.h>
#include <stdio.h>

#include "command_line.h"
#include "messages.h"
#include "show/metrics_table.h"
#include "show/output_file.h"
#include "show/struct_fields.h"
#include "show/terminal.h"

typedef struct part {
    const char *name;
    size_t n;
    double share_true;
} part;

static const cli_field fields[] = {
    CLI_FIELD(part, name, TEXT, NULL, "split", 0),
    CLI_FIELD(part, n, COUNT, "n", "expressions", 0),
    CLI_FIELD(part, share_true, NUMBER, "share_true", "share of T", 4),
};

static void print(const cli_call *call, const nln_data *data, double seconds)
{
    const char *folder = cli_call_text(call, "out");
    part parts[3];

    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        size_t n = nln_data_size(data, (nln_split)s), n_true = nln_data_true(data, (nln_split)s);
        parts[s] =
            (part){cli_metrics_split_name((nln_split)s), n, n ? (double)n_true / (double)n : NAN};
    }
    if (!cli_call_flag(call, "json")) {
        cli_fields_print(fields, CLI_COUNT(fields), parts, 3, sizeof *parts);
        printf("%zu variables, written to %s in %.2f s\n", nln_data_variables(data), folder,
               seconds);
        return;
    }
    json_t *object = cli_json_result("data", folder);
    cli_json_put(object, "variables", cli_json_count(nln_data_variables(data)));
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        json_t *split = cli_json_object();
        cli_fields_put(split, fields, CLI_COUNT(fields), &parts[s]);
        cli_json_put(object, parts[s].name, split);
    }
    cli_json_put(object, "seconds", cli_json_number(seconds));
    cli_json_put(object, "options", cli_json_options(call->library[0]));
    cli_json_print(object);
}

int cli_generate_logic(const cli_call *call)
{
    nln_error err = {0};
    nln_data *data = NULL;
    double start = cli_terminal_clock();
    nln_status status = nln_data_generate(&data, call->library[0], &err);

    if (!status)
        status = nln_data_write(data, cli_call_text(call, "out"), &err);
    if (!status)
        print(call, data, cli_terminal_clock() - start);
    nln_data_free(data);
    return status ? cli_message_error(&err) : CLI_OK;
}

int cli_generate_ratings(const cli_call *call)
{
    static const char *const counts[] = {"users", "items", "ratings"};
    nln_error err = {0};
    const char *out = cli_call_text(call, "out"), *titles = cli_call_text(call, "titles");
    const cli_named_path paths[] = {
        {"--out", out, 0}, {"--titles", titles, 0}, {"--config", cli_call_text(call, "config"), 1}};
    double start = cli_terminal_clock();
    int code = cli_file_apart(paths, sizeof paths / sizeof *paths);

    if (code)
        return code;
    if (nln_ratings_generate(out, titles[0] ? titles : NULL, call->library[0], &err))
        return cli_message_error(&err);
    double seconds = cli_terminal_clock() - start;
    if (!cli_call_flag(call, "json")) {
        printf("%s ratings of %s items by %s users, written to %s in %.2f s\n",
               cli_call_text(call, "ratings"), cli_call_text(call, "items"),
               cli_call_text(call, "users"), out, seconds);
        return CLI_OK;
    }
    json_t *object = cli_json_result("data", out), *options = cli_json_options(call->library[0]);
    cli_json_put(object, "titles", cli_json_text(titles[0] ? titles : NULL));
    for (int i = 0; i < 3; i++)
        cli_json_put(object, counts[i], json_incref(json_object_get(options, counts[i])));
    cli_json_put(object, "seconds", cli_json_number(seconds));
    cli_json_put(object, "options", options);
    cli_json_print(object);
    return CLI_OK;
}

int cli_generate_facts(const cli_call *call)
{
    nln_error err = {0};
    const char *out = cli_call_text(call, "out");
    const cli_named_path paths[] = {{"--out", out, 0},
                                    {"--config", cli_call_text(call, "config"), 1}};
    double start = cli_terminal_clock();
    int code = cli_file_apart(paths, sizeof paths / sizeof *paths);

    if (code)
        return code;
    if (nln_triples_generate(out, call->library[0], &err))
        return cli_message_error(&err);
    double seconds = cli_terminal_clock() - start;
    if (!cli_call_flag(call, "json")) {
        printf("%s triples, written to %s in %.2f s\n", cli_call_text(call, "triples"), out,
               seconds);
        return CLI_OK;
    }
    json_t *object = cli_json_result("data", out), *options = cli_json_options(call->library[0]);
    cli_json_put(object, "triples", json_incref(json_object_get(options, "triples")));
    cli_json_put(object, "seconds", cli_json_number(seconds));
    cli_json_put(object, "options", options);
    cli_json_print(object);
    return CLI_OK;
}

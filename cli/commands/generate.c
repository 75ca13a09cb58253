/* nln generate logic, nln generate ratings: make data, write it, and say what it is. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command_line.h"
#include "messages.h"
#include "show/durations.h"
#include "show/files.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/text_table.h"

static double share_true(const nln_data *data, int split)
{
    size_t n = nln_data_size(data, (nln_split)split);
    return n ? (double)nln_data_true(data, (nln_split)split) / (double)n : NAN;
}

static void print_json(const cli_call *call, const nln_data *data, double seconds)
{
    const char *folder = cli_call_text(call, "out");
    json_t *object = cli_json_object();

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "data", cli_json_text(folder));
    cli_json_put(object, "variables", cli_json_count(nln_data_variables(data)));
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        json_t *split = cli_json_object();
        cli_json_put(split, "n", cli_json_count(nln_data_size(data, (nln_split)s)));
        cli_json_put(split, "share_true", cli_json_number(share_true(data, s)));
        cli_json_put(object, cli_metrics_split_name((nln_split)s), split);
    }
    cli_json_put(object, "seconds", cli_json_number(seconds));
    cli_json_put(object, "options", cli_json_options(call->library[0]));
    cli_json_print(object);
}

static void print_table(const cli_call *call, const nln_data *data, double seconds)
{
    static const cli_column columns[] = {{"split", 0}, {"expressions", 1}, {"share of T", 1}};
    const char *folder = cli_call_text(call, "out");
    cli_table table;

    cli_table_open(&table, columns, 3);
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        cli_table_add(&table, "%s", cli_metrics_split_name((nln_split)s));
        cli_table_count(&table, nln_data_size(data, (nln_split)s));
        cli_table_number(&table, 4, share_true(data, s));
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    printf("%zu variables, written to %s in %.2f s\n", nln_data_variables(data), folder, seconds);
}

int cli_generate_logic(const cli_call *call)
{
    nln_error err = {0};
    nln_data *data = NULL;
    int code = CLI_OK;
    double start = cli_clock_seconds();

    if (nln_data_generate(&data, call->library[0], &err) ||
        nln_data_write(data, cli_call_text(call, "out"), &err)) {
        code = cli_message_error(&err);
        goto done;
    }
    if (cli_call_flag(call, "json"))
        print_json(call, data, cli_clock_seconds() - start);
    else
        print_table(call, data, cli_clock_seconds() - start);
done:
    nln_data_free(data);
    return code;
}

int cli_generate_ratings(const cli_call *call)
{
    static const char *const counts[] = {"users", "items", "ratings"};
    nln_error err = {0};
    const char *out = cli_call_text(call, "out"), *titles = cli_call_text(call, "titles");
    const cli_named_path paths[] = {
        {"--out", out, 0}, {"--titles", titles, 0}, {"--config", cli_call_text(call, "config"), 1}};
    double start = cli_clock_seconds();
    int code = cli_file_apart(paths, sizeof paths / sizeof *paths);

    if (code)
        return code;
    if (nln_ratings_generate(out, titles[0] ? titles : NULL, call->library[0], &err))
        return cli_message_error(&err);
    double seconds = cli_clock_seconds() - start;
    if (!cli_call_flag(call, "json")) {
        printf("%s ratings of %s items by %s users, written to %s in %.2f s\n",
               cli_call_text(call, "ratings"), cli_call_text(call, "items"),
               cli_call_text(call, "users"), out, seconds);
        return CLI_OK;
    }
    json_t *object = cli_json_object(), *options = cli_json_options(call->library[0]);
    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "data", cli_json_text(out));
    cli_json_put(object, "titles", titles[0] ? cli_json_text(titles) : json_null());
    for (int i = 0; i < 3; i++)
        cli_json_put(object, counts[i], json_incref(json_object_get(options, counts[i])));
    cli_json_put(object, "seconds", cli_json_number(seconds));
    cli_json_put(object, "options", options);
    cli_json_print(object);
    return CLI_OK;
}

/* nln split: deals ratings to train, valid and test, and writes them as files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/ratings_input.h"
#include "messages.h"
#include "show/files.h"
#include "show/json_output.h"
#include "show/metrics_table.h"
#include "show/text_table.h"

static void print_json(const cli_call *call, const cli_ratings *ratings)
{
    const nln_ratings *r = ratings->ratings;
    json_t *object = cli_json_object();

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "data", cli_json_text(call->operands[0]));
    cli_json_put(object, "out", cli_json_text(cli_call_text(call, "out")));
    cli_json_put(object, "users", cli_json_count(nln_ratings_users(r)));
    cli_json_put(object, "items", cli_json_count(nln_ratings_items(r)));
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        json_t *split = cli_json_object();
        cli_json_put(split, "n", cli_json_count(nln_ratings_size(r, (nln_split)s)));
        cli_json_put(split, "likes", cli_json_count(nln_ratings_likes(r, (nln_split)s)));
        cli_json_put(object, cli_metrics_split_name((nln_split)s), split);
    }
    cli_json_put(object, "reading", cli_ratings_reading(ratings));
    cli_json_put(object, "options", cli_json_options(call->library[0]));
    cli_json_print(object);
}

static void print_table(const cli_call *call, const cli_ratings *ratings)
{
    static const cli_column columns[] = {
        {"split", 0}, {"ratings", 1}, {"likes", 1}, {"share of likes", 1}};
    const nln_ratings *r = ratings->ratings;
    cli_table table;

    cli_table_open(&table, columns, 4);
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        size_t n = nln_ratings_size(r, (nln_split)s), likes = nln_ratings_likes(r, (nln_split)s);
        cli_table_add(&table, "%s", cli_metrics_split_name((nln_split)s));
        cli_table_count(&table, n);
        cli_table_count(&table, likes);
        cli_table_number(&table, 4, n ? (double)likes / (double)n : NAN);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    printf("%zu user%s and %zu item%s, read as %s (%s), written to %s\n", nln_ratings_users(r),
           cli_message_plural(nln_ratings_users(r)), nln_ratings_items(r),
           cli_message_plural(nln_ratings_items(r)), ratings->report.format,
           cli_ratings_columns(ratings), cli_call_text(call, "out"));
}

/* One file is not dealt into the folder where it is a part itself. */
static int check_files(const cli_call *call)
{
    const char *out = cli_call_text(call, "out");
    size_t size = strlen(out) + sizeof "/train.tsv";
    char *path = cli_memory_resize(NULL, size, 1);
    int code = CLI_OK;

    for (int s = NLN_TRAIN; !code && s <= NLN_TEST; s++) {
        const cli_named_path paths[] = {{"--out", path, 0}, {"DATA", call->operands[0], 1}};
        snprintf(path, size, "%s/%s.tsv", out, cli_metrics_split_name((nln_split)s));
        code = cli_file_apart(paths, 2);
    }
    free(path);
    return code;
}

int cli_split(const cli_call *call)
{
    nln_error err = {0};
    cli_ratings ratings = {0};
    int code = check_files(call);

    if (!code)
        code = cli_ratings_read(&ratings, call, call->operands[0]);
    if (!code && nln_ratings_write(ratings.ratings, cli_call_text(call, "out"), &err))
        code = cli_message_error(&err);
    if (!code && cli_call_flag(call, "json"))
        print_json(call, &ratings);
    else if (!code)
        print_table(call, &ratings);
    cli_ratings_free(&ratings);
    return code;
}

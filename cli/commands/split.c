/* nln split: splits ratings into train, valid and test files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/ratings_input.h"
#include "messages.h"
#include "show/metrics_table.h"
#include "show/output_file.h"
#include "show/struct_fields.h"

typedef struct part {
    const char *name;
    size_t n, likes;
    double share;
} part;

static const cli_field fields[] = {
    CLI_FIELD(part, name, TEXT, NULL, "split", 0),
    CLI_FIELD(part, n, COUNT, "n", "ratings", 0),
    CLI_FIELD(part, likes, COUNT, "likes", "likes", 0),
    CLI_FIELD(part, share, NUMBER, NULL, "share of likes", 4),
};

static void print(const cli_call *call, const cli_ratings *ratings)
{
    const nln_ratings *r = ratings->ratings;
    size_t users = nln_ratings_users(r), items = nln_ratings_items(r);
    const char *out = cli_call_text(call, "out");
    part parts[3];

    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        size_t n = nln_ratings_size(r, (nln_split)s), likes = nln_ratings_likes(r, (nln_split)s);
        parts[s] = (part){cli_metrics_split_name((nln_split)s), n, likes,
                          n ? (double)likes / (double)n : NAN};
    }
    cli_ratings_tell_times(ratings, call->operands[0]);
    if (!cli_call_flag(call, "json")) {
        cli_fields_print(fields, CLI_COUNT(fields), parts, 3, sizeof *parts);
        printf("%zu user%s and %zu item%s, read as %s (%s), written to %s\n", users,
               cli_message_plural(users), items, cli_message_plural(items), ratings->report.format,
               cli_ratings_columns(ratings), out);
        if (parts[NLN_TEST].likes < users &&
            strcmp(nln_options_text(ratings->options, "split"), "paper") == 0)
            printf(
                "test has a like of %zu of them; for --task topk, --split likes holds out one of "
                "every user\n",
                parts[NLN_TEST].likes);
        return;
    }
    json_t *object = cli_json_result("data", call->operands[0]);
    cli_json_put(object, "out", cli_json_text(out));
    cli_json_put(object, "users", cli_json_count(users));
    cli_json_put(object, "items", cli_json_count(items));
    for (int s = NLN_TRAIN; s <= NLN_TEST; s++) {
        json_t *split = cli_json_object();
        cli_fields_put(split, fields, CLI_COUNT(fields), &parts[s]);
        cli_json_put(object, parts[s].name, split);
    }
    cli_json_put(object, "reading", cli_ratings_reading(ratings));
    cli_json_put(object, "options", cli_json_options(call->library[0]));
    cli_json_print(object);
}

/* A file must not be split into the folder in which it is itself a part. */
static int check_files(const cli_call *call)
{
    int code = CLI_OK;

    for (int s = NLN_TRAIN; !code && s <= NLN_TEST; s++) {
        char *path = cli_memory_print("%s/%s.tsv", cli_call_text(call, "out"),
                                      cli_metrics_split_name((nln_split)s));
        const cli_named_path paths[] = {{"--out", path, 0}, {"DATA", call->operands[0], 1}};
        code = cli_file_apart(paths, 2);
        free(path);
    }
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
    if (!code)
        print(call, &ratings);
    cli_ratings_free(&ratings);
    return code;
}

#include "commands/history_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/ratings_input.h"
#include "messages.h"
#include "show/input_lines.h"

const char *cli_history_user(const cli_history *history)
{
    return history->name[0] ? history->name : NULL;
}

static cli_history *add_history(cli_histories *out, const char *name, size_t length)
{
    out->list = cli_memory_grow(out->list, out->n, &out->room, sizeof *out->list);
    cli_history *history = &out->list[out->n++];
    *history = (cli_history){.name = cli_memory_copy(name, length)};
    return history;
}

static void add_literal(cli_history *history, nln_literal literal)
{
    history->literals =
        cli_memory_grow(history->literals, history->n, &history->room, sizeof *history->literals);
    history->literals[history->n++] = literal;
}

static int add_named(cli_history *history, const cli_items *items, const char *name, size_t length,
                     int liked, const char *place)
{
    char *copy = cli_memory_copy(name, length);
    size_t item = 0;
    int code = cli_items_find(&item, items, copy, place);

    if (!code)
        add_literal(history, (nln_literal){.item = item, .liked = liked});
    free(copy);
    return code;
}

/* ---- --like and --dislike --------------------------------------------------- */

/* One item, whose name may have commas, or several between commas. */
static int add_list(cli_history *history, const cli_items *items, const char *text, int liked)
{
    size_t item = 0;
    int code = CLI_OK;

    if (cli_items_match(&item, items, text) == 1) {
        add_literal(history, (nln_literal){.item = item, .liked = liked});
        return CLI_OK;
    }
    while (!code) {
        size_t length = strcspn(text, ",");
        code = add_named(history, items, text, length, liked, "");
        if (!text[length])
            break;
        text += length + 1;
    }
    return code;
}

/* Adds to the history of --user, if there is one.  The order of the words is the order of time; a
 * config file, which has no such order, puts what was liked first. */
static int read_words(cli_histories *out, const cli_call *call, const cli_items *items)
{
    static const char *const names[] = {"dislike", "like"};
    cli_history *history = out->n ? &out->list[0] : add_history(out, "", 0);
    int code = CLI_OK;

    for (size_t i = 0; !code && i < call->n_given; i++)
        for (int liked = 0; !code && liked < 2; liked++)
            if (strcmp(call->given[i].row->name, names[liked]) == 0)
                code = add_list(history, items, call->given[i].value, liked);
    for (int liked = 1; !code && liked >= 0; liked--)
        if (nln_options_source(call->options, names[liked]) == NLN_FROM_FILE)
            code = add_list(history, items, cli_call_text(call, names[liked]), liked);
    return code;
}

/* ---- --user -------------------------------------------------------------------- */

static int read_user(cli_histories *out, const cli_call *call, const cli_items *items)
{
    nln_error err = {0};
    nln_literal *literals = NULL;
    cli_ratings ratings = {0};
    size_t n = 0;
    const char *user = cli_call_text(call, "user"), *data = cli_call_text(call, "data");
    int code = data[0] ? cli_ratings_read_for(&ratings, call, data, items->model) : CLI_OK;

    if (code) {
        cli_ratings_free(&ratings);
        return code;
    }
    nln_status status =
        data[0] ? nln_ratings_history(&literals, &n, items->model, ratings.ratings, user, &err)
                : nln_model_history(&literals, &n, items->model, user, &err);
    cli_ratings_free(&ratings);
    if (status)
        return cli_message_error(&err);
    cli_history *history = add_history(out, user, strlen(user));
    for (size_t i = 0; i < n; i++)
        add_literal(history, literals[i]);
    nln_free(literals);
    return CLI_OK;
}

/* ---- --histories ----------------------------------------------------------------- */

/* An item of the file that the model does not know is left out, unless --strict is given; of
 * several that have the name none is meant for sure, and the line is refused. */
static int add_known(cli_histories *out, cli_history *history, const cli_items *items,
                     const char *name, size_t length, int liked, const char *place, int strict)
{
    char *copy = cli_memory_copy(name, length);
    size_t item = 0;
    int found = cli_items_match(&item, items, copy), code = CLI_OK;

    if (found == 1)
        add_literal(history, (nln_literal){.item = item, .liked = liked});
    else if (found > 1 || strict)
        code = cli_items_find(&item, items, copy, place);
    else if (out->n_left_out++ == 0)
        cli_message_note("%sthe model does not know '%s'; such items are left out", place, copy);
    free(copy);
    return code;
}

/* Literals stand between spaces or, where there is a TAB among them, between TABs, so that
 * ids may have spaces. */
static int read_literals(cli_histories *out, cli_history *history, const cli_items *items,
                         const char *text, const char *place, int strict)
{
    const char *between = strchr(text, '\t') ? "\t" : " ";
    int code = CLI_OK;

    for (text += strspn(text, between); !code && *text; text += strspn(text, between)) {
        size_t length = strcspn(text, between);
        int disliked = text[0] == '!';
        code = add_known(out, history, items, text + disliked, length - (size_t)disliked, !disliked,
                         place, strict);
        text += length;
    }
    return code;
}

static int read_line(cli_histories *out, const cli_items *items, const char *text,
                     const char *place, int strict)
{
    const char *tab = strchr(text, '\t');
    if (!tab)
        return cli_message_failed("%sthere is no TAB; a line is a name, a TAB, and items between "
                                  "spaces, with a ! before the disliked",
                                  place);
    cli_history *history = add_history(out, text, (size_t)(tab - text));
    int code = read_literals(out, history, items, tab + 1, place, strict);
    if (code) { /* the line is not answered */
        free(history->name);
        free(history->literals);
        out->n--;
    }
    return code;
}

/* Every line that can be read becomes a history; with --strict the first other one is an error. */
static int read_file(cli_histories *out, const cli_call *call, const cli_items *items)
{
    cli_lines lines = {0};
    const char *path = cli_call_text(call, "histories");
    int strict = cli_call_flag(call, "strict"), code = cli_lines_read(&lines, path, 1);

    out->is_file = 1;
    for (size_t i = 0; !code && i < lines.n; i++) {
        char place[512];
        snprintf(place, sizeof place, "%s:%ld: ", lines.name, lines.number[i]);
        int refused = read_line(out, items, lines.text[i], place, strict);
        out->n_refused += refused != CLI_OK;
        code = strict ? refused : CLI_OK;
    }
    if (!code && !lines.n)
        code = cli_message_failed("%s: there is no history in it", lines.name);
    if (!code && !out->n)
        code = CLI_FAILED; /* every line has its message */
    if (!code && out->n_left_out > 1)
        cli_message_note("%s: %zu items are left out, which the model does not know", lines.name,
                         out->n_left_out);
    cli_lines_free(&lines);
    return code;
}

/* ---- the choice -------------------------------------------------------------------- */

/* Keeps the latest word on each item, as ratings do; returns how many were taken back. */
static size_t keep_latest(cli_history *history, unsigned char *met)
{
    size_t n = history->n, kept = n;

    for (size_t i = n; i-- > 0;)
        if (!met[history->literals[i].item]) {
            met[history->literals[i].item] = 1;
            history->literals[--kept] = history->literals[i];
        }
    for (size_t i = kept; i < n; i++) {
        met[history->literals[i].item] = 0;
        history->literals[i - kept] = history->literals[i];
    }
    history->n = n - kept;
    return kept;
}

static void settle(cli_histories *out, const cli_call *call, const cli_items *items)
{
    size_t n_items = nln_model_variables(items->model), n = 0;
    unsigned char *met = cli_memory_resize(NULL, n_items, 1);

    memset(met, 0, n_items);
    for (size_t i = 0; i < out->n; i++)
        n += keep_latest(&out->list[i], met);
    free(met);
    if (n > 0 && !cli_call_flag(call, "quiet"))
        cli_message_note("%zu likes or dislikes are of an item that comes again later in the same "
                         "history; the latest word on it is taken",
                         n);
}

/* Whether --strict is the only option of ratings, which a file of histories obeys, too. */
static int is_strict_alone(const cli_call *call)
{
    const nln_options *ratings = cli_call_library(call, "ratings");
    int n = 0;

    for (size_t i = 0; i < call->n_given; i++)
        n += nln_options_source(ratings, call->given[i].row->name) != NLN_FROM_DEFAULT;
    return n == 1 && cli_call_flag(call, "strict");
}

/* Refuses options that would be used in part or ignored. */
static int check_user(const cli_call *call)
{
    int n = 0;

    for (size_t i = 0; i < call->n_given; i++)
        n += strcmp(call->given[i].row->name, "user") == 0;
    if (n > 1)
        return cli_message_usage("--user is one user; ask once for each, or give --histories");
    if (cli_call_has(call, "data") && !cli_call_has(call, "user"))
        return cli_message_usage("--data says where the history of --user is; give --user too");
    if (!cli_call_has(call, "data") && !(cli_call_has(call, "histories") && is_strict_alone(call)))
        return cli_call_refuse(call, "ratings", "says how --data is read; give --data too");
    return CLI_OK;
}

int cli_histories_read(cli_histories *out, const cli_call *call, const cli_items *items)
{
    int user = cli_call_has(call, "user"), file = cli_call_has(call, "histories");
    int words = cli_call_has(call, "like") || cli_call_has(call, "dislike");

    *out = (cli_histories){0};
    if (file && user + words > 0)
        return cli_message_usage(
            "--histories, and --user with --like and --dislike are two ways to "
            "give a history; use one of them");
    if (cli_call_flag(call, "all") && user + file + words > 0)
        return cli_message_usage("--all is for every user: give no other history");
    int code = check_user(call);
    if (!code && user)
        code = read_user(out, call, items);
    if (!code && file)
        code = read_file(out, call, items);
    else if (!code && (words || !user))
        code = read_words(out, call, items);
    if (!code)
        settle(out, call, items);
    return code;
}

void cli_histories_free(cli_histories *histories)
{
    for (size_t i = 0; i < histories->n; i++) {
        free(histories->list[i].name);
        free(histories->list[i].literals);
    }
    free(histories->list);
    *histories = (cli_histories){0};
}

#include "commands/task_guess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "command_line.h"
#include "commands/ratings_input.h"
#include "messages.h"
#include "nln_serve.h"

enum { GOOD_LINES = 3 }; /* as many labelled expressions are no accident */

static int is_training(const cli_call *call)
{
    const char *name = call->command->name;
    return strcmp(name, "train") == 0 || strcmp(name, "compare") == 0 ||
           (strcmp(name, "tune") == 0 && strcmp(cli_call_text(call, "verb"), "train") == 0);
}

/* Ratings fail as expressions in their first line, or because they are one file or a store. */
static int may_be_ratings(nln_error *err, const char *path)
{
    nln_data *data = NULL;
    struct stat about;

    if (nln_serve_is_store(path))
        return 1;
    if (!nln_data_read(&data, path, err)) {
        nln_data_free(data);
        return 0;
    }
    return !stat(path, &about) && (!S_ISDIR(about.st_mode) || err->line == 1);
}

/* Triples have three fields in each line, and the second has few values.  In ratings the second
 * field is an item, which has many. */
static int may_be_triples(const char *path)
{
    nln_triples *triples = NULL;
    nln_error err = {0};

    if (nln_triples_read(&triples, path, NULL, &err))
        return 0;
    size_t n = nln_triples_size(triples, NLN_TRAIN), relations = nln_triples_relations(triples);
    int named = 0;
    for (size_t i = 0; i < relations; i++) {
        char *end;
        const char *name = nln_triples_relation(triples, i);
        strtod(name, &end);
        named |= *end != '\0' && strpbrk(name, "&|!~^()") == NULL; /* no operator */
    }
    nln_triples_free(triples);
    return named && n >= 2 * relations;
}

/* Expressions with weights have three columns, as ratings have; but what would be a user there has
 * an operator in it. */
static int are_expressions(const nln_ratings *ratings)
{
    for (size_t i = 0; ratings && i < nln_ratings_users(ratings) && i < 100; i++)
        if (strpbrk(nln_ratings_user(ratings, i), "&|!~()"))
            return 1;
    return 0;
}

/* Clauses are neither: what they ask for is another verb. */
static int refuse_clauses(const char *path)
{
    nln_cnf *cnf = NULL;

    if (nln_cnf_read(&cnf, path, NULL))
        return CLI_OK;
    nln_cnf_free(cnf);
    return cli_message_failed("%s: these are clauses (DIMACS); nln solve %s finds values that "
                              "satisfy them",
                              path, path);
}

int cli_task_guess(cli_call *call)
{
    const char *path = call->operands[0];
    nln_ratings *ratings = NULL;
    nln_ratings_report report = {0};
    nln_error as_logic = {0}, as_ratings = {0};

    if (!path || !is_training(call) || cli_call_has(call, "task") ||
        !may_be_ratings(&as_logic, path))
        return CLI_OK;
    nln_status status =
        cli_ratings_load(&ratings, &report, path, cli_call_library(call, "ratings"), &as_ratings);
    int is_logic = !status && are_expressions(ratings);
    nln_ratings_free(ratings);
    if (is_logic || (status && as_logic.line > GOOD_LINES))
        return cli_message_error(&as_logic);
    if (cli_call_has(call, "order") || ((status || !report.has_rating) && may_be_triples(path))) {
        if (!cli_call_flag(call, "quiet"))
            cli_message_note("task link, since %s holds triples", path);
        return cli_call_give(call, "task", "link");
    }
    if (status && refuse_clauses(path))
        return CLI_FAILED;
    if (status || !report.has_rating) {
        const char *file = as_logic.file[0] ? as_logic.file : path;
        char place[64] = "";
        if (as_logic.line)
            snprintf(place, sizeof place, ":%ld:%ld", as_logic.line, as_logic.column);
        return cli_message_failed(
            "%s%s: no labelled expression: %s; as ratings: %s; give --task logic, topk or "
            "preference, whichever it should be",
            file, place, as_logic.message,
            status ? as_ratings.message : "users and items without ratings");
    }
    if (!cli_call_flag(call, "quiet"))
        cli_message_note("task topk, since %s holds ratings; --task preference learns likes and "
                         "dislikes",
                         path);
    return cli_call_give(call, "task", "topk");
}

int cli_task_is_triples(const cli_call *call, const char *path)
{
    nln_ratings *ratings = NULL;
    nln_ratings_report report = {0};
    nln_error err = {0};
    nln_status status =
        cli_ratings_load(&ratings, &report, path, cli_call_library(call, "ratings"), &err);

    nln_ratings_free(ratings);
    return (status || !report.has_rating) && may_be_triples(path);
}

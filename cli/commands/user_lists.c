#include "commands/user_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/output_file.h"

enum { BLOCK = 2048 }; /* users that are answered in one call */

/* In the order of the choices of --as. */
enum { AS_TSV, AS_CSV, AS_JSONL };

/* A field of a line; in CSV it is quoted where it must be. */
static void put_field(FILE *to, const char *text, int as)
{
    if (as != AS_CSV || !strpbrk(text, ",\"\r\n")) {
        fputs(text, to);
        return;
    }
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static void put_rows(FILE *to, const cli_question *q, const char *user, const nln_answer *answer,
                     int as)
{
    const char separator = as == AS_CSV ? ',' : '\t';
    for (size_t i = 0; i < answer->n; i++) {
        const char *title = cli_items_title(&q->items, answer->items[i].item);
        put_field(to, user, as);
        fprintf(to, "%c%zu%c", separator, i + 1, separator);
        put_field(to, nln_model_variable(q->model, answer->items[i].item), as);
        fprintf(to, "%c%.6g", separator, answer->items[i].score);
        if (q->items.titles) {
            fputc(separator, to);
            put_field(to, title ? title : "", as);
        }
        fputc('\n', to);
    }
}

static void put_json(FILE *to, const cli_question *q, const char *user, const nln_answer *answer)
{
    json_t *object = cli_json_object(), *rows = cli_json_array();
    for (size_t i = 0; i < answer->n; i++) {
        json_t *row = cli_question_item(q, answer->items[i].item);
        cli_json_put(row, "score", cli_json_number(answer->items[i].score));
        cli_json_append(rows, row);
    }
    cli_json_put(object, "user", cli_json_text(user));
    cli_json_put(object, "items", rows);
    json_dumpf(object, to, JSON_COMPACT);
    fputc('\n', to);
    json_decref(object);
}

/* Answers users first .. first + n - 1 and writes their lists. */
static int write_block(FILE *to, const cli_question *q, const nln_scorer *scorer, size_t first,
                       size_t n, size_t k, nln_recommendation *rows)
{
    nln_error err = {0};
    nln_question questions[BLOCK];
    nln_answer answers[BLOCK];
    nln_literal *histories[BLOCK] = {NULL};
    int as = (int)nln_options_number(q->call->options, "as");
    nln_status status = NLN_OK;

    for (size_t i = 0; !status && i < n; i++) {
        const char *user = nln_model_user(q->model, first + i);
        questions[i] =
            (nln_question){.user = user,
                           .k = k,
                           .with_seen = cli_call_flag(q->call, "with-seen"),
                           .diversity = nln_options_number(q->call->options, "diversity")};
        cli_item_filters_apply(&questions[i], &q->filters);
        status = nln_model_history(&histories[i], &questions[i].n_history, q->model, user, &err);
        questions[i].history = histories[i];
        answers[i] = (nln_answer){.items = rows + i * k};
    }
    if (!status)
        status = nln_scorer_recommend(answers, scorer, questions, n,
                                      (int)nln_options_number(q->call->options, "threads"), &err);
    for (size_t i = 0; i < n; i++) {
        if (!status && as == AS_JSONL)
            put_json(to, q, questions[i].user, &answers[i]);
        else if (!status)
            put_rows(to, q, questions[i].user, &answers[i], as);
        nln_free(histories[i]);
    }
    err.line = 0; /* the number of a question */
    return status ? cli_message_error(&err) : CLI_OK;
}

static int write_all(FILE *to, const cli_question *q, size_t k)
{
    nln_error err = {0};
    nln_scorer *scorer = NULL;
    size_t n_users = nln_model_users(q->model);
    int as = (int)nln_options_number(q->call->options, "as"), code = CLI_OK;

    if (nln_scorer_create(&scorer, q->model, &err))
        return cli_message_error(&err);
    nln_recommendation *rows = cli_memory_resize(NULL, BLOCK * k, sizeof *rows);
    if (as == AS_CSV)
        fputs(q->items.titles ? "user,rank,item,score,title\n" : "user,rank,item,score\n", to);
    else if (as == AS_TSV)
        fputs(q->items.titles ? "user\trank\titem\tscore\ttitle\n" : "user\trank\titem\tscore\n",
              to);
    for (size_t first = 0; !code && !ferror(to) && first < n_users; first += BLOCK) {
        size_t n = n_users - first < BLOCK ? n_users - first : BLOCK;
        code = write_block(to, q, scorer, first, n, k, rows);
    }
    free(rows);
    nln_scorer_free(scorer);
    return code;
}

int cli_user_lists_write(const cli_question *question, size_t k)
{
    const char *out = cli_call_text(question->call, "out");
    cli_file file;

    if (!nln_model_users(question->model))
        return cli_message_failed(
            "%s: the model has kept no users; train with --keep-users, or give "
            "--histories",
            question->call->operands[0]);
    if (!out[0])
        return write_all(stdout, question, k);
    int code = cli_file_open(&file, out, "--out");
    if (code)
        return code;
    code = write_all(file.stream, question, k);
    return code ? code : cli_file_finish(&file); /* an unfinished file leaves no trace */
}

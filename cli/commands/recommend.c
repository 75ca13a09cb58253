/* nln recommend: the best items after a history, of anyone. */
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/model_question.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/text_table.h"

/* ---- printing ---------------------------------------------------------------- */

static json_t *history_json(const cli_question *q, const cli_history *history)
{
    json_t *array = cli_json_array();
    for (size_t i = 0; i < history->n; i++) {
        json_t *row = cli_question_item(q, history->literals[i].item);
        cli_json_put(row, "liked", json_boolean(history->literals[i].liked));
        if (history->literals[i].grade)
            cli_json_put(row, "grade", json_integer(history->literals[i].grade));
        cli_json_append(array, row);
    }
    return array;
}

static json_t *answer_json(const cli_question *q, const cli_history *history, const nln_answer *a)
{
    json_t *object = cli_json_object(), *rows = cli_json_array();

    for (size_t i = 0; i < a->n; i++) {
        json_t *row = cli_question_item(q, a->items[i].item);
        cli_json_put(row, "rank", cli_json_count(i + 1));
        cli_json_put(row, "score", cli_json_number(a->items[i].score));
        cli_json_put(row, "probability", cli_json_number(a->items[i].probability));
        cli_json_append(rows, row);
    }
    cli_json_put(object, "name", history->name[0] ? cli_json_text(history->name) : json_null());
    cli_json_put(object, "history", history_json(q, history));
    cli_json_put(object, "recommendations", rows);
    return object;
}

static void print_json(const cli_question *q, const nln_answer *answers)
{
    json_t *array = cli_json_array();
    for (size_t h = 0; h < q->histories.n; h++)
        cli_json_append(array, answer_json(q, &q->histories.list[h], &answers[h]));
    cli_json_print(cli_question_answers(q, array));
}

static void add_rows(cli_table *table, const cli_question *q, const cli_history *history,
                     const nln_answer *a)
{
    for (size_t i = 0; i < a->n; i++) {
        const char *title = cli_items_title(&q->items, a->items[i].item);
        if (q->histories.is_file)
            cli_table_add(table, "%s", history->name);
        cli_table_count(table, i + 1);
        cli_table_add(table, "%s", nln_model_variable(q->model, a->items[i].item));
        if (q->items.titles)
            cli_table_add(table, "%s", title ? title : "-");
        cli_table_number(table, 4, a->items[i].score);
        cli_table_number(table, 4, a->items[i].probability);
    }
}

static void print_table(const cli_question *q, const nln_answer *answers)
{
    cli_column columns[6];
    size_t n = 0;
    cli_table table;

    if (q->histories.is_file)
        columns[n++] = (cli_column){"history", 0};
    columns[n++] = (cli_column){"rank", 1};
    columns[n++] = (cli_column){"item", 0};
    if (q->items.titles)
        columns[n++] = (cli_column){"title", 0};
    columns[n++] = (cli_column){"score", 1};
    columns[n++] = (cli_column){"probability", 1};
    cli_table_open(&table, columns, n);
    for (size_t h = 0; h < q->histories.n; h++)
        add_rows(&table, q, &q->histories.list[h], &answers[h]);
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    if (!q->histories.is_file && !answers[0].n)
        puts("The history has every item of the model; --with-seen ranks these.");
    if (!q->histories.is_file && !q->histories.list[0].n)
        puts("The history is empty: this is what the model has for anyone.");
}

/* ---- recommending --------------------------------------------------------------- */

/* Answers all histories in one call; rows is [histories, k]. */
static int recommend(const cli_question *q, nln_answer *answers, nln_recommendation *rows, size_t k)
{
    nln_error err = {0};
    nln_scorer *scorer = NULL;
    size_t n = q->histories.n;
    nln_question *questions = cli_memory_resize(NULL, n, sizeof *questions);

    for (size_t h = 0; h < n; h++) {
        const cli_history *history = &q->histories.list[h];
        answers[h] = (nln_answer){.items = rows + h * k};
        questions[h] = (nln_question){.user = cli_history_user(history),
                                      .history = history->literals,
                                      .n_history = history->n,
                                      .k = k,
                                      .with_seen = cli_call_flag(q->call, "with-seen")};
    }
    nln_status status = nln_scorer_create(&scorer, q->model, &err);
    if (!status)
        status = nln_scorer_recommend(answers, scorer, questions, n,
                                      (int)nln_options_number(q->call->options, "threads"), &err);
    nln_scorer_free(scorer);
    free(questions);
    err.line = 0; /* the number of the history, which is not its line in the file */
    return status ? cli_message_error(&err) : CLI_OK;
}

static int answer(const cli_question *q)
{
    size_t k = (size_t)nln_options_number(q->call->options, "top");
    size_t n_items = nln_model_variables(q->model);
    k = k < n_items ? k : n_items;
    nln_answer *answers = cli_memory_resize(NULL, q->histories.n, sizeof *answers);
    nln_recommendation *rows = cli_memory_resize(NULL, q->histories.n * k, sizeof *rows);
    int code = recommend(q, answers, rows, k);

    if (!code && cli_call_flag(q->call, "json"))
        print_json(q, answers);
    else if (!code)
        print_table(q, answers);
    free(rows);
    free(answers);
    return code;
}

int cli_recommend(const cli_call *call)
{
    cli_question question;
    int code = cli_question_open(&question, call);

    if (!code)
        code = answer(&question);
    cli_question_close(&question);
    return code;
}

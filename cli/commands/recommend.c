/* nln recommend: the best items after a history, of anyone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/model_question.h"
#include "commands/reasons.h"
#include "commands/user_lists.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/text_table.h"

/* The list of one history. */
typedef struct recommended {
    nln_answer answer;
    nln_explanation *why; /* [answer.n] sorted; NULL without --reasons */
} recommended;

static size_t most_reasons(const cli_question *q)
{
    return (size_t)nln_options_number(q->call->options, "reasons");
}

static int is_choice(const cli_question *q)
{
    return strcmp(nln_model_abilities(q->model).task, "topk") == 0;
}

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

static json_t *reasons_json(const cli_question *q, const nln_explanation *why, size_t item)
{
    json_t *array = cli_json_array();
    for (size_t i = 0; i < why->n && json_array_size(array) < most_reasons(q); i++) {
        const nln_reason *reason = &why->reasons[i];
        if (!cli_reason_matters(why, reason))
            continue;
        json_t *row = cli_question_item(q, reason->literal.item);
        cli_json_put(row, "liked", json_boolean(reason->literal.liked));
        cli_json_put(row, "contribution", cli_json_number(reason->contribution));
        json_t *facts = cli_reason_facts(reason, item, q->model);
        if (facts)
            cli_json_put(row, "facts", facts);
        cli_json_append(array, row);
    }
    return array;
}

static json_t *answer_json(const cli_question *q, const cli_history *history, const recommended *r)
{
    json_t *object = cli_json_object(), *rows = cli_json_array();
    const nln_answer *a = &r->answer;

    for (size_t i = 0; i < a->n; i++) {
        json_t *row = cli_question_item(q, a->items[i].item);
        cli_json_put(row, "rank", cli_json_count(i + 1));
        cli_json_put(row, "score", cli_json_number(a->items[i].score));
        cli_json_put(row, "probability", cli_json_number(a->items[i].probability));
        if (r->why) {
            cli_json_put(row, "with_history", cli_json_number(r->why[i].with_history));
            cli_json_put(row, "without_history", cli_json_number(r->why[i].without_history));
            cli_json_put(row, "reasons", reasons_json(q, &r->why[i], a->items[i].item));
        }
        cli_json_append(rows, row);
    }
    cli_json_put(object, "name", history->name[0] ? cli_json_text(history->name) : json_null());
    if (!q->histories.is_file)
        cli_json_put(object, "history", history_json(q, history));
    cli_json_put(object, "recommendations", rows);
    return object;
}

static void print_json(const cli_question *q, const recommended *answers)
{
    json_t *array = cli_json_array();
    for (size_t h = 0; h < q->histories.n; h++)
        cli_json_append(array, answer_json(q, &q->histories.list[h], &answers[h]));
    cli_json_print(cli_question_answers(q, array));
}

/* The reasons that matter and speak for the item, or "-". */
static void add_reasons(cli_table *table, const cli_question *q, const nln_explanation *why,
                        size_t item)
{
    cli_text words;
    cli_text_open(&words);
    size_t n = cli_reasons_print(words.stream, why, 1, most_reasons(q), item, &q->items);
    char *text = cli_text_close(&words);
    cli_table_add(table, "%s", n ? text : "-");
    free(text);
}

static void add_rows(cli_table *table, const cli_question *q, const cli_history *history,
                     const recommended *r)
{
    const nln_answer *a = &r->answer;
    for (size_t i = 0; i < a->n; i++) {
        const char *title = cli_items_title(&q->items, a->items[i].item);
        if (q->histories.is_file)
            cli_table_add(table, "%s", history->name);
        cli_table_count(table, i + 1);
        cli_table_add(table, "%s", nln_model_variable(q->model, a->items[i].item));
        if (q->items.titles)
            cli_table_add(table, "%s", title ? title : "-");
        cli_table_number(table, 4, a->items[i].score);
        if (!is_choice(q))
            cli_table_number(table, 4, a->items[i].probability);
        if (r->why)
            add_reasons(table, q, &r->why[i], a->items[i].item);
    }
}

static void print_table(const cli_question *q, const recommended *answers)
{
    cli_column columns[7];
    size_t n = 0;
    cli_table table;

    if (q->histories.is_file)
        columns[n++] = (cli_column){"history", 0};
    columns[n++] = (cli_column){"rank", 1};
    columns[n++] = (cli_column){"item", 0};
    if (q->items.titles)
        columns[n++] = (cli_column){"title", 0};
    columns[n++] = (cli_column){"score", 1};
    if (!is_choice(q))
        columns[n++] = (cli_column){"probability", 1};
    if (most_reasons(q))
        columns[n++] = (cli_column){"because of", 0};
    cli_table_open(&table, columns, n);
    for (size_t h = 0; h < q->histories.n; h++)
        add_rows(&table, q, &q->histories.list[h], &answers[h]);
    cli_table_print(&table, stdout);
    cli_table_close(&table);
    if (!q->histories.is_file && !answers[0].answer.n)
        puts("The history has every item of the model; --with-seen ranks these.");
    if (!q->histories.is_file && !q->histories.list[0].n)
        puts("The history is empty: this is what the model has for anyone.");
}

/* ---- recommending --------------------------------------------------------------- */

/* Explains the items of a list in one pass. */
static nln_status explain(recommended *r, const cli_history *history, const nln_scorer *scorer,
                          const nln_question *question, nln_error *err)
{
    size_t n = r->answer.n;
    size_t *items = cli_memory_resize(NULL, n, sizeof *items);
    r->why = cli_memory_resize(NULL, n, sizeof *r->why);
    for (size_t i = 0; i < n; i++) {
        items[i] = r->answer.items[i].item;
        r->why[i] = (nln_explanation){
            .reasons = cli_memory_resize(NULL, history->n, sizeof *r->why[i].reasons)};
    }
    nln_status status = nln_scorer_explain(r->why, scorer, question, items, n, err);
    for (size_t i = 0; !status && i < n; i++)
        cli_reasons_sort(&r->why[i]);
    free(items);
    return status;
}

/* Each rank of a job answers a range of the questions, and all get all lists; rows is [n, k]. */
static nln_status share_answers(nln_answer *answers, nln_recommendation *rows,
                                const nln_scorer *scorer, const nln_question *questions, size_t n,
                                size_t k, int threads, nln_error *err)
{
    size_t rank = (size_t)nln_cluster_rank(), size = (size_t)nln_cluster_size(), n_bytes;
    size_t first = n * rank / size, own = n * (rank + 1) / size - first;
    char *all = NULL;
    nln_status status =
        nln_scorer_recommend(answers + first, scorer, questions + first, own, threads, err);
    if (status || size == 1)
        return status;
    status = nln_cluster_gather(&all, &n_bytes, (const char *)(rows + first * k),
                                own * k * sizeof *rows, err);
    if (!status)
        memcpy(rows, all, n_bytes);
    nln_free(all);
    if (status)
        return status;
    status = nln_cluster_gather(&all, &n_bytes, (const char *)(answers + first),
                                own * sizeof *answers, err);
    for (size_t h = 0; !status && h < n; h++) {
        memcpy(&answers[h], all + h * sizeof *answers, sizeof *answers);
        answers[h].items = rows + h * k;
    }
    nln_free(all);
    return status;
}

/* Answers all histories in one call; rows is [histories, k]. */
static int recommend(const cli_question *q, recommended *out, nln_recommendation *rows, size_t k)
{
    nln_error err = {0};
    nln_scorer *scorer = NULL;
    size_t n = q->histories.n;
    nln_question *questions = cli_memory_resize(NULL, n, sizeof *questions);
    nln_answer *answers = cli_memory_resize(NULL, n, sizeof *answers);

    for (size_t h = 0; h < n; h++) {
        const cli_history *history = &q->histories.list[h];
        out[h] = (recommended){0};
        answers[h] = (nln_answer){.items = rows + h * k};
        questions[h] =
            (nln_question){.user = cli_history_user(history),
                           .history = history->literals,
                           .n_history = history->n,
                           .k = k,
                           .with_seen = cli_call_flag(q->call, "with-seen"),
                           .diversity = nln_options_number(q->call->options, "diversity")};
        cli_item_filters_apply(&questions[h], &q->filters);
    }
    nln_status status = nln_scorer_create(&scorer, q->model, &err);
    if (!status)
        status = share_answers(answers, rows, scorer, questions, n, k,
                               (int)nln_options_number(q->call->options, "threads"), &err);
    for (size_t h = 0; !status && h < n; h++) {
        out[h].answer = answers[h];
        if (most_reasons(q))
            status = explain(&out[h], &q->histories.list[h], scorer, &questions[h], &err);
    }
    nln_scorer_free(scorer);
    free(questions);
    free(answers);
    err.line = 0; /* the number of the history, which is not its line in the file */
    return status ? cli_message_error(&err) : CLI_OK;
}

static void free_lists(recommended *lists, size_t n)
{
    for (size_t h = 0; h < n; h++) {
        for (size_t i = 0; lists[h].why && i < lists[h].answer.n; i++)
            free(lists[h].why[i].reasons);
        free(lists[h].why);
    }
    free(lists);
}

static size_t list_length(const cli_question *q)
{
    size_t k = (size_t)nln_options_number(q->call->options, "top");
    size_t n_items = nln_model_variables(q->model);
    return k < n_items ? k : n_items;
}

static int answer(const cli_question *q)
{
    size_t k = list_length(q);
    recommended *lists = cli_memory_resize(NULL, q->histories.n, sizeof *lists);
    nln_recommendation *rows = cli_memory_resize(NULL, q->histories.n * k, sizeof *rows);
    int code = recommend(q, lists, rows, k);

    if (!code && !is_choice(q) && !cli_call_flag(q->call, "quiet"))
        cli_message_note("a preference model has learned from items that people chose themselves, "
                         "and not which items they choose: over a whole catalogue it favours items "
                         "that few know. A model of --task topk recommends better");
    if (!code && cli_call_flag(q->call, "json"))
        print_json(q, lists);
    else if (!code)
        print_table(q, lists);
    free(rows);
    free_lists(lists, q->histories.n);
    return code;
}

/* --all is a stream; the other ways to ask have an answer at the end. */
static int check(const cli_call *call)
{
    static const char *const of_stream[] = {"as", "out"}, *const of_answer[] = {"reasons", "json"};
    int all = cli_call_flag(call, "all");

    for (int i = 0; i < 2; i++) {
        if (!all && cli_call_has(call, of_stream[i]))
            return cli_message_usage("--%s is for --all, which is missing", of_stream[i]);
        if (all && cli_call_has(call, of_answer[i]))
            return cli_message_usage("--%s is not for --all; --as jsonl writes JSON lines",
                                     of_answer[i]);
    }
    return CLI_OK;
}

int cli_recommend(const cli_call *call)
{
    cli_question question = {0};
    int code = check(call);

    if (!code)
        code = cli_question_open(&question, call);
    if (!code)
        code = cli_call_flag(call, "all") ? cli_user_lists_write(&question, list_length(&question))
                                          : answer(&question);
    if (!code && question.histories.n_refused > 0)
        code = CLI_FAILED;
    cli_question_close(&question);
    return code;
}

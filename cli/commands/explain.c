/* nln explain: what each literal of a history adds to the score of an item. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/model_question.h"
#include "commands/reasons.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/text_table.h"

typedef struct explanation {
    const cli_question *question;
    const nln_scorer *scorer;
    const cli_history *history;
    size_t item;
    int is_first;           /* the item is the top recommendation, and not asked for */
    int is_choice;          /* of a topk model */
    nln_explanation told;   /* reasons as in the expression */
    nln_explanation sorted; /* the largest contribution first */
} explanation;

/* For task topk NAN: its scores are no log-odds of anything. */
static double probability(const explanation *e)
{
    return e->is_choice ? (double)NAN : 1 / (1 + exp(-e->told.score));
}

/* ---- the expression ------------------------------------------------------------ */

/* !(a & !b) | t; without a history the AND of nothing is T. */
static void print_expression(const explanation *e, FILE *out)
{
    const nln_model *model = e->question->model;

    fputs(e->told.n ? "!(" : "F", out);
    for (size_t i = 0; i < e->told.n; i++)
        fprintf(out, "%s%s%s", i ? " & " : "", e->told.reasons[i].literal.liked ? "" : "!",
                nln_model_variable(model, e->told.reasons[i].literal.item));
    fprintf(out, "%s | %s", e->told.n ? ")" : "", nln_model_variable(model, e->item));
}

static json_t *expression_json(const explanation *e)
{
    cli_text memory;

    cli_text_open(&memory);
    print_expression(e, memory.stream);
    char *text = cli_text_close(&memory);
    json_t *value = cli_json_text(text);
    free(text);
    return value;
}

/* ---- printing -------------------------------------------------------------------- */

static json_t *explanation_json(const explanation *e)
{
    json_t *object = cli_question_item(e->question, e->item), *rows = cli_json_array();
    const char *name = e->history->name;

    for (size_t i = 0; i < e->told.n; i++) {
        const nln_reason *reason = &e->sorted.reasons[i];
        json_t *row = cli_question_item(e->question, reason->literal.item);
        cli_json_put(row, "liked", json_boolean(reason->literal.liked));
        if (reason->literal.grade)
            cli_json_put(row, "grade", json_integer(reason->literal.grade));
        cli_json_put(row, "contribution", cli_json_number(reason->contribution));
        cli_json_put(row, "removed", cli_json_number(reason->removed));
        cli_json_put(row, "negated", cli_json_number(reason->negated));
        json_t *facts = cli_reason_facts(reason, e->item, e->question->model);
        if (facts)
            cli_json_put(row, "facts", facts);
        cli_json_append(rows, row);
    }
    cli_json_put(object, "name", name[0] ? cli_json_text(name) : json_null());
    cli_json_put(object, "score", cli_json_number(e->told.score));
    cli_json_put(object, "probability", cli_json_number(probability(e)));
    cli_json_put(object, "with_history", cli_json_number(e->told.with_history));
    cli_json_put(object, "without_history", cli_json_number(e->told.without_history));
    cli_json_put(object, "expression", expression_json(e));
    cli_json_put(object, "literals", rows);
    return object;
}

/* Says what the history changes, and which of its literals matter. */
static void print_effect(const explanation *e)
{
    const cli_items *items = &e->question->items;

    printf(" The history moves %s from %+.2f to %+.2f",
           e->is_choice ? "its lead over other items" : "it", e->told.without_history,
           e->told.with_history);
    fputs(": ", stdout);
    size_t n_for = cli_reasons_print(stdout, &e->sorted, 1, 3, e->item, items);
    if (n_for)
        printf(" speak%s for it", n_for == 1 ? "s" : "");
    cli_text against;
    cli_text_open(&against);
    size_t n_against = cli_reasons_print(against.stream, &e->sorted, -1, 1, e->item, items);
    char *text = cli_text_close(&against);
    if (n_against)
        printf("%s%s speaks against it", n_for ? ", " : "", text);
    free(text);
    puts(n_for || n_against ? "." : "no single part of it matters much.");
}

static void print_sentence(const explanation *e)
{
    if (e->question->histories.is_file)
        printf("%s: ", e->history->name);
    printf("'%s' %s score %.2f", cli_items_name(&e->question->items, e->item),
           e->is_first ? "is recommended first, with" : "has", e->told.score);
    if (!e->is_choice)
        printf(" (probability %.3f)", probability(e));
    if (e->told.n) {
        putchar('.');
        print_effect(e);
    } else {
        puts("; the history is empty, so this is what the model has for anyone.");
    }
}

static void print_reasons(const explanation *e)
{
    const int titled = e->question->items.titles != NULL;
    cli_column columns[6] = {{"item", 0}};
    size_t n = 1;
    cli_table table;

    if (titled)
        columns[n++] = (cli_column){"title", 0};
    columns[n++] = (cli_column){"history", 0};
    columns[n++] = (cli_column){"contribution", 1};
    columns[n++] = (cli_column){"lost if removed", 1};
    columns[n++] = (cli_column){"lost if negated", 1};
    cli_table_open(&table, columns, n);
    for (size_t i = 0; i < e->told.n; i++) {
        const nln_reason *reason = &e->sorted.reasons[i];
        const char *title = cli_items_title(&e->question->items, reason->literal.item);
        cli_table_add(&table, "%s", nln_model_variable(e->question->model, reason->literal.item));
        if (titled)
            cli_table_add(&table, "%s", title ? title : "-");
        if (reason->literal.grade)
            cli_table_add(&table, "%s (%d)", reason->literal.liked ? "liked" : "disliked",
                          reason->literal.grade);
        else
            cli_table_add(&table, "%s", reason->literal.liked ? "liked" : "disliked");
        cli_table_add(&table, "%+.4f", reason->contribution);
        cli_table_add(&table, "%+.4f", reason->removed);
        cli_table_add(&table, "%+.4f", reason->negated);
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

static void print_explanation(const explanation *e)
{
    print_sentence(e);
    print_expression(e, stdout);
    puts("");
    if (e->told.n)
        print_reasons(e);
    if (e->history->n > e->told.n)
        printf("The model takes the last %zu of the %zu interactions.\n", e->told.n, e->history->n);
}

/* ---- explaining ------------------------------------------------------------------ */

static nln_question question_of(const cli_history *history)
{
    return (nln_question){.user = cli_history_user(history),
                          .history = history->literals,
                          .n_history = history->n,
                          .k = 1};
}

/* The item of --item, or the top recommendation. */
static int choose_item(explanation *e)
{
    const cli_question *q = e->question;
    const char *wanted = cli_call_text(q->call, "item");
    nln_error err = {0};
    nln_recommendation top;
    nln_answer answer = {.items = &top};
    nln_question one = question_of(e->history);

    if (wanted[0])
        return cli_items_find(&e->item, &q->items, wanted, "");
    if (nln_scorer_recommend(&answer, e->scorer, &one, 1, 1, &err)) {
        err.line = 0;
        return cli_message_error(&err);
    }
    if (!answer.n)
        return cli_message_failed("the history has every item of the model, so that none is left "
                                  "to recommend; choose one with --item");
    e->item = top.item;
    e->is_first = 1;
    return CLI_OK;
}

static int explain(explanation *e)
{
    const cli_history *history = e->history;
    nln_error err = {0};
    int code = choose_item(e);

    if (code)
        return code;
    e->is_choice = strcmp(nln_model_abilities(e->question->model).task, "topk") == 0;
    e->told.reasons = cli_memory_resize(NULL, history->n, sizeof *e->told.reasons);
    nln_question one = question_of(history);
    if (nln_scorer_explain(&e->told, e->scorer, &one, &e->item, 1, &err))
        return cli_message_error(&err);
    e->sorted = e->told;
    e->sorted.reasons = cli_memory_resize(NULL, e->told.n, sizeof *e->sorted.reasons);
    for (size_t i = 0; i < e->told.n; i++)
        e->sorted.reasons[i] = e->told.reasons[i];
    cli_reasons_sort(&e->sorted);
    return CLI_OK;
}

static int answer(const cli_question *q)
{
    nln_error err = {0};
    nln_scorer *scorer = NULL;
    if (nln_scorer_create(&scorer, q->model, &err))
        return cli_message_error(&err);
    json_t *answers = cli_json_array();
    int code = CLI_OK, json = cli_call_flag(q->call, "json");

    for (size_t h = 0; !code && h < q->histories.n; h++) {
        explanation e = {.question = q, .scorer = scorer, .history = &q->histories.list[h]};
        code = explain(&e);
        if (!code && json)
            cli_json_append(answers, explanation_json(&e));
        else if (!code) {
            fputs(h ? "\n" : "", stdout);
            print_explanation(&e);
        }
        free(e.told.reasons);
        free(e.sorted.reasons);
    }
    if (!code && json)
        cli_json_print(cli_question_answers(q, answers));
    else
        json_decref(answers);
    nln_scorer_free(scorer);
    return code;
}

int cli_explain(const cli_call *call)
{
    cli_question question;
    int code = cli_question_open(&question, call);

    if (!code)
        code = answer(&question);
    cli_question_close(&question);
    return code;
}

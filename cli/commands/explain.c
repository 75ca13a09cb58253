/* nln explain: what each literal of a history adds to the score of an item. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/model_question.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/text_table.h"

typedef struct explanation {
    const cli_question *question;
    const nln_scorer *scorer;
    const cli_history *history;
    size_t item;
    int is_first;        /* the item is the top recommendation, and not asked for */
    nln_reason *reasons; /* [n], as in the expression */
    nln_reason *sorted;  /* [n], the largest effect first */
    size_t n;
    double score;
} explanation;

static double probability(double score)
{
    return 1 / (1 + exp(-score));
}

/* ---- the expression ------------------------------------------------------------ */

/* !(a & !b) | t; without a history the AND of nothing is T. */
static void print_expression(const explanation *e, FILE *out)
{
    const nln_model *model = e->question->model;

    fputs(e->n ? "!(" : "F", out);
    for (size_t i = 0; i < e->n; i++)
        fprintf(out, "%s%s%s", i ? " & " : "", e->reasons[i].literal.liked ? "" : "!",
                nln_model_variable(model, e->reasons[i].literal.item));
    fprintf(out, "%s | %s", e->n ? ")" : "", nln_model_variable(model, e->item));
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

    for (size_t i = 0; i < e->n; i++) {
        const nln_reason *reason = &e->sorted[i];
        json_t *row = cli_question_item(e->question, reason->literal.item);
        cli_json_put(row, "liked", json_boolean(reason->literal.liked));
        if (reason->literal.grade)
            cli_json_put(row, "grade", json_integer(reason->literal.grade));
        cli_json_put(row, "removed", cli_json_number(reason->removed));
        cli_json_put(row, "negated", cli_json_number(reason->negated));
        cli_json_append(rows, row);
    }
    cli_json_put(object, "name", name[0] ? cli_json_text(name) : json_null());
    cli_json_put(object, "score", cli_json_number(e->score));
    cli_json_put(object, "probability", cli_json_number(probability(e->score)));
    cli_json_put(object, "expression", expression_json(e));
    cli_json_put(object, "literals", rows);
    return object;
}

static void print_reason(const explanation *e, const nln_reason *reason)
{
    printf("%s '%s' (%+.2f)", reason->literal.liked ? "liking" : "disliking",
           cli_items_name(&e->question->items, reason->literal.item), reason->removed);
}

/* Tells the two literals that speak most for the item, and the one most against it. */
static void print_sentence(const explanation *e)
{
    int n_for = 0;

    if (e->question->histories.is_file)
        printf("%s: ", e->history->name);
    printf("'%s' %s score %.2f (probability %.3f)", cli_items_name(&e->question->items, e->item),
           e->is_first ? "is recommended first, with" : "has", e->score, probability(e->score));
    if (!e->n) {
        puts("; the history is empty, so this is what the model has for anyone.");
        return;
    }
    for (size_t i = 0; n_for < 2 && i < e->n; i++) {
        if (!(e->sorted[i].removed > 0))
            continue;
        fputs(n_for++ ? " and " : "; it rests most on ", stdout);
        print_reason(e, &e->sorted[i]);
    }
    if (!n_for)
        fputs("; nothing in the history speaks for it", stdout);
    for (size_t i = 0; i < e->n; i++) {
        if (!(e->sorted[i].removed < 0))
            continue;
        fputs("; most against it is ", stdout);
        print_reason(e, &e->sorted[i]);
        break;
    }
    puts(".");
}

static void print_reasons(const explanation *e)
{
    const int titled = e->question->items.titles != NULL;
    cli_column columns[5] = {{"item", 0}};
    size_t n = 1;
    cli_table table;

    if (titled)
        columns[n++] = (cli_column){"title", 0};
    columns[n++] = (cli_column){"history", 0};
    columns[n++] = (cli_column){"lost if removed", 1};
    columns[n++] = (cli_column){"lost if negated", 1};
    cli_table_open(&table, columns, n);
    for (size_t i = 0; i < e->n; i++) {
        const nln_reason *reason = &e->sorted[i];
        const char *title = cli_items_title(&e->question->items, reason->literal.item);
        cli_table_add(&table, "%s", nln_model_variable(e->question->model, reason->literal.item));
        if (titled)
            cli_table_add(&table, "%s", title ? title : "-");
        if (reason->literal.grade)
            cli_table_add(&table, "%s (%d)", reason->literal.liked ? "liked" : "disliked",
                          reason->literal.grade);
        else
            cli_table_add(&table, "%s", reason->literal.liked ? "liked" : "disliked");
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
    if (e->n)
        print_reasons(e);
    if (e->history->n > e->n)
        printf("The model takes the last %zu of the %zu interactions.\n", e->n, e->history->n);
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

static int larger_first(const void *a, const void *b)
{
    double x = fabs(((const nln_reason *)a)->removed), y = fabs(((const nln_reason *)b)->removed);
    return (x < y) - (x > y);
}

static int explain(explanation *e)
{
    const cli_history *history = e->history;
    nln_error err = {0};
    int code = choose_item(e);

    if (code)
        return code;
    e->reasons = cli_memory_resize(NULL, history->n, sizeof *e->reasons);
    nln_question one = question_of(history);
    if (nln_scorer_explain(e->reasons, &e->n, &e->score, e->scorer, &one, e->item, &err))
        return cli_message_error(&err);
    e->sorted = cli_memory_resize(NULL, e->n, sizeof *e->sorted);
    for (size_t i = 0; i < e->n; i++)
        e->sorted[i] = e->reasons[i];
    qsort(e->sorted, e->n, sizeof *e->sorted, larger_first);
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
        free(e.reasons);
        free(e.sorted);
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

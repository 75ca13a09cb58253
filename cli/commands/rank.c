/* nln rank: entities for the hole of a question, with the reasons for them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/text_table.h"

/* The answers to one question; a model of expressions has no reasons. */
typedef struct ranking {
    const cli_call *call;
    const nln_model *model;
    const char *question;
    int is_link;
    nln_filling *answers; /* [n] */
    nln_link_reason **reasons;
    size_t n, *n_reasons; /* [n] */
} ranking;

static double probability(const ranking *r, size_t i)
{
    return r->is_link ? (double)NAN : 1 / (1 + exp(-r->answers[i].score));
}

static json_t *reason_json(const nln_link_reason *reason)
{
    json_t *row = cli_json_object();
    cli_json_put(row, "kind", cli_json_text(reason->kind));
    cli_json_put(row, "text", cli_json_text(reason->text));
    cli_json_put(row, "contribution", cli_json_number(reason->contribution));
    if (strcmp(reason->kind, "rule") == 0) {
        cli_json_put(row, "confidence", cli_json_number(reason->confidence));
        cli_json_put(row, "support", cli_json_count(reason->support));
        cli_json_put(row, "bodies", cli_json_count(reason->bodies));
    }
    return row;
}

static void print_json(const ranking *r)
{
    json_t *object = cli_json_result("model", r->call->operands[0]), *rows = cli_json_array();

    for (size_t i = 0; i < r->n; i++) {
        json_t *row = cli_json_object(), *reasons = cli_json_array();
        cli_json_put(row, "entity",
                     cli_json_text(nln_model_entity(r->model, r->answers[i].entity)));
        cli_json_put(row, "score", cli_json_number(r->answers[i].score));
        if (r->is_link) {
            cli_json_put(row, "by_rules", cli_json_number(r->answers[i].by_rules));
            cli_json_put(row, "known", json_boolean(r->answers[i].known));
        } else {
            cli_json_put(row, "probability", cli_json_number(probability(r, i)));
        }
        for (size_t k = 0; k < r->n_reasons[i]; k++)
            cli_json_append(reasons, reason_json(&r->reasons[i][k]));
        cli_json_put(row, "reasons", reasons);
        cli_json_append(rows, row);
    }
    cli_json_put(object, "question", cli_json_text(r->question));
    cli_json_put(object, "answers", rows);
    cli_json_print(object);
}

static void print_reason(const nln_link_reason *reason)
{
    printf("    %-7s %+.3f  %s", reason->kind, reason->contribution, reason->text);
    if (strcmp(reason->kind, "rule") == 0)
        printf("  (%zu of %zu, %.3f)", reason->support, reason->bodies, reason->confidence);
    putchar('\n');
}

static void print_lines(const ranking *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const nln_filling *a = &r->answers[i];
        printf("%zu\t%s\t%.4f", i + 1, nln_model_entity(r->model, a->entity),
               r->is_link ? a->score : probability(r, i));
        puts(a->known ? "\tknown" : "");
        for (size_t k = 0; k < r->n_reasons[i]; k++)
            print_reason(&r->reasons[i][k]);
    }
}

/* Keeps the first `most` of each kind: rules, and facts or premises. */
static size_t shorten(nln_link_reason *list, size_t n, size_t most)
{
    size_t kept = 0, of_kind = 0;

    for (size_t i = 0; i < n; i++) {
        of_kind = i && strcmp(list[i].kind, list[i - 1].kind) == 0 ? of_kind + 1 : 1;
        if (of_kind <= most && list[i].contribution > 0)
            list[kept++] = list[i];
    }
    return kept;
}

static int find_reasons(ranking *r)
{
    size_t most = (size_t)nln_options_number(r->call->options, "reasons");
    nln_error err = {0};

    for (size_t i = 0; r->is_link && most && i < r->n; i++) {
        if (nln_fill_reasons(&r->reasons[i], &r->n_reasons[i], r->model, r->question,
                             r->answers[i].entity, &err))
            return cli_message_error(&err);
        r->n_reasons[i] = shorten(r->reasons[i], r->n_reasons[i], most);
    }
    return CLI_OK;
}

/* A word about the answers that training had, which are not listed. */
static void tell_known(const ranking *r)
{
    size_t all = nln_model_entities(r->model), n = 0, n_known = 0, first = 0;
    nln_filling *every = cli_memory_resize(NULL, all, sizeof *every);

    if (!nln_fill(every, &n, all, r->model, r->question, 1, NULL))
        for (size_t i = n; i-- > 0;)
            if (every[i].known) {
                first = every[i].entity;
                n_known++;
            }
    free(every);
    if (n_known > 0)
        cli_message_note("%s, which training had, %s left out; --with-known lists %s",
                         n_known == 1 ? nln_model_entity(r->model, first) : "the answers",
                         n_known == 1 ? "is" : "are", n_known == 1 ? "it" : "them");
}

static int answer(ranking *r)
{
    size_t k = (size_t)nln_options_number(r->call->options, "top"),
           all = nln_model_entities(r->model);
    nln_error err = {0};

    k = k < all ? k : all;
    r->answers = cli_memory_resize(NULL, k, sizeof *r->answers);
    if (nln_fill(r->answers, &r->n, k, r->model, r->question, cli_call_flag(r->call, "with-known"),
                 &err))
        return cli_message_error(&err);
    r->reasons = cli_memory_resize(NULL, r->n, sizeof *r->reasons);
    r->n_reasons = cli_memory_resize(NULL, r->n, sizeof *r->n_reasons);
    for (size_t i = 0; i < r->n; i++) {
        r->reasons[i] = NULL;
        r->n_reasons[i] = 0;
    }
    int code = find_reasons(r);
    if (!code && cli_call_flag(r->call, "json"))
        print_json(r);
    else if (!code)
        print_lines(r);
    if (!code && r->is_link && !cli_call_flag(r->call, "with-known") &&
        !cli_call_flag(r->call, "quiet"))
        tell_known(r);
    for (size_t i = 0; i < r->n; i++)
        nln_free(r->reasons[i]);
    free(r->reasons);
    free(r->n_reasons);
    return code;
}

int cli_rank(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;

    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    ranking r = {.call = call, .model = model, .question = call->operands[1]};
    r.is_link = strcmp(nln_model_abilities(model).task, "link") == 0;
    int code = answer(&r);
    free(r.answers);
    nln_model_free(model);
    return code;
}

/* nln rules: the rules that hold in a knowledge graph, or among what users like. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/ratings_input.h"
#include "commands/task_guess.h"
#include "messages.h"
#include "show/struct_fields.h"

/* One rule as it is shown. */
typedef struct shown {
    const char *text;
    size_t support, bodies;
    double confidence, coverage, lift, held;
} shown;

static const cli_field of_triples[] = {
    CLI_FIELD(shown, text, TEXT, "rule", NULL, 0),
    CLI_FIELD(shown, support, COUNT, "support", NULL, 0),
    CLI_FIELD(shown, bodies, COUNT, "bodies", NULL, 0),
    CLI_FIELD(shown, confidence, NUMBER, "confidence", NULL, 4),
    CLI_FIELD(shown, coverage, NUMBER, "coverage", NULL, 4),
};
static const cli_field of_ratings[] = {
    CLI_FIELD(shown, text, TEXT, "rule", NULL, 0),
    CLI_FIELD(shown, support, COUNT, "support", NULL, 0),
    CLI_FIELD(shown, bodies, COUNT, "bodies", NULL, 0),
    CLI_FIELD(shown, confidence, NUMBER, "confidence", NULL, 4),
    CLI_FIELD(shown, lift, NUMBER, "lift", NULL, 4),
};
static const cli_field of_model[] = {CLI_FIELD(shown, held, NUMBER, "held", NULL, 4)};

typedef struct listing {
    const cli_call *call;
    const cli_field *fields;
    size_t n_fields;
    shown *rules; /* [n] the first of n_found */
    size_t n, n_found;
    nln_model *model; /* of --model-file, or NULL */
} listing;

static void print_json(const listing *l)
{
    json_t *object = cli_json_result("data", l->call->operands[0]), *list = cli_json_array();

    for (size_t i = 0; i < l->n; i++) {
        json_t *rule = cli_json_object();
        cli_fields_put(rule, l->fields, l->n_fields, &l->rules[i]);
        if (l->model)
            cli_fields_put(rule, of_model, 1, &l->rules[i]);
        cli_json_append(list, rule);
    }
    cli_json_put(object, "found", cli_json_count(l->n_found));
    cli_json_put(object, "rules", list);
    cli_json_print(object);
}

/* A line for each rule; a note says what its columns are. */
static void print_lines(const listing *l)
{
    if (l->n && !cli_call_flag(l->call, "quiet"))
        cli_message_note("the columns are confidence, support, bodies%s%s, rule",
                         l->fields == of_ratings ? ", lift" : "",
                         l->model ? ", how true the model holds it" : "");
    for (size_t i = 0; i < l->n; i++) {
        const shown *r = &l->rules[i];
        printf("%.4f\t%zu\t%zu", r->confidence, r->support, r->bodies);
        if (l->fields == of_ratings)
            printf("\t%.2f", r->lift);
        if (l->model)
            printf("\t%.4f", r->held);
        printf("\t%s\n", r->text);
    }
}

static void print(const listing *l)
{
    if (!l->n)
        cli_message_note("no rule has a support of %g and a confidence of %g; --support and "
                         "--confidence ask for less",
                         nln_options_number(l->call->options, "support"),
                         nln_options_number(l->call->options, "confidence"));
    if (cli_call_flag(l->call, "json"))
        print_json(l);
    else
        print_lines(l);
}

static size_t first_of(const cli_call *call, size_t n)
{
    size_t top = (size_t)nln_options_number(call->options, "top");
    return n < top ? n : top;
}

/* ---- knowledge graphs ---------------------------------------------------------------- */

static int list_triples(listing *l)
{
    const cli_call *call = l->call;
    nln_error err = {0};
    nln_triples *triples = NULL;
    nln_found_rule *rules = NULL;
    double *held = NULL;
    nln_status status =
        nln_triples_read(&triples, call->operands[0], cli_call_library(call, "triples"), &err);

    if (!status)
        status =
            nln_triples_rules(&rules, &l->n_found, triples, cli_call_library(call, "rules"), &err);
    l->n = first_of(call, l->n_found);
    if (!status && l->model) {
        held = cli_memory_resize(NULL, l->n, sizeof *held);
        status = nln_rules_held(held, rules, l->n, triples, l->model, &err);
    }
    l->rules = cli_memory_resize(NULL, l->n, sizeof *l->rules);
    for (size_t i = 0; !status && i < l->n; i++)
        l->rules[i] = (shown){.text = rules[i].text,
                              .support = rules[i].support,
                              .bodies = rules[i].bodies,
                              .confidence = rules[i].confidence,
                              .coverage = rules[i].coverage,
                              .held = held ? held[i] : (double)NAN};
    if (!status) {
        size_t held_out =
            nln_triples_size(triples, NLN_VALID) + nln_triples_size(triples, NLN_TEST);
        if (held_out && !cli_call_flag(call, "quiet"))
            cli_message_note("counted in the %zu triples of train; the %zu of valid and test are "
                             "left out (of a file, --holdout 0 counts all)",
                             nln_triples_size(triples, NLN_TRAIN), held_out);
        print(l);
    }
    free(l->rules);
    free(held);
    nln_free(rules);
    nln_triples_free(triples);
    return status ? cli_message_error(&err) : CLI_OK;
}

/* ---- ratings -------------------------------------------------------------------------- */

static char *rule_text(const nln_rating_rule *r, const nln_ratings *ratings,
                       const nln_titles *titles)
{
    const size_t item[3] = {r->liked, r->disliked, r->likes};
    const char *name[3] = {0};
    cli_text text;

    for (int i = 0; i < 3; i++) {
        name[i] = item[i] == NLN_NO_ITEM ? NULL : nln_ratings_item(ratings, item[i]);
        const char *title = name[i] && titles ? nln_titles_find(titles, name[i]) : NULL;
        name[i] = title ? title : name[i];
    }
    cli_text_open(&text);
    fprintf(text.stream, "liked(%s)", name[0]);
    if (name[1])
        fprintf(text.stream, " & disliked(%s)", name[1]);
    fprintf(text.stream, " -> likes(%s)", name[2]);
    return cli_text_close(&text);
}

/* The share of the other items that the model ranks below the conclusion, after the body as a
 * history; NAN where it does not know an item, or answers only for its users. */
static double held_by(const nln_model *model, const nln_rating_rule *r, const nln_ratings *ratings)
{
    const size_t item[2] = {r->liked, r->disliked};
    nln_literal history[2];
    size_t n = 0, target;
    int is_known = 1;
    double *score = cli_memory_resize(NULL, nln_model_variables(model), sizeof *score);
    double before = 0, held = (double)NAN;

    for (size_t i = 0; i < 2; i++) {
        if (item[i] == NLN_NO_ITEM)
            continue;
        history[n] = (nln_literal){.liked = i == 0};
        is_known &=
            !nln_model_find(&history[n].item, model, nln_ratings_item(ratings, item[i]), NULL);
        n++;
    }
    if (is_known && !nln_model_find(&target, model, nln_ratings_item(ratings, r->likes), NULL) &&
        !nln_recommend_scores(score, model, NULL, history, n, NULL)) {
        for (size_t v = 0; v < nln_model_variables(model); v++)
            before += score[v] < score[target] ? 1 : score[v] == score[target] ? 0.5 : 0;
        held = (before - 0.5) / (double)(nln_model_variables(model) - 1);
    }
    free(score);
    return held;
}

static int show_ratings(listing *l, const nln_ratings *ratings, const nln_titles *titles)
{
    nln_error err = {0};
    nln_rating_rule *rules = NULL;
    char **text;

    if (nln_rating_rules_find(&rules, &l->n_found, ratings, cli_call_library(l->call, "rules"),
                              &err))
        return cli_message_error(&err);
    l->n = first_of(l->call, l->n_found);
    l->rules = cli_memory_resize(NULL, l->n, sizeof *l->rules);
    text = cli_memory_resize(NULL, l->n, sizeof *text);
    for (size_t i = 0; i < l->n; i++) {
        text[i] = rule_text(&rules[i], ratings, titles);
        l->rules[i] =
            (shown){.text = text[i],
                    .support = rules[i].support,
                    .bodies = rules[i].bodies,
                    .confidence = rules[i].confidence,
                    .lift = rules[i].lift,
                    .held = l->model ? held_by(l->model, &rules[i], ratings) : (double)NAN};
    }
    print(l);
    for (size_t i = 0; i < l->n; i++)
        free(text[i]);
    free(text);
    free(l->rules);
    nln_free(rules);
    return CLI_OK;
}

static int list_ratings(listing *l)
{
    const char *titled = cli_call_text(l->call, "titles");
    nln_error err = {0};
    nln_titles *titles = NULL;
    cli_ratings read = {0};
    int code = CLI_OK;

    if (cli_call_has(l->call, "relation") || cli_call_has(l->call, "constants"))
        return cli_message_usage("--relation and --constants are for triples; %s holds ratings",
                                 l->call->operands[0]);
    if (titled[0] && nln_titles_read(&titles, titled, &err))
        return cli_message_error(&err);
    code = cli_ratings_read(&read, l->call, l->call->operands[0]);
    if (!code)
        code = show_ratings(l, read.ratings, titles);
    cli_ratings_free(&read);
    nln_titles_free(titles);
    return code;
}

int cli_rules(const cli_call *call)
{
    const char *kind = cli_call_text(call, "kind"), *path = cli_call_text(call, "model-file");
    nln_error err = {0};
    int triples = strcmp(kind, "auto") ? strcmp(kind, "triples") == 0
                                       : cli_task_is_triples(call, call->operands[0]);
    listing l = {.call = call,
                 .fields = triples ? of_triples : of_ratings,
                 .n_fields = triples ? CLI_COUNT(of_triples) : CLI_COUNT(of_ratings)};

    if (triples && cli_call_text(call, "titles")[0])
        return cli_message_usage("--titles is for ratings; %s holds triples", call->operands[0]);
    if (triples && cli_call_refuse(call, "ratings", "is for ratings, not for triples"))
        return CLI_USAGE;
    if (!triples && cli_call_refuse(call, "triples", "is for triples, not for ratings"))
        return CLI_USAGE;
    if (path[0] && nln_model_load(&l.model, path, &err))
        return cli_message_error(&err);
    int code = triples ? list_triples(&l) : list_ratings(&l);
    nln_model_free(l.model);
    return code;
}

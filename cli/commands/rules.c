/* nln rules: the rules that hold in a knowledge graph. */
#include <stdio.h>

#include "command_line.h"
#include "messages.h"
#include "show/struct_fields.h"

static const cli_field columns[] = {
    CLI_FIELD(nln_found_rule, support, COUNT, "support", "support", 0),
    CLI_FIELD(nln_found_rule, bodies, COUNT, "bodies", "bodies", 0),
    CLI_FIELD(nln_found_rule, confidence, NUMBER, "confidence", "confidence", 4),
    CLI_FIELD(nln_found_rule, coverage, NUMBER, "coverage", "coverage", 4),
};

static void print_json(const cli_call *call, const nln_found_rule *rules, size_t shown, size_t n)
{
    json_t *object = cli_json_result("data", call->operands[0]), *list = json_array();

    for (size_t i = 0; i < shown; i++) {
        json_t *rule = cli_json_object();
        cli_json_put(rule, "rule", cli_json_text(rules[i].text));
        cli_fields_put(rule, columns, CLI_COUNT(columns), &rules[i]);
        json_array_append_new(list, rule);
    }
    cli_json_put(object, "found", cli_json_count(n));
    cli_json_put(object, "rules", list);
    cli_json_print(object);
}

int cli_rules(const cli_call *call)
{
    nln_error err = {0};
    nln_triples *triples = NULL;
    nln_found_rule *rules = NULL;
    size_t n = 0, top = (size_t)nln_options_number(call->options, "top");
    int code = CLI_OK;

    if (nln_triples_read(&triples, call->operands[0], cli_call_library(call, "triples"), &err) ||
        nln_triples_rules(&rules, &n, triples, cli_call_library(call, "rules"), &err))
        code = cli_message_error(&err);
    size_t shown = n < top ? n : top;
    if (!code && cli_call_flag(call, "json"))
        print_json(call, rules, shown, n);
    for (size_t i = 0; !code && !cli_call_flag(call, "json") && i < shown; i++)
        printf("%.4f\t%zu\t%zu\t%s\n", rules[i].confidence, rules[i].support, rules[i].bodies,
               rules[i].text);
    nln_free(rules);
    nln_triples_free(triples);
    return code;
}

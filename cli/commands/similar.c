/* nln similar: the items, or variables, whose vectors are most similar to that of one. */
#include <stdio.h>
#include <stdlib.h>

#include "allocate.h"
#include "command_line.h"
#include "commands/item_names.h"
#include "messages.h"
#include "show/json_output.h"
#include "show/text_table.h"

static void print_json(const cli_call *call, const cli_items *items, size_t item,
                       const nln_neighbour *list, size_t n)
{
    json_t *object = cli_json_result("model", call->operands[0]), *rows = cli_json_array();

    for (size_t i = 0; i < n; i++) {
        json_t *row = cli_json_object();
        cli_json_put(row, "item", cli_json_text(nln_model_variable(items->model, list[i].item)));
        if (items->titles)
            cli_json_put(row, "title", cli_json_text(cli_items_title(items, list[i].item)));
        cli_json_put(row, "cosine", cli_json_number(list[i].cosine));
        cli_json_append(rows, row);
    }
    cli_json_put(object, "item", cli_json_text(nln_model_variable(items->model, item)));
    cli_json_put(object, "similar", rows);
    cli_json_print(object);
}

static void print_table(const cli_items *items, const nln_neighbour *list, size_t n)
{
    const cli_column columns[] = {{"item", 0}, {"cosine", 1}, {"title", 0}};
    cli_table table;

    cli_table_open(&table, columns, items->titles ? 3 : 2);
    for (size_t i = 0; i < n; i++) {
        const char *title = cli_items_title(items, list[i].item);
        cli_table_add(&table, "%s", nln_model_variable(items->model, list[i].item));
        cli_table_number(&table, 4, list[i].cosine);
        if (items->titles)
            cli_table_add(&table, "%s", title ? title : "-");
    }
    cli_table_print(&table, stdout);
    cli_table_close(&table);
}

static int answer(const cli_call *call, const nln_model *model, const cli_items *items)
{
    nln_error err = {0};
    size_t item = 0, n = 0, k = (size_t)nln_options_number(call->options, "top");
    int code = cli_items_find(&item, items, call->operands[1], "");

    if (code)
        return code;
    k = k < nln_model_variables(model) ? k : nln_model_variables(model);
    nln_neighbour *list = cli_memory_resize(NULL, k, sizeof *list);
    if (nln_model_similar(list, &n, k, model, item, &err))
        code = cli_message_error(&err);
    else if (cli_call_flag(call, "json"))
        print_json(call, items, item, list, n);
    else
        print_table(items, list, n);
    free(list);
    return code;
}

int cli_similar(const cli_call *call)
{
    nln_error err = {0};
    nln_model *model = NULL;
    cli_items items = {0};

    if (nln_model_load(&model, call->operands[0], &err))
        return cli_message_error(&err);
    int code = cli_items_open(&items, call, model);
    if (!code)
        code = answer(call, model, &items);
    cli_items_close(&items);
    nln_model_free(model);
    return code;
}

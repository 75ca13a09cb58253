#include "commands/model_question.h"

#include "messages.h"
#include "show/json_output.h"

int cli_question_open(cli_question *question, const cli_call *call)
{
    nln_error err = {0};

    *question = (cli_question){.call = call};
    if (nln_model_load(&question->model, call->operands[0], &err))
        return cli_message_error(&err);
    if (!nln_model_abilities(question->model).recommends)
        return cli_message_failed(
            "%s: this model learned from expressions; train one from ratings, "
            "with --task topk or --task preference",
            call->operands[0]);
    int code = cli_items_open(&question->items, call, question->model);
    if (!code)
        code = cli_item_filters_read(&question->filters, call, &question->items);
    return code ? code : cli_histories_read(&question->histories, call, &question->items);
}

void cli_question_close(cli_question *question)
{
    cli_histories_free(&question->histories);
    cli_item_filters_free(&question->filters);
    cli_items_close(&question->items);
    nln_model_free(question->model);
    *question = (cli_question){0};
}

json_t *cli_question_item(const cli_question *question, size_t item)
{
    json_t *object = cli_json_object();
    const char *title = cli_items_title(&question->items, item);

    cli_json_put(object, "item", cli_json_text(nln_model_variable(question->model, item)));
    if (question->items.titles)
        cli_json_put(object, "title", title ? cli_json_text(title) : json_null());
    return object;
}

json_t *cli_question_answers(const cli_question *question, json_t *answers)
{
    json_t *object = cli_json_object();

    cli_json_put(object, "version", cli_json_text(nln_version()));
    cli_json_put(object, "model", cli_json_text(question->call->operands[0]));
    if (question->histories.is_file)
        cli_json_put(object, "histories", json_incref(answers));
    else
        json_object_update(object, json_array_get(answers, 0));
    json_decref(answers);
    return object;
}

/* What `nln recommend` and `nln explain` start from: a model, its items and histories. */
#ifndef CLI_COMMANDS_MODEL_QUESTION_H
#define CLI_COMMANDS_MODEL_QUESTION_H

#include <jansson.h>

#include "command_table.h"
#include "commands/history_options.h"
#include "commands/item_filters.h"
#include "commands/item_names.h"

typedef struct cli_question {
    const cli_call *call;
    nln_model *model;
    cli_items items;
    cli_histories histories;
    cli_item_filters filters;
} cli_question;

/* Returns an exit code; whatever it is, cli_question_close releases the question. */
int cli_question_open(cli_question *question, const cli_call *call);
void cli_question_close(cli_question *question);

/* {item} and, where there are titles, {title}. */
json_t *cli_question_item(const cli_question *question, size_t item);
/* An object that has the version, the model and the answers: answers[0] itself if there is one
 * history, and otherwise all of them under "histories".  Takes over the answers. */
json_t *cli_question_answers(const cli_question *question, json_t *answers);

#endif

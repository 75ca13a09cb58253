#include "commands/item_names.h"

#include <stdint.h>
#include <strings.h>

#include "command_line.h"
#include "messages.h"
#include "spelling.h"

int cli_items_open(cli_items *items, const cli_call *call, const nln_model *model)
{
    nln_error err = {0};
    const char *path = cli_call_text(call, "titles");

    *items = (cli_items){.model = model};
    if (path[0] && nln_titles_read(&items->titles, path, &err))
        return cli_message_error(&err);
    return CLI_OK;
}

void cli_items_close(cli_items *items)
{
    nln_titles_free(items->titles);
    *items = (cli_items){0};
}

const char *cli_items_title(const cli_items *items, size_t item)
{
    return items->titles ? nln_titles_find(items->titles, nln_model_variable(items->model, item))
                         : NULL;
}

const char *cli_items_name(const cli_items *items, size_t item)
{
    const char *title = cli_items_title(items, item);
    return title ? title : nln_model_variable(items->model, item);
}

int cli_items_match(size_t *item, const cli_items *items, const char *name)
{
    int n = 0;

    if (!nln_model_find(item, items->model, name, NULL))
        return 1;
    for (size_t i = 0; items->titles && n < 2 && i < nln_model_variables(items->model); i++) {
        const char *title = cli_items_title(items, i);
        if (title && strcasecmp(title, name) == 0 && n++ == 0)
            *item = i;
    }
    return n;
}

/* The id or title that may have been meant, or NULL. */
static const char *nearest(const cli_items *items, const char *name)
{
    const char *near = NULL;
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < nln_model_variables(items->model); i++) {
        const char *id = nln_model_variable(items->model, i), *title = cli_items_title(items, i);
        if (cli_suggest_nearer(&best, name, id))
            near = id;
        if (title && cli_suggest_nearer(&best, name, title))
            near = title;
    }
    return near;
}

int cli_items_find(size_t *item, const cli_items *items, const char *name, const char *place)
{
    int n = cli_items_match(item, items, name);

    if (n == 1)
        return CLI_OK;
    if (n > 1)
        return cli_message_failed("%sseveral items have the title '%.80s'; give the id, as %.80s",
                                  place, name, nln_model_variable(items->model, *item));
    const char *near = nearest(items, name);
    if (near)
        return cli_message_failed(
            "%sthe model does not know the item '%.80s'; did you mean '%.80s'?", place, name, near);
    return cli_message_failed(
        "%sthe model does not know the item '%.80s'; give an id of the ratings "
        "it was trained on",
        place, name);
}

#include "commands/item_filters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "allocate.h"
#include "command_line.h"
#include "messages.h"
#include "show/input_lines.h"

static void add(cli_item_list *list, size_t item)
{
    list->items = cli_memory_grow(list->items, list->n, &list->room, sizeof *list->items);
    list->items[list->n++] = item;
}

static int read_file(cli_item_list *list, const char *path, const cli_items *items)
{
    cli_lines lines = {0};
    size_t unknown = 0, item;
    int code = cli_lines_read(&lines, path, 1);

    for (size_t i = 0; !code && i < lines.n; i++) {
        size_t n = strcspn(lines.text[i], "\t");
        lines.text[i][n] = '\0';
        if (cli_items_match(&item, items, lines.text[i]) == 1)
            add(list, item);
        else
            unknown++;
    }
    if (!code && unknown > 0)
        cli_message_note("%s: the model does not know %zu of the %zu items; they are left out",
                         path, unknown, lines.n);
    cli_lines_free(&lines);
    return code;
}

/* One item, whose name may have commas, or several between commas. */
static int read_words(cli_item_list *list, const char *text, const cli_items *items)
{
    size_t item = 0;
    int code = CLI_OK;

    if (cli_items_match(&item, items, text) == 1) {
        add(list, item);
        return CLI_OK;
    }
    while (!code) {
        size_t length = strcspn(text, ",");
        char *name = cli_memory_copy(text, length);
        code = cli_items_find(&item, items, name, "");
        free(name);
        if (!code)
            add(list, item);
        if (code || !text[length])
            break;
        text += length + 1;
    }
    return code;
}

static int read_list(cli_item_list *list, const cli_call *call, const char *option,
                     const cli_items *items)
{
    const char *text = cli_call_has(call, option) ? cli_call_text(call, option) : "";
    struct stat about;

    if (!text[0])
        return CLI_OK;
    list->is_given = 1;
    return !stat(text, &about) && S_ISREG(about.st_mode) ? read_file(list, text, items)
                                                         : read_words(list, text, items);
}

int cli_item_filters_read(cli_item_filters *out, const cli_call *call, const cli_items *items)
{
    *out = (cli_item_filters){0};
    int code = read_list(&out->only, call, "only", items);
    if (!code)
        code = read_list(&out->exclude, call, "exclude", items);
    if (!code && out->only.is_given && !out->only.n)
        code = cli_message_failed("--only leaves no item to choose from");
    return code;
}

void cli_item_filters_free(cli_item_filters *filters)
{
    free(filters->only.items);
    free(filters->exclude.items);
    *filters = (cli_item_filters){0};
}

void cli_item_filters_apply(nln_question *question, const cli_item_filters *filters)
{
    question->only = filters->only.is_given ? filters->only.items : NULL;
    question->n_only = filters->only.n;
    question->exclude = filters->exclude.items;
    question->n_exclude = filters->exclude.n;
}

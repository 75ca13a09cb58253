#include "reproduce/tuned_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocate.h"

const char *cli_tuned_find(const char *task, const char *source, const char *model)
{
    char name[128];
    snprintf(name, sizeof name, "%s-%s-%s", task, source, model);
    for (const cli_tuned *file = cli_tuned_files; file->name; file++)
        if (strcmp(file->name, name) == 0)
            return file->text;
    return NULL;
}

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Cuts blanks off both ends of text[0..length). */
static void trim(const char **text, size_t *length)
{
    while (*length && is_blank((*text)[0]))
        (*text)++, (*length)--;
    while (*length && is_blank((*text)[*length - 1]))
        (*length)--;
}

char *cli_tuned_next(const char **text)
{
    while (**text) {
        const char *name = *text, *value;
        size_t line = strcspn(name, "\n"), length = strcspn(name, "#\n");
        *text += line + (name[line] == '\n');
        size_t equals = strcspn(name, "=");
        if (equals >= length)
            continue;
        value = name + equals + 1;
        length -= equals + 1;
        trim(&value, &length);
        trim(&name, &equals);
        size_t room = equals + length + 4;
        char *option = cli_memory_resize(NULL, room, 1);
        snprintf(option, room, "--%.*s=%.*s", (int)equals, name, (int)length, value);
        return option;
    }
    return NULL;
}

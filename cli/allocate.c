#include "allocate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"

void *cli_memory_resize(void *old, size_t n, size_t size)
{
    void *memory = NULL;
    if (size == 0 || n <= SIZE_MAX / size)
        memory = realloc(old, n > 0 && size > 0 ? n * size : 1);
    if (!memory)
        exit(cli_message_failed("out of memory"));
    return memory;
}

void *cli_memory_grow(void *old, size_t n, size_t *room, size_t size)
{
    if (n < *room)
        return old;
    *room = *room ? *room * 2 : 16;
    return cli_memory_resize(old, *room, size);
}

char *cli_memory_copy(const char *text, size_t length)
{
    char *copy = cli_memory_resize(NULL, length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

char *cli_memory_vprint(const char *format, va_list args)
{
    cli_text text;

    cli_text_open(&text);
    vfprintf(text.stream, format, args);
    return cli_text_close(&text);
}

char *cli_memory_print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    char *text = cli_memory_vprint(format, args);
    va_end(args);
    return text;
}

void cli_text_open(cli_text *t)
{
    *t = (cli_text){0};
    t->stream = open_memstream(&t->text, &t->length);
    if (!t->stream)
        exit(cli_message_failed("out of memory"));
}

/* Without memory the stream may close without an error and yet leave no text. */
char *cli_text_close(cli_text *t)
{
    if (ferror(t->stream) || fclose(t->stream) || !t->text)
        exit(cli_message_failed("out of memory"));
    return t->text;
}

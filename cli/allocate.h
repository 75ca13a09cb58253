/* Memory of the program itself.  When it runs out, the program ends with a message and exit code
 * 1, so callers need no checks. */
#ifndef CLI_ALLOCATE_H
#define CLI_ALLOCATE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* realloc for n items of a size; n * size may not overflow. */
void *cli_memory_resize(void *old, size_t n, size_t size);
/* Makes room for one more item after n of them, doubling *room. */
void *cli_memory_grow(void *old, size_t n, size_t *room, size_t size);
char *cli_memory_copy(const char *text, size_t length);
/* A new text as printf makes it; the caller frees it. */
char *cli_memory_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *cli_memory_vprint(const char *format, va_list args);

/* A stream that collects text in memory. */
typedef struct cli_text {
    FILE *stream;
    char *text;
    size_t length;
} cli_text;

void cli_text_open(cli_text *t);
/* Returns the text, which the caller frees. */
char *cli_text_close(cli_text *t);

#endif

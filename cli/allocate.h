/* Memory of the program itself.  Running out of it ends the program with a
 * message and exit code 1, so callers need no checks. */
#ifndef CLI_ALLOCATE_H
#define CLI_ALLOCATE_H

#include <stddef.h>
#include <stdio.h>

/* realloc for n items of a size; n * size may not overflow. */
void *cli_memory_resize(void *old, size_t n, size_t size);
/* Makes room for one more item after n of them, doubling *room. */
void *cli_memory_grow(void *old, size_t n, size_t *room, size_t size);
char *cli_memory_copy(const char *text, size_t length);

/* Text that is printed into memory. */
typedef struct cli_text {
    FILE *stream;
    char *text;
    size_t length;
} cli_text;

void cli_text_open(cli_text *t);
/* The text, for free. */
char *cli_text_close(cli_text *t);

#endif

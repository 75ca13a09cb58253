/* A file that appears whole or not at all: it is written under another name in the same
 * folder and renamed at the end.  A symbolic link stays and what it leads to is replaced, with its
 * permissions.  Devices, pipes and links that stand for open files (/dev/stdout) are written
 * straight. */
#ifndef CLI_FILE_H
#define CLI_FILE_H

#include <stdio.h>

typedef struct cli_file {
    const char *path; /* borrowed */
    char *target;     /* what is written: the path, or where it leads as a link */
    char *temporary;  /* NULL when there is none */
    FILE *stream;
    struct cli_file *next; /* of those that are not finished */
} cli_file;

/* Each returns an exit code.  `option`, such as "--out", is what messages call the path.  A file
 * that is open must stay where it is: should the program end before it is finished, as it does
 * without memory, what was written is removed. */
int cli_file_open(cli_file *file, const char *path, const char *option);
/* Renames into place; on failure the old file, if any, is untouched. */
int cli_file_finish(cli_file *file);
/* Tries whether a file can be written here, and leaves no trace. */
int cli_file_try(const char *path, const char *option);

#endif

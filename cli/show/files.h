/* A file that appears whole or not at all: it is written under another name in the same
 * folder and renamed at the end.  A symbolic link stays and what it leads to is replaced, with its
 * permissions.  Devices, pipes and links that stand for open files (/dev/stdout) are written
 * straight. */
#ifndef CLI_SHOW_FILES_H
#define CLI_SHOW_FILES_H

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

/* A file by what the command line calls it, such as "--out" or "MODEL". */
typedef struct cli_named_path {
    const char *name, *path; /* a path that is NULL or empty was not given */
    int is_input;            /* it is only read, and - is standard input */
} cli_named_path;

/* A usage message if a file that is to be written is another of them too, by whatever name, or a
 * part of a data folder that is read, or is called -.  Devices and pipes may be there several
 * times. */
int cli_file_apart(const cli_named_path *paths, int n);

#endif

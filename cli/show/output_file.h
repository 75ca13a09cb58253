/* A file that appears whole or not at all: it is written under another name in the same folder and
 * renamed at the end.  If the path is a symbolic link, its target is replaced, with its
 * permissions.  Devices, pipes and links to open files (/dev/stdout) are written directly. */
#ifndef CLI_SHOW_OUTPUT_FILE_H
#define CLI_SHOW_OUTPUT_FILE_H

#include <stdio.h>

typedef struct cli_file {
    const char *path; /* borrowed */
    char *target;     /* the path, or where it leads as a link */
    char *temporary;  /* NULL when there is none */
    FILE *stream;
    struct cli_file *next; /* of those that are not finished */
} cli_file;

/* Each returns an exit code.  `option`, such as "--out", is the name of the path in messages.  An
 * open cli_file must not move in memory: if the program ends before it is finished, as it does
 * when memory runs out, its temporary file is removed. */
int cli_file_open(cli_file *file, const char *path, const char *option);
/* Renames into place; on failure the old file, if any, is untouched. */
int cli_file_finish(cli_file *file);
/* Checks that a file can be written here, and leaves no trace. */
int cli_file_try(const char *path, const char *option);

/* A file by what the command line calls it, such as "--out" or "MODEL". */
typedef struct cli_named_path {
    const char *name, *path; /* a path that is NULL or empty was not given */
    int is_input;            /* it is only read, and - is standard input */
} cli_named_path;

/* A usage message if an output file is also another of the files, by whatever name, or a part of a
 * data folder that is read, or is called -.  Devices and pipes may occur several times. */
int cli_file_apart(const cli_named_path *paths, int n);

#endif

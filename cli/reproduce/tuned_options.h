/* Values of options that were chosen on validation by `nln tune`, for the baselines above all.
 * They stand in share/tuned, a file TASK-SOURCE-MODEL.conf for each, and the build puts these
 * files into the program. */
#ifndef CLI_REPRODUCE_TUNED_OPTIONS_H
#define CLI_REPRODUCE_TUNED_OPTIONS_H

typedef struct cli_tuned {
    const char *name; /* of the file, without .conf */
    const char *text; /* `name = value` lines; # starts a comment */
} cli_tuned;

/* Made by the build; a row without a name ends it. */
extern const cli_tuned cli_tuned_files[];

/* The text of a file, or NULL if there is none: then the defaults are meant. */
const char *cli_tuned_find(const char *task, const char *source, const char *model);
/* Reads the next value of a text, as an option `--name=value` for the caller to free, and
 * moves *text behind it; NULL at the end. */
char *cli_tuned_next(const char **text);

#endif

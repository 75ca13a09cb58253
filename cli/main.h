/* The program as a function, so that it can run itself in a process of its own. */
#ifndef CLI_MAIN_H
#define CLI_MAIN_H

/* Runs the command line, given without the name of the program, and flushes standard output.
 * Returns the exit code. */
int cli_main(char *const *words, int n_words);

#endif

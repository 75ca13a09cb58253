/* The word a user may have meant. */
#ifndef CLI_SPELLING_H
#define CLI_SPELLING_H

#include <stddef.h>

/* Whether `candidate` is near enough to `word` to be suggested, and nearer than
 * *best; then *best is set to its distance.  *best starts as SIZE_MAX. */
int cli_suggest_nearer(size_t *best, const char *word, const char *candidate);

#endif

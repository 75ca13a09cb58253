#include "spelling.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The number of letters to insert, delete, replace or swap to get from a to b. */
static size_t distance_of(const char *a, const char *b)
{
    size_t n = strlen(a), m = strlen(b);
    size_t d[LONGEST + 1][LONGEST + 1]; /* d[i][j]: from a[0..i) to b[0..j) */

    if (n > LONGEST || m > LONGEST)
        return n + m;
    for (size_t i = 0; i <= n; i++) {
        for (size_t j = 0; j <= m; j++) {
            if (i == 0 || j == 0) {
                d[i][j] = i + j;
                continue;
            }
            d[i][j] = least(least(d[i - 1][j], d[i][j - 1]) + 1,
                            d[i - 1][j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[n][m];
}

int cli_suggest_nearer(size_t *best, const char *word, const char *candidate)
{
    size_t length = strlen(word), distance = distance_of(word, candidate);

    if (length >= 2 && strncmp(word, candidate, length) == 0)
        distance = 1; /* An abbreviation is near, however long the rest. */
    if (distance > 1 + length / 4 || distance >= *best)
        return 0;
    *best = distance;
    return 1;
}

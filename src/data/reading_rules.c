#include "data/reading_rules.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 6, LEAST_WORDS = 3 };

/* The words up to the first that is empty. */
void nln_reading_rules_print(char out[NLN_ORIGIN_ROOM], const nln_reading_rules *origin)
{
    const char *const words[WORDS] = {origin->split, origin->split_seed, origin->like_from,
                                      origin->core,  origin->holdout,    origin->fingerprint};
    size_t n = 0;
    for (int i = 0; i < WORDS && (i < LEAST_WORDS || words[i][0]); i++)
        n += (size_t)snprintf(out + n, NLN_ORIGIN_ROOM - n, "%s%s", i ? " " : "", words[i]);
}

/* The last words may be missing. */
int nln_reading_rules_parse(nln_reading_rules *out, const char *text)
{
    char *const words[WORDS] = {out->split, out->split_seed, out->like_from,
                                out->core,  out->holdout,    out->fingerprint};
    *out = (nln_reading_rules){0};
    for (int i = 0; i < WORDS; i++) {
        size_t n = strcspn(text, " ");
        int is_end = text[n] == '\0';
        if (n == 0 || n >= NLN_ORIGIN_WORD || (is_end ? i < LEAST_WORDS - 1 : i == WORDS - 1))
            return 0;
        memcpy(words[i], text, n);
        if (is_end)
            return 1;
        text += n + 1;
    }
    return 0;
}

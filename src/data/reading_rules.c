#include "data/reading_rules.h"

#include <stdio.h>
#include <string.h>

void nln_reading_rules_print(char out[NLN_ORIGIN_ROOM], const nln_reading_rules *origin)
{
    snprintf(out, NLN_ORIGIN_ROOM, "%s %s %s%s%s", origin->split, origin->split_seed,
             origin->like_from, origin->core[0] ? " " : "", origin->core);
}

/* The last word may be missing. */
int nln_reading_rules_parse(nln_reading_rules *out, const char *text)
{
    char *const words[] = {out->split, out->split_seed, out->like_from, out->core};
    *out = (nln_reading_rules){0};
    for (int i = 0; i < 4; i++) {
        size_t n = strcspn(text, " ");
        int is_end = text[n] == '\0';
        if (n == 0 || n >= NLN_ORIGIN_WORD || (is_end ? i < 2 : i == 3))
            return 0;
        memcpy(words[i], text, n);
        if (is_end)
            return 1;
        text += n + 1;
    }
    return 0;
}

#include "data/reading_rules.h"

#include <stdio.h>
#include <string.h>

void nln_reading_rules_print(char out[NLN_ORIGIN_ROOM], const nln_reading_rules *origin)
{
    snprintf(out, NLN_ORIGIN_ROOM, "%s %s %s", origin->split, origin->split_seed,
             origin->like_from);
}

int nln_reading_rules_parse(nln_reading_rules *out, const char *text)
{
    char *const words[] = {out->split, out->split_seed, out->like_from};
    *out = (nln_reading_rules){0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = strcspn(text, " ");
        if (n == 0 || n >= NLN_ORIGIN_WORD || text[n] != (i < 2 ? ' ' : '\0'))
            return 0;
        memcpy(words[i], text, n);
        text += n + (i < 2);
    }
    return 1;
}

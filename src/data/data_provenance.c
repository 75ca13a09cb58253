#include "data/data_provenance.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = 6, LEAST_WORDS = 3 };

static const char columns_mark[] = " columns:";

/* The words up to the first that is empty, or all of them before the columns. */
void nln_data_provenance_print(char out[NLN_ORIGIN_ROOM], const nln_data_provenance *origin)
{
    const char *const words[WORDS] = {origin->split, origin->split_seed, origin->like_from,
                                      origin->core,  origin->holdout,    origin->fingerprint};
    size_t n = 0;
    int all = origin->columns[0] != '\0';
    for (int i = 0; i < WORDS && (i < LEAST_WORDS || words[i][0] || all); i++)
        n += (size_t)snprintf(out + n, NLN_ORIGIN_ROOM - n, "%s%s", i ? " " : "",
                              words[i][0] || i < LEAST_WORDS ? words[i] : "-");
    if (all)
        snprintf(out + n, NLN_ORIGIN_ROOM - n, "%s%s", columns_mark, origin->columns);
}

/* Reads the columns, which may have spaces, and the words before them that stand for nothing. */
static int parse_columns(nln_data_provenance *out, const char *text)
{
    size_t mark = sizeof columns_mark - 1, n = strlen(text);
    if (strncmp(text, columns_mark, mark) || n <= mark || n - mark >= NLN_ORIGIN_COLUMNS)
        return 0;
    memcpy(out->columns, text + mark, n - mark);
    char *const empty[] = {out->core, out->holdout, out->fingerprint};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++)
        if (strcmp(empty[i], "-") == 0)
            empty[i][0] = '\0';
    return 1;
}

/* The last words may be missing. */
int nln_data_provenance_parse(nln_data_provenance *out, const char *text)
{
    char *const words[WORDS] = {out->split, out->split_seed, out->like_from,
                                out->core,  out->holdout,    out->fingerprint};
    *out = (nln_data_provenance){0};
    for (int i = 0; i < WORDS; i++) {
        size_t n = strcspn(text, " ");
        int is_end = text[n] == '\0';
        if (n == 0 || n >= NLN_ORIGIN_WORD || (is_end && i < LEAST_WORDS - 1))
            return 0;
        memcpy(words[i], text, n);
        if (is_end)
            return 1;
        text += n + (i < WORDS - 1);
    }
    return parse_columns(out, text);
}

#include "commands/reasons.h"

#include <math.h>
#include <stdlib.h>

static int larger_first(const void *a, const void *b)
{
    double x = fabs(((const nln_reason *)a)->contribution);
    double y = fabs(((const nln_reason *)b)->contribution);
    return (x < y) - (x > y);
}

void cli_reasons_sort(nln_explanation *explanation)
{
    if (explanation->n)
        qsort(explanation->reasons, explanation->n, sizeof *explanation->reasons, larger_first);
}

int cli_reason_matters(const nln_explanation *explanation, const nln_reason *reason)
{
    double all = 0, own = fabs(reason->contribution);
    for (size_t i = 0; i < explanation->n; i++)
        all += fabs(explanation->reasons[i].contribution);
    double share = 1.5 / (double)explanation->n;
    return own >= 0.05 && own >= (share < 0.1 ? share : 0.1) * all;
}

void cli_reason_print(FILE *out, const nln_reason *reason, const cli_items *items)
{
    fprintf(out, "%s '%s' (%+.2f)", reason->literal.liked ? "liking" : "disliking",
            cli_items_name(items, reason->literal.item), reason->contribution);
}

size_t cli_reasons_print(FILE *out, const nln_explanation *sorted, int sign, size_t most,
                         const cli_items *items)
{
    size_t n = 0, printed = 0;
    for (int counting = 1; counting >= 0; counting--)
        for (size_t i = 0; i < sorted->n; i++) {
            const nln_reason *reason = &sorted->reasons[i];
            if (reason->contribution * sign <= 0 || !cli_reason_matters(sorted, reason))
                continue;
            if (counting) {
                n += n < most;
            } else if (printed < n) {
                fputs(!printed ? "" : printed + 1 == n ? " and " : ", ", out);
                cli_reason_print(out, reason, items);
                printed++;
            }
        }
    return n;
}

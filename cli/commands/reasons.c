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

/* Facts speak through likes alone. */
static size_t facts_of(nln_item_fact facts[2], const nln_reason *reason, size_t item,
                       const nln_model *model)
{
    return reason->literal.liked ? nln_model_facts_between(facts, model, reason->literal.item, item)
                                 : 0;
}

json_t *cli_reason_facts(const nln_reason *reason, size_t item, const nln_model *model)
{
    nln_item_fact facts[2];
    size_t n = facts_of(facts, reason, item, model);
    json_t *array = n ? cli_json_array() : NULL;

    for (size_t i = 0; i < n; i++) {
        json_t *fact = cli_json_object();
        cli_json_put(fact, "relation", cli_json_text(facts[i].relation));
        cli_json_put(fact, "head", cli_json_text(facts[i].head));
        cli_json_put(fact, "tail", cli_json_text(facts[i].tail));
        cli_json_append(array, fact);
    }
    return array;
}

/* The title of an item, or the name of anything. */
static const char *title_of(const char *name, const cli_items *items)
{
    size_t item;
    return nln_model_find(&item, items->model, name, NULL) ? name : cli_items_name(items, item);
}

void cli_reason_print(FILE *out, const nln_reason *reason, size_t item, const cli_items *items)
{
    nln_item_fact facts[2];
    size_t n = reason->contribution > 0 ? facts_of(facts, reason, item, items->model) : 0;

    fprintf(out, "%s '%s' (%+.2f", reason->literal.liked ? "liking" : "disliking",
            cli_items_name(items, reason->literal.item), reason->contribution);
    for (size_t i = 0; i < n; i++)
        fprintf(out, "%s%s('%s', '%s')", i ? " & " : "; ", facts[i].relation,
                title_of(facts[i].head, items), title_of(facts[i].tail, items));
    fputc(')', out);
}

size_t cli_reasons_print(FILE *out, const nln_explanation *sorted, int sign, size_t most,
                         size_t item, const cli_items *items)
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
                cli_reason_print(out, reason, item, items);
                printed++;
            }
        }
    return n;
}

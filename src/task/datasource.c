/* Training from labelled expressions. */

#include "base/memory.h"
#include "task/source.h"

static nln_status draw(nln_lot *out, nln_source *s, const int32_t *units, int32_t n, uint64_t key,
                       nln_error *err)
{
    (void)err;
    *out = (nln_lot){.lesson = NLN_LESSON_LABELS,
                     .exprs = &s->exprs[NLN_TRAIN],
                     .labels = s->labels[NLN_TRAIN],
                     .index = units,
                     .unit = units,
                     .n = n,
                     .key = key};
    return NLN_OK;
}

static void count(int32_t *frequency, const nln_source *s)
{
    const nln_exprs *list = &s->exprs[NLN_TRAIN];
    for (size_t i = 0; i < list->n_nodes; i++)
        if (list->nodes[i].op == NLN_OP_VAR)
            frequency[list->nodes[i].arg]++;
}

static void release(nln_source *s)
{
    for (int split = 0; split < 3; split++)
        nln_exprs_free(&s->exprs[split]);
    nln_free(s);
}

static nln_status normalize(nln_source *s, const nln_data *data, const nln_model *model,
                            nln_error *err)
{
    for (int split = 0; split < 3; split++) {
        const nln_exprs *list = &data->split[split].exprs;
        s->labels[split] = data->split[split].labels;
        for (size_t i = 0; i < list->n; i++) {
            nln_status status =
                nln_model_normalize(&s->exprs[split], model, nln_exprs_get(list, i), err);
            if (status) {
                nln_data_place(err, (nln_split)split, i);
                return status;
            }
        }
    }
    s->n = s->exprs[NLN_TRAIN].n;
    return NLN_OK;
}

nln_status nln_source_from_data(nln_source **out, const nln_data *data, const nln_model *model,
                                nln_error *err)
{
    nln_source *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    *s = (nln_source){.lesson = NLN_LESSON_LABELS, .draw = draw, .count = count, .free = release};
    nln_status status = normalize(s, data, model, err);
    if (status) {
        release(s);
        return status;
    }
    *out = s;
    return NLN_OK;
}

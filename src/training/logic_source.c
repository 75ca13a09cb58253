/* Training from labelled expressions. */

#include "base/array.h"
#include "base/memory.h"
#include "data/data_fingerprint.h"
#include "training/source.h"

typedef struct logic_source {
    nln_source base;
    const nln_data *data;
    real *truth; /* [base.n] the labels of the training set */
} logic_source;

static uint64_t fingerprint(const nln_source *base)
{
    return nln_data_fingerprint_logic(((const logic_source *)base)->data);
}

static nln_status open(nln_source *base, nln_model *model, nln_error *err)
{
    logic_source *s = (logic_source *)base;
    for (int split = 0; split < 3; split++) {
        const nln_exprs *list = &s->data->split[split].exprs;
        base->labels[split] = s->data->split[split].labels;
        for (size_t i = 0; i < list->n; i++) {
            nln_status status =
                nln_model_normalize(&base->exprs[split], model, nln_exprs_get(list, i), err);
            if (status) {
                nln_data_place(err, (nln_split)split, i);
                return status;
            }
        }
    }
    base->n = base->exprs[NLN_TRAIN].n;
    s->truth = nln_array_zeroed(base->n, sizeof *s->truth);
    if (!s->truth)
        return nln_error_memory(err);
    for (size_t i = 0; i < base->n; i++)
        s->truth[i] = base->labels[NLN_TRAIN][i];
    return NLN_OK;
}

static nln_status draw(nln_request *out, nln_source *base, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err)
{
    (void)err;
    *out = (nln_request){.loss_kind = NLN_LOSS_LABELS,
                         .exprs = &base->exprs[NLN_TRAIN],
                         .truth = ((const logic_source *)base)->truth,
                         .index = units,
                         .unit = units,
                         .n = n,
                         .key = key};
    return NLN_OK;
}

static void count(int32_t *frequency, const nln_source *base)
{
    const nln_exprs *list = &base->exprs[NLN_TRAIN];
    for (size_t i = 0; i < list->n_nodes; i++)
        if (list->nodes[i].op == NLN_OP_VAR)
            frequency[list->nodes[i].arg]++;
}

static void release(nln_source *base)
{
    for (int split = 0; split < 3; split++)
        nln_exprs_free(&base->exprs[split]);
    nln_free(((logic_source *)base)->truth);
    nln_free(base);
}

nln_status nln_source_of_expressions(nln_source **out, const nln_data *data, nln_error *err)
{
    logic_source *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_source){.data = NLN_DATA_EXPRESSIONS,
                           .names = data->symbols,
                           .fingerprint = fingerprint,
                           .open = open,
                           .loss_kind = NLN_LOSS_LABELS,
                           .draw = draw,
                           .count = count,
                           .measure = nln_source_measure_labels,
                           .free = release};
    s->data = data;
    *out = &s->base;
    return NLN_OK;
}

/* Training from labelled expressions. */

#include "base/array.h"
#include "base/memory.h"
#include "training/source.h"

typedef struct data_source {
    nln_source base;
    real *truth; /* [base.n] what the labels of the training set say */
} data_source;

static nln_status draw(nln_request *out, nln_source *base, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err)
{
    (void)err;
    *out = (nln_request){.loss_kind = NLN_LOSS_LABELS,
                         .exprs = &base->exprs[NLN_TRAIN],
                         .truth = ((const data_source *)base)->truth,
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
    nln_free(((data_source *)base)->truth);
    nln_free(base);
}

static nln_status normalize(nln_source *base, const nln_data *data, const nln_model *model,
                            nln_error *err)
{
    for (int split = 0; split < 3; split++) {
        const nln_exprs *list = &data->split[split].exprs;
        base->labels[split] = data->split[split].labels;
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
    return NLN_OK;
}

static nln_status take_labels(data_source *s, nln_error *err)
{
    s->truth = nln_array_zeroed(s->base.n, sizeof *s->truth);
    if (!s->truth)
        return nln_error_memory(err);
    for (size_t i = 0; i < s->base.n; i++)
        s->truth[i] = s->base.labels[NLN_TRAIN][i];
    return NLN_OK;
}

nln_status nln_source_from_data(nln_source **out, const nln_data *data, const nln_model *model,
                                nln_error *err)
{
    data_source *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base =
        (nln_source){.loss_kind = NLN_LOSS_LABELS, .draw = draw, .count = count, .free = release};
    nln_status status = normalize(&s->base, data, model, err);
    if (!status)
        status = take_labels(s, err);
    if (status) {
        release(&s->base);
        return status;
    }
    *out = &s->base;
    return NLN_OK;
}

/* Training from labelled expressions. */

#include <math.h>

#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "data/data_fingerprint.h"
#include "training/source.h"

typedef struct logic_source {
    nln_source base;
    const nln_data *data;
    const nln_exprs *asked; /* the training set or, where it has duals, `both` */
    nln_exprs both;         /* expression i, and its dual at base.n + i */
    real *truth;            /* [asked->n] labels */
    int32_t *index;         /* [base.n] of a request */
} logic_source;

static uint64_t fingerprint(const nln_source *base)
{
    return nln_data_fingerprint_logic(((const logic_source *)base)->data);
}

static nln_status append_duals(logic_source *s, nln_error *err)
{
    const nln_exprs *list = s->asked;
    nln_status status = NLN_OK;
    s->both.atoms = list->atoms;
    for (size_t i = 0; !status && i < 2 * list->n; i++)
        status = i < list->n
                     ? nln_exprs_append(&s->both, nln_exprs_get(list, i), err)
                     : nln_model_append_dual(&s->both, nln_exprs_get(list, i - list->n), err);
    s->asked = &s->both;
    return status;
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
    model->longest = 0;
    for (size_t i = 0; i < base->n; i++) {
        double n = (double)nln_expr_literals(nln_exprs_get(&base->exprs[NLN_TRAIN], i));
        model->longest = fmax(model->longest, fmin(n, NLN_MODEL_MOST_LONGEST));
    }
    s->asked = &base->exprs[NLN_TRAIN];
    if (model->config.duals) {
        nln_status status = append_duals(s, err);
        if (status)
            return status;
    }
    s->truth = nln_array_zeroed(s->asked->n, sizeof *s->truth);
    s->index = nln_array_zeroed(base->n, sizeof *s->index);
    if (!s->truth || !s->index)
        return nln_error_memory(err);
    for (size_t i = 0; i < s->asked->n; i++)
        s->truth[i] = i < base->n ? base->labels[NLN_TRAIN][i] : 1 - s->truth[i - base->n];
    return NLN_OK;
}

/* Each unit as it is or, for one half of them drawn anew each time, its dual. */
static nln_status draw(nln_request *out, nln_source *base, const int32_t *units, int32_t n,
                       uint64_t key, nln_error *err)
{
    logic_source *s = (logic_source *)base;
    int32_t dual = s->asked == &s->both ? (int32_t)base->n : 0;
    (void)err;
    for (int32_t i = 0; i < n; i++)
        s->index[i] =
            units[i] + (nln_random_mix(key ^ nln_random_mix((uint64_t)units[i])) >> 63 ? dual : 0);
    *out = (nln_request){.loss_kind = NLN_LOSS_LABELS,
                         .exprs = s->asked,
                         .truth = s->truth,
                         .index = s->index,
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
    nln_exprs_free(&((logic_source *)base)->both);
    nln_free(((logic_source *)base)->truth);
    nln_free(((logic_source *)base)->index);
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

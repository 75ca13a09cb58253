#include "models/link_questions.h"

#include <string.h>

#include "base/array.h"
#include "base/random.h"

void nln_link_questions_free(nln_link_questions *q)
{
    nln_free(q->list);
    nln_free(q->target);
    nln_free(q->premise);
    *q = (nln_link_questions){0};
}

void nln_link_questions_clear(nln_link_questions *q)
{
    q->n = q->n_targets = q->n_premises = 0;
}

nln_status nln_link_questions_add(nln_link_questions *q, int32_t entity, int32_t relation,
                                  const int32_t *target, size_t n_targets, nln_error *err)
{
    if (!NLN_ARRAY_RESERVE(q->list, q->room, q->n + 1) ||
        !NLN_ARRAY_RESERVE(q->target, q->target_room, q->n_targets + n_targets))
        return nln_error_memory(err);
    q->list[q->n++] = (nln_link_question){.entity = entity,
                                          .relation = relation,
                                          .target = q->n_targets,
                                          .n_targets = n_targets,
                                          .premise = q->n_premises};
    if (n_targets)
        memcpy(q->target + q->n_targets, target, n_targets * sizeof *target);
    q->n_targets += n_targets;
    return NLN_OK;
}

nln_status nln_link_questions_premises(nln_link_questions *q, const nln_fact_index *facts, int most,
                                       uint64_t key, nln_error *err)
{
    nln_link_question *last = &q->list[q->n - 1];
    size_t first = facts->start[last->entity], end = facts->start[last->entity + 1];
    nln_random random = nln_random_seed(key, (uint64_t)last->entity);
    if (!NLN_ARRAY_RESERVE(q->premise, q->premise_room, q->n_premises + (end - first)))
        return nln_error_memory(err);
    nln_edge *out = q->premise + q->n_premises;
    size_t n = 0, taken;
    for (size_t i = first; i < end; i++)
        if (facts->edge[i].relation != last->relation && facts->edge[i].entity != last->entity)
            out[n++] = facts->edge[i];
    taken = most && n > (size_t)most ? (size_t)most : n;
    for (size_t i = 0; taken < n && i < taken; i++) {
        size_t j = i + nln_random_below(&random, n - i);
        nln_edge other = out[i];
        out[i] = out[j];
        out[j] = other;
    }
    last->n_premises = taken;
    last->n_facts = n;
    q->n_premises += taken;
    return NLN_OK;
}

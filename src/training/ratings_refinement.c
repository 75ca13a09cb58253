#include "training/ratings_refinement.h"

#include <stdio.h>

#include "base/array.h"
#include "base/memory.h"
#include "training/cold_items.h"
#include "training/knowledge_weights.h"
#include "training/rule_factors.h"

/* Rules found by counting, and what to say of them. */
static nln_status add_rules(char note[NLN_NOTE_ROOM], const nln_source *base, nln_model *model,
                            nln_contest *contest, nln_thread_pool *pool, nln_error *err)
{
    nln_queries users = {0};
    nln_rule_choice chosen = {0};
    nln_status status = base->gather(&users, base, err);
    if (!status)
        status = nln_rule_factors_choose(&chosen, model, contest, &users, pool, err);
    nln_queries_free(&users);
    if (!status && !chosen.n_likes)
        snprintf(note, NLN_NOTE_ROOM,
                 "no rules were counted: there is no like in validation to weigh them by");
    else if (!status && model->rules)
        snprintf(note, NLN_NOTE_ROOM,
                 "rules found by counting are added to the network's scores: on validation the "
                 "mean of 1 / log2(1 + rank) rises from %.4f to %.4f",
                 chosen.without, chosen.with);
    else if (!status)
        snprintf(note, NLN_NOTE_ROOM, "rules found by counting add nothing on validation");
    return status;
}

static nln_item_knowledge *knowledge_of(const nln_ratings *r, nln_status *status, nln_error *err)
{
    nln_item_knowledge *k = NULL;
    if (r->facts)
        *status = nln_item_knowledge_of_facts(&k, nln_ratings_items(r), r->facts, err);
    return k;
}

/* Items that nobody met in training get vectors by facts. */
static nln_status place_cold_items(const nln_source *base, nln_model *model,
                                   const nln_item_knowledge *k, nln_error *err)
{
    size_t n;
    int32_t *frequency = nln_array_zeroed((size_t)nln_model_rows(model), sizeof *frequency);
    if (!frequency)
        return nln_error_memory(err);
    base->count(frequency, base);
    nln_status status = nln_cold_items_place(&n, model, k, frequency, err);
    nln_free(frequency);
    return status;
}

/* Weighs the facts, and replaces the note about rules. */
static nln_status add_knowledge(char note[NLN_NOTE_ROOM], nln_model *model, nln_item_knowledge **k,
                                nln_contest *contest, nln_error *err)
{
    nln_knowledge_choice chosen = {0};
    size_t n = nln_ratings_facts(contest->ratings);
    nln_status status = nln_knowledge_weights_learn(&chosen, model, k, contest, err);
    if (!status && !contest->n)
        snprintf(note, NLN_NOTE_ROOM,
                 "the facts are not used: there is no like in validation to weigh them by");
    else if (!status && model->knowledge)
        snprintf(note, NLN_NOTE_ROOM,
                 "%zu facts about items are added to the scores: on validation the mean of 1 / "
                 "log2(1 + rank) rises from %.4f to %.4f",
                 n, chosen.without, chosen.with);
    else if (!status)
        snprintf(note, NLN_NOTE_ROOM, "the %zu facts about items add nothing on validation", n);
    return status;
}

nln_status nln_ratings_refinement_make(char note[NLN_NOTE_ROOM], const nln_source *base,
                                       const nln_ratings *ratings, nln_model *model,
                                       nln_thread_pool *pool, nln_error *err)
{
    nln_contest contest = {0};
    nln_status status = NLN_OK;
    nln_item_knowledge *k = knowledge_of(ratings, &status, err);
    if (!status && k)
        status = place_cold_items(base, model, k, err);
    if (!status)
        status = nln_contest_open(&contest, model, ratings, err);
    if (!status && model->config.rules)
        status = add_rules(note, base, model, &contest, pool, err);
    if (!status && k)
        status = add_knowledge(note, model, &k, &contest, err);
    nln_contest_close(&contest);
    nln_item_knowledge_free(k);
    return status;
}

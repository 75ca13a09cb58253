/* Rules found by counting as a method of task link: the answers of a graph's own rules, joined by
 * noisy-or.  Among entities that no rule names, those with more facts come first. */
#include "models/rules_method.h"

#include "models/method.h"
#include "rules/mine.h"

static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    if (index)
        return 0;
    *out = (nln_shape){"entities.facts", s->n_variables, 1, NLN_START_ZERO, 1, 1};
    return 1;
}

nln_status nln_rules_method_find(nln_model *model, nln_error *err)
{
    static const nln_mine_settings settings = {
        .least_support = 2, .least_confidence = 0.02, .most_paths = 300, .most_constants = 10};
    return nln_rules_mine(&model->links->rules, model->links->facts, &settings, err);
}

static nln_status solve(nln_model *model, const nln_queries *users, const nln_solve_watch *watch,
                        nln_error *err)
{
    (void)watch;
    const nln_fact_index *g = model->links->facts;
    (void)users;
    for (size_t e = 0; e < g->n_entities; e++)
        model->weights.data[0][e] = (real)(g->start[e + 1] - g->start[e]);
    model->links->by_rules = 1;
    return nln_rules_method_find(model, err);
}

const nln_method nln_method_rules = {
    .name = "rules",
    .tasks = 1u << NLN_TASK_LINK,
    .tensor = tensor,
    .solve = solve,
};

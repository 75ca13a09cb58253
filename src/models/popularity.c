/* What everybody likes: for topk how many users liked an item in training, for preference the
 * log-odds of liking it, drawn towards those of all items. */
#include <math.h>

#include "base/array.h"
#include "base/memory.h"
#include "models/table_learner.h"

enum { SCORE };

static int tensor(nln_shape *out, const nln_sizes *s, int index)
{
    if (index > SCORE)
        return 0;
    *out = (nln_shape){"items.score", 1, s->n_variables, NLN_START_ZERO, 0, 1};
    return 1;
}

static nln_status solve(nln_model *m, const nln_queries *users, const nln_solve_watch *watch,
                        nln_error *err)
{
    (void)watch;
    enum { PRIOR = 5 };
    size_t n = nln_model_variables(m);
    double *met = nln_array_zeroed(n, sizeof *met), *liked = nln_array_zeroed(n, sizeof *liked);
    double all_met = 2, all_liked = 1;
    for (size_t i = 0; met && liked && i < users->n_literals; i++) {
        met[users->literal[i].item]++;
        liked[users->literal[i].item] += users->literal[i].liked;
        all_met++;
        all_liked += users->literal[i].liked;
    }
    for (size_t v = 0; met && liked && v < n; v++) {
        double share = all_liked / all_met;
        double p = (liked[v] + PRIOR * share) / (met[v] + PRIOR);
        m->weights.data[SCORE][v] =
            m->task->measures == NLN_MEASURE_RANKS ? (real)liked[v] : (real)log(p / (1 - p));
    }
    nln_status status = met && liked ? NLN_OK : nln_error_memory(err);
    nln_free(met);
    nln_free(liked);
    return status;
}

typedef struct scorer {
    nln_item_scorer base;
    const nln_model *model;
} scorer;

static nln_status read(nln_item_scorer *s, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err)
{
    (void)s, (void)queries, (void)first, (void)n, (void)err;
    return NLN_OK;
}

static void scores(double *score, nln_item_scorer *base, size_t i, const int32_t *only, int32_t n)
{
    const nln_model *m = ((scorer *)base)->model;
    (void)i;
    n = only ? n : nln_symbols_count(m->symbols);
    for (int32_t j = 0; j < n; j++) {
        int32_t v = only ? only[j] : j;
        score[v] = (double)m->weights.data[SCORE][v];
    }
}

static void release(nln_item_scorer *base)
{
    nln_free(base);
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err);

static nln_status clone(nln_item_scorer **out, const nln_item_scorer *s, nln_error *err)
{
    return ask(out, ((const scorer *)s)->model, s->most, err);
}

static nln_status ask(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err)
{
    scorer *s = nln_memory_zeroed(1, sizeof *s);
    if (!s)
        return nln_error_memory(err);
    s->base = (nln_item_scorer){
        .most = most, .read = read, .scores = scores, .clone = clone, .free = release};
    s->model = model;
    *out = &s->base;
    return NLN_OK;
}

const nln_method nln_method_popularity = {
    .name = "popularity",
    .tasks = 1u << NLN_TASK_PREFERENCE | 1u << NLN_TASK_TOPK,
    .tensor = tensor,
    .solve = solve,
    .ask = ask,
};

/* nln_ratings_learned of nln_lab.h: which interactions a model is measured on were in its own
 * training.
 *
 * A model keeps what its users met, in the order of time, and how its ratings were split.  Where
 * the split follows from that order, it is made again, and says what was learned and what was held
 * out, whatever file the interactions come from now. */
#include <string.h>

#include "base/array.h"
#include "data/split_names.h"
#include "models/model.h"
#include "nln_lab.h"

/* The split that the model's own ratings had, if it follows from the order of the interactions. */
static int is_ordered(nln_split_method *method, const nln_model *model)
{
    static const struct {
        const char *name;
        nln_split_method method;
    } ordered[] = {{"none", NLN_SPLIT_NONE},
                   {"paper", NLN_SPLIT_PAPER},
                   {"nlr", NLN_SPLIT_NLR},
                   {"likes", NLN_SPLIT_LIKES}};
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++)
        if (strcmp(model->origin.split, ordered[i].name) == 0) {
            *method = ordered[i].method;
            return 1;
        }
    return 0;
}

/* What the model's users met, as ratings that are split as they were. */
static nln_status own_ratings(nln_ratings **out, const nln_model *model, nln_split_method method,
                              nln_error *err)
{
    const nln_users *users = model->users;
    size_t n_users = (size_t)nln_symbols_count(users->names);
    nln_ratings_rows rows = {.users = nln_symbols_copy(users->names),
                             .items = nln_symbols_copy(model->symbols),
                             .has_time = 1};
    nln_status status = rows.users && rows.items
                            ? nln_ratings_rows_reserve(&rows, users->start[n_users], err)
                            : nln_error_memory(err);
    for (size_t u = 0; !status && u < n_users; u++)
        for (size_t i = users->start[u]; !status && i < users->start[u + 1]; i++) {
            nln_literal l = nln_users_literal(users, i);
            status = nln_ratings_rows_add(&rows, (int32_t)u, (int32_t)l.item, (float)l.liked,
                                          (double)i, l.liked ? NLN_MARK_LIKED : 0, err);
        }
    *out = NULL;
    if (!status)
        status = nln_ratings_from_rows(out, NULL, &rows, 0, err);
    if (!status)
        status = nln_ratings_split_by(*out, method, 1, err);
    nln_ratings_rows_free(&rows);
    return status;
}

/* Whether the model's own ratings have the item among what the user met in training. */
static int was_learned(const nln_ratings *own, int32_t user, int32_t item)
{
    for (size_t i = own->start[user]; i < own->start[user + 1]; i++)
        if (own->item[i] == item)
            return nln_ratings_split(own, i) == NLN_TRAIN;
    return 0;
}

static nln_status count(size_t *n_learned, const nln_model *model, const nln_ratings *own,
                        const nln_ratings *r, nln_split split, nln_error *err)
{
    int32_t *item = NULL, *user = NULL;
    nln_status status = nln_model_map(&item, model, r->items, err);
    if (!status)
        status = nln_model_map_users(&user, model, r->users, err);
    for (int32_t u = 0; !status && u < nln_symbols_count(r->users); u++)
        for (size_t i = r->start[u]; user[u] >= 0 && i < r->start[u + 1]; i++)
            *n_learned += nln_ratings_split(r, i) == split && item[r->item[i]] >= 0 &&
                          was_learned(own, user[u], item[r->item[i]]);
    nln_free(item);
    nln_free(user);
    return status;
}

nln_status nln_ratings_learned(size_t *n_learned, const nln_model *model,
                               const nln_ratings *ratings, nln_split split, nln_error *err)
{
    nln_split_method method = NLN_SPLIT_NONE;
    nln_ratings *own = NULL;
    *n_learned = 0;
    nln_status status = nln_split_check(split, err);
    if (status || !model->users || !is_ordered(&method, model))
        return status;
    status = own_ratings(&own, model, method, err);
    if (!status)
        status = count(n_learned, model, own, ratings, split, err);
    nln_ratings_free(own);
    return status;
}

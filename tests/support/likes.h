/* Small ratings and models of them, for the tests of histories and recommending. */
#ifndef NLN_TESTS_LIKES_H
#define NLN_TESTS_LIKES_H

#include "data/history.h"
#include "data/ratings.h"
#include "models/implication.h"
#include "tiny.h"

static inline void likes_add(nln_ratings_rows *rows, const char *user, const char *item, int liked,
                             nln_split split)
{
    nln_error err = {0};
    int32_t u = nln_symbols_intern(rows->users, user, strlen(user));
    int32_t i = nln_symbols_intern(rows->items, item, strlen(item));
    uint8_t mark = (uint8_t)(liked | (int)((unsigned)split << NLN_MARK_SPLIT));
    tiny_need(nln_ratings_rows_add(rows, u, i, liked ? 5 : 1, (double)rows->n, mark, &err), &err);
    rows->has_rating = rows->has_time = 1;
}

static inline nln_ratings_rows likes_rows(void)
{
    nln_ratings_rows rows;
    nln_error err = {0};
    tiny_need(nln_ratings_rows_create(&rows, &err), &err);
    return rows;
}

static inline nln_ratings *likes_finish(nln_ratings_rows *rows)
{
    nln_ratings *r = NULL;
    nln_error err = {0};
    tiny_need(nln_ratings_from_rows(&r, NULL, rows, 1, &err), &err);
    return r;
}

/* `text` is words, separated by blanks: a name begins the interactions of a user, + or - and
 * a name is an item that was liked or disliked, and | goes on to the next split. */
static inline nln_ratings *likes_of(const char *text)
{
    nln_ratings_rows rows = likes_rows();
    char words[1024], user[32] = "", *rest = NULL;
    int split = NLN_TRAIN;
    snprintf(words, sizeof words, "%s", text);
    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (*word == '|') {
            split++;
        } else if (*word == '+' || *word == '-') {
            likes_add(&rows, user, word + 1, *word == '+', (nln_split)split);
        } else {
            snprintf(user, sizeof user, "%s", word);
            split = NLN_TRAIN;
        }
    }
    return likes_finish(&rows);
}

/* Users u0, u1, ... who meet some of the items x0, x1, ... each, at most `most`, and like three
 * of five; eight in ten interactions train. */
static inline nln_ratings *likes_random(int n_users, int n_items, int most, uint64_t seed)
{
    nln_ratings_rows rows = likes_rows();
    nln_random random = nln_random_seed(seed, 0);
    nln_error err = {0};
    int32_t *items = malloc((size_t)n_items * sizeof *items);
    for (int32_t i = 0; i < n_items; i++)
        items[i] = i;
    for (int u = 0; u < n_users; u++) {
        int n = 1 + (int)nln_random_below(&random, (uint64_t)most);
        nln_random_shuffle(&random, items, n_items);
        for (int i = 0; i < n && i < n_items; i++) {
            char user[16], item[16];
            snprintf(user, sizeof user, "u%d", u);
            snprintf(item, sizeof item, "x%d", items[i]);
            likes_add(&rows, user, item, nln_random_below(&random, 5) < 3, NLN_TRAIN);
        }
    }
    free(items);
    nln_ratings *r = likes_finish(&rows);
    tiny_need(nln_ratings_split_by(r, NLN_SPLIT_RANDOM, seed, &err), &err);
    return r;
}

/* A model of these items that is drawn but not trained. */
static inline nln_model *likes_model(const nln_symbols *items, const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_model *model = NULL;
    nln_error err = {0};
    nln_random random = nln_random_seed(5, 5);
    tiny_need(nln_model_create(&model, items, o, &err), &err);
    for (int i = 0; i < model->n_networks; i++)
        nln_net_draw(model->net[i], (nln_init){.variables = 1}, &random);
    if (!model->n_networks)
        nln_model_draw(model, &random);
    nln_options_free(o);
    return model;
}

static inline nln_model *likes_train(nln_report *report, const nln_ratings *ratings,
                                     const char *settings)
{
    nln_options *o = tiny_options("train", settings);
    nln_model *model = NULL;
    nln_error err = {0};
    tiny_need(nln_train_ratings(&model, report, ratings, o, NULL, &err), &err);
    nln_options_free(o);
    return model;
}

/* score[v] of the rule from the history to every variable v of the model, one by one through
 * the network. */
static inline void likes_scores(double *score, const nln_model *model, const nln_literal *history,
                                size_t n, int orders)
{
    nln_exprs list = {0};
    nln_error err = {0};
    for (int32_t v = 0; v < nln_symbols_count(model->symbols); v++)
        tiny_need(nln_implication_append(&list, model, -1, history, n, v, &err), &err);
    tiny_need(nln_model_scores(score, model, &list, orders, 1, &err), &err);
    nln_exprs_free(&list);
}

/* Bit for bit, but for what lies between the fields. */
static inline int likes_same_rankings(const nln_ranking *a, const nln_ranking *b)
{
    return a->n == b->n && a->n_users == b->n_users && a->n_cuts == b->n_cuts &&
           memcmp(a->cut, b->cut, sizeof a->cut) == 0 &&
           memcmp(a->hit, b->hit, sizeof a->hit) == 0 &&
           memcmp(a->ndcg, b->ndcg, sizeof a->ndcg) == 0 &&
           memcmp(a->recall, b->recall, sizeof a->recall) == 0 && a->mrr == b->mrr &&
           a->mean_rank == b->mean_rank;
}

static inline int likes_same_metrics(const nln_metrics *a, const nln_metrics *b)
{
    return a->n == b->n && a->accuracy == b->accuracy && a->rmse == b->rmse &&
           a->cross_entropy == b->cross_entropy && memcmp(&a->auc, &b->auc, sizeof a->auc) == 0 &&
           likes_same_rankings(&a->sampled, &b->sampled) && likes_same_rankings(&a->full, &b->full);
}

#endif

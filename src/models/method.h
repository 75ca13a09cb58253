/* The kinds of models, one row of a table for each: what option --model chooses from.
 *
 * A method says which tensors a model has, how it learns and how it answers.  All else, the
 * trainer, the files, the commands, works with any of them. */
#ifndef NLN_MODELS_METHOD_H
#define NLN_MODELS_METHOD_H

#include "models/learner.h"
#include "models/weights.h"

/* Scores of items after histories, in one thread. */
typedef struct nln_item_scorer nln_item_scorer;
struct nln_item_scorer {
    size_t most; /* queries at a time */
    /* Reads the queries first .. first + n - 1 of a list; their targets do not matter. */
    nln_status (*read)(nln_item_scorer *s, const nln_queries *queries, size_t first, size_t n,
                       nln_error *err);
    /* score[v] of every item v after query i of those read, 0 the first; or of the n items in
     * `only`, and the others keep their values.  Log-odds for task preference, up to the
     * temperature; for topk only their order matters. */
    void (*scores)(double *score, nln_item_scorer *s, size_t i, const int32_t *only, int32_t n);
    /* Another scorer of the same model, for another thread; it borrows from this one, which
     * must be freed after it. */
    nln_status (*clone)(nln_item_scorer **out, const nln_item_scorer *s, nln_error *err);
    void (*free)(nln_item_scorer *s);

    /* The rest is NULL where a method does not have it.  Prepares `candidates`, before the first
     * clone is made. */
    nln_status (*prepare)(nln_item_scorer *s, nln_error *err);
    /* Lists some items and sets their scores, the same bits as those of `scores`.  Among them is
     * every item that is not in `skip` and whose score is at least that of the `need`-th best of
     * these less `tie`.  Returns the length of the list, or -1 where all items must be scored. */
    int32_t (*candidates)(int32_t *list, double *score, nln_item_scorer *s, size_t i, size_t need,
                          const int32_t *skip, int32_t n_skip, double tie);
    /* p[v] = how true OR(expression, v) is for the only expression of a list in normal form. */
    nln_status (*rank)(double *p, nln_item_scorer *s, const nln_exprs *list, nln_error *err);
};

/* What a method has; an option names what it needs (models/config.h). */
enum {
    NLN_HAS_STEPS = 1 << 0,    /* it learns batch by batch */
    NLN_HAS_HISTORY = 1 << 1,  /* its answers depend on a history */
    NLN_HAS_NETWORK = 1 << 2,  /* modules of AND, OR and NOT, laws, orders of operands */
    NLN_HAS_VECTORS = 1 << 3,  /* of `dimension` numbers, trained at `learning-rate` */
    NLN_HAS_HIDDEN = 1 << 4,   /* a layer or state of `hidden` units */
    NLN_HAS_WEIGHTS = 1 << 5,  /* matrices under `l2` */
    NLN_HAS_PREMISES = 1 << 7, /* facts of a graph beside a question about a link */
    NLN_HAS_LOGITS = 1 << 6,   /* one number for each variable, trained at `learning-rate-logit` */
    NLN_HAS_LAYERS = 1 << 8,   /* of self-attention */
    NLN_HAS_NETWORKS = 1 << 9  /* several models side by side, as many as `networks` */
};

/* A method that keeps its tensors by itself. */
typedef struct nln_storage {
    nln_status (*create)(nln_model *model, nln_error *err);
    void (*free)(nln_model *model); /* also after a failure of create */
    void (*draw)(nln_model *model, nln_random *random);
    int (*get)(nln_net_tensor *out, const nln_model *model, int index); /* 0 after the last */
    void (*changed)(nln_model *model); /* after numbers of the tensors have changed */
} nln_storage;

/* Progress of a model that is learned at once: the share of the work that is done, 0 to 1.  An
 * error ends the work. */
typedef struct nln_solve_watch {
    nln_status (*tell)(void *context, double share, nln_error *err);
    void *context;
} nln_solve_watch;

/* `watch` may be NULL. */
static inline nln_status nln_solve_tell(const nln_solve_watch *watch, double share, nln_error *err)
{
    return watch ? watch->tell(watch->context, share, err) : NLN_OK;
}

typedef struct nln_method {
    const char *name;
    unsigned has;      /* bits of the last five; `learn` and `reads_history` give the others */
    unsigned tasks;    /* bit t: it can do task t */
    int knows_users;   /* has learned about each user ... */
    int needs_user;    /* ... and has nothing to say to anybody else */
    int reads_history; /* its answers depend on the history of a query */
    int reads_grades;  /* ... and on how much its items were liked: --grades */
    int needs_counts;  /* it learns with the frequency of each variable */

    /* Shape number `index`, or 0 after the last: of the tensors that such a model has or, where
     * `storage` makes others, of those that say how large they are. */
    int (*tensor)(nln_shape *out, const nln_sizes *sizes, int index);
    const nln_storage *storage; /* of the tensors; NULL: arrays of these shapes, model->weights */

    /* How it learns: step by step ... */
    nln_status (*learn)(nln_learner **out, nln_model *model, nln_thread_pool *team,
                        const int32_t *frequency, nln_error *err);
    /* ... or at once, from what each user met in training: query u is user u, its history all
     * of that.  One of the two is NULL. */
    nln_status (*solve)(nln_model *model, const nln_queries *users, const nln_solve_watch *watch,
                        nln_error *err);

    /* The log-odds of expressions in normal form, without the temperature; for task logic. */
    nln_status (*judge)(double *score, const nln_model *model, const nln_exprs *list, int orders,
                        int n_threads, nln_error *err);
    /* For the other tasks: a scorer, and the log-odds of each query's target, without the
     * temperature.  `answer` may be NULL: then the scorer is asked. */
    nln_status (*ask)(nln_item_scorer **out, const nln_model *model, size_t most, nln_error *err);
    nln_status (*answer)(double *score, const nln_model *model, const nln_queries *queries,
                         int n_threads, nln_error *err);

    /* For task link: how vectors make a score; NULL for a method without vectors.  And the row of
     * the same name that does task link, where that is another model. */
    const struct nln_link_family *links;
    const struct nln_method *for_links;
} nln_method;

/* In the order of the choices of option model. */
const nln_method *nln_method_get(int model);
int nln_method_count(void);
/* The same for a task, whose row may be another one of that name. */
const nln_method *nln_method_for(int model, int task);
unsigned nln_method_abilities(const nln_method *method);

extern const nln_method nln_method_nln;
extern const nln_method nln_method_birnn, nln_method_bilstm, nln_method_marginals;
extern const nln_method nln_method_popularity, nln_method_biasedmf, nln_method_svdpp;
extern const nln_method nln_method_ncf, nln_method_ease, nln_method_gru, nln_method_itemknn;
extern const nln_method nln_method_complex, nln_method_distmult, nln_method_transe;
extern const nln_method nln_method_rules, nln_method_nln_links, nln_method_sasrec;

#endif
